from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.keys import Keys

from case import PageTest


class Together(PageTest):
    """Lists, questions and faces: what people plan together, on the page of a plan."""

    #: The seconds within which a page follows, with room for a busy machine.
    SOON = 6

    def shared(self, title, **fields):
        plan = self.plan("ada", title, ["bob"], **fields)
        self.call("ada", "members.change", plan=plan, person="bob", edits=True)
        return plan

    def chosen(self, window, n):
        """Chooses an answer of the first question, unless the page draws it anew meanwhile; returns whether it is chosen."""
        try:
            answer = window.all(".poll input")[n]
            answer.click()
            return answer.is_selected()
        except (IndexError, StaleElementReferenceException):
            return False

    def tasks(self, plan, who="ada"):
        lists = self.call(who, "checklists.list", plan=plan)["checklists"]
        return {one["title"]: [(task["title"], task["done"]) for task in one["tasks"]] for one in lists}

    def test_a_list_is_written_line_by_line_and_ticked(self):
        plan = self.shared("A list")
        window = self.window("ada")
        window.open(f"/plans/{plan}/lists")
        window.press("To pack", "main")
        window.see("0 of 0 done")
        field = window.field("Add an entry")
        field.send_keys("Tent", Keys.ENTER, "Stove", Keys.ENTER)
        window.until(lambda: self.tasks(plan) == {"To pack": [("Tent", False), ("Stove", False)]}, "two entries")
        window.see("0 of 2 done")
        self.assertEqual(window.driver.switch_to.active_element.accessible_name, "Add an entry")
        self.assertEqual(window.field("Add an entry").get_attribute("value"), "")
        window.find("[data-task] input").send_keys(Keys.SPACE)
        window.see("1 of 2 done")
        self.assertEqual(self.tasks(plan), {"To pack": [("Tent", True), ("Stove", False)]})
        window.find("[data-task] .drag").send_keys(Keys.ARROW_DOWN)
        window.until(lambda: self.tasks(plan) == {"To pack": [("Stove", False), ("Tent", True)]}, "the other order")

    def test_others_see_a_tick_while_they_type(self):
        plan = self.shared("Ticks")
        pack = self.call("ada", "checklists.add", plan=plan, title="To pack")["id"]
        tent = self.call("ada", "tasks.add", checklist=pack, title="Tent")["id"]
        ada, bob = self.window("ada"), self.window("bob")
        for window in (ada, bob):
            window.open(f"/plans/{plan}/lists")
        ada.field("Add an entry").send_keys("Half writ")
        bob.click("[data-task] input")
        ada.see("1 of 1 done", "main", self.SOON)
        self.assertTrue(ada.find(f"[data-task='{tent}'] input").is_selected())
        self.call("bob", "tasks.add", checklist=pack, title="Stove")
        ada.see("Stove", "main", self.SOON)
        ada.field("Add an entry").send_keys("ten")
        self.assertEqual(ada.field("Add an entry").get_attribute("value"), "Half written")
        # And it survives a reload.
        ada.open(f"/plans/{plan}/lists")
        self.assertEqual(ada.field("Add an entry").get_attribute("value"), "Half written")
        ada.field("Add an entry").send_keys(Keys.ENTER)
        ada.until(lambda: ("Half written", False) in self.tasks(plan)["To pack"], "the entry")

    def test_an_entry_is_given_to_somebody_and_comes_back_from_the_bin(self):
        plan = self.shared("Who does what", start="2027-05-01", end="2027-05-03")
        pack = self.call("ada", "checklists.add", plan=plan, title="To do")["id"]
        task = self.call("ada", "tasks.add", checklist=pack, title="Book the ferry")["id"]
        window = self.window("ada")
        window.open(f"/plans/{plan}/lists")
        window.press("More actions: Book the ferry", "main")
        window.press("Edit", ".menu-items:not([hidden])")
        window.type("Who does it", "Bob Hope", "dialog")
        window.type("Done by", "2027-04-30", "dialog")
        window.press("Save", "dialog form")
        window.see("by Fri, Apr 30, 2027", "main")
        found = self.call("bob", "checklists.list", plan=plan)["checklists"][0]["tasks"][0]
        self.assertEqual((found["person"], found["day"]), ("bob", "2027-04-30"))
        bob = self.window("bob")
        bob.open("/notifications")
        bob.see("has given you something to do in Who does what.")
        window.press("More actions: Book the ferry", "main")
        window.press("Remove", ".menu-items:not([hidden])")
        window.see("“Book the ferry” was removed.")
        window.until(lambda: self.tasks(plan) == {"To do": []}, "no entry")
        window.press("Undo", "#toast")
        window.until(lambda: self.tasks(plan) == {"To do": [("Book the ferry", False)]}, "the entry")
        self.call("ada", "tasks.update", task=task, done=True)
        window.see("1 of 1 done", "main", self.SOON)

    def test_a_reader_sees_and_does_not_change(self):
        plan = self.plan("ada", "Only read", ["bob"])
        pack = self.call("ada", "checklists.add", plan=plan, title="To pack")["id"]
        self.call("ada", "tasks.add", checklist=pack, title="Tent")
        window = self.window("bob")
        window.open(f"/plans/{plan}/lists")
        window.see("Tent", "main")
        self.assertFalse(window.find("[data-task] input").is_enabled())
        self.assertEqual(window.all("[data-list] form, [data-list] .menu"), [])

    def test_lists_in_german_on_a_phone(self):
        plan = self.shared("Deutsch")
        pack = self.call("ada", "checklists.add", plan=plan, title="Einpacken", level="members")["id"]
        self.call("ada", "tasks.add", checklist=pack, title="Ein sehr langes Wort: Donaudampfschifffahrtsgesellschaft", person="bob")
        window = self.window("ada", language="de", size=(360, 740))
        window.open(f"/plans/{plan}/lists")
        window.see("0 von 1 erledigt")
        self.assertEqual(window.wider_than_window(), [])

    def test_a_question_is_asked_answered_and_taken_over(self):
        plan = self.shared("Which weekend", start="2027-05-01", end="2027-05-02", zone="Europe/Amsterdam")
        item = self.call("ada", "activities.add", plan=plan, title="Bus", **{"from": "2027-05-02T10:00"})["id"]
        ada, bob = self.window("ada"), self.window("bob")
        ada.open(f"/plans/{plan}")
        bob.open(f"/plans/{plan}")
        ada.act("Ask the others")
        ada.type("What do you want to know?", "Which weekend?", "dialog")
        ada.press("Days", "dialog")
        dates = ada.all("dialog .pair input")
        for field, day in zip(dates, ("2027-06-12", "2027-06-13", "2027-06-19", "2027-06-20")):
            ada.driver.execute_script("arguments[0].value = arguments[1]", field, day)
        ada.press("Ask", "dialog form")
        ada.see("Which weekend?", "main .poll")
        bob.see("Which weekend?", "main .poll", self.SOON)
        for window in (ada, bob):
            window.until(lambda: self.chosen(window, 1), "the second answer")
            window.find(".poll .actions button:enabled")
            window.press("Done", ".poll")
        bob.see("most votes", ".poll", self.SOON)
        ada.see("most votes", ".poll", self.SOON)
        ada.click(lambda: next((one for one in ada.all(".poll .actions button") if "for the plan" in one.text), None), "the button")
        ada.see("The plan has these days now.")
        got = self.call("ada", "plans.get", plan=plan)
        self.assertEqual((got["start"]["at"], got["end"]["at"]), ("2027-06-19", "2027-06-20"))
        self.assertEqual(self.call("ada", "activities.get", activity=item)["from"]["at"], "2027-06-20T10:00")
        ada.see("In the plan:", ".poll")
        ada.press("Undo", "#toast")
        ada.until(lambda: self.call("ada", "plans.get", plan=plan)["start"]["at"] == "2027-05-01", "the old days")

    def test_an_answer_stays_chosen_when_an_older_reading_arrives_later(self):
        plan = self.shared("Which ferry")
        vote = self.call("bob", "votes.ask", plan=plan, subject="Which ferry?", options=["Early", "Late"])["id"]
        ada = self.window("ada")
        ada.open(f"/plans/{plan}")
        ada.see("Which ferry?", ".poll")
        ada.hold("votes.asked")
        self.call("bob", "votes.choose", vote=vote, option=1)
        self.call("bob", "votes.done", vote=vote)
        ada.until(ada.is_held, "a reading of the questions", self.SOON)
        self.assertTrue(self.chosen(ada, 1))
        ada.until(lambda: self.call("ada", "votes.choice", vote=vote).get("option") == 2, "the stored choice")
        ada.release()
        ada.see("1 of 2 has voted", ".poll", self.SOON)
        ada.until(lambda: ada.all(".poll input")[1].is_selected(), "the choice")
        ada.press("Done", ".poll")
        ada.see("most votes", ".poll", self.SOON)

    def test_an_answer_becomes_an_item_and_strangers_see_nothing(self):
        plan = self.shared("Where do we eat")
        self.call("ada", "plans.publish", plan=plan, published=True)
        vote = self.call("bob", "votes.ask", plan=plan, subject="Which restaurant?", options=["Taberna", "Luigi"])["id"]
        cleo = self.window("cleo")
        cleo.open(f"/plans/{plan}")
        cleo.see("Where do we eat")
        self.assertEqual(cleo.all(".poll"), [])
        cleo.open(f"/votes/{vote}")
        self.assertNotIn("Which restaurant?", cleo.find("main").text)
        for who in ("ada", "bob"):
            self.call(who, "votes.choose", vote=vote, option=2)
            self.call(who, "votes.done", vote=vote)
        ada = self.window("ada")
        ada.open(f"/plans/{plan}")
        ada.press("Add “Luigi” to the plan", ".poll")
        ada.see("In the plan: Luigi", ".poll")
        self.assertEqual([one["title"] for one in self.call("ada", "activities.list", plan=plan)["activities"]], ["Luigi"])

    def test_a_question_leaves_the_other_tabs_their_room(self):
        plan = self.shared("Room for tabs")
        self.call("bob", "votes.ask", plan=plan, subject="Which boat?", options=["The red one", "The blue one"])
        window = self.window("ada", size=(390, 844))
        top = lambda selector: window.find(selector).rect["y"]
        window.open(f"/plans/{plan}")
        window.see("Which boat?", ".poll")
        self.assertLess(top(".poll"), top("main .tabs"))
        for part, shown in (("lists", "To pack"), ("money", "Add an expense")):
            window.open(f"/plans/{plan}/{part}")
            window.see("Which boat?", ".poll")
            button = window.until(lambda: next((one for one in window.all("main .button") if shown in one.text), None), shown)
            self.assertLess(button.rect["y"] + button.rect["height"], 844 - 56)
            self.assertGreater(top(".poll"), button.rect["y"])

    def test_faces_come_and_go(self):
        plan = self.shared("Faces")
        self.call("ada", "plans.publish", plan=plan, published=True)
        ada, bob, cleo = self.window("ada"), self.window("bob"), self.window("cleo")
        cleo.open(f"/plans/{plan}")
        ada.open(f"/plans/{plan}")
        bob.open(f"/plans/{plan}")
        bob.see("Ada Lovelace is looking at this, too.", ".faces", self.SOON)
        ada.see("Bob Hope is looking at this, too.", ".faces", 20)
        self.assertEqual(cleo.all(".faces .avatar"), [])
        bob.open("/plans")
        ada.until(lambda: not ada.all(".faces .avatar"), "nobody", 20)
