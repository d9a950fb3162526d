from case import PageTest


class Votes(PageTest):
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
        # Each error leads back to its step, and what was typed is still there.
        for _ in range(12):
            if window.all("dialog [name=passcode]"):
                window.type("Passcode", "1234")
            if not window.all("dialog"):
                break
            for element in window.all("dialog input"):
                if element.accessible_name == "Option 2" and not element.get_attribute("value"):
                    window.type("Option 2", "The hills")
            last = [b for b in window.all("dialog button") if b.text in ("Next", "Open the vote here")][0]
            step = window.find("dialog .section > small").text
            last.click()
            window.until(lambda: not window.all("dialog") or window.find("dialog .section > small").text != step, "another step")
        window.see("Where to tomorrow?", "main h1")
        self.assertRegex(window.find(".pass").text, r"^\d{7}$")

    def test_one_is_attended_by_number_and_passcode__VO_7_VO_8_VO_9(self):
        vote = self.call("ada", "votes.open", subject="Tea or coffee?", participants=5, limit="1h", passcode="77", options=["Tea", "Coffee"])["id"]
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
        window.press("Let me in", "main")
        window.until(lambda: window.all("main [aria-invalid]"), "a wrong passcode")
        window.type("Passcode", "77")
        window.press("Let me in", "main")
        for option in ("1", "2"):
            window.driver.execute_script("arguments[0].click()", window.find(f"input[name=option][value='{option}']"))
            window.see("You have chosen: " + ["Tea", "Coffee"][int(option) - 1])
        self.assertEqual(self.call("ada", "votes.find", vote=vote)["voted"], 0)
        window.press("Done", "main")
        window.see("Your ballot is handed in.")
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
        window.press("Attended", "main")
        window.see("No vote with “lunch”.")
