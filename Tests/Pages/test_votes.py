import contextlib
import sqlite3

from case import PageTest


class Votes(PageTest):
    # While the daemon does not run, the console reports that.
    allowed = ("net::ERR", "Failed to load resource")

    def setUp(self):
        self.take_the_bike()

    def test_one_is_opened_in_one_form__VO_5(self):
        window = self.window("cleo")
        window.open("/votes")
        taps = 0

        def tap(element):
            nonlocal taps
            taps += 1
            return element.click() or element
        tap(window.find("main .page-title .button.primary"))
        self.assertEqual(window.driver.switch_to.active_element.accessible_name, "What is voted on?")
        window.driver.switch_to.active_element.send_keys("Where to tomorrow?")
        tap(window.field("What there is to choose")).send_keys("The sea\nThe hills")
        tap(window.field("How many people is it for?")).send_keys("3")
        tap(window.field("Passcode")).send_keys("1234")
        tap(window.find("dialog .button.primary"))
        window.see("Where to tomorrow?", "main h1")
        self.assertRegex(window.find(".pass").text, r"^\d{7}$")
        self.assertLessEqual(taps, 5)
        made = self.call("cleo", "votes.list", part="initiated")["votes"][0]
        self.assertEqual((made["subject"], made["colour"], made["participants"]), ("Where to tomorrow?", "blue", 3))

    def test_a_choice_stays_when_an_older_reading_arrives_later(self):
        vote = self.vote("cleo", "Boat or train?", options=["Boat", "Train"])
        self.call("bob", "votes.get", vote=vote, passcode="77")
        self.call("bob", "votes.choose", vote=vote, option=1)
        window = self.window("bob")
        window.open(f"/votes/{vote}")
        window.press("Votes", "main")
        window.see("Votes", "main h1")
        window.hold("votes.choice")
        window.driver.back()
        window.until(window.is_held, "a reading of the choice")
        window.until(lambda: [one.click() for one in window.all("main [type=radio][value='2']")], "the second answer")
        window.until(lambda: self.call("bob", "votes.choice", vote=vote)["option"] == 2, "the stored choice")
        window.release()
        window.until(lambda: window.find("main [type=radio][value='2']").is_selected(), "the choice")
        window.see("Train", "main [role=status]")
        window.press("Done", "main")
        window.see("Your ballot is cast.", "main")

    def test_one_is_attended_by_number_and_passcode__VO_7_VO_8_VO_9(self):
        vote = self.vote("cleo", "Tea or coffee?", options=["Tea", "Coffee"])
        window = self.window("dan")
        window.open("/votes")
        window.type("Number of a vote", "0000000")
        window.press("Find", "main")
        window.until(lambda: window.all("main .form-error:not(:empty), main .field-error:not(:empty)"), "an unknown number is said")
        window.type("Number of a vote", vote)
        window.press("Find", "main")
        window.see("Tea or coffee?", "main h1")
        self.assertNotIn("Coffee", window.find("main").text)
        window.type("Passcode", "78")
        window.press("Enter the vote", "main")
        window.refused("passcode")
        window.type("Passcode", "77")
        window.press("Enter the vote", "main")
        for option in ("1", "2"):
            window.driver.execute_script("arguments[0].click()", window.find(f"input[name=option][value='{option}']"))
            window.see("You have chosen: " + ["Tea", "Coffee"][int(option) - 1])
        self.assertEqual(self.call("cleo", "votes.find", vote=vote)["voted"], 0)
        window.press("Done", "main")
        window.see("Your ballot is cast.")
        self.assertEqual(self.call("cleo", "votes.find", vote=vote)["voted"], 1)

    def test_the_result_is_seen_at_the_end__VO_12_VO_15(self):
        window = self.window("bob")
        window.open(f"/votes/{self.stage.made['finished vote']}")
        window.see("The winner is: The red one")
        window.see("100 %")
        window.see("Your ballot was counted.")
        window.see("Cleo de Nijl", "main")

    def test_history_is_searched__VO_10(self):
        window = self.window("ada")
        window.open("/votes")
        window.type("Subject or number", "lunch")
        window.see("Where do we have lunch?", "main .section:last-child")
        window.press("I took part", "main")
        window.see("No votes match “lunch”.")

    def test_those_around_change_as_the_device_moves__VO_6_OU_9(self):
        north = lambda metres: 52.6 + metres / 111_200
        vote = self.vote("dan", "Swim or walk on?")
        ended = self.vote("dan", "Left or right?", ballots=[("dan", 1), ("cleo", 1)], participants=2)
        window = self.window("dan")
        around = "main .section"
        for metres, is_in in ((990, True), (1010, False), (985, True)):
            here = self.call("dan", "position.current", device="bike")["lat"]
            self.stage.ride("bike", [(here + (north(metres) - here) * n / 20, 5.2) for n in range(21)])
            window.open("/votes")
            window.settle()
            if is_in:
                window.see("Swim or walk on?", around)
            else:
                window.see("No vote is open around here.", around)
            self.assertNotIn("Left or right?", window.find(around).text)
        self.assertTrue(self.call("dan", "votes.find", vote=ended)["ended"])
        self.assertEqual(self.call("dan", "votes.find", vote=vote)["voted"], 0)

    def test_a_running_one_shows_no_tally__VO_11(self):
        vote = self.vote("dan", "By bus or on foot?", [("bob", 2)], ["By bus", "On foot"])
        window = self.window("bob")
        window.open(f"/votes/{vote}")
        for text in ("By bus or on foot?", vote, "1 of 5 has voted", "Ends", "In progress"):
            window.see(text, "main")
        self.assertNotIn("%", window.find("main").text)
        self.assertNotIn("On foot", window.find("main .card").text)
        window.press("Show what I chose", "main")
        window.see("You have chosen: On foot", "main")

    def test_ballots_under_one_name_are_looked_at_one_name_after_the_other__VO_13_VO_14_VO_15(self):
        for n in (2, 3):
            self.person(f"cleo{n}", "Cleo", "de Nijl")
        vote = self.vote("ada", "Which wine?", [("cleo", 1), ("cleo2", 2)], ["Red", "White"])
        window = self.window("ada")
        window.open("/notifications")
        window.press("Votes", "main")
        window.see("Something is wrong with the vote Which wine?", "main")
        window.open("/votes")
        window.until(lambda: [row for row in window.rows() if "Which wine?" in row and "Something is wrong" in row], "the warning in the history")
        window.open(f"/votes/{vote}")
        window.see("cleo@example.org", "main")
        other = self.window("bob")
        self.call("bob", "votes.get", vote=vote, passcode="77")
        other.open(f"/votes/{vote}")
        other.see("1. Red", "main")
        self.assertNotIn("Something is wrong", other.text())
        second = [ballot.text.startswith("cleo2@") for ballot in window.all("main .section .section .rows > li")].index(True)
        ballot = f"main .section .section .rows > li:nth-child({second + 1})"
        for press, struck in (("Remove", 1), ("Undo", 0), ("Remove", 1)):
            window.press(press, ballot)
            window.until(lambda: len(window.all(f"{ballot} s")) == struck, f"{press} done")
        window.press("Done with this name", "main")
        window.see("In progress", "main")
        window.see("1 of 5 has voted", "main")
        self.hand_in(vote, "cleo3", 2)
        window.open(f"/votes/{vote}")
        window.see("Something is wrong", "main")
        removed = self.window("cleo2")
        removed.open(f"/votes/{vote}")
        removed.see("Your ballot was not counted.", "main")

    def test_one_is_found_by_being_there_and_nobody_peeks_or_overwrites__OU_9(self):
        vote = self.vote("ada", "Where do we sleep?", options=["In the dunes", "At the quay"], participants=3)
        south = lambda metres: (52.6 - metres / 111_200, 5.2)
        self.stage.ride("sloop", [south(2000)] * 3)
        self.call(self.person("enzo", "Enzo", "Riva"), "devices.join", device="sloop")
        window = self.window("enzo")
        window.open("/votes")
        window.see("No vote is open around here.", "main")
        window.open("/now")
        window.see("Closest to you")
        window.see_no("Where do we sleep?", "main")
        self.stage.ride("sloop", [south(metres) for metres in range(2000, 400, -50)])
        window.see("Where do we sleep?", ".now-side")
        window.open("/notifications")
        window.press("Votes", "main")
        window.click(lambda: next((row for row in window.all("main .row-link") if "A vote is open around here: Where do we sleep?" in row.text), None), "the notification")
        # Without the passcode, the page says what is voted on, but not what there is to choose.
        window.see("Ask the person who opened the vote for the passcode.", "main")
        self.assertEqual(window.find("main h1").text, "Where do we sleep?")
        self.assertFalse([option for option in ("In the dunes", "At the quay") if option in window.driver.page_source])
        window.type("Passcode", "77")
        window.press("Enter the vote", "main")
        window.see("2. At the quay", "main")
        other = self.window("enzo", size=(700, 800))
        other.open(f"/votes/{vote}")
        other.see("1. In the dunes", "main")
        choose = lambda window, option: window.driver.execute_script("arguments[0].click()", window.find(f"input[name=option][value='{option}']"))
        choose(window, 2)
        window.see("You have chosen: At the quay", "main")
        window.press("Done", "main")
        window.see("Your ballot is cast.", "main")
        # A page that still shows the options cannot change a ballot that is cast.
        choose(other, 1)
        other.see("Your ballot is cast.", "main")
        other.press("Show what I chose", "main")
        other.see("You have chosen: At the quay", "main")
        # Before the end, nobody sees more than how many have voted: neither the initiator, nor an administrator.
        self.stage.administer("ada")
        self.addCleanup(self.stage.administer, "ada", "--remove")
        for who in ("ada", "cleo"):
            if who == "cleo":
                self.call(who, "votes.get", vote=vote, passcode="77")
            window = self.window(who)
            for address in (f"/votes/{vote}", "/votes"):
                window.open(address)
                window.see("1 of 3 has voted", "main")
                self.assertFalse([word for word in ("%", "Enzo", "enzo@", "You have chosen") if word in window.find("main").text], (who, address))
                self.assertFalse(window.all("main input:checked"), (who, address))

    def test_nobody_keeps_one_open_by_not_answering__OU_9(self):
        if self.stage.folder is None:
            self.skipTest("The daemon is another's.")
        self.person("cleo9", "Cleo", "de Nijl")
        unsettled = self.vote("ada", "Who drives?", [("dan", 1), ("cleo", 1), ("cleo9", 2)], ["Ada", "Dan"], participants=3, limit="10m")
        unanswered = self.vote("ada", "Who cooks?", [("dan", 2)], ["Ada", "Dan"], limit="10m")
        window, waiting = self.window("ada"), self.window("dan")
        for vote, voted, status in ((unsettled, "3 of 3 have voted", "Something is wrong"), (unanswered, "1 of 5 has voted", "In progress")):
            window.open(f"/votes/{vote}")
            window.see(voted, "main")
            window.see(status, "main")
        waiting.open(f"/votes/{unsettled}")
        waiting.see("In progress", "main")
        def move_back():
            with contextlib.closing(sqlite3.connect(self.stage.folder / "van.sqlite")) as store, store:
                store.execute("UPDATE vote SET opened = opened - 600000, ends = ends - 600000 WHERE id IN (?, ?)", (unsettled, unanswered))
        # Ten minutes later, Ada has not settled the name, and four people have not voted.
        self.restart(move_back)
        waiting.see("The winner is: Ada", "main", patience=40)
        for text in ("Finished", "66.7 % (2)", "33.3 % (1)", "Your ballot was counted."):
            waiting.see(text, "main")
        self.assertEqual(sorted(waiting.rows("main .section .section")), ["Cleo de Nijl", "Cleo de Nijl", "Dan Brown"])
        waiting.open(f"/votes/{unanswered}")
        waiting.see("The winner is: Dan", "main")
        window.open("/notifications")
        window.press("Votes", "main")
        window.see("The vote Who drives? has ended. Ada has won.", "main")
        window.see("The vote Who cooks? has ended. Dan has won.", "main")

    def test_bars_are_shares_of_the_whole_and_options_stay(self):
        vote = self.vote("dan", "Which harbour?", [("bob", 1), ("cleo", 1), ("dan", 1)], ["Hoorn", "Edam"], participants=4)
        window = self.window("bob")
        window.open(f"/votes/{vote}")
        window.see("Your ballot is cast.", "main")
        window.see("2. Edam", "main")
        self.hand_in(vote, "ada", 2)
        window.see("75 %", "main")
        bars = window.driver.execute_script("return [...document.querySelectorAll('main ul .progress span')].map((bar) => bar.style.inlineSize)")
        self.assertEqual(bars, ["75%", "25%"])

    def test_a_value_is_refused_at_its_field_and_the_colour_is_seen(self):
        window = self.window("cleo")
        window.open("/votes")
        window.press("Open a vote", "main")
        window.type("What is voted on?", "Where to sleep?")
        window.type("What there is to choose", "Here\nHere\n")
        window.type("How many people is it for?", "3")
        window.type("Passcode", "12ab")
        window.press("Open the vote here", "dialog")
        window.refused("options")
        window.see("Give at least two options, each different and none empty.", "dialog")
        window.type("What there is to choose", "Here\nThere")
        window.press("Open the vote here", "dialog")
        window.refused("passcode")
        window.type("Passcode", "1234")
        window.press("More", "dialog")
        window.driver.execute_script("arguments[0].click()", window.find("dialog [data-colour=red] input"))
        window.press("Open the vote here", "dialog")
        window.see("Where to sleep?", "main h1")
        colour = window.driver.execute_script("return getComputedStyle(document.querySelector('main .progress span')).backgroundColor")
        self.assertEqual(colour, "rgb(201, 64, 58)")
