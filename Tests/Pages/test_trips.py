import re
from datetime import datetime, timedelta, timezone
from urllib.parse import quote

from case import PageTest
from stage import wait_for
from stage import ROOT


class Trips(PageTest):
    draws = True

    def open_trip(self, window):
        window.until(lambda: self.call("bob", "trips.list", limit=1)["trips"] and self.call("bob", "trips.list", limit=1)["trips"][0]["distance"] > 300, "a trip", 90)
        window.open("/trips")
        window.until(lambda: window.all(".trail path"), "a small map")
        window.click("main .rows a")
        window.settle()

    def test_one_is_seen_at_a_glance__OU_10(self):
        window = self.window("bob")
        self.open_trip(window)
        window.see("on average")
        window.drawn("way")
        window.see("Stops")
        window.until(lambda: window.all("canvas"), "speed and height")

    def test_plays_by_keyboard(self):
        from selenium.webdriver.common.keys import Keys
        window = self.window("bob")
        self.open_trip(window)
        slider = window.field("Time within the trip")
        slider.send_keys(Keys.END)
        window.until(lambda: int(slider.get_attribute("value")) > 20, "the end")
        self.assertTrue(slider.get_attribute("aria-valuetext"))
        slider.send_keys(Keys.HOME)
        window.press("Play")
        window.until(lambda: int(slider.get_attribute("value")) > 5, "playing")
        window.press("Pause")


    def test_an_administrator_removes_a_false_stop(self):
        if self.stage.folder is None:
            self.skipTest("Only a user of the machine makes somebody an administrator.")
        start = datetime(2026, 3, 2, 8, tzinfo=timezone.utc)
        # Five minutes on the way, ten standing, five on the way, and the rest that ends the trip.
        north = [n if n < 60 else 60 if n < 180 else n - 120 if n < 240 else 120 for n in range(440)]
        self.stage.replay("tram", [(start + timedelta(seconds=5 * n), 52.3 + 0.0005 * way, 4.9) for n, way in enumerate(north)])
        # The position is known before the trip is written.
        ended = lambda: [trip for trip in self.call("ada", "trips.list", device="tram", limit=1)["trips"] if trip.get("end")]
        trip = wait_for(ended, "the end of the trip")[0]["id"]
        window = self.window("cleo")
        window.open(f"/trips/{quote(trip)}")
        window.see("Stop 1\n8:05 AM", "main")
        self.assertNotIn("Remove stop 1", [button.accessible_name for button in window.all("main button")])
        self.stage.administer("cleo")
        self.addCleanup(self.stage.administer, "cleo", "--remove")
        window.open(f"/trips/{quote(trip)}")
        window.press("Remove stop 1", "main")
        window.press("Remove", "dialog")
        window.see("The stop was removed.")
        self.assertFalse(self.call("ada", "trips.list", device="tram", limit=1)["trips"][0].get("stops"))
        # What is left is the rest after the trip.
        window.see_no("8:05 AM", "main")

    def test_a_trip_is_told_in_one_zone_everywhere(self):
        trip = wait_for(lambda: self.call("bob", "trips.list", device="van")["trips"], "a trip of the van", 60)[0]
        window = self.window("bob", size=(1290, 860))
        window.tell("Emulation.setTimezoneOverride", timezoneId="Asia/Tokyo")
        self.answer_in_place(window, places_at={"lat": 52.37, "lon": 4.89, "zone": "Europe/Amsterdam"})
        window.open("/trips")
        row = f"a[href='/trips/{trip['id'].replace('.', '*')}']"
        window.until(lambda: window.all(row) and "GMT" in window.find(row).text or "CE" in window.find(row).text, "the zone of the place")
        # A trip that goes on says since when, or when its last fix came.
        start = re.search(r"\d+:\d\d [AP]M", window.find(f"{row} small").text)[0]
        window.open("/trips/" + trip["id"].replace(".", "*"))
        window.see(start, "main .page-note")


class Offline(PageTest):
    allowed = ("net::ERR_INTERNET_DISCONNECTED", "Failed to load resource")

    def test_the_shell_has_every_module(self):
        pages = ROOT / "Sources/Doors/WebServer/Pages"
        shell = re.search(r"SHELL = \[(.*?)\]", (pages / "service-worker.js").read_text(), re.S)[1]
        files = {str(file.relative_to(pages)) for kind in ("*.js", "*.css") for file in pages.rglob(kind)}
        self.assertEqual(set(re.findall(r"'([^']+)'", shell)), {file for file in files if not file.startswith("lib/")} - {"service-worker.js"})

    def test_the_last_state_stays_and_says_how_old_it_is(self):
        window = self.window("dan")
        window.open("/sights/rijksmuseum")
        # The page is cached once its service worker is active and has fetched it.
        window.until(lambda: window.driver.execute_async_script(
            "const done = arguments[0]; setTimeout(() => done(0), 8000); navigator.serviceWorker.ready.then((found) => done(found.active.state === 'activated'))"), "the service worker", 40)
        window.open("/sights/rijksmuseum")
        window.tell("Network.enable")
        window.tell("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=-1, uploadThroughput=-1)
        try:
            window.driver.refresh()
            window.settle()
            window.see("Rijksmuseum", "main h1")
            window.see("No connection. What you see is from")
        finally:
            window.tell("Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=-1)
        window.open("/sights/rijksmuseum")
        window.see_no("No connection")
