"""Areas of the map that a browser keeps for times without a connection, and pages on paper."""

import base64
import re
import shutil
import subprocess
import tempfile
import unittest
import pathlib

import vector
from case import PageTest
from tiles import TileDoor

#: A place in Amsterdam, which the map shows once it no longer follows the van.
HERE = (52.36, 4.88)
ONLINE = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}


class KeptAreas(PageTest):
    draws = True
    allowed = ("ERR_INTERNET_DISCONNECTED", "ERR_EMPTY_RESPONSE", "ERR_FAILED", "map/view.js", "Failed to fetch", "EventSource", "network error")

    def at_a_door(self, **options):
        """Returns a window of nobody at a door that has invented streets everywhere."""
        made = vector.tile("OpenMapTiles")
        self.door = TileDoor(
            self.stage.base, vector.description("OpenMapTiles") | {"bounds": (-180, -85, 180, 85)}, lambda *_: made)
        self.addCleanup(self.door.end)
        window = self.window(None, **options)
        window.base = self.door.base
        return window

    def looking(self, size=(1280, 860)):
        """Opens the page Now at a door with invented streets, once the service worker answers."""
        window = self.at_a_door(size=size)
        window.open("/now")
        # The page registers it some seconds after it was opened.
        window.until(lambda: window.driver.execute_script("return Boolean(navigator.serviceWorker.controller)"), "the service worker", 30)
        self.see(window, 14)
        return window

    def see(self, window, zoom):
        # The van may report meanwhile, and would take the map along.
        window.driver.execute_script("document.querySelector('.now-tools [aria-pressed=true]')?.click()")
        window.until(lambda: window.map("view.see([arguments[0], arguments[1]], arguments[2]); return true", *HERE, zoom), "the map")
        window.drawn("road", 60)

    def kept(self, window):
        """Returns the number of answers in all areas that are kept."""
        return window.driver.execute_async_script("""
            const done = arguments[0];
            (async () => {
              let count = 0;
              for (const name of await caches.keys()) if (name.startsWith('area-')) count += (await (await caches.open(name)).keys()).length;
              done(count);
            })();""")

    def test_an_area_is_kept_drawn_without_a_connection_and_removed(self):
        window = self.looking()
        window.press("Keep this area on this phone")
        window.see("What you see takes about", "dialog")
        tiles = int(re.search(r"\((\d+) tiles?\)", window.find("dialog").text)[1])
        # The invented tiles are all alike, so that the estimate is exact.
        before = re.search(r"takes about ([\d.,]+ [kMG]B)", window.find("dialog").text)[1]
        asked = len(self.door.asked)
        window.press("Keep it", "dialog")
        window.see("is kept: ", "dialog")
        self.assertIn(f"is kept: {before}.", window.find("dialog").text)
        self.assertGreaterEqual(len(self.door.asked) - asked, tiles)
        self.assertEqual(self.kept(window), tiles + 1)
        self.assertIn(f"{before} · {tiles} tiles", window.find("dialog .row").text)
        # What Chromium emulates does not hold for the service worker.
        window.tell("Network.emulateNetworkConditions", offline=True, **ONLINE)
        self.door.closed = True
        # A page that is loaded again has no tile in memory, and the browser's own cache may have none either.
        window.tell("Network.setCacheDisabled", cacheDisabled=True)
        self.addCleanup(window.tell, "Network.emulateNetworkConditions", offline=False, **ONLINE)
        asked = len(self.door.asked)
        window.driver.refresh()
        window.settle()
        self.see(window, 14)
        self.see(window, 13)
        self.assertEqual(len(self.door.asked), asked)
        window.press("Keep this area on this phone")
        window.see("There is no connection. You can keep areas once it is back.", "dialog")
        window.press(re.search(r"Remove .*", window.find("dialog .row button").accessible_name)[0], "dialog")
        window.see("No area is kept.", "dialog")
        self.assertEqual(self.kept(window), 0)

    def test_an_area_that_is_too_large_is_refused(self):
        window = self.looking()
        window.map("view.see([48, 10], 4)")
        window.drawn("sea")
        window.press("Keep this area on this phone")
        window.see("This area is too large.", "dialog")
        self.assertFalse([one for one in window.all("dialog button") if one.text == "Keep it"])
        self.assertEqual(self.kept(window), 0)

    def test_a_phone_keeps_an_area_in_german(self):
        window = self.at_a_door(size=(390, 844), language="de", dark=True)
        window.open("/now")
        self.see(window, 14)
        window.press("Dieses Gebiet auf diesem Telefon behalten")
        window.see("Kein Gebiet ist gespeichert.", "dialog")
        self.assertEqual(window.wider_than_window(), [])

    @unittest.skipUnless(shutil.which("pdftoppm"), "needs poppler-utils")
    def test_the_map_is_on_paper(self):
        window = self.looking()
        page = base64.b64decode(window.tell("Page.printToPDF", printBackground=True, paperWidth=8.27, paperHeight=11.69)["data"])
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "page.pdf"
            file.write_bytes(page)
            subprocess.run(["pdftoppm", "-r", "40", "-f", "1", "-l", "1", str(file), str(file.with_suffix(""))], check=True)
            picture = next(pathlib.Path(folder).glob("*.ppm")).read_bytes()
        _, size, _, pixels = picture.split(b"\n", 3)
        width, height = map(int, size.split())
        colours = {pixels[n:n + 3] for n in range(0, len(pixels), 3)}
        self.assertGreater(len(colours), 40, "the map is empty")
        # The page is as before once it is printed.
        window.gone(".map-print")
        self.assertEqual(window.find(".map").get_attribute("style"), "")
