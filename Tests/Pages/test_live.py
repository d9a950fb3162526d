import client
from case import PageTest


class Live(PageTest):
    """What one person changes, another sees at once, and loses nothing that they type."""

    #: The seconds within which a page follows, with room for a busy machine.
    SOON = 6

    def test_a_plan_follows_and_tells_who_did_what(self):
        plan = self.plan("ada", "Lisbon", ["bob"], **{"start": "2026-06-01", "end": "2026-06-02"})
        self.call("ada", "members.change", plan=plan, person="bob", edits=True)
        ada, bob = self.window("ada"), self.window("bob")
        for window in (ada, bob):
            window.open(f"/plans/{plan}")
        bob.press("Add an item", "main")
        bob.type("Title", "Fado night", "dialog")
        ada.press("Add an item", "main")
        ada.type("Title", "Half written", "dialog")
        bob.press("Add", "dialog")
        ada.see("Bob Hope added Fado night", "main", self.SOON)
        self.assertEqual(ada.field("Title", "dialog").get_attribute("value"), "Half written")
        ada.press("Add", "dialog")
        ada.see("Half written", "main")
        ada.see("Fado night", "main .rows")
        bob.see("Half written", "main .rows", self.SOON)
        bob.see("Ada Lovelace added Half written", "main")

    def test_what_is_typed_while_a_page_is_drawn_anew_stays(self):
        plan = self.plan("ada", "Faro", ["bob"], start="2026-06-01", end="2026-06-02")
        self.call("ada", "members.change", plan=plan, person="bob", edits=True)
        ada = self.window("ada")
        ada.open(f"/plans/{plan}")
        for title, isFirst in (("Tavira", True), ("Faro and Tavira", False)):
            ada.hold("plans.get")
            self.call("bob", "plans.update", plan=plan, title=title)
            ada.until(ada.is_held, "a reading of the plan", self.SOON)
            if isFirst:
                ada.find(".quick input").send_keys("Dinner")
            ada.release()
            self.assertEqual(ada.find(".quick input").get_attribute("value"), "Dinner")
        ada.find(".quick input").send_keys(" 8pm\n")
        ada.see("Faro and Tavira", "h1", self.SOON)
        ada.see("Dinner", "main .rows")

    def test_a_list_that_was_asked_for_stays_when_an_older_one_arrives_later(self):
        self.plan("ada", "Braga")
        ada = self.window("ada")
        ada.open("/plans")
        ada.see("Braga", "main")
        ada.hold("plans.list")
        self.plan("ada", "Guimarães")
        ada.until(ada.is_held, "a reading of the plans", self.SOON)
        ada.let_later_pass()
        ada.press("Saved", "main")
        ada.see_no("Braga", "main")
        ada.release()
        ada.see_no("Braga", "main")
        ada.see_no("Guimarães", "main")

    def test_a_change_is_undone_in_the_history(self):
        plan = self.plan("ada", "Porto", ["bob"])
        self.call("ada", "members.change", plan=plan, person="bob", edits=True)
        item = self.call("bob", "activities.add", plan=plan, title="The cellar", note="Red")["id"]
        self.call("bob", "activities.update", activity=item, note="White")
        ada, bob = self.window("ada"), self.window("bob")
        bob.open(f"/plans/{plan}/history")
        ada.open(f"/plans/{plan}")
        ada.press("History", "main")
        ada.see("Bob Hope changed The cellar", "main .section")
        ada.see("note", "main .section")
        ada.press("Undo", "main", 0)
        ada.see("Undone.")
        self.assertEqual(self.call("ada", "activities.get", activity=item)["note"], "Red")
        bob.see("Ada Lovelace changed The cellar", "main .section", self.SOON)
        bob.see("undone", "main .section")

    def test_a_vote_counts_while_people_look(self):
        self.take_the_bike("bob")
        vote = self.vote("ada", "Where to?", participants=3)
        ada, bob = self.window("ada"), self.window("bob")
        ada.open(f"/votes/{vote}")
        ada.see("0 of 3 have voted")
        bob.open("/votes")
        bob.see("Where to?")
        self.hand_in(vote, "cleo", 1)
        ada.see("1 of 3 has voted", "main", self.SOON)
        bob.until(lambda: any("Where to?" in row and "1 of 3" in row for row in bob.rows()), "the count", self.SOON)

    def test_the_feed_shows_new_posts_and_hearts(self):
        ada = self.window("ada")
        ada.open("/feed")
        self.call("ada", "people.follow", person="bob")
        post = self.call("bob", "posts.add", text="Straight from the quay.", lat=52.36, lon=4.88)["id"]
        ada.see("Straight from the quay.", "main", self.SOON)
        heart = lambda: ada.find(f"[data-post='{post}'] .heart").text
        ada.until(lambda: heart() == "0", "no heart")
        self.call("cleo", "reactions.set", subject=f"post/{post}", kind="heart", on=True)
        ada.until(lambda: heart() == "1", "the heart", self.SOON)
        self.call("bob", "posts.remove", post=post)
        ada.until(lambda: not ada.all(f"[data-post='{post}']"), "gone", self.SOON)

    def test_the_ranking_follows_a_review(self):
        sight = self.call("ada", "sights.add", title="The followed gate", description="A gate.", lat=52.31, lon=4.77, radius=50)["id"]
        window = self.window("ada")
        window.open("/ranking")
        self.call("bob", "reviews.put", subject=f"sight/{sight}", rating=5)
        window.until(lambda: any("The followed gate" in row and "(1)" in row for row in window.rows()), "the stars", self.SOON)

    def test_notifications_gather_people(self):
        sight = self.call("ada", "sights.add", title="The loved gate", description="A gate.", lat=52.30, lon=4.76, radius=50)["id"]
        window = self.window("ada")
        window.open("/notifications")
        for who in ("bob", "cleo", "dan"):
            self.call(who, "reactions.set", subject=f"sight/{sight}", kind="heart", on=True)
        window.see("and 2 others love The loved gate.", "main", self.SOON)
        self.assertEqual(len([row for row in window.rows() if "The loved gate" in row]), 1)
        german = self.window("ada", language="de")
        german.open("/notifications")
        german.see("und 2 weitere lieben The loved gate.", "main")
        window.press("Notification settings", "main")
        window.see("Hearts", "dialog")
        window.escape()

    def test_an_administrator_sees_a_flag_at_once(self):
        if self.stage.options.base:
            self.skipTest("Only a user of the machine makes somebody an administrator.")
        post = self.call("bob", "posts.add", text="Flag this one.", lat=52.36, lon=4.88)["id"]
        self.stage.administer("cleo")
        self.addCleanup(self.stage.administer, "cleo", "--remove")
        window = self.window("cleo")
        window.open("/machine")
        self.call("dan", "subjects.flag", subject=f"post/{post}")
        window.see("Flag this one.", "main", self.SOON)

    def test_the_page_of_a_location_follows_and_loses_nothing_typed(self):
        plan = self.plan("ada", "Followed", ["bob"], locations=[("The lock", 52.1, 4.9)])
        self.call("ada", "members.change", plan=plan, person="bob", edits=True)
        place = self.call("ada", "locations.list", plan=plan)["locations"][0]["id"]
        window = self.window("ada")
        window.open(f"/locations/{place}")
        self.call("bob", "locations.update", location=place, name="The old lock", description="It opens at ten.")
        window.see("The old lock", "main h1", self.SOON)
        window.see("It opens at ten.", "main")
        window.act("Edit")
        window.type("Address", "Lock lane 1", "dialog")
        self.call("bob", "locations.update", location=place, description="It opens at nine.")
        window.see("It opens at nine.", "main", self.SOON)
        self.assertEqual(window.field("Address", "dialog").get_attribute("value"), "Lock lane 1")
        window.press("Save", "dialog")
        window.see("Lock lane 1", "main")
        kept = self.call("ada", "locations.get", location=place)
        self.assertEqual((kept["address"], kept["description"]), ("Lock lane 1", "It opens at nine."))
        self.stage.people["bob"].upload(f"location/{place}", client.picture(3, 64, 48), "A boat")
        loaded = "return document.querySelector('main .gallery img')?.naturalWidth > 0"
        window.until(lambda: window.driver.execute_script(loaded), "the photo", self.SOON)
        self.call("bob", "locations.remove", location=place)
        window.until(lambda: "The old lock" not in window.find("main").text, "that it is gone", self.SOON)

    def test_the_page_of_a_sight_follows(self):
        sight = self.call("bob", "sights.add", title="The followed mill", description="A mill.", lat=52.2, lon=4.7, radius=50)["id"]
        window = self.window("ada")
        window.open(f"/sights/{sight}")
        self.call("bob", "sights.update", id=sight, title="The tall mill", description="A mill with six floors.")
        window.see("The tall mill", "main h1", self.SOON)
        window.see("A mill with six floors.", "main")
        self.call("cleo", "reviews.put", subject=f"sight/{sight}", rating=4, text="Wide view.")
        window.see("Wide view.", "main", self.SOON)
        self.call("bob", "sights.remove", id=sight)
        window.until(lambda: "The tall mill" not in window.find("main").text, "that it is gone", self.SOON)

    def test_the_days_that_a_vote_chose_are_words(self):
        self.take_the_bike()
        vote = self.vote("cleo", "Which weekend?", [("bob", 1), ("dan", 1)], participants=2,
                         options=("2026-06-12/2026-06-14", "2026-06-19/2026-06-21"))
        window, german = self.window("bob"), self.window("bob", language="de")
        window.open("/notifications")
        days = lambda row: "Which weekend?" in row and ("14 Jun" in row or "Jun 14" in row)
        window.until(lambda: any(days(row) for row in window.rows()), f"the days of {vote}")
        self.assertNotIn("2026-06-12/", window.text())
        german.open("/notifications")
        german.until(lambda: any("Which weekend?" in row and "14. Juni" in row for row in german.rows()), "the days")
        # Also what one has chosen oneself.
        window.open(f"/votes/{vote}")
        window.press("Show what I chose", "main")
        window.see("You have chosen: ", "main")
        self.assertNotIn("2026-06-12", window.text())
        open_one = self.vote("cleo", "Which week?", [], participants=2, options=("2026-06-12/2026-06-14", "2026-06-19/2026-06-21"))
        self.call("bob", "votes.get", vote=open_one, passcode="77")
        self.call("bob", "votes.choose", vote=open_one, option=1)
        window.open(f"/votes/{open_one}")
        window.see("It counts once you are done.", "main")
        self.assertNotIn("2026-06-12", window.text())
