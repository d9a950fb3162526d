import unittest

from case import PageTest


class WithOthers(PageTest):
    # While the daemon does not run, the console reports that.
    allowed = ("net::ERR", "Failed to load resource")

    def badge(self, window):
        found = window.all(".bell .count")
        return int(found[0].text) if found else 0

    def test_events_go_on_over_a_restart(self):
        if self.stage.options.base:
            raise unittest.SkipTest("the daemon is another's")
        window = self.window("bob")
        # From here on there are notifications only of what people send, not of what is near.
        self.call("bob", "notifications.setRules", kinds=["suggestion"])
        # The page lists the newest thirty; the van has passed more sights until now, and people have sent more.
        listed = self.call("bob", "notifications.list", limit=100)
        while "next" in listed:
            listed = self.call("bob", "notifications.list", limit=100, after=listed["next"])
        window.open("/notifications")
        window.open("/sights")
        window.until(lambda: self.badge(window) == 0, "no new ones")
        before = self.badge(window)
        self.restart(lambda: window.see("No connection. The page reconnects automatically.", patience=20))
        window.until(lambda: "No connection" not in window.text(), "the connection", 40)
        for sight in ("artis", "westerkerk", "munttoren"):
            self.call("cleo", "suggestions.send", subject=f"sight/{sight}", to="bob")
        window.until(lambda: self.badge(window) == before + 3, "three more, none missing and none twice", 20)

    def test_a_sight_just_added_is_told_before_and_after_a_restart__TG_12(self):
        if self.stage.options.base:
            raise unittest.SkipTest("the daemon is another's")
        there = lambda metres: (53.3, 6.9 + metres / 66_500)
        away = [there(15 * n) for n in range(40)]
        self.stage.ride("boat", away)
        # The boat lies 585 m behind the mole that is added.
        window = self.window("bob")
        self.call("bob", "sights.add", title="The mole", description="Where the ferry lands.", lat=there(0)[0], lon=there(0)[1], radius=60)
        def visits():
            window.open("/sights/the-mole")
            window.until(lambda: "No device has been here yet." in window.text() or "boat" in window.text(), "the visits")
            return len([row for row in window.rows() if "boat" in row])
        self.assertEqual(visits(), 0)
        self.stage.ride("boat", away[::-1])
        self.assertEqual(visits(), 1)
        self.stage.ride("boat", away)
        self.restart()
        self.stage.ride("boat", away[::-1])
        self.assertEqual(visits(), 2)

    def test_two_people_see_the_end_of_a_vote_at_once(self):
        for who in ("ada", "bob"):
            self.call(who, "notifications.setRules", kinds=["friend", "plan", "vote", "suggestion", "notice"])
        vote = self.stage.made["vote"]
        ada, bob = self.window("ada"), self.window("bob")
        for window in (ada, bob):
            window.open(f"/votes/{vote}")
            window.see("1 of 4 has voted")
        for who, option in (("ada", 1), ("cleo", 2), ("dan", 1)):
            if who != "ada":
                self.call(who, "votes.get", vote=vote, passcode="2468")
            self.call(who, "votes.choose", vote=vote, option=option)
            self.call(who, "votes.done", vote=vote)
        for window in (ada, bob):
            window.see("The winner is: Pancakes on the barge", patience=20)
            window.see("75 %")
