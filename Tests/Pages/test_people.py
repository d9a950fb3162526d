from case import PageTest


class People(PageTest):
    def test_a_friend_is_asked_and_confirms__MT_11_GT_4(self):
        dan = self.window("dan")
        dan.open("/people/bob")
        dan.press("Send a friend request", "main")
        dan.press("Withdraw the request", "main")
        dan.press("Send a friend request", "main")
        dan.see("Withdraw the request", "main")
        bob = self.window("bob")
        bob.open("/people?of=requests")
        bob.see("Dan Brown", "main")
        bob.press("Confirm", "main")
        bob.see("You are friends now.")
        bob.press("Friends", "main")
        bob.see("Dan Brown", "main")
        bob.press("Following", "main")
        bob.press("Following: Ada Lovelace", "main")
        bob.until(lambda: not self.call("bob", "people.get", person="ada")["following"], "followed no longer")
        bob.press("Follow: Ada Lovelace", "main")
        bob.until(lambda: self.call("bob", "people.get", person="ada")["following"], "followed again")
        bob.open("/people/ada")
        bob.press(str(self.call("bob", "people.get", person="ada")["counts"]["following"]), "main .figures")
        names = [name.text for name in bob.until(lambda: bob.all("dialog .row strong"), "whom Ada follows")]
        self.assertEqual(names, [person["name"] for person in self.call("bob", "people.following", person="ada")["people"]])
        self.assertEqual(names, sorted(names))

    def test_searches_among_the_followed_then_everybody__GT_5(self):
        window = self.window("bob")
        window.open("/people")
        window.type("Search people", "dan")
        window.see("Nobody matches “dan”.")
        window.see("Dan Brown", "main")

    def test_suggestions_leave_out_the_followed_and_change__GT_6(self):
        for n in range(9):
            self.person(f"guest{n}", f"Guest{n}", "Sommer")
        window = self.window("dan")
        window.open("/people")
        window.press("Suggested", "main")
        seen = set(window.until(window.rows, "suggestions"))
        self.assertEqual(len(seen), 8)
        self.assertFalse([row for row in seen if "@dan" in row or "@ada" in row], "neither himself nor the followed")
        window.press("Show others", "main")
        others = set(window.until(lambda: [row for row in window.rows() if row not in seen], "others"))
        self.assertFalse(seen & others)

    def test_a_friends_page_shows_plans__MT_13(self):
        window = self.window("bob")
        window.open("/people/ada")
        window.see("ada@example.org", "main")
        window.see("A day in Amsterdam", "main")

    def test_the_profile_is_completed__MT_2_GT_1(self):
        window = self.window("cleo")
        window.open("/profile")
        window.see("Your profile is not complete.")
        window.type("Phone", "+31 20 123456")
        window.type("Gender", "female")
        window.type("Date of birth", "2100-01-01")
        window.type("Website", "https://cleo.example")
        window.press("Save", "main")
        window.refused("born")
        window.type("Date of birth", "1990-04-01")
        window.press("Save", "main")
        window.see_no("Your profile is not complete.")
        self.assertEqual(self.call("cleo", "people.profile")["missing"], [])
        window.open("/profile")
        numbers = dict(figure.text.split("\n") for figure in window.until(lambda: window.all("main .figure"), "numbers"))
        for label, count in {
            "Friends": len(self.call("cleo", "friends.list")["people"]), "Following": self.call("cleo", "people.following")["count"],
            "Followers": self.call("cleo", "people.followers")["count"], "Photos": len(self.call("cleo", "photos.list", person="cleo")["photos"]),
        }.items():
            self.assertEqual(numbers[label], str(count), label)


class Notifications(PageTest):
    def test_badge_new_unread_and_read__GT_7_GT_8(self):
        window = self.window("dan")
        self.call("ada", "friends.decline", person="dan") if self.requested("dan", "ada") else None
        self.call("cleo", "friends.request", person="dan")
        window.open("/sights")
        window.until(lambda: window.all(".bell .count"), "the live badge")
        window.click(".bell")
        window.see("Cleo de Nijl asks", "main")
        self.assertEqual(window.find("main .row b").text, "Cleo de Nijl")
        window.until(lambda: not window.all(".bell .count"), "no new ones")
        window.press("Confirm", "main")
        window.see("Done.")
        window.see("Confirm ✓", "main")
        window.open("/notifications")
        window.until(lambda: [e for e in window.all("main button") if e.text == "Confirm ✓" and e.get_attribute("disabled")], "a button that stays on")
        self.assertIn("cleo", [friend["id"] for friend in self.call("dan", "friends.list")["people"]])

    def test_whoever_joins_fills_in_what_is_needed_and_reads_who_is_a_friend(self):
        code = self.call("ada", "people.invite", days=1, uses=1)["code"]
        window = self.window(None, size=(390, 844))
        window.open(f"/join/{code}")
        window.type("First name", "Runa")
        optional = [one.accessible_name for one in window.all("main form input") if "optional" in one.accessible_name]
        self.assertEqual(optional, ["Username (optional)", "E-mail (optional)"])
        window.type("Last name", "Dahl")
        window.type("Password", "a quiet road")
        window.type("Repeat the password", "a quiet road")
        window.click("input[name=terms]")
        window.press("Join", "main form")
        window.see("You and Ada Lovelace are friends now.", "#toast")

    def test_a_button_runs_once_wherever_it_is_pressed__GT_8(self):
        self.person("rosa", "Rosa", "Lind")
        self.call("dan", "friends.request", person="rosa")
        first, second = self.window("rosa"), self.window("rosa", size=(700, 800))
        for window in (first, second):
            window.open("/notifications")
            window.see("Dan Brown asks to be your friend.", "main")
        first.press("Confirm", "main")
        first.see("Confirm ✓", "main")
        self.call("rosa", "friends.remove", person="dan")
        second.press("Confirm", "main")
        second.see("was pressed already")
        second.until(lambda: [e for e in second.all("main button") if e.text == "Confirm ✓" and e.get_attribute("disabled")], "a button that stays on")
        self.assertEqual(self.call("rosa", "friends.list")["people"], [])

    def test_leads_to_pages_and_http_addresses_and_nowhere_else__GT_8(self):
        # No method of the daemon makes a notification that leads to an address, so the test answers in its place.
        address = f"{self.stage.base}/sights/artis".replace("http:", "HTTP:")
        inert = [
            "javascript:window.hurt=1", "JavaScript:window.hurt=1", "java\nscript:window.hurt=1", "data:text/html,<script>opener.hurt=1</script>",
            "//other.example/", "file:///etc/passwd", "waymark://constructor/x", "waymark://machine/x", "none"]
        markup = "<i>slanted</i> <img src=x onerror=window.hurt=1> <b onclick=window.hurt=1>no</b>"
        texts = {"waymark://sight/westerkerk": f"To <b>a page</b>, {markup} and &lt;b&gt;", address: "To an address"}
        made = [
            {"id": str(n), "kind": "notice", "time": "2026-05-01T08:00:00Z", "state": "new", "destination": to, "text": texts.get(to, f"To nothing {n}"), "action": {"title": f"Press {n}", "url": to}}
            for n, to in enumerate([*texts, *inert])]
        window = self.window("dan", size=(1100, 800))
        self.answer_in_place(window, notifications_list={"notifications": made}, notifications_badge={"count": 1}, notifications_open={},
                             notifications_act=[{"notification": one, "url": one["destination"]} for one in made[1:]])
        window.open("/notifications")
        window.see(f"To a page, {markup} and <b>", "main")
        self.assertEqual([bold.text for bold in window.all("main .row b")], ["a page"])
        self.assertFalse(window.all("main .row i, main .row img, main [onclick], main [onerror]"))
        self.assertEqual([link.get_attribute("href") for link in window.all("main .row-link")],
                         [f"{self.stage.base}/sights/westerkerk", address.replace("HTTP:", "http:")] + [f"{self.stage.base}/notifications"] * len(inert))
        home, = window.driver.window_handles
        count = lambda method: window.driver.execute_script("return (window.asked ?? []).filter((one) => one.method === arguments[0]).length", method)
        rows = window.all("main .row")
        for n in range(1, len(made)):
            for press, method in ((".row-link", "notifications.open"), (".button", "notifications.act")):
                rows[n].find_element("css selector", press).click()
                window.until(lambda: count(method) == n, f"{method} of {made[n]}")
                if n > 1:
                    continue
                window.until(lambda: len(window.driver.window_handles) == 2, "another tab")
                window.driver.switch_to.window(next(tab for tab in window.driver.window_handles if tab != home))
                window.see("Artis", "main h1")
                self.assertIsNone(window.driver.execute_script("return window.opener"))
                window.driver.close()
                window.driver.switch_to.window(home)
        self.assertEqual(window.driver.current_url, f"{self.stage.base}/notifications")
        rows[0].find_element("css selector", ".row-link").click()
        window.see("Westerkerk", "main h1")
        self.assertEqual(window.driver.window_handles, [home])
        self.assertIsNone(window.driver.execute_script("return window.hurt ?? null"))

    def requested(self, who, whom):
        return any(person["id"] == who for person in self.call(whom, "friends.requests")["people"])

    def test_opens_what_it_is_about__TG_4(self):
        window = self.window("ada")
        window.open("/notifications")
        window.press("Suggestions", "main")
        window.see("You would love the butterflies.", "main")
        next(link for link in window.all("main .row-link") if "butterflies" in link.text).click()
        window.see("Artis", "main h1")

    def test_rules_are_kept(self):
        window = self.window("bob")
        window.open("/notifications")
        window.press("Notification settings", "main")
        window.type("Quiet from", "22:00")
        window.type("Quiet until", "07:00")
        window.press("Save", "dialog")
        window.see("Saved.")
        # Later tests wait for notifications, which bob does not get in the quiet hours.
        self.addCleanup(lambda: self.call("bob", "notifications.setRules", quiet=""))
        self.assertEqual(self.call("bob", "notifications.rules")["quiet"], "22:00-07:00")
