from datetime import datetime, timedelta, timezone

from case import PageTest
from stage import wait_for


class Phones(PageTest):
    """What a phone's narrow window must still show well."""

    PHONE = {"size": (390, 844)}

    def box(self, window, selector):
        """Returns the edges of an element: left, top, right, bottom."""
        return window.driver.execute_script(
            "const {left, top, right, bottom} = arguments[0].getBoundingClientRect(); return {left, top, right, bottom}", window.find(selector))

    def test_the_steps_after_signing_up_are_as_wide_as_the_window(self):
        self.person("ole", "Ole", "Berg")
        window = self.window("ole", language="de", **self.PHONE)
        window.open("/welcome")
        while not window.all("main input[type=file]"):
            step = window.find("main h2").text
            window.press("Überspringen", "main")
            window.until(lambda: window.find("main h2").text != step, "the next step")
        self.assertEqual(window.driver.execute_script("return [innerWidth, document.documentElement.scrollWidth]"), [390, 390])
        window.press("Überspringen", "main")
        window.until(lambda: "/now" in window.driver.current_url, "the map")

    def test_notifications_begin_in_the_upper_half(self):
        self.person("vik", "Nora", "Vik")
        self.call("vik", "people.follow", person="ada")
        self.call("vik", "friends.request", person="ada")
        window = self.window("ada", **self.PHONE)
        window.open("/notifications")
        window.see("Nora Vik", "main .row")
        self.assertLess(self.box(window, "main .row")["top"], 844 / 2)
        self.assertEqual(window.wider_than_window(), [])
        # The last kind is reached by moving the line sideways.
        window.press("Notices", "main .choice")
        window.until(lambda: not window.all("main .row"), "no notices")
        window.press("All", "main .choice")
        # The button stands below the words, which have the width of the page.
        asks = window.until(lambda: next((one for one in window.all("main .row") if one.text.startswith("Nora Vik") and one.find_elements("css selector", ".button")), None), "the request")
        words, button = (asks.find_element("css selector", part).rect for part in (".row-text", ".button"))
        self.assertGreaterEqual(button["y"], words["y"] + words["height"])
        self.assertGreater(words["width"], 300)

    def test_the_trips_of_a_journey_have_room(self):
        plan = self.plan("ada", "Room on phones", start="2026-06-01", end="2026-06-02")
        if self.stage.folder is None:
            self.skipTest("The daemon is another's.")
        start = datetime(2026, 6, 1, 8, tzinfo=timezone.utc)
        # Five minutes on the way, and the rest that ends the trip.
        self.stage.replay("tandem", [(start + timedelta(seconds=5 * n), 52.3 + 0.0005 * min(n, 60), 4.7) for n in range(280)])
        ended = lambda: [trip for trip in self.call("ada", "trips.list", device="tandem", limit=1)["trips"] if trip.get("end")]
        trip = wait_for(ended, "the end of the trip")[0]["id"]
        self.call("ada", "plans.addTrip", plan=plan, trip=trip)
        window = self.window("ada", **self.PHONE)
        window.open(f"/plans/{plan}/journey")
        row = window.until(lambda: next((one for one in window.all("main .row.roomy, main .row") if "Remove from the plan" in one.text), None), "the trip")
        title = row.find_element("css selector", "strong")
        self.assertLess(title.rect["height"], 50, "two lines at most")
        day = window.find(".table tbody th")
        self.assertLess(day.rect["height"], 60)
        # A plan without locations has no table of them.
        self.assertNotIn("Planned for", window.find("main").text)

    def test_buttons_one_below_the_other_stand_apart(self):
        window = self.window("bob", **self.PHONE)
        window.open("/now")
        window.find(".now-side .actions .actions .button")
        boxes = window.driver.execute_script("""
            return [...document.querySelectorAll('.now-side > .actions .button')].map((one) => {
              const {left, top, right, bottom} = one.getBoundingClientRect(); return [left, top, right, bottom]; });""")
        self.assertGreater(len(boxes), 2)
        for n, (left, top, right, bottom) in enumerate(boxes):
            for other in boxes[n + 1:]:
                if other[1] >= bottom:
                    self.assertGreaterEqual(other[1] - bottom, 7.5)
