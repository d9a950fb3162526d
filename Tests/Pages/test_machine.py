import base64
import subprocess
import urllib.request

import vector
from case import PageTest
from stage import ROOT, run


class Machine(PageTest):
    def setUp(self):
        if self.stage.folder is None:
            self.skipTest("Only a user of the machine makes somebody an administrator.")

    def administer(self, person):
        self.stage.administer(person)
        self.addCleanup(self.stage.administer, person, "--remove")

    def test_nobody_else_is_shown_decisions(self):
        window = self.window("dan")
        window.open("/machine")
        window.see("Receivers", "main")
        window.see_no("Open flags", "main")
        self.assertFalse(self.call("dan", "people.whoami")["admin"])

    def test_what_is_not_well_is_shown_with_its_remedy__HE_1(self):
        self.stage.sources["ghost"] = "ghost=tcp://127.0.0.1:9"
        self.stage._reload()
        self.addCleanup(self.stage._reload)
        self.addCleanup(self.stage.sources.pop, "ghost")
        # The words name servers, so only an administrator sees them.
        window = self.window("dan")
        window.open("/machine")
        window.see("ghost is offline.", "main")
        window.see_no("127.0.0.1, port 9", "main")
        self.administer("cleo")
        window = self.window("cleo")
        window.open("/machine")
        window.see("ghost is offline: ", "main")
        window.see("→ start the program that should listen at 127.0.0.1, port 9", "main")
        window = self.window("dan", language="de")
        window.open("/machine")
        window.see("ghost ist offline.", "main")

    def test_an_administrator_decides_a_flag(self):
        words = "Cheap tickets at my shop"
        review = self.call("dan", "reviews.put", subject="sight/anne-frank-house", rating=1, text=words)
        self.call("ada", "reviews.flag", review=review["id"])
        self.administer("cleo")
        window = self.window("cleo")
        window.open("/machine")
        window.see("Open flags", "main")
        window.see(words, "main")
        window.press("Hide", "main")
        window.see("Saved.")
        window.see_no(words, "main")
        reviews = self.call("ada", "reviews.list", subject="sight/anne-frank-house")["reviews"]
        self.assertNotIn(words, [one.get("text") for one in reviews])

    def test_a_board_is_added_and_its_events_are_verified(self):
        self.administer("cleo")
        window = self.window("cleo")
        window.open("/machine")
        window.see("No board sends its events here", "main")
        window.press("Add a board", "main")
        window.type("Name of the board", "bus")
        window.press("Make its secret", "dialog")
        window.see("The board bus", "dialog")
        secret = window.driver.execute_script("return document.querySelector('dialog pre').textContent")
        window.press("Close", "dialog")
        window.see("It has a secret and has sent nothing yet.", "main")

        folder = self.stage.folder
        (folder / "bus.secret").write_text(secret)
        (folder / "bus.secret").chmod(0o600)
        # A board without a fix has an event, and no device that other tests would see.
        (folder / "bus.nmea").write_text("")
        (folder / "bus.yaml").write_text(
            f"sources: [\"gps0={folder}/bus.nmea?speed=max\"]\n"
            f"uplink:\n  url: {self.stage.base}\n  secret: {folder}/bus.secret\n")
        with open(folder / "bus.log", "w") as log:
            board = subprocess.Popen(
                [self.stage.options.waymark, "daemon", "--config", folder / "bus.yaml", "--store", folder / "bus.db",
                 "--socket", folder / "bus.sock"], stdout=log, stderr=log)
        self.addCleanup(board.wait, 20)
        self.addCleanup(board.terminate)
        window.see("one event is here", "main")
        window.press("Verify", "main")
        window.see("complete and unchanged", "main")
        self.assertNotIn("bus/gps0", [one["name"] for one in self.call("cleo", "devices.list")["devices"]])

    def test_an_administrator_names_a_device(self):
        self.administer("cleo")
        window = self.window("cleo")
        window.open("/machine")
        window.press("Edit: van", "main")
        window.type("Display name", "Our van", "dialog")
        window.press("Save", "dialog")
        window.see("Our van", "main")

    def test_a_device_gets_a_limit_of_speed_in_the_readers_units(self):
        def limit():
            devices = self.call("cleo", "devices.list")["devices"]
            return next(one for one in devices if one["name"] == "van").get("speed_limit")

        self.allowed = ("status of 400",)
        self.administer("cleo")
        for language, edit, label, save, factor in (
                ("de", "Bearbeiten: van", "Tempolimit in km/h", "Speichern", 3.6),
                ("en-US", "Edit: van", "Speed limit in mph", "Save", 2.236936)):
            window = self.window("cleo", language=language)
            window.open("/machine")
            window.press(edit, "main")
            window.type(label, "fast")
            window.press(save, "dialog")
            window.refused("speed_limit")
            window.type(label, "50")
            window.press(save, "dialog")
            window.gone("dialog")
            self.assertAlmostEqual(limit() * factor, 50, delta=0.05)
            window.press(edit, "main")
            self.assertEqual(window.field(label).get_attribute("value"), "50")
            window.type(label, "")
            window.press(save, "dialog")
            window.gone("dialog")
            self.assertIsNone(limit())

    def test_an_administrator_adds_a_phone_and_its_places_arrive(self):
        self.administer("cleo")
        window = self.window("cleo")
        window.open("/machine")
        window.press("Add a phone", "main")
        window.type("Name of the device", "anna", "dialog")
        window.press("Show the code", "dialog")
        window.see("Set up the phone for anna", "dialog")
        self.assertTrue(window.find("dialog .qr .dark").get_attribute("d").startswith("M4 4h7v1h-7z"))
        self.assertTrue(window.find("dialog a.button").get_attribute("href").startswith("owntracks:///config?inline="))
        window.press("Another app, or by hand", "dialog")
        address, secret = (one.text for one in window.all("dialog details section:first-of-type code"))
        self.assertEqual(address, self.stage.base + "/in/")
        place = b'{"_type":"location","lat":52.37,"lon":4.89,"tst":1714644000,"acc":5}'
        key = base64.b64encode(f"anna:{secret}".encode()).decode()
        request = urllib.request.Request(address, place, {"Authorization": "Basic " + key})
        with urllib.request.urlopen(request, timeout=20) as answer:
            self.assertEqual((answer.status, answer.read()), (200, b"[]"))
        window.see("anna", "main")

    def test_an_administrator_adds_and_removes_a_map(self):
        self.allowed = ("status of 400",)
        self.administer("cleo")
        window = self.window("cleo")
        window.open("/machine")
        window.see("There is no street map yet.", "main")
        window.press("Add a map", "main")
        window.type("File of map tiles (PMTiles or MBTiles)", self.file(b"Not a map at all.", "Long Coast-latest.pmtiles"))
        self.assertEqual(window.field("Name of the map").get_attribute("value"), "long-coast")
        window.press("Send", "dialog")
        window.see("Cannot be used as a map: it is neither PMTiles nor MBTiles.", "dialog")
        window.type("File of map tiles (PMTiles or MBTiles)",
            self.file(vector.archive("OpenMapTiles", attribution="<b>© The</b> Inventors"), "coast.pmtiles"))
        window.type("Name of the map", "../coast")
        window.press("Send", "dialog")
        window.refused("name")
        window.type("Name of the map", "coast")
        window.press("Send", "dialog")
        window.see("Saved.")
        window.see("© The Inventors", "main")
        row = next(row for row in window.rows() if row.startswith("coast"))
        for part in ("streets and names", "zoom 0 to 0", "50.00° N, 5.00° E – 51.00° N, 6.00° E"):
            self.assertIn(part, row.replace("\xa0", " "))
        # The next map has it, without a restart of the daemon and without loading the page again.
        files = window.driver.execute_async_script(
            "fetch('/tiles.json').then((answer) => answer.json()).then(arguments[0])")["files"]
        self.assertEqual([one["tiles"] for one in files], ["/tiles/coast/{z}/{x}/{y}"])
        other = self.window("dan", language="de")
        other.open("/machine")
        other.see("Straßenkarten", "main")
        other.see("Straßen und Namen", "main")
        other.see_no("Karte hinzufügen", "main")
        self.assertFalse([one for one in other.all("main button") if one.accessible_name == "Entfernen: coast"])
        window.press("Remove: coast", "main")
        window.press("Remove", "dialog")
        window.see("There is no street map yet.", "main")
        self.assertEqual(self.call("cleo", "maps.list")["maps"], [])

    def test_an_administrator_edits_a_trip_and_undoes_it(self):
        from selenium.webdriver.common.keys import Keys
        run([self.stage.options.waymark, "trip", "import", str(ROOT / "fixtures/canal-walk.gpx"), "--device", "walk",
             "--socket", str(self.stage.folder / "van.sock")])
        trip = self.call("bob", "trips.list", device="walk", limit=1)["trips"][0]
        address = "/trips/" + trip["id"].replace(".", "*")
        window = self.window("bob")
        window.open(address)
        window.see("on average")
        self.assertFalse([e for e in window.all("main summary, main button") if e.accessible_name == "Edit the trip"])
        self.administer("bob")
        window.open(address)
        window.field("Time within the trip").send_keys(Keys.END)
        window.press("Edit the trip", "main")
        window.press("Remove this point")
        window.press("Remove", "dialog")
        window.see("Cut out.")
        self.assertLess(self.call("bob", "trips.list", device="walk", limit=1)["trips"][0]["fixes"], trip["fixes"])
        window.press("Edit the trip", "main")
        window.press("Undo the last change")
        window.see("Undone.")
        self.assertEqual(self.call("bob", "trips.list", device="walk", limit=1)["trips"][0]["fixes"], trip["fixes"])

    def test_what_was_taken_away_is_gone(self):
        self.stage.administer("bob")
        window = self.window("bob")
        window.open("/machine")
        window.see("Open flags", "main")
        self.stage.administer("bob", "--remove")
        window.open("/machine")
        window.see("Receivers", "main")
        window.see_no("Open flags", "main")
