import io
import json
import zipfile
from datetime import datetime, timedelta, timezone

from case import PageTest

START = datetime(2025, 3, 2, 8, tzinfo=timezone.utc)
#: Google's records of a drive to the north, a point each second.
RECORDS = json.dumps({"locations": [
    {"latitudeE7": 523_000_000 + 1500 * n, "longitudeE7": 61_000_000, "timestamp": (START + timedelta(seconds=n)).strftime("%Y-%m-%dT%H:%M:%SZ")}
    for n in range(400)]}).encode()
DROP = """
const data = new DataTransfer();
data.items.add(new File([arguments[0]], 'Records.json'));
document.querySelector('.drop').dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}));"""


class Files(PageTest):
    # What the daemon refuses.
    allowed = ("status of 400",)

    def setUp(self):
        if self.stage.folder is None:
            self.skipTest("Only a user of the machine makes somebody an administrator.")
        self.stage.administer("cleo")
        self.addCleanup(self.stage.administer, "cleo", "--remove")

    def take(self, window, name, content, device):
        """Chooses a file and a device in the dialog, and imports it."""
        window.type("Files with journeys", self.file(content, name))
        window.type("Device", device)
        window.press("Import", "dialog")

    def test_an_administrator_imports_a_history_by_keyboard(self):
        from selenium.webdriver.common.keys import Keys
        window = self.window("cleo")
        window.open("/trips")
        button = window.until(lambda: [one for one in window.all("main button") if one.accessible_name == "Import journeys"], "the button")[0]
        button.send_keys(Keys.ENTER)
        self.take(window, "Records.json", RECORDS[:-9], "pocket")
        window.refused("file")
        window.see("Cannot be imported: ", "dialog")
        self.assertNotIn("pocket", [one["name"] for one in self.call("cleo", "devices.list")["devices"]])
        window.press("Close", "dialog")
        window.press("Throw it away", window.top())
        window.gone("dialog")
        button.send_keys(Keys.ENTER)
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as file:
            file.writestr("Takeout/Records.json", RECORDS)
            file.writestr("Takeout/Settings.json", "{}")
        self.take(window, "takeout.zip", archive.getvalue(), "pocket")
        window.see("One trip and", "dialog")
        window.see("0 known already, 0 left out because they overlap others.", "dialog")
        window.see("400 of 400 points used.", "dialog")
        window.press("One file was skipped", "dialog")
        window.see("Takeout/Settings.json\nno history", "dialog")
        trip, = self.call("cleo", "trips.list", device="pocket")["trips"]
        self.assertEqual(trip["start"][:13], "2025-03-02T08")
        window.click("dialog .rows a")
        window.settle()
        self.assertIn("pocket", window.driver.current_url)
        window.gone("dialog")

    def test_a_dropped_file_is_imported(self):
        window = self.window("cleo", language="de")
        window.open("/trips")
        window.see("Dateien mit Reisen zum Importieren hierher ziehen.", "main")
        for trips, known in (("Eine Fahrt", 0), ("0 Fahrten", 1)):
            window.driver.execute_script(DROP, RECORDS.decode())
            window.see("Reisen importieren", "dialog")
            window.type("Gerät", "glovebox")
            window.press("Importieren", "dialog")
            window.see(f"{trips} und", "dialog")
            window.see(f"{known} schon bekannt", "dialog")
            window.press("Schließen", "dialog")
            window.gone("dialog")

    def test_nobody_else_can_import(self):
        window = self.window("bob")
        window.open("/trips")
        window.see("Trips start and end automatically.", "main")
        self.assertFalse([one for one in window.all("main button") if one.accessible_name == "Import journeys"])
        self.assertFalse(window.all(".drop"))
