from datetime import datetime, timedelta, timezone

from case import PageTest
from stage import wait_for


class Travels(PageTest):
    """The travels of a barge, which the tests share."""
    draws = True

    #: The trips: 13 and 14 April 2026, each with ten minutes of rest on the way.
    DAYS = ("2026-04-13", "2026-04-14")

    def travel(self):
        """Makes a barge travel on two days, once."""
        if self.stage.folder is None:
            self.skipTest("Only a user of the machine replays old recordings.")
        if "barge" in self.stage.sources:
            return
        for number, day in enumerate(self.DAYS):
            start = datetime.fromisoformat(f"{day}T08:00:00").replace(tzinfo=timezone.utc)
            north = [n if n < 60 else 60 if n < 180 else n - 120 if n < 240 else 120 for n in range(440)]
            self.stage.replay("barge", [(start + timedelta(seconds=5 * n), 52.3 + 0.0005 * (way + 120 * number), 4.9) for n, way in enumerate(north)])
        # The position is known before the trip is written.
        trips = lambda: self.call("ada", "trips.list", device="barge")["trips"]
        wait_for(lambda: [bool(trip.get("end")) for trip in trips()] == [True, True], "the end of both trips")

    def sums(self, **parameters):
        return self.call("ada", "reports.summary", device="barge", **parameters)["sums"]



class Reports(Travels):
    def test_the_sums_of_a_device_are_shown_printed_and_saved(self):
        self.travel()
        window = self.window("bob")
        window.open("/reports")
        window.press("barge", "main .toolbar")
        window.settle()
        window.press("Day", "main .toolbar")
        window.settle()
        window.see("Tue, Apr 14", "main tbody")
        window.until(lambda: len(window.all("main tbody tr")) == 2, "a row for each day")
        self.assertEqual([one["start"] for one in self.sums(period="day")], list(reversed(self.DAYS)))
        kilometres = f"{self.sums(period='month')[0]['distance'] / 1000:.1f} km"
        window.press("Month", "main .toolbar")
        window.see("April 2026", "main tbody")
        window.see(kilometres, "main tbody")
        window.driver.execute_script("HTMLAnchorElement.prototype.click = () => {}; URL.createObjectURL = (blob) => { blob.text().then((text) => { window.saved = text; }); return '#'; }")
        window.press("CSV", "main")
        lines = window.until(lambda: window.driver.execute_script("return window.saved"), "the file").splitlines()
        self.assertTrue(lines[0].startswith("start,end,device,trips,distance_m,"))
        self.assertEqual(len(lines), 2)
        self.assertTrue(lines[1].startswith("2026-04-01,2026-04-30,barge,2,"))
        # On paper there is the table without the menu and the controls.
        window.tell("Emulation.setEmulatedMedia", media="print")
        self.addCleanup(window.tell, "Emulation.setEmulatedMedia", media="")
        self.assertFalse([e for e in window.all(".side, .top, main .toolbar, main .actions button") if e.is_displayed()])
        self.assertTrue(window.find("main tbody").is_displayed())

    def test_an_administrator_says_what_a_trip_was_for(self):
        self.travel()
        window = self.window("cleo")
        window.open("/reports?view=logbook")
        window.press("barge", "main .toolbar")
        window.settle()
        window.see("Tue, Apr 14", "main tbody")
        self.assertFalse(window.all("main tbody button"))
        self.stage.administer("cleo")
        self.addCleanup(self.stage.administer, "cleo", "--remove")
        window.open("/reports?view=logbook")
        window.press("barge", "main .toolbar")
        window.settle()
        window.until(lambda: len(window.all("main tbody button")) == 2, "an entry for each trip")
        window.click("main tbody button")
        window.type("Purpose", "Business", "dialog")
        window.type("Reason", "Locks of the Vecht", "dialog")
        window.type("Driver", "Cleo", "dialog")
        window.press("Save", "dialog")
        window.see("The entry is saved.")
        window.see("Locks of the Vecht", "main tbody tr:first-child")
        entry = self.call("ada", "logbook.list", device="barge", limit=1)["trips"][0]
        self.assertEqual((entry["purpose"], entry["driver"]), ("business", "Cleo"))
        self.assertEqual(self.sums(period="day")[0]["business"], self.sums(period="day")[0]["distance"])
        window.press("Sums", "main .toolbar")
        window.see("Business", "main thead")
        # A sight at the end of the trips says it, too, but not where somebody has said something by hand.
        self.stage.people["cleo"].call("sights.add", title="The lock", description="Boats wait here.",
            lat=52.3 + 0.0005 * 120, lon=4.9, radius=100)
        window.open("/sights/the-lock")
        window.act("For the logbook")
        window.type("Purpose", "Business", "dialog")
        window.press("Save", "dialog")
        window.see("Saved for the trips from now on.")
        window.open("/reports?view=logbook")
        window.press("barge", "main .toolbar")
        window.settle()
        window.press("Apply places", "main")
        window.see("One entry has changed.")
        window.see("The lock", "main tbody tr:last-child")
        window.see("Locks of the Vecht", "main tbody tr:first-child")


class History(Travels):
    def test_the_calendar_and_a_day_work_by_keyboard(self):
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.keys import Keys
        self.travel()
        window = self.window("bob")
        window.open("/history?year=2026")
        window.press("barge", "main .toolbar")
        window.settle()
        window.until(lambda: len(window.all(".calendar [data-level]")) == 2, "two days on the way")
        press = lambda key: ActionChains(window.driver).send_keys(key).perform()
        date = lambda link: link.get_attribute("href").split("/")[-1].removesuffix("?device=barge")
        focus = lambda: date(window.driver.switch_to.active_element)
        # One day is in the order of the Tab key: the last one on the way.
        self.assertEqual([date(link) for link in window.all(".calendar [tabindex='0']")], ["2026-04-14"])
        window.driver.execute_script("arguments[0].focus()", window.find(".calendar [tabindex='0']"))
        for key, day in [(Keys.LEFT, "2026-04-13"), (Keys.DOWN, "2026-05-13"), (Keys.END, "2026-12-31"), (Keys.RIGHT, "2026-12-31"), (Keys.UP, "2026-11-30"), (Keys.HOME, "2026-01-01"), (Keys.UP, "2026-01-01")]:
            press(key)
            self.assertEqual(focus(), day)
        window.driver.execute_script("arguments[0].focus()", window.find(".calendar a[href*='2026-04-13']"))
        self.assertEqual(len(window.all(".calendar [tabindex='0']")), 1)
        press(Keys.ENTER)
        window.see("Mon, Apr 13", "main h1")
        window.see("8:05 AM", "main ol.rows")
        self.assertEqual(len(self.call("ada", "history.day", day="2026-04-13", device="barge")["trips"]), 1)
        # Only those of the device that was chosen in the calendar; others may have rested all day.
        day = self.call("ada", "history.day", day="2026-04-13", device="barge")
        self.assertEqual(len(window.all("main ol.rows > li")), sum(len(day[name]) for name in ("trips", "stops", "visits")))
        window.press("Next day", "main")
        window.see("Tue, Apr 14", "main h1")
        window.see("barge", "main .page-note")
        window.driver.back()
        window.see("Mon, Apr 13", "main h1")
        window.press("History", "main")
        window.until(lambda: len(window.all(".calendar [data-level]")) == 2, "the calendar of the same device")

    def test_a_search_tells_when_one_was_at_a_place(self):
        window = self.window("ada")
        self.travel()
        self.answer_in_place(window, places_search={"places": [{"id": "1", "kind": "place", "name": "Nigtevecht", "country": "NL", "lat": 52.31, "lon": 4.9}]})
        window.open("/history")
        window.type("When was I in …?", "nig", "main")
        window.press("Nigtevecht, NL", "main ul.rows")
        window.see("In Nigtevecht", "main")
        window.see("Mon, Apr 13", "main ul.rows")
        window.click("main ul.rows a")
        window.see("Apr", "main h1")


class HeatMap(Travels):
    def test_the_map_shows_where_one_has_been_and_a_year_is_chosen(self):
        self.travel()
        window = self.window("bob")
        window.open("/history")
        window.see("Where you have been", "main")
        squares = lambda: int(window.find(".heat-map").get_attribute("data-squares") or 0)
        window.until(lambda: squares() > 0, "the squares of the trips")
        # Another device, which has the trips of this class alone.
        window.press("barge", "main .toolbar")
        heat = self.call("ada", "history.heat", bbox=[-180, -85, 180, 85], device="barge")
        self.assertEqual((heat["most"], heat["pending"]), (2, 0))
        self.assertIn(2026, heat["years"])
        window.until(lambda: squares() > 0, "the squares of the barge")
        # The map shows the way of some 13 km, not the country around it.
        window.until(lambda: window.map("return view.zoom()") > 8.5, "the map at the way of the barge")
        fine = self.call("ada", "history.heat", bbox=[4.8, 52.2, 5.0, 52.5], zoom=13, device="barge")
        self.assertEqual(fine["level"], 19)
        self.assertGreater(len(fine["cells"]), 100)
        # Every square is where the barge was.
        for x, y, trips in fine["cells"]:
            self.assertAlmostEqual((x + 0.5) / 2 ** 19 * 360 - 180, 4.9, delta=0.001)
            self.assertIn(trips, (1, 2))

    def test_a_year_is_told_in_pictures_and_printed(self):
        self.travel()
        window = self.window("bob")
        window.open("/history?year=2026")
        window.press("barge", "main .toolbar")
        window.settle()
        window.press("The year 2026", "main")
        window.see("The year 2026", "main h1")
        story = self.call("ada", "history.year", year=2026, device="barge")
        self.assertEqual((story["trips"], story["days"], story["months"][3]["trips"]), (2, 2, 2))
        window.see("New places", "main")
        self.assertEqual(len(window.all("main .year-bar")), 12)
        self.assertEqual(len(window.all("main .year-places li")), len(story["new_places"]))
        self.assertGreater(len(window.all("main .year-square")), 10)
        # A picture says in words what it shows.
        chart = window.all("main .year-picture svg")[0].get_attribute("aria-label")
        self.assertIn("April: ", chart)
        if not story["countries"]:
            window.see("Netherlands", "main .year-names")
        window.tell("Emulation.setEmulatedMedia", media="print")
        self.addCleanup(window.tell, "Emulation.setEmulatedMedia", media="")
        self.assertFalse([e for e in window.all(".side, .top, main .actions button") if e.is_displayed()])
        self.assertTrue(all(e.is_displayed() for e in window.all("main .year-picture svg")))
        window.tell("Emulation.setEmulatedMedia", media="")
        window.press("2025", "main")
        window.see("No trip of 2025 is recorded.", "main")

    def test_a_year_is_in_german(self):
        self.travel()
        window = self.window("ada", language="de")
        window.open("/history/year/2026")
        window.see("Das Jahr 2026", "main h1")
        window.see("Strecke nach Monaten", "main")
        window.see("Neue Orte", "main")
        window.open("/history")
        window.see("Wo Sie waren", "main")
