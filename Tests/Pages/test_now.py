import re

from case import PageTest


class Now(PageTest):
    def test_shows_the_ten_closest_in_order__TG_9(self):
        window = self.window("bob")
        window.open("/now")
        window.see("Closest to you")
        rows = window.until(lambda: len(window.all(".now-side ol .row")) == 10 and window.all(".now-side ol .row"), "ten rows")
        lengths = []
        for row in rows:
            number, unit = re.search(r"([\d.,]+) (m|km)", row.text).groups()
            lengths.append(float(number.replace(",", "")) * (1000 if unit == "km" else 1))
        self.assertEqual(lengths, sorted(lengths))

    def test_pins_stand_around__TG_10(self):
        window = self.window("bob")
        window.open("/now")
        window.until(lambda: window.all(".map .pin-sight, .map .cluster"), "pins")
        window.until(lambda: window.all(".map path.land"), "the land, drawn from here: OU-1")

    def test_follows_the_device_and_its_events(self):
        window = self.window("bob")
        window.open("/now")
        before = window.until(lambda: window.find(".speed").text, "a speed")
        window.until(lambda: window.all(".me-mark"), "the device on the map")
        window.until(lambda: window.find(".speed").text != before, "another speed", patience=40)
        window.see("What happened")

    def test_a_sight_is_added_here__TG_5(self):
        window = self.window("bob")
        window.open("/now")
        window.press("Add a sight here", "main")
        window.press("Add the sight", "dialog")
        window.see("Please fill this in.", "dialog")
        self.assertFalse(any(s["title"] == "" for s in self.call("bob", "sights.list", limit=500)["sights"]), "TG-7")
        window.type("Title", "The bridge with bicycles")
        window.type("Information", "They lean on both sides.")
        window.type("Photo", self.file(61))
        window.press("Add the sight", "dialog")
        window.see("The bridge with bicycles", "main h1")
        window.until(lambda: window.all(".gallery img"), "its photo: TG-8")
        added = self.call("bob", "sights.get", id="the-bridge-with-bicycles")
        self.assertEqual(added["added_by"], "bob")

    def test_a_sight_elsewhere_is_asked_for__TG_6(self):
        window = self.window("bob")
        window.open("/now")
        count = len(self.call("bob", "sights.list", limit=500)["sights"])
        press = "const map = document.querySelector('.map'); const box = map.getBoundingClientRect(); map.dispatchEvent(new MouseEvent('contextmenu', {bubbles: true, clientX: box.left + 60, clientY: box.top + 60}))"
        window.driver.execute_script(press)
        window.press("Cancel", "dialog")
        self.assertEqual(len(self.call("bob", "sights.list", limit=500)["sights"]), count)
        window.driver.execute_script(press)
        window.press("Yes, add it there", "dialog")
        window.type("Title", "Far corner")
        window.type("Information", "Chosen on the map.")
        window.press("Add the sight", "dialog")
        window.see("Far corner", "main h1")
