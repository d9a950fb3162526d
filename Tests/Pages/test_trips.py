import re

from case import PageTest
from stage import ROOT


class Trips(PageTest):
    def open_trip(self, window):
        window.until(lambda: self.call("bob", "trips.list", limit=1)["trips"] and self.call("bob", "trips.list", limit=1)["trips"][0]["distance"] > 300, "a trip", 90)
        window.open("/trips")
        window.until(lambda: window.all(".trail path"), "a small map")
        window.find("main .rows a").click()
        window.settle()

    def test_one_is_seen_at_a_glance__OU_10(self):
        window = self.window("bob")
        self.open_trip(window)
        window.see("on average")
        window.until(lambda: window.all(".map path.way"), "the way")
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


class Offline(PageTest):
    allowed = ("net::ERR_INTERNET_DISCONNECTED", "Failed to load resource")

    def test_the_shell_has_every_module(self):
        pages = ROOT / "Sources/WebServer/Pages"
        shell = re.search(r"SHELL = \[(.*?)\]", (pages / "service-worker.js").read_text(), re.S)[1]
        files = {str(file.relative_to(pages)) for kind in ("*.js", "*.css") for file in pages.rglob(kind)}
        self.assertEqual(set(re.findall(r"'([^']+)'", shell)), files - {"service-worker.js"})

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
