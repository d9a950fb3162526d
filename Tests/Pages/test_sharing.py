from datetime import datetime, timedelta, timezone

import client
from case import PageTest


class Sharing(PageTest):
    def test_a_published_plan_is_liked_kept_and_used_as_a_template__VT_12_VT_13_VT_14(self):
        plan = self.stage.made["published plan"]
        window = self.window("dan")
        window.open("/explore")
        window.see("Paris by train", "main")
        window.click(lambda: next((tile for tile in window.all("main .tile a") if "Paris by train" in tile.text), None), "its tile")
        window.see("Paris by train", "main h1")
        likes = self.call("dan", "plans.get", plan=plan)["likes"]
        window.press("Like", "main")
        window.until(lambda: self.call("dan", "plans.get", plan=plan)["likes"] == likes + 1, "one more like")
        window.press("Like", "main")
        window.until(lambda: self.call("dan", "plans.get", plan=plan)["likes"] == likes, "one less")
        window.press("Save", "main")
        window.until(lambda: self.call("dan", "plans.get", plan=plan)["saved"], "kept")
        self.assertNotIn("Money", window.texts(".tabs a"))
        self.assertFalse(window.all(".drag"), "an edit")
        window.act("Use as a template")
        window.press("Use as a template", "dialog")
        window.see("The copy is yours.")
        copied = self.call("dan", "plans.list")["plans"][0]
        self.assertNotIn("published", copied)

    def test_a_menu_stays_open_while_others_change_the_plan(self):
        plan = self.plan("bob", "Under the finger", ["ada"])
        window = self.window("ada")
        window.open(f"/plans/{plan}")
        window.see("Under the finger", "main h1")
        window.press("More actions", "main")
        self.call("bob", "plans.update", plan=plan, title="Changed by Bob")
        # The page has loaded what changed, and draws it once the menu is closed.
        window.until(lambda: "Changed by Bob" in window.driver.title, "the new title")
        self.assertTrue(window.driver.execute_async_script(
            "setTimeout(arguments[0], 1000, 1)") and window.all(".menu-items:not([hidden])"), "the menu")
        self.assertIn("Under the finger", window.texts("main h1"))
        window.press("More actions", "main")
        window.see("Changed by Bob", "main h1")

    def test_each_sees_the_locations_of_their_level__MT_9(self):
        names = {"me": "The secret cove", "members": "The meeting point", "friends": "The barbecue", "everyone": "The town hall"}
        plan = self.plan("bob", "Four levels", ["ada"], level="everyone", locations=[
            (name, 53.1 + n / 100, 6.2, {"level": level}) for n, (level, name) in enumerate(names.items())])
        for who, seen in (("bob", 4), ("ada", 3), ("cleo", 2), (self.person("nils", "Nils", "Holm"), 1), (None, 1)):
            window = self.window(who)
            window.open(f"/plans/{plan}/locations")
            expected = list(names.values())[4 - seen:]
            rows = window.until(window.rows, "locations")
            self.assertEqual([name for name in names.values() if any(name in row for row in rows)], expected, who)
            window.until(lambda: len(window.all(".map .pin")) == seen, f"{seen} pins")
            self.assertFalse([name for name in names.values() if name not in expected and name in window.driver.page_source], who)

    def test_a_friend_who_is_asked_is_a_member_after_confirming__MT_12(self):
        plan = self.plan("ada", "Sailing weekend")
        window = self.window("ada")
        window.open(f"/plans/{plan}/people")
        window.press("Invite a friend", "main")
        window.press("Invite a friend", "dialog")
        window.refused("people")
        for name in ("Bob Hope", "Cleo de Nijl"):
            window.tick(name)
        window.press("Invite a friend", "dialog")
        window.gone("dialog")
        window.see("Invited: ", "#toast")
        for name in ("Bob Hope", "Cleo de Nijl"):
            window.until(lambda: [row for row in window.rows() if name in row and "invited" in row], "the request")
        for who, answer, members in (("bob", "Confirm", 2), ("cleo", "Decline", 2)):
            friend = self.window(who)
            friend.open("/plans?of=asked")
            friend.see("Sailing weekend", "main")
            self.assertNotIn("Sailing weekend", str(self.call(who, "plans.list")))
            tile = next(n for n, tile in enumerate(friend.all("main > .page > div:last-child .tile"), 1) if "Sailing weekend" in tile.text)
            friend.press(answer, f"main > .page > div:last-child .tile:nth-child({tile})")
            friend.see_no("Sailing weekend", "main")
            self.assertEqual("Sailing weekend" in str(self.call(who, "plans.list")), answer == "Confirm")
        window.open(f"/plans/{plan}/people")
        self.assertEqual(len(window.until(window.rows, "the members")), 2)

    def test_who_has_no_friends_is_led_on_to_an_invitation(self):
        self.person("vera", "Vera", "Falk")
        plan = self.plan("vera", "Alone so far")
        window = self.window("vera")
        window.open(f"/plans/{plan}/people")
        window.press("Invite a friend", "main")
        window.see("You have no other friends to choose from.", "dialog")
        window.press("Invite by a link", "dialog")
        window.press("Create an invitation", "dialog")
        window.see("/join/", "dialog code")
        # The link is sent as the text above it is.
        links = [one.get_attribute("href") for one in window.all("dialog a.button") if "join" in one.get_attribute("href")]
        self.assertEqual([link.split(":")[0] for link in links], ["sms", "mailto"])
        self.assertIn("Alone so far".replace(" ", "%20"), links[0])

    def test_a_stranger_joins_a_plan_by_its_link_in_one_form(self):
        plan = self.plan("ada", "Hausboot im Mai", start="2027-05-01", end="2027-05-03", level="members")
        owner = self.window("ada")
        owner.open(f"/plans/{plan}/people")
        owner.press("Invite by a link", "main")
        owner.press("Create an invitation", "dialog")
        owner.find("dialog figure.qr svg[role=img]")
        owner.see("/join/", "dialog code")
        link = owner.find("dialog code").text
        stranger = self.window(None, size=(390, 844))
        stranger.open(link.removeprefix(self.stage.base))
        stranger.see("Ada Lovelace invites you to “Hausboot im Mai”.", "main")
        stranger.see("2027", "main")
        for label, value in (("First name", "Tilda"), ("Last name", "Strand"), ("Password", "a quiet road"),
                             ("Repeat the password", "a quiet road")):
            stranger.type(label, value)
        terms = stranger.find("input[name=terms]")
        # The bar at the bottom of the window may cover it.
        stranger.driver.execute_script("arguments[0].scrollIntoView({ block: 'center' })", terms)
        terms.click()
        stranger.press("Join", "main form")
        stranger.see("You and Ada Lovelace are friends now, and you travel along.", "#toast")
        stranger.see("Hausboot im Mai", "main h1")
        # The owner's page follows.
        owner.click("dialog .dialog-head button")
        owner.see("Tilda Strand", "main")
        self.assertIn("tilda-strand", [one["id"] for one in self.call("ada", "friends.list")["people"]])

    def test_a_link_to_a_plan_is_for_others_and_ends_when_it_is_revoked(self):
        plan = self.plan("ada", "Only for the crew", level="members")
        made = self.call("ada", "members.invite", plan=plan)
        owner, friend = self.window("ada"), self.window("dan")
        owner.open(f"/join/{made['code']}")
        owner.see("This is your own invitation.", "main")
        friend.open(f"/join/{made['code']}")
        friend.see("You are signed in as Dan Brown.", "main")
        owner.open(f"/plans/{plan}/people")
        owner.press("Invite by a link", "main")
        owner.see("used 0 of 10 times", "dialog")
        owner.press("Revoke", "dialog")
        owner.until(lambda: not owner.all("dialog .rows .row"), "no invitation")
        friend.press("Join", "main form")
        friend.see("There is no such invitation")
        friend.open(f"/join/{made['code']}")
        friend.see("This invitation is not valid", "main")
        self.assertNotIn("dan", [one["id"] for one in self.call("ada", "members.list", plan=plan)["members"]])

    def test_a_friend_edits_one_plan_until_that_is_taken_back__VT_9(self):
        plan, other = (self.plan("ada", title) for title in ("For Bob to edit", "Not for Bob"))
        owner, friend = self.window("ada"), self.window("bob")
        friend.open(f"/plans/{plan}")
        friend.see("Nothing here yet.", "main")
        self.assertNotIn("Add an item", friend.text())
        owner.open(f"/plans/{plan}/people")
        owner.press("Let a friend edit", "main")
        owner.type("Who?", "Bob Hope")
        owner.press("Let a friend edit", "dialog")
        owner.see("Your friend can edit now.")
        friend.open(f"/plans/{plan}")
        friend.press("Add an item", "main")
        friend.type("Title", "Bob was here")
        friend.press("Add", "dialog")
        friend.see("Bob was here", "main")
        friend.open(f"/plans/{other}")
        friend.see("Nothing here yet.", "main")
        self.assertNotIn("Add an item", friend.text())
        owner.open(f"/plans/{plan}/people")
        owner.press("Let a friend edit", "main")
        owner.type("Who?", "Bob Hope")
        owner.tick("Can edit the plan")
        owner.press("Let a friend edit", "dialog")
        owner.see("Your friend can no longer edit.")
        owner.until(lambda: not self.call("bob", "plans.get", plan=plan)["may_edit"], "taken back")
        friend.open(f"/plans/{plan}")
        friend.see("Bob was here", "main")
        self.assertNotIn("Add an item", friend.text())

    def test_a_stranger_finds_it_while_it_is_published__VT_10(self):
        plan = self.plan("ada", "The long dike", level="me")
        owner, stranger = self.window("ada"), self.window("dan")
        stranger.open("/explore")
        stranger.see_no("The long dike", "main")
        owner.open(f"/plans/{plan}")
        owner.act("Publish")
        owner.press("Publish", "dialog")
        owner.see("Everyone can see it now.")
        stranger.open("/explore")
        stranger.see("The long dike", "main")
        stranger.open(f"/plans/{plan}")
        stranger.press("Save", "main")
        saved = lambda: [plan["title"] for plan in self.call("dan", "plans.list", of="saved")["plans"]]
        stranger.until(lambda: "The long dike" in saved(), "saved")
        stranger.open("/plans?of=saved")
        stranger.see("The long dike", "main")
        owner.open(f"/plans/{plan}")
        owner.act("Unpublish")
        owner.see("It is visible only to those who could see it before.")
        for address in ("/explore", "/plans?of=saved"):
            stranger.open(address)
            stranger.see_no("The long dike", "main")
        stranger.open(f"/plans/{plan}")
        stranger.see("Nothing here", "main h1")

    def test_explored_by_filter_and_order__VT_11(self):
        likers = {"Vosges on foot": ["ada", "cleo", "dan"], "Jura on foot": ["ada"], "Alps by bus": ["ada", "cleo"]}
        for title, start, people, code in (("Vosges on foot", "2027-07-10", 2, "88400"), ("Jura on foot", "2027-06-01", 4, "39220"), ("Alps by bus", "2027-08-20", 2, "38000")):
            plan = self.plan("bob", title, start=start, end=start, people=people, postal_codes=[code])
            self.call("bob", "plans.publish", plan=plan, published=True)
            for liker in likers[title]:
                self.call(liker, "reactions.set", subject=f"plan/{plan}", kind="like", on=True)
        window = self.window("dan")
        window.open("/explore")
        def found():
            titles = [tile.text for tile in window.all("main .tile strong")]
            return [title for title in titles if title in likers]
        for order, expected in (("Most liked", ["Vosges on foot", "Alps by bus", "Jura on foot"]), ("Newest", ["Alps by bus", "Jura on foot", "Vosges on foot"]),
                                ("By start date", ["Jura on foot", "Vosges on foot", "Alps by bus"])):
            window.press(order, "main")
            window.until(lambda: found() == expected, f"{order}: {expected}")
        for filter, expected in (({"Search words": "on foot"}, ["Jura on foot", "Vosges on foot"]), ({"Postal code": "38000"}, ["Alps by bus"]),
                                 ({"From": "2027-07-01", "Until": "2027-07-31"}, ["Vosges on foot"]), ({"People": "2"}, ["Vosges on foot", "Alps by bus"])):
            for label, text in filter.items():
                window.type(label, text)
            window.press("Search", "main")
            window.until(lambda: found() == expected, f"{filter}: {expected}")
            for label in filter:
                window.type(label, "")

    def test_a_shared_photo_opens_and_a_link_outlives_its_journey(self):
        day = str((datetime.now(timezone.utc) + timedelta(days=120)).date())
        plan = self.plan("ada", "Next March", ["bob"], start=day, end=day)
        photo = self.stage.people["ada"].upload(f"plan/{plan}", client.picture(7), "The quay")
        window = self.window("ada")
        window.open(f"/plans/{plan}/photos")
        window.press("Open photo: The quay", "main")
        window.press("Share", "dialog")
        text = window.until(lambda: window.find("dialog textarea").get_attribute("value"), "the text")
        address = text[text.index(self.stage.base):].removeprefix(self.stage.base)
        for who in ("ada", "bob"):
            other = self.window(who)
            other.open(address)
            other.see("The quay", "main h1")
            other.until(lambda: other.driver.execute_script("return [...document.querySelectorAll('main img.photo')].some((image) => image.naturalWidth)"), "the photo")
        self.assertTrue(photo)
        window.open(f"/plans/{plan}")
        window.press("Share", "main")
        self.assertGreaterEqual(int(window.field("For how many days").get_attribute("value")), 149)
        window.see("Only members and friends of the owner can open this address", "dialog")
