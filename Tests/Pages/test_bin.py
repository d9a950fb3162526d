from selenium.webdriver.common.keys import Keys

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

    def test_a_location_that_is_moved_goes_back(self):
        places = [("One", 52.1, 4.9), ("Two", 52.2, 4.9), ("Three", 52.3, 4.9)]
        plan = self.plan("ada", "Back and forth", locations=places)
        window = self.window("ada")
        window.open(f"/plans/{plan}/locations")
        names = lambda: [one["name"] for one in self.call("ada", "locations.list", plan=plan)["locations"]]
        # The page that was just opened still hears of the locations that were just added, and draws them anew.
        window.until(lambda: window.find("main ol.rows .drag").send_keys(Keys.ARROW_DOWN) is None, "the first handle")
        window.see("One is now number 2", "#toast")
        window.until(lambda: names() == ["Two", "One", "Three"], "the order")
        window.press("Undo", "#toast")
        window.until(lambda: names() == ["One", "Two", "Three"], "the old order")
        window.until(lambda: window.rows("main ol.rows")[0].startswith("1. One"), "the old order in the list")

    def test_a_location_that_is_moved_on_the_map_goes_back(self):
        plan = self.plan("ada", "Elsewhere", locations=[("The quay", 52.1, 4.9)])
        place = self.call("ada", "locations.list", plan=plan)["locations"][0]["id"]
        window = self.window("ada")
        window.open(f"/locations/{place}")
        window.act("Edit")
        window.until(lambda: window.all("dialog input[placeholder='52.37, 4.89']"), "the place")
        field = window.find("dialog input[placeholder='52.37, 4.89']")
        field.clear()
        field.send_keys("52.15, 4.95", Keys.TAB)
        window.press("Save", "dialog")
        window.see("The quay is moved on the map.", "#toast")
        self.assertEqual(self.call("ada", "locations.get", location=place)["lat"], 52.15)
        window.press("Undo", "#toast")
        window.until(lambda: self.call("ada", "locations.get", location=place)["lat"] == 52.1, "the old place")
