import client
from case import PageTest


class Activities(PageTest):
    def test_an_item_stands_in_its_tab_alone__VT_3(self):
        window = self.window("ada")
        window.open(f"/plans/{self.stage.made['plan']}")
        window.see("A boat round the canals", "main")
        window.press("Food", "main")
        window.see_no("A boat round the canals", "main")
        window.press("Add food", "main")
        window.type("Title", "Stroopwafels")
        window.type("Rating, 0 to 5", "6")
        window.press("Add", "dialog")
        window.refused("rating")
        window.type("Rating, 0 to 5", "5")
        window.press("Add", "dialog")
        window.see("Stroopwafels", "main")
        window.press("Stroopwafels", "main")
        window.press("Remove", "dialog")
        window.press("Remove", "dialog.question")
        window.see_no("Stroopwafels", "main")

    def test_every_field_is_kept__VT_4_VT_6(self):
        plan = self.plan("ada", "Every field", ["bob"], zone="Europe/Amsterdam")
        common = {
            "From": "2027-05-01", "From, time": "10:00", "Until": "2027-05-01", "Until, time": "12:30", "Description": "With a view.",
            "Name of the place": "Pier 14", "Address": "De Ruyterkade 14", "Contact": "+31 20 555 0199", "Website": "https://ferry.example",
            "Booking code": "XK-42", "Link to the booking": "https://ferry.example/xk42", "Note": "Bring a coat.",
            "Link to a small picture": "https://ferry.example/small.jpg", "Who can see it": "Members", "Latitude and longitude": "52.38, 4.9",
        }
        window = self.window("ada")
        for tab, add, own in (
            ("Transport", "Add transport", {"Title": "Ferry", "Means of transport": "ferry", "Departs from": "Amsterdam", "Arrives at": "Enkhuizen"}),
            ("Food", "Add food", {"Title": "Pancakes", "Rating, 0 to 5": "4", "What to order": "With ginger"}),
        ):
            fields = own | common
            window.open(f"/plans/{plan}")
            window.press(tab, "main .choice")
            window.press(add, "main")
            for label, text in fields.items():
                window.type(label, text)
            for label in ("Booked", "Bob Hope"):
                window.tick(label)
            window.type("Until", "2027-04-30")
            window.press("Add", "dialog")
            window.refused("to")
            window.type("Until", "2027-05-01")
            window.press("Add", "dialog")
            window.gone("dialog")
            window.see(own["Title"], "main .rows")
            if tab == "Transport":
                self.assertIn("ferry · Amsterdam → Enkhuizen", window.rows()[0])
                self.assertIn("10:00 AM", window.rows()[0])
            window.press(own["Title"], "main")
            window.press("Edit", "dialog")
            for label, text in fields.items():
                field = window.field(label)
                kept = field.find_element("css selector", "option:checked").text if field.tag_name == "select" else field.get_attribute("value")
                self.assertEqual(kept, text, label)
            for label in ("Booked", "Bob Hope"):
                self.assertTrue(window.field(label).is_selected(), label)
            window.press("Close", "dialog")

    def test_an_item_shows_the_facts_that_it_has(self):
        window = self.window("bob")
        window.open(f"/plans/{self.plan_named('bob', 'A day in Amsterdam')['id']}?tab=food")
        window.press("Pancakes", "main")
        self.assertEqual([fact.text for fact in window.all("dialog dt")], ["From", "Stars", "What to order", "Who can see it"])

    def test_the_itinerary_has_the_items_of_all_tabs_day_by_day__VT_5(self):
        plan = self.plan("ada", "Day by day", zone="Europe/Amsterdam")
        for tab, title, start, end in (
            ("food", "Supper", "2027-05-02T19:00", None), ("lodging", "The hut", "2027-05-01T22:00", "2027-05-02T07:30"),
            ("itinerary", "The summit", "2027-05-02T09:00", "2027-05-02T15:00"), ("transport", "Bus", "2027-05-01T08:10", "2027-05-01T11:55"),
        ):
            self.call("ada", "activities.add", plan=plan, tab=tab, title=title, **{"from": start}, **({"to": end} if end else {}))
        window = self.window("ada")
        window.open(f"/plans/{plan}")
        window.see("Supper", "main")
        days = {part.find_element("css selector", "h2").text: [row.text.splitlines()[0] for row in part.find_elements("css selector", ".row")]
                for part in window.all("main section.section")}
        self.assertEqual(list(days.values()), [["Bus", "The hut"], ["The summit", "Supper"]])
        self.assertEqual(["1" in day for day in days], [True, False])

    def test_an_item_leads_to_one_of_another_tab_until_that_goes__VT_15(self):
        plan = self.plan("ada", "Links", zone="Europe/Amsterdam")
        hotel = self.call("ada", "activities.add", plan=plan, tab="lodging", title="The harbour inn", **{"from": "2027-05-01T15:00"})["id"]
        window = self.window("ada")
        window.open(f"/plans/{plan}")
        window.press("Add an item", "main")
        window.type("Title", "Walk along the quay")
        window.tick("The harbour inn")
        window.press("Add", "dialog")
        window.press("Walk along the quay", "main")
        window.press("The harbour inn", "dialog")
        window.see("The harbour inn", "dialog h2")
        window.press("Remove", "dialog")
        window.press("Remove", "dialog.question")
        window.gone("dialog")
        window.press("Walk along the quay", "main")
        window.see("Who can see it", "dialog")
        self.assertNotIn("The harbour inn", window.find("dialog").text)
        self.assertFalse([one for one in self.call("ada", "activities.list", plan=plan, tab="itinerary")["activities"] if hotel in one["links"]])
        # Everybody can see the photos of a plan once it is published.
        photo = self.stage.people["ada"].upload(f"plan/{plan}", client.picture(33, 64, 48))["id"]
        stranger = self.window()
        stranger.open(f"/plans/{plan}/photos")
        stranger.see("Nothing here", "main h1")
        self.call("ada", "plans.publish", plan=plan, published=True)
        stranger.open(f"/plans/{plan}/photos")
        stranger.until(lambda: stranger.all(f".gallery img[src*='{photo}']"), "the photo")
