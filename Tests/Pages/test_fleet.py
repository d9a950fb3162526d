from datetime import datetime, timedelta, timezone

from selenium.webdriver.common.keys import Keys

from case import PageTest

#: The minutes for which each of twelve buses has been silent.
SILENT = {f"bus {n + 1}": 4 + n for n in range(12)}


def stand(n):
    """Returns where a bus has stopped: four in each of three rows, far from all else."""
    return 47.2 + 0.01 * (n // 4), 9.5 + 0.02 * (n % 4)


class Fleet(PageTest):
    draws = True

    @classmethod
    def setUpClass(cls):
        if cls.stage.folder is None:
            return
        now = datetime.now(timezone.utc)
        cls.stage.replay_all({
            name.replace(" ", "-"): [(now - timedelta(minutes=minutes, seconds=10 * (2 - k)), *stand(n)) for k in range(3)]
            for n, (name, minutes) in enumerate(SILENT.items())})

    def setUp(self):
        if self.stage.folder is None:
            self.skipTest("The daemon is another's.")

    # While the daemon does not run, the console reports that.
    allowed = ("net::ERR", "Failed to load resource")

    def rows(self, window):
        """Returns the name of each device in the list and what it says, as it is shown."""
        return [tuple(row) for row in window.driver.execute_script(
            "return [...document.querySelectorAll('.fleet-list .row:not([hidden])')]"
            ".map((row) => ['strong', 'small'].map((name) => row.querySelector(name).textContent))")]

    def look(self, window, address):
        """Opens the page Now, and waits for the list of devices."""
        window.open(address)
        window.until(lambda: len(self.rows(window)) > 12, "the devices")

    def test_the_device_that_is_asked_for_is_drawn_and_so_are_all_others(self):
        # The fixes came just now; after a start, their own times say how old they are.
        self.restart()
        window = self.window("bob")
        self.look(window, "/now?device=bus-7")
        card = lambda: window.find(".now-side .card").text
        window.until(lambda: "bus-7" in card() and "Last seen" in card(), "the device")
        chosen = [row.text.split("\n")[0] for row in window.all(".fleet-list .row") if row.find_elements("css selector", "[aria-pressed=true]")]
        self.assertEqual(chosen, ["bus-7"])
        window.drawn("sea")
        window.until(lambda: abs(window.map("return view.center().lon") - stand(6)[1]) < 1e-4, "the map at the bus")
        # Those that report come first, then the silent ones, the latest first.
        rows = dict(self.rows(window))
        order = [name for name, _ in self.rows(window)]
        self.assertEqual([name for name in order if name.startswith("bus")], [f"bus-{n + 1}" for n in range(12)])
        ages = [int(rows[f"bus-{n + 1}"].split()[0]) for n in range(12)]
        self.assertTrue(all(4 + n <= age <= 9 + n for n, age in enumerate(ages)), ages)
        live = [n for n, name in enumerate(order) if "ago" not in rows[name] and "no position" not in rows[name]]
        self.assertEqual(live, list(range(len(live))))
        # Each other bus is a grey mark, or in a cluster; none is drawn twice.
        window.map("view.fit([[47.19, 9.49], [47.23, 9.57]], 15)")
        marks = lambda: [mark.get_attribute("aria-label") for mark in window.all(".map .fleet-mark.old")]
        window.until(lambda: len(marks()) == 11, "eleven marks")
        self.assertNotIn("bus-7", " ".join(marks()))
        self.assertTrue(all(mark.endswith(" ago") for mark in marks()), marks())
        window.map("view.see([47.21, 9.53], 7.5)")
        window.until(lambda: [one.text for one in window.all(".map .fleet-cluster.old")] == ["11"], "one cluster")
        window.click(".map .fleet-cluster")
        window.until(lambda: len(marks()) == 11, "the marks again")

    def test_another_is_chosen_by_keyboard_and_on_the_map(self):
        window = self.window("bob")
        self.look(window, "/now?device=bus-1")
        window.driver.execute_script("document.querySelector('.fleet-list button').focus()")
        active = lambda: window.driver.switch_to.active_element
        for _ in range(30):
            if active().text.startswith("bus-2\n"):
                break
            active().send_keys(Keys.ARROW_DOWN)
        active().send_keys(Keys.ENTER)
        window.until(lambda: "bus-2" in window.find(".now-side .card").text, "the device")
        self.assertTrue(window.driver.current_url.endswith("/now?device=bus-2"))
        window.drawn("sea")
        window.map("view.fit([[47.19, 9.49], [47.23, 9.57]], 15)")
        find = lambda: next((mark for mark in window.all(".map .fleet-mark") if mark.get_attribute("aria-label").startswith("bus-12")), None)
        window.driver.execute_script("arguments[0].click()", window.until(find, "the mark"))
        window.until(lambda: "bus-12" in window.find(".now-side .card").text, "the device")
        window.type("Search the devices", "bus-1")
        window.until(lambda: [name for name, _ in self.rows(window)] == ["bus-1", "bus-10", "bus-11", "bus-12"], "four rows")

    def test_a_place_comes_by_the_stream(self):
        window = self.window("bob")
        self.look(window, "/now?device=bus-1")
        window.until(lambda: window.map("view.see([47.3, 9.9], 13); return 1"), "the map")
        self.stage.ride("shuttle", [(47.3, 9.9 + n / 4000) for n in range(8)])
        window.until(lambda: "ago" not in dict(self.rows(window)).get("shuttle", "ago"), "that it reports")
        mark = lambda: [one for one in window.all(".map .fleet-mark:not(.old)") if one.get_attribute("aria-label") == "shuttle"]
        window.until(mark, "its mark")
        self.assertIn("bus-1", window.find(".now-side .card").text)

    def test_a_device_that_nobody_knows_is_said(self):
        window = self.window("bob")
        # The daemon refuses to say where it is.
        window.open("/now?device=submarine")
        window.see("There is no device named submarine.", "main")
        self.assertGreater(len(self.rows(window)), 12)

    def test_it_fits_a_phone_in_german(self):
        window = self.window("bob", size=(360, 740), dark=True, language="de")
        self.look(window, "/now?device=bus-3")
        window.see("Geräte", "main")
        window.see("melden sich", "main")
        self.assertEqual(window.wider_than_window(), [])
