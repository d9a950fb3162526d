from case import PageTest
from client import mailed_code


class SigningUp(PageTest):
    def test_each_field_is_named_and_a_code_proves_the_address__TG_1_VO_1_VO_2(self):
        window = self.window(None, size=(400, 800))
        window.open("/sign-up")
        window.press("Sign up", "main")
        self.assertEqual(len([e for e in window.all(".field-error") if e.text]), 8)
        for label, text in [("First name", "Eva"), ("Last name", "Winter"), ("Username", "eva"), ("E-mail", "eva@example.org"), ("E-mail again", "eve@example.org"),
                            ("Password", "a long road"), ("Password again", "a long road")]:
            window.type(label, text)
        window.tick("I accept the terms: what you write is kept on this machine alone.")
        window.press("Sign up", "main")
        window.until(lambda: window.all("[name=email_again][aria-invalid]"), "unequal addresses")
        window.type("E-mail again", "eva@example.org")
        window.press("Sign up", "main")
        window.see("We have mailed a code to eva@example.org")
        window.type("Code from the mail", "000000")
        window.press("Prove the address", "main")
        window.until(lambda: [e for e in window.all(".form-error, .field-error") if e.text], "a wrong code is told")
        window.type("Code from the mail", mailed_code(self.stage.mail, "eva@example.org"))
        window.press("Prove the address", "main")
        window.see("Whom would you like to follow?")
        window.press("Follow the ticked", "main")
        window.see("Eva Winter", "main h1")
        window.see("Your profile is not complete.")

    def test_signs_in_and_out__TG_2_VO_3(self):
        window = self.window(None, size=(500, 800))
        window.open("/sign-in")
        window.type("Username or e-mail", "nobody")
        window.type("Password", "wrong and long")
        window.press("Sign in", "main")
        window.until(lambda: [e for e in window.all(".form-error, .field-error") if e.text], "an unknown account is told")
        window.type("Username or e-mail", "dan@example.org")
        window.press("Mail me a code instead", "main")
        window.press("Send a code", "main")
        window.see("A code is on its way")
        window.type("Code from the mail", mailed_code(self.stage.mail, "dan@example.org"))
        window.press("Sign in", "main")
        window.until(lambda: window.all(".account-link"), "signed in")
        window.open("/profile")
        window.press("Sign out", "main")
        window.see("Sign in", "main h1")


class People(PageTest):
    def test_a_friend_is_asked_and_confirms__MT_11_GT_4(self):
        dan = self.window("dan")
        dan.open("/people/bob")
        dan.press("Ask to be friends", "main")
        dan.press("Take the request back", "main")
        dan.press("Ask to be friends", "main")
        dan.see("Take the request back", "main")
        bob = self.window("bob")
        bob.open("/people?of=requests")
        bob.see("Dan Brown", "main")
        bob.press("Confirm", "main")
        bob.see("You are friends now.")
        bob.press("Friends", "main")
        bob.see("Dan Brown", "main")
        bob.press("Following", "main")
        bob.see("Ada Lovelace", "main")

    def test_searches_among_the_followed_then_everybody__GT_5(self):
        window = self.window("bob")
        window.open("/people")
        window.type("Search people", "dan")
        window.see("Nobody with “dan”.")
        window.see("Dan Brown", "main")

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
        window.until(lambda: window.all("[name=born][aria-invalid]"), "an impossible day at its field")
        window.type("Date of birth", "1990-04-01")
        window.press("Save", "main")
        window.see_no("Your profile is not complete.")
        self.assertEqual(self.call("cleo", "people.profile")["missing"], [])


class Notifications(PageTest):
    def test_badge_new_unread_and_read__GT_7(self):
        window = self.window("dan")
        self.call("ada", "friends.decline", person="dan") if self.requested("dan", "ada") else None
        self.call("cleo", "friends.request", person="dan")
        window.open("/sights")
        window.until(lambda: window.all(".bell .count"), "the live badge")
        window.find(".bell").click()
        window.see("Cleo de Nijl asks", "main")
        window.until(lambda: not window.all(".bell .count"), "no new ones")
        window.press("Confirm", "main")
        window.see("Done.")
        window.see("Confirm ✓", "main")
        self.assertIn("cleo", [friend["id"] for friend in self.call("dan", "friends.list")["people"]])

    def requested(self, who, whom):
        return any(person["id"] == who for person in self.call(whom, "friends.requests")["people"])

    def test_opens_what_it_is_about__TG_4(self):
        window = self.window("ada")
        window.open("/notifications")
        window.press("Suggestions", "main")
        window.see("You would love the butterflies.", "main")
        window.find("main .row-link").click()
        window.see("Artis", "main h1")

    def test_rules_are_kept(self):
        window = self.window("bob")
        window.open("/notifications")
        window.press("What I am told", "main")
        window.type("Quiet from", "22:00")
        window.type("Quiet until", "07:00")
        window.press("Save", "dialog")
        window.see("Saved.")
        self.assertEqual(self.call("bob", "notifications.rules")["quiet"], "22:00-07:00")
