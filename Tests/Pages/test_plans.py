from case import PageTest


class Plans(PageTest):
    def test_a_plan_is_made_with_an_error_at_its_field__MT_3(self):
        window = self.window("bob")
        window.open("/plans")
        window.press("New plan", "main")
        window.type("Title", "Harz by bicycle")
        window.type("Start", "2027-05-03")
        window.type("End", "2027-05-01")
        window.press("Make the plan", "dialog")
        window.until(lambda: window.all("dialog [name=end][aria-invalid], dialog [name=start][aria-invalid]"), "the error at its field")
        window.type("End", "2027-05-09")
        window.press("Make the plan", "dialog")
        window.see("Harz by bicycle", "main h1")
        plan = next(p for p in self.call("bob", "plans.list")["plans"] if p["title"] == "Harz by bicycle")
        members = self.call("bob", "plans.get", plan=plan["id"])["members"]
        self.assertEqual(members[0]["id"], "bob")

    def test_list_and_map_have_the_same__MT_4(self):
        window = self.window("ada")
        window.open("/plans")
        window.see("A day in Amsterdam", "main")
        window.see("Breakfast at the Westermarkt", "main")
        window.press("Map", "main")
        window.until(lambda: window.all(".pin-plan"), "a pin")
        window.see("A day in Amsterdam", "main")

    def test_locations_are_added_moved_by_keys_and_paged_through__MT_8(self):
        from selenium.webdriver.common.keys import Keys
        window = self.window("ada")
        plan = self.stage.made["plan"]
        window.open(f"/plans/{plan}/locations")
        window.press("Add a location", "main")
        window.type("Name", "Ice cream")
        window.type("Degrees north and east", "52.3600, 4.8900")
        window.press("Add the location", "dialog")
        window.see("5. Ice cream")
        handle = window.until(lambda: [e for e in window.all(".drag") if e.accessible_name == "Move Ice cream"], "its handle")[0]
        handle.send_keys(Keys.ARROW_UP)
        window.see("4. Ice cream")
        window.until(lambda: self.call("ada", "locations.list", plan=plan)["locations"][3]["name"] == "Ice cream", "the new order")
        names = [row["name"] for row in self.call("ada", "locations.list", plan=plan)["locations"]]
        window.open(f"/locations/{self.stage.made['location']}")
        seen = [window.find("main h1").text]
        while window.all("a[rel=next]"):
            window.find("a[rel=next]").click()
            window.until(lambda: window.find("main h1").text != seen[-1], "the next")
            seen.append(window.find("main h1").text)
        self.assertEqual(seen, names)
        ice = next(row for row in self.call("ada", "locations.list", plan=plan)["locations"] if row["name"] == "Ice cream")
        window.open(f"/locations/{ice['id']}")
        window.press("More actions")
        window.press("Remove", "main .menu")
        window.press("Remove", "dialog")
        window.until(lambda: len(self.call("ada", "locations.list", plan=plan)["locations"]) == 4, "one less")

    def test_photos_with_captions_several_at_once__MT_10(self):
        window = self.window("ada")
        window.open(f"/locations/{self.stage.made['location']}")
        before = len(window.until(lambda: window.all(".gallery img"), "photos"))
        window.press("Add photos", "main")
        window.type("Which photos?", self.file(70, "one.png") + "\n" + self.file(71, "two.png"))
        window.type("Caption of one.png", "The first")
        window.type("Caption of two.png", "The second")
        window.press("Send", "dialog")
        window.until(lambda: len(window.all(".gallery img")) == before + 2, "two more", 20)
        window.see("The second", "main")

    def test_a_location_is_stamped__MT_6(self):
        window = self.window("ada")
        window.open(f"/plans/{self.stage.made['plan']}/locations")
        window.see("passed", "main .rows", patience=120)
        window.open(f"/plans/{self.stage.made['plan']}/journey")
        window.see("Visited", "main")
        window.see("not yet", "main")

    def test_five_tabs_and_every_field__VT_3(self):
        window = self.window("ada")
        window.open(f"/plans/{self.stage.made['plan']}")
        window.see("A boat round the canals", "main")
        window.press("Food", "main")
        window.see_no("A boat round the canals", "main")
        window.press("Add food", "main")
        window.type("Title", "Stroopwafels")
        window.type("Rating, 0 to 5", "6")
        window.press("Add", "dialog")
        window.until(lambda: window.all("dialog [name=rating][aria-invalid]"), "VT-4: the error at the rating")
        window.type("Rating, 0 to 5", "5")
        window.press("Add", "dialog")
        window.see("Stroopwafels", "main")
        window.press("Stroopwafels", "main")
        window.press("Remove", "dialog")
        window.press("Remove", "dialog.question")
        window.see_no("Stroopwafels", "main")

    def test_money_adds_up_and_is_settled__VT_7(self):
        window = self.window("ada")
        plan = self.stage.made["plan"]
        window.open(f"/plans/{plan}/money")
        window.see("€301.50", "main")
        window.press("Add an expense", "main")
        window.type("What it was for", "Museum card")
        window.type("Amount", "30,00")
        window.press("Save", "dialog")
        window.see("€331.50", "main")
        window.press("Paid", "main")
        window.press("Paid", "dialog")
        window.see("Given back", "main")
        window.press("Undo", "main")
        window.press("Undo", "dialog")
        window.see_no("Given back", "main")
        balances = self.call("ada", "expenses.balances", plan=plan)["balances"]
        self.assertEqual(sum(round(float(one["balance"]) * 100) for one in balances), 0)

    def test_is_published_liked_kept_and_used_as_a_template__VT_10_VT_12_VT_13_VT_14(self):
        plan = self.stage.made["published plan"]
        window = self.window("dan")
        window.open("/explore")
        window.see("Paris by train", "main")
        window.find("main .tile a").click()
        window.see("Paris by train", "main h1")
        likes = self.call("dan", "plans.get", plan=plan)["likes"]
        window.press("Like", "main")
        window.until(lambda: self.call("dan", "plans.get", plan=plan)["likes"] == likes + 1, "one more like")
        window.press("Keep", "main")
        window.until(lambda: self.call("dan", "plans.get", plan=plan)["saved"], "kept")
        self.assertNotIn("Money", [tab.text for tab in window.all(".tabs a")])
        window.press("More actions", "main")
        window.press("Use as a template", ".menu")
        window.press("Use as a template", "dialog")
        window.see("The copy is yours.")
        copied = self.call("dan", "plans.list")["plans"][0]
        self.assertNotIn("published", copied)

    def test_a_link_opens_without_signing_in__OU_6(self):
        window = self.window()
        window.open(f"/s/{self.stage.made['link']}")
        window.see("A day in Amsterdam", "main h1")
        window.see("The ferry to Texel", "main")
        self.assertNotIn("Houseboat", window.text())
        self.allowed = ("/square", "404")

    def test_two_editors_see_both_versions__OU_4(self):
        window = self.window("ada")
        plan = self.stage.made["plan"]
        window.open(f"/plans/{plan}")
        window.press("More actions", "main")
        window.press("Edit", ".menu")
        window.type("Description", "Mine, typed for an hour.")
        self.call("bob", "plans.update", plan=plan, description="Bob was faster.")
        window.press("Save", "dialog")
        window.see("Two versions")
        window.see("Bob was faster.")
        window.press("Put mine over it")
        window.until(lambda: self.call("ada", "plans.get", plan=plan)["description"] == "Mine, typed for an hour.", "mine, seen")
