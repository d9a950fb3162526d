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
        window.see("Nora Vik", "main")
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

    def test_the_tabs_of_a_plan_begin_in_the_upper_half(self):
        window = self.window("ada", language="de", **self.PHONE)
        window.open(f"/plans/{self.stage.made['plan']}")
        window.see("Canals, pictures and the zoo", "main")
        # The kinds of items stand on one line, which moves sideways.
        kinds = self.box(window, "main .choice.one-line")
        self.assertLess(kinds["bottom"] - kinds["top"], 60)
        for part in ("money", "lists", "people", "history"):
            window.open(f"/plans/{self.stage.made['plan']}/{part}")
            window.until(lambda: window.all("main .tabs + .section > *"), "the tab")
            self.assertLess(self.box(window, "main .tabs")["bottom"], 844 / 2, part)
        # What was done has more room than the button that undoes it.
        row = window.find("main .row:has(button)")
        words, undo = (row.find_element("css selector", part).rect for part in (".row-text", "button"))
        self.assertGreater(words["width"], undo["width"])

    def test_the_questions_of_a_plan_stand_apart(self):
        plan = self.plan("ada", "Questions on phones", ["bob"])
        for subject in ("What do we cook tonight, and who goes to the market?", "Who drives?"):
            vote = self.call("ada", "votes.ask", plan=plan, subject=subject, options=["2027-06-12/2027-06-14", "2027-06-19/2027-06-21"], limit="1d")["id"]
            for who in ("ada", "bob"):
                self.call(who, "votes.choose", vote=vote, option=1)
                self.call(who, "votes.done", vote=vote)
        window = self.window("ada", **self.PHONE)
        window.open(f"/plans/{plan}")
        first, second = window.until(lambda: len(window.all(".poll")) == 2 and [one.rect for one in window.all(".poll")], "the questions")
        self.assertGreaterEqual(second["y"] - first["y"] - first["height"], 8)
        for poll in window.all(".poll"):
            title, menu = (poll.find_element("css selector", part).rect for part in ("h2", ".menu"))
            self.assertLess(menu["y"], title["y"] + title["height"])
            for line in poll.find_elements("css selector", "li .toolbar"):
                words, share = (line.find_element("css selector", part).rect for part in ("span", "b"))
                self.assertGreater(share["x"], words["x"] + words["width"] - 1)

    def test_a_product_says_what_it_is_before_what_others_think(self):
        window = self.window("ada", **self.PHONE)
        window.open(f"/products/{self.stage.made['product']}")
        window.see("Reviews", "main")
        self.assertLess(self.box(window, "main .figures")["bottom"], self.box(window, "main .section h2")["top"])

    def test_reports_name_their_days(self):
        window = self.window("bob", **self.PHONE)
        window.open("/reports")
        fields = [(field.find_element("xpath", "..").text, field.rect["y"]) for field in window.all("main [type=date]")]
        self.assertEqual([label for label, _ in fields], ["From", "Until"])
        self.assertEqual(fields[0][1], fields[1][1])

    def test_plans_to_explore_are_seen_below_the_search(self):
        window = self.window("ada", **self.PHONE)
        window.open("/explore")
        window.find("main .tile")
        self.assertLess(self.box(window, "main .tile")["top"], 844 * 2 / 3)
        window.type("Postal code", "75004", "main")
        window.press("Search", "main form")
        window.see("Paris by train", "main")

    def test_the_scale_of_a_map_is_written_in_one_line(self):
        window = self.window("ada", **self.PHONE)
        for path in (f"/posts/{self.stage.made['post']}", f"/s/{self.stage.made['link']}", "/sights/westerkerk"):
            window.open(path)
            window.until(lambda: window.map("return view.gl.loaded() && !view.gl.isMoving()"), "the map", 40)
            window.until(lambda: window.all(".maplibregl-ctrl-scale") and self.box(window, ".maplibregl-ctrl-scale")["right"] - self.box(window, ".maplibregl-ctrl-scale")["left"] > 24, f"the scale of {path}")

    def test_a_line_to_write_says_whole_what_belongs_in_it(self):
        window = self.window("ada", language="de", **self.PHONE)
        window.open(f"/plans/{self.stage.made['plan']}")
        room = window.driver.execute_script("""
            const field = document.querySelector('.quick-line input'), canvas = document.createElement('canvas').getContext('2d');
            const style = getComputedStyle(field);
            canvas.font = style.font;
            const inside = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
            return inside - canvas.measureText(field.placeholder).width;""")
        self.assertGreater(room, 0)
        self.assertEqual(window.wider_than_window(), [])
        # The button has lost its word to the eye, and not to a screen reader.
        self.assertEqual(window.find(".quick-line button").accessible_name, "Hinzufügen")
        visitor = self.window(None, **self.PHONE)
        visitor.open("/plans")
        up, into = [one.rect for one in visitor.all(".top .account a")]
        self.assertGreaterEqual(into["x"] - up["x"] - up["width"], 4)
