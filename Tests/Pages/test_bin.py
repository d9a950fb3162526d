from case import PageTest


class Bin(PageTest):
    def test_what_is_removed_names_its_expenses_and_is_put_back(self):
        plan = self.plan("ada", "Undone", ["bob"])
        item = self.call("ada", "activities.add", plan=plan, title="The ferry", **{"from": "2026-05-01T10:00"})["id"]
        self.call("ada", "expenses.add", plan=plan, title="Two tickets", amount="24.00", activity=item)
        window = self.window("ada")
        window.open(f"/plans/{plan}?open={item}")
        window.press("Remove", "dialog")
        window.see("Remove “The ferry” with its expenses (Two tickets (€24.00)) and photos?")
        window.press("Remove", window.top())
        window.see("“The ferry” was removed.")
        self.assertEqual(self.call("ada", "expenses.list", plan=plan)["expenses"], [])
        window.press("Undo", "#toast")
        window.see("The ferry", "main")
        self.assertEqual([one["title"] for one in self.call("ada", "expenses.list", plan=plan)["expenses"]], ["Two tickets"])
        self.call("ada", "activities.remove", activity=item)
        window.open(f"/plans/{plan}")
        window.act("Recently removed")
        window.press("Put back", "dialog")
        window.see("Nothing was removed in the last 30 days.", "dialog")
        self.assertEqual(self.call("ada", "activities.get", activity=item)["title"], "The ferry")

    def test_a_removed_plan_comes_back(self):
        plan = self.plan("ada", "Gone and back", locations=[("The lock", 52.1, 4.9)])
        window = self.window("ada")
        window.open(f"/plans/{plan}")
        window.act("Remove")
        window.press("Remove", "dialog")
        window.see("“Gone and back” was removed.")
        window.press("Recently removed", "main")
        window.press("Put back", "dialog")
        window.until(lambda: "Gone and back" in [one["title"] for one in self.call("ada", "plans.list")["plans"]], "the plan")
        self.assertEqual([one["name"] for one in self.call("ada", "locations.list", plan=plan)["locations"]], ["The lock"])

    def test_publishing_is_asked_and_shows_what_others_will_see(self):
        plan = self.plan("ada", "Soon public", ["bob"], [("Seen", 52.1, 4.9), ("Hidden", 52.2, 4.9, {"level": "members"})])
        window = self.window("ada")
        window.open(f"/plans/{plan}")
        window.act("Publish")
        window.see("1 of 2 locations", "dialog")
        window.see("Ada Lovelace, Bob Hope", "dialog")
        window.press("Cancel", "dialog")
        self.assertFalse(self.call("ada", "plans.get", plan=plan).get("published"))
        window.act("Publish")
        window.press("Publish", "dialog")
        window.until(lambda: self.call("ada", "plans.get", plan=plan).get("published"), "published")
