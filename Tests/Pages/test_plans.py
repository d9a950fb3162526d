import client
from case import PageTest


class Plans(PageTest):
    def test_a_plan_is_made_with_an_error_at_its_field__MT_3(self):
        window = self.window("bob")
        window.open("/plans")
        window.press("New plan", "main")
        window.type("Title", "Harz by bicycle")
        window.type("Start", "2027-05-03")
        window.type("End", "2027-05-01")
        window.press("Create the plan", "dialog")
        window.refused("end")
        window.type("End", "2027-05-09")
        window.press("Create the plan", "dialog")
        window.see("Harz by bicycle", "main h1")
        members = self.call("bob", "plans.get", plan=self.plan_named("bob", "Harz by bicycle")["id"])["members"]
        self.assertEqual(members[0]["id"], "bob")

    def test_a_new_plan_asks_what_when_and_where(self):
        window = self.window("ada", size=(390, 844))
        window.open("/plans")
        window.press("New plan", "main")
        # What is behind More has no name for a reader before it is opened.
        shown = lambda: [one.accessible_name for one in window.all("dialog :is(input, select, textarea)") if one.accessible_name]
        self.assertEqual(shown(), ["Title", "Start (optional)", "End (optional)", "Destination"])
        button = window.find("dialog .button.primary")
        self.assertLess(button.rect["y"] + button.rect["height"], 844, "the button is seen without scrolling")
        window.type("Title", "To the island")
        window.type("Destination", "The quiet bay")
        window.press("Create the plan", "dialog")
        window.see("The quiet bay", "main .page-note")
        self.assertEqual(self.plan_named("ada", "To the island")["destination"], "The quiet bay")

    def test_list_and_map_have_the_same__MT_4(self):
        window = self.window("ada")
        window.open("/plans")
        # Ada has more plans than a page, which other tests have made.
        window.type("Search plans", "A day in", "main")
        window.see("A day in Amsterdam", "main")
        window.see("Breakfast at the Westermarkt", "main")
        window.press("Map", "main")
        # Plans of other tests may be so far away that the pins are one cluster.
        window.until(lambda: window.all(".pin-plan, .cluster"), "a pin")
        window.see("A day in Amsterdam", "main")

    def test_locations_are_added_moved_by_keys_and_paged_through__MT_8(self):
        from selenium.webdriver.common.keys import Keys
        window = self.window("ada")
        plan = self.stage.made["plan"]
        window.open(f"/plans/{plan}/locations")
        window.press("Add a location", "main")
        window.type("Name", "Ice cream")
        window.type("Latitude and longitude", "52.3600, 4.8900")
        window.press("Add the location", "dialog")
        window.see("5. Ice cream")
        locations = lambda: self.call("ada", "locations.list", plan=plan)["locations"]
        handle = window.until(lambda: [e for e in window.all(".drag") if e.accessible_name == "Move Ice cream"], "its handle")[0]
        handle.send_keys(Keys.ARROW_UP)
        window.see("4. Ice cream")
        window.until(lambda: locations()[3]["name"] == "Ice cream", "the new order")
        names = [row["name"] for row in locations()]
        window.open(f"/locations/{self.stage.made['location']}")
        seen = [window.find("main h1").text]
        while window.all("a[rel=next]"):
            window.click("a[rel=next]")
            window.until(lambda: window.find("main h1").text != seen[-1], "the next")
            seen.append(window.find("main h1").text)
        self.assertEqual(seen, names)
        window.open(f"/locations/{next(row['id'] for row in locations() if row['name'] == 'Ice cream')}")
        window.act("Remove")
        window.press("Remove", "dialog")
        window.until(lambda: len(locations()) == len(names) - 1, "one less")

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
        shown = lambda: self.call("ada", "photos.list", subject=f"location/{self.stage.made['location']}")["photos"]
        window.press("Open photo: The second", "main")
        window.press("Caption", "dialog")
        window.type("Caption", "The last of all")
        window.press("Save", "dialog:last-of-type")
        window.press("Open photo: The last of all", "main")
        window.press("Use as cover", "dialog")
        window.see("This is the cover now.")
        self.assertTrue(shown()[-1]["cover"])
        window.press("Open photo: The last of all", "main")
        window.press("Share", "dialog")
        self.assertIn(shown()[-1]["id"], window.field("Text to share").get_attribute("value"))
        window.press("Close", "dialog:last-of-type")
        window.press("Remove", "dialog")
        window.press("Remove", "dialog.question")
        window.until(lambda: len(window.all(".gallery img")) == before + 1, "one less")
        self.assertEqual(len(shown()), before + 1)

    def test_photos_are_put_in_another_order_by_keys_and_by_dragging(self):
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.keys import Keys
        plan = self.plan("ada", "Photos in order")
        for n, caption in enumerate(("first", "second", "third")):
            self.stage.people["ada"].upload(f"plan/{plan}", client.picture(60 + n, 64, 48), caption)
        window = self.window("ada")
        window.open(f"/plans/{plan}/photos")
        stored = lambda: [photo["caption"] for photo in self.call("ada", "photos.list", subject=f"plan/{plan}")["photos"]]
        handle = lambda caption: window.until(lambda: next((e for e in window.all(".drag") if e.accessible_name == f"Move {caption}"), None), "a handle")
        handle("third").send_keys(Keys.ARROW_LEFT)
        window.until(lambda: stored() == ["first", "third", "second"], "the order by keys")
        self.assertEqual(window.driver.switch_to.active_element.accessible_name, "Move third")
        window.until(lambda: [e.text for e in window.all(".gallery small")] == stored(), "the same on the page")
        ActionChains(window.driver).drag_and_drop(handle("second"), window.all(".gallery img")[0]).perform()
        window.until(lambda: stored() == ["second", "first", "third"], "the order by dragging")

    def test_places_of_a_gpx_file_become_locations(self):
        plan = self.plan("ada", "From a file")
        window = self.window("ada")
        window.open(f"/plans/{plan}/locations")
        window.press("Import GPX", "main")
        for content, told in ((b"no gpx", "This is not a GPX file."), (b'<gpx xmlns="http://www.topografix.com/GPX/1/1"/>', "The file has no named places."),
                              (b'<gpx><wpt lat="91" lon="5"><name>Beyond the pole</name></wpt></gpx>', "from -90 to 90")):
            window.type("GPX file", self.file(content, "way.gpx"))
            window.press("Import", "dialog")
            window.refused("file")
            window.see(told, "dialog")
        window.type("GPX file", self.file(
            b'<gpx xmlns="http://www.topografix.com/GPX/1/1"><wpt lat="52.5" lon="5.1"><name>The lock</name><desc>Opens at 9.</desc></wpt>'
            b'<wpt lat="52.6" lon="5.2"/><rte><rtept lat="52.7" lon="5.3"><name>The inn</name></rtept></rte></gpx>', "way.gpx"))
        window.press("Import", "dialog")
        window.see("2 locations were added to the plan.")
        window.see("2. The inn", "main")

    def test_a_link_opens_without_signing_in__OU_6(self):
        window = self.window()
        window.open(f"/s/{self.stage.made['link']}")
        window.see("A day in Amsterdam", "main h1")
        window.see("The ferry to Texel", "main")
        self.assertNotIn("Houseboat", window.text())
        # A stranger also sees the pictures of the plan and of its places, small and large.
        loaded = "return [...document.querySelectorAll('main img')].filter((image) => image.complete && image.naturalWidth).length"
        window.driver.execute_script("document.querySelectorAll('img').forEach((image) => { image.loading = 'eager'; })")
        window.until(lambda: window.driver.execute_script(loaded) >= 5, "two places and three photos")
        window.press("Open photo: The canals", "main")
        window.until(lambda: window.driver.execute_script(loaded.replace("main", "dialog")) == 1, "the whole photo")

    def test_two_editors_see_both_versions__OU_4(self):
        window = self.window("ada")
        plan = self.stage.made["plan"]
        window.open(f"/plans/{plan}")
        window.act("Edit")
        window.type("Description", "Mine, typed for an hour.")
        self.call("bob", "plans.update", plan=plan, description="Bob was faster.")
        window.press("Save", "dialog")
        window.see("Two versions")
        window.see("Bob was faster.")
        self.assertEqual(len(window.all("dialog .merge")), 1)
        window.press("Save", window.top())
        window.until(lambda: self.call("ada", "plans.get", plan=plan)["description"] == "Mine, typed for an hour.", "mine, seen")

    def test_what_two_editors_change_is_merged_field_by_field(self):
        plan = self.plan("ada", "Merged", ["bob"])
        self.call("ada", "members.change", plan=plan, person="bob", edits=True)
        item = self.call("ada", "activities.add", plan=plan, title="Supper", note="Early")["id"]
        window = self.window("ada")
        window.open(f"/plans/{plan}?open={item}")
        window.press("Edit", "dialog")
        window.type("Note", "Late", "dialog")
        self.call("bob", "activities.update", activity=item, address="Prinsengracht 5", contact="+31 20")
        window.press("Save", "dialog")
        window.gone("dialog")
        window.see("Saved, together with what somebody else has changed.")
        kept = self.call("ada", "activities.get", activity=item)
        self.assertEqual([kept[name] for name in ("note", "address", "contact")], ["Late", "Prinsengracht 5", "+31 20"])
        # Only the field that both have changed is asked for, and either version can be chosen.
        window.open(f"/plans/{plan}?open={item}")
        window.press("Edit", "dialog")
        window.type("Note", "At nine", "dialog")
        window.type("Address", "Prinsengracht 7", "dialog")
        self.call("bob", "activities.update", activity=item, note="At seven")
        window.press("Save", "dialog")
        window.see("Two versions")
        self.assertEqual(len(window.all("dialog .merge")), 1)
        window.see("At seven", window.top())
        window.driver.execute_script("arguments[0].click()", window.find("dialog .merge input[value=theirs]"))
        window.press("Save", window.top())
        window.gone("dialog")
        kept = self.call("ada", "activities.get", activity=item)
        self.assertEqual([kept[name] for name in ("note", "address")], ["At seven", "Prinsengracht 7"])

    def test_a_plan_and_a_location_are_found_by_name__MT_5(self):
        window = self.window("ada")
        window.open("/plans")
        window.type("Search plans", "amsterdam")
        window.until(lambda: len(window.all("main .tile")) == 1, "one plan")
        window.press("Map", "main")
        window.until(lambda: len(window.all(".pin-plan")) == 1, "its pin")
        window.open(f"/plans/{self.stage.made['plan']}/locations")
        window.type("Search locations", "zoo")
        window.until(lambda: len(window.rows()) == 1, "one location")
        window.click("main .row-link")
        window.see("52.36605° N, 4.91650° E", "main")

    def test_every_field_is_kept_and_a_plan_is_changed_rated_and_removed__VT_2_MT_7(self):
        fields = {
            "Title": "Round the IJsselmeer", "Description": "Four days against the wind.", "Start": "2027-06-01", "End": "2027-06-04",
            "Destination": "Enkhuizen", "Latitude and longitude": "52.7, 5.29", "People": "3", "Currency": "CHF",
            "Postal codes": "1601, 1621", "Time zone": "Europe/Amsterdam", "Who can see it": "Friends",
            "Link to a cover picture": "https://pictures.example/ij.jpg",
        }
        window = self.window("ada")
        window.open("/plans")
        window.press("New plan", "main")
        for label, text in fields.items():
            window.type(label, text)
        window.press("Create the plan", "dialog")
        window.see("Round the IJsselmeer", "main h1")
        made = self.plan_named("ada", "Round the IJsselmeer")
        self.assertEqual(made["owner"]["id"], "ada")
        window.act("Edit")
        for label, text in fields.items():
            field = window.field(label)
            kept = field.find_element("css selector", "option:checked").text if field.tag_name == "select" else field.get_attribute("value")
            self.assertEqual(kept, text, label)
        window.type("Title", "Round the Markermeer")
        window.press("Save", "dialog")
        window.see("Round the Markermeer", "main h1")
        window.press("Share", "main")
        window.press("Share as text", "dialog")
        self.assertIn(f"{self.stage.base}/plans/{made['id']}", window.field("Text to share").get_attribute("value"))
        friend = self.window("bob")
        friend.open(f"/plans/{made['id']}/photos")
        friend.press("Write a review", "main")
        friend.tick("4 stars")
        friend.press("Send review", "dialog")
        friend.until(lambda: self.call("ada", "plans.get", plan=made["id"])["rating"]["count"] == 1, "one rating")
        self.call("ada", "locations.add", plan=made["id"], name="Hoorn", lat=52.64, lon=5.06)
        location = self.call("ada", "locations.list", plan=made["id"])["locations"][0]["id"]
        window.open(f"/plans/{made['id']}")
        window.see("4.0 (1)", "main")
        window.act("Remove")
        window.press("Remove", "dialog")
        window.see("Plans", "main h1")
        window.see_no("Round the Markermeer", "main")
        for address in (f"/plans/{made['id']}", f"/locations/{location}"):
            window.open(address)
            window.see("Nothing here", "main h1")

    def test_times_are_those_of_the_place_wherever_the_browser_is__OU_8(self):
        # The clocks of Lisbon go forward in the night to 28 March 2027.
        plan = self.plan("ada", "Lisbon to Madrid", zone="Europe/Lisbon", start="2027-03-27", end="2027-03-29")
        for title, fields in {
            "Fado": {"from": "2027-03-27T21:30", "to": "2027-03-28T03:15"},
            "Night train": {"from": "2027-03-28T22:05", "to": "2027-03-29T08:40", "to_zone": "Europe/Madrid"},
            "Churros": {"from": "2027-03-29T09:20", "from_zone": "Europe/Madrid"},
        }.items():
            self.call("ada", "activities.add", plan=plan, title=title, **fields)
        window = self.window("ada")
        window.tell("Emulation.setTimezoneOverride", timezoneId="America/New_York")
        try:
            window.open(f"/plans/{plan}")
            rows = {row.splitlines()[0]: row for row in window.until(window.rows, "the days")}
            for title, times in {"Fado": ("9:30 PM", "3:15 AM"), "Night train": ("10:05 PM", "8:40 AM"), "Churros": ("9:20 AM",)}.items():
                for time in times:
                    self.assertIn(time, rows[title])
            calendar = self.call("ada", "plans.calendar", plan=plan)["calendar"]
            for line in ("DTSTART;TZID=Europe/Lisbon:20270327T213000", "DTEND;TZID=Europe/Madrid:20270329T084000"):
                self.assertIn(line, calendar)
        finally:
            window.tell("Emulation.setTimezoneOverride", timezoneId="")
