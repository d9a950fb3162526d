from case import PageTest


class Votes(PageTest):
    def setUp(self):
        # A vote is opened where a person is now. The van replays a recording, so its time may be far ahead of the clock.
        self.stage.ride("bike", [(52.6, 5.2), (52.6002, 5.2), (52.6, 5.2)])
        for person in ("ada", "cleo", "dan"):
            self.call(person, "devices.join", device="bike")
        for person in ("ada", "cleo"):
            self.call(person, "devices.leave", device="van")
            self.addCleanup(self.call, person, "devices.join", device="van")

    def test_one_is_opened_in_six_steps__VO_5(self):
        window = self.window("cleo")
        window.open("/votes")
        window.press("Open a vote", "main")
        window.type("What is voted on?", "Where to tomorrow?")
        window.press("Next", "dialog")
        window.type("Option 1", "The sea")
        window.press("Next", "dialog")
        window.type("How many people is it for?", "3")
        window.press("Next", "dialog")
        window.type("Passcode", "12ab")
        window.press("Next", "dialog")
        window.press("Next", "dialog")
        window.press("Open the vote here", "dialog")
        window.until(lambda: window.all("dialog .form-error, dialog .field-error"), "an error")
        # Each error leads back to its step, and the entered text is still there.
        shown = lambda: [step.text for step in window.all("dialog .section > small")]
        for _ in range(12):
            if window.all("dialog [name=passcode]"):
                window.type("Passcode", "1234")
            if not window.all("dialog"):
                break
            for element in window.all("dialog input"):
                if element.accessible_name == "Option 2" and not element.get_attribute("value"):
                    window.type("Option 2", "The hills")
            last = [b for b in window.all("dialog button") if b.text in ("Next", "Open the vote here")][0]
            step = shown()
            last.click()
            window.until(lambda: shown() != step, "another step")
        window.see("Where to tomorrow?", "main h1")
        self.assertRegex(window.find(".pass").text, r"^\d{7}$")

    def test_one_is_attended_by_number_and_passcode__VO_7_VO_8_VO_9(self):
        vote = self.vote("ada", "Tea or coffee?", options=["Tea", "Coffee"])
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
        self.assertEqual(self.call("ada", "votes.find", vote=vote)["voted"], 0)
        window.press("Done", "main")
        window.see("Your ballot is cast.")
        self.assertEqual(self.call("ada", "votes.find", vote=vote)["voted"], 1)

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
        vote = self.vote("ada", "By bus or on foot?", [("bob", 2)], ["By bus", "On foot"])
        window = self.window("bob")
        window.open(f"/votes/{vote}")
        for text in ("By bus or on foot?", vote, "1 of 5 have voted", "Ends", "In progress"):
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
        window.see("1 of 5 have voted", "main")
        self.hand_in(vote, "cleo3", 2)
        window.open(f"/votes/{vote}")
        window.see("Something is wrong", "main")
        removed = self.window("cleo2")
        removed.open(f"/votes/{vote}")
        removed.see("Your ballot was not counted.", "main")
