from case import PageTest
from client import Client, mailed_code


class SigningUp(PageTest):
    def fill_in(self, window, username, first, last, **other):
        """Fills in the form, but does not accept the terms."""
        for label, text in {
            "First name": first, "Last name": last, "Username": username, "E-mail": f"{username}@example.org",
            "Repeat the e-mail": f"{username}@example.org", "Password": "a long road", "Repeat the password": "a long road", **other,
        }.items():
            window.type(label, text)

    def prove(self, window, username):
        window.see(f"We have sent a code to {username}@example.org")
        window.type("Code from the e-mail", mailed_code(self.stage.mail, f"{username}@example.org"))
        window.press("Confirm the address", "main")
        window.see("Are you on board?")
        window.press("Skip", "main")
        window.see("Who would you like to follow?")

    def without_password(self, username, first, last):
        """Signs somebody up with only a mailed code, and returns the username."""
        someone = self.stage.people[username] = Client(self.stage.base)
        address = f"{username}@example.org"
        begun = someone.call("people.signUp", form="code", first_name=first, last_name=last, username=username, email=address, email_again=address, terms=True)
        someone.call("people.prove", ticket=begun["ticket"], code=mailed_code(self.stage.mail, address))
        return username

    def test_each_field_is_named_and_a_code_proves_the_address__TG_1_VO_1_VO_2_GT_3(self):
        window = self.window(None, size=(400, 800))
        window.open("/sign-up")
        window.press("Sign up", "main")
        self.assertEqual(len([e for e in window.all(".field-error") if e.text]), 8)
        self.fill_in(window, "eva", "Eva", "Winter", **{"Repeat the e-mail": "eve@example.org"})
        window.tick("I accept the terms: what I write stays on the computer that runs this Waymark.")
        window.press("Sign up", "main")
        window.refused("email_again")
        window.type("Repeat the e-mail", "eva@example.org")
        window.type("Repeat the password", "another road")
        window.press("Sign up", "main")
        window.refused("password_again")
        window.type("Repeat the password", "a long road")
        window.press("Sign up", "main")
        window.type("Code from the e-mail", "000000")
        window.press("Confirm the address", "main")
        window.until(lambda: [e for e in window.all(".form-error, .field-error") if e.text], "a wrong code is told")
        window.press("Correct the address", "main")
        window.type("E-mail", "eva.winter@example.org")
        window.press("Send a code", "dialog")
        window.press("Send another code", "main")
        window.see("Another code is on its way.")
        self.prove(window, "eva.winter")
        # At first everybody is ticked. The test follows those that it leaves ticked.
        for box in window.all("fieldset.checks input:checked"):
            if box.get_attribute("value") not in ("ada", "bob"):
                window.driver.execute_script("arguments[0].click()", box)
        window.press("Follow the selected people", "main")
        window.see("You now follow 2 people.")
        window.press("Skip", "main")
        window.until(lambda: window.driver.current_url.endswith("/now"), "the map")
        window.open("/profile")
        window.see("Eva Winter", "main h1")
        window.see("Your profile is not complete.")
        window.open("/people?of=following")
        window.see("2 people", "main")
        self.assertEqual([row.splitlines()[0] for row in window.rows()], ["Ada Lovelace", "Bob Hope"])

    def test_the_first_hour_needs_three_taps(self):
        window = self.window(self.person("uma", "Uma", "Sand"), size=(390, 800))
        window.open("/welcome")
        window.see("Welcome, Uma Sand", "main h1")
        window.see("Step 1 of 3", "main")
        device = self.call("uma", "devices.list")["devices"][0]
        window.press(f"I travel with {device.get('title', device['name'])}", "main")
        window.see("Step 2 of 3", "main")
        self.assertIn("uma", next(one for one in self.call("uma", "devices.list")["devices"] if one["name"] == device["name"])["people"])
        window.press("Follow the selected people", "main")
        window.see("Step 3 of 3", "main")
        window.find("main input[type=file]").send_keys(self.file(92))
        window.until(lambda: window.driver.current_url.endswith("/now"), "the map")
        window.until(lambda: window.all(".account-link img"), "the picture")
        # Nothing is left to choose.
        window.open("/welcome")
        window.until(lambda: window.driver.current_url.endswith("/now"), "the map again")
        self.call("uma", "devices.leave", device=device["name"])

    def test_the_first_hour_is_in_german_and_can_be_skipped(self):
        window = self.window(self.person("uta", "Uta", "Sand"), language="de")
        window.open("/welcome")
        for question in ("Sind Sie an Bord?", "Wem möchten Sie folgen?", "Ein Bild von Ihnen"):
            window.see(question, "main")
            window.press("Überspringen", "main")
        window.until(lambda: window.driver.current_url.endswith("/now"), "the map")
        self.assertEqual(self.call("uta", "people.following")["count"], 0)

    def test_only_administrators_have_the_machine_in_their_menu(self):
        window = self.window(self.person("ugo", "Ugo", "Sand"), language="en-GB")
        window.open("/plans")
        self.assertIn("People", [entry.text for entry in window.all(".side a")])
        self.assertNotIn("Machine", [entry.text for entry in window.all(".side a")])
        window.see("A plan has the days, places, costs and people of a journey.", "main")
        if self.stage.folder:
            self.stage.administer("ugo")
            self.addCleanup(self.stage.administer, "ugo", "--remove")
            window.open("/plans")
            self.assertIn("Machine", [entry.text for entry in window.all(".side a")])

    def test_signing_up_goes_on_after_a_reload(self):
        window = self.window(None, size=(410, 800))
        self.allowed = ("403",)
        window.open("/sign-up")
        self.fill_in(window, "ina", "Ina", "Herbst")
        window.tick("I accept the terms: what I write stays on the computer that runs this Waymark.")
        window.press("Sign up", "main")
        window.see("We have sent a code to ina@example.org")
        window.open("/sign-in")
        window.see("The address ina@example.org is not confirmed yet.")
        window.type("Username or e-mail", "ina")
        window.type("Password", "a long road")
        window.press("Sign in", "main form")
        window.click(lambda: next(iter([way for way in window.all("form .button.small") if way.text == "Enter the code"]), None), "the way to the code")
        self.prove(window, "ina")

    def test_an_account_has_a_picture_and_is_signed_in_to_by_e_mail__MT_1_VT_1(self):
        window = self.window(None, size=(420, 820))
        window.open("/sign-up")
        self.fill_in(window, "gil", "Gil", "Sommer")
        window.press("Sign up", "main")
        window.refused("terms")
        window.tick("I accept the terms: what I write stays on the computer that runs this Waymark.")
        window.press("Sign up", "main")
        self.prove(window, "gil")
        for box in window.all("fieldset.checks input:checked"):
            window.driver.execute_script("arguments[0].click()", box)
        window.press("Follow the selected people", "main")
        window.see("Add a picture of you")
        window.open("/profile")
        window.see("Gil Sommer", "main h1")
        window.type("First name", "Gilbert")
        window.press("Save", "main")
        window.see("Gilbert Sommer", "main h1")
        window.press("Add photos", "main")
        window.type("Which photos?", self.file(91))
        window.press("Send", "dialog")
        window.until(lambda: window.all(".account-link img"), "the picture")
        window.press("Sign out", "main")
        window.see("Sign in", "main h1")
        window.open("/profile")
        window.see("Sign in to see this.")
        window.open("/sign-in")
        window.type("Username or e-mail", "gil@example.org")
        window.type("Password", "a long road")
        window.press("Sign in", "main")
        window.until(lambda: window.all(".account-link img"), "signed in, with the picture")
        self.assertEqual(self.call("ada", "people.following", person="gil")["count"], 0)

    def test_signs_in_and_out__TG_2_VO_3(self):
        window = self.window(None, size=(500, 800))
        window.open("/sign-in")
        window.type("Username or e-mail", "nobody")
        window.type("Password", "wrong and long")
        window.press("Sign in", "main")
        window.until(lambda: [e for e in window.all(".form-error, .field-error") if e.text], "an unknown account is told")
        window.type("Username or e-mail", "dan@example.org")
        window.press("Sign in", "main")
        window.see("The password is wrong", "main")
        window.press("Send me a code instead", "main")
        window.press("Send a code", "main")
        window.see("A code is on its way")
        window.type("Code from the e-mail", mailed_code(self.stage.mail, "dan@example.org"))
        window.press("Sign in", "main")
        window.until(lambda: window.all(".account-link"), "signed in")
        window.open("/profile")
        window.press("Sign out", "main")
        window.see("Sign in", "main h1")

    def test_a_first_password_asks_for_none_and_the_next_for_it__VO_4(self):
        window = self.window(self.without_password("finn", "Finn", "Herbst"))
        window.open("/profile")
        window.press("Sign out", "main")
        window.see("You have no password yet.", "dialog")
        window.press("Cancel", "dialog")
        for current, new in (("", "the first road"), ("the first road", "the second road")):
            # Who has a password changes it, and is asked for it; who has none is not.
            window.press("Change the password" if current else "Set the password", "main")
            if current:
                window.type("New password", new)
                window.type("Repeat the password", new)
                window.type("Current password", "no road at all")
                window.press("Save", "dialog")
                window.refused("current")
                window.type("Current password", current)
            window.type("New password", new)
            window.type("Repeat the password", new)
            window.press("Save", "dialog")
            window.gone("dialog")
        window.press("Sign out", "main")
        window.see("Sign in", "main h1")

    def test_signing_out_without_a_password_mails_one__VO_4(self):
        window = self.window(self.without_password("gina", "Gina", "Lenz"))
        window.open("/profile")
        window.press("Sign out", "main")
        window.press("Create one and sign out", "dialog")
        window.see("Sign in", "main h1")
        window.until(lambda: "password" in self.stage.mail.read_text().split("<gina@example.org>")[-1].lower(), "the password by mail")


class Sessions(PageTest):
    def test_a_session_is_named_by_its_browser(self):
        name = self.without_name("nora")
        window = self.window(None, size=(400, 900))
        window.tell("Network.setUserAgentOverride", userAgent="Mozilla/5.0 (Android 14; Mobile; rv:128.0) Gecko/128.0 Firefox/128.0")
        window.open("/sign-in")
        window.type("Username or e-mail", name)
        window.type("Password", "a quiet road")
        window.press("Sign in", "main form")
        window.until(lambda: not window.all("main form [type=password]"), "to be signed in")
        window.open("/profile")
        window.see("Firefox on Android", "main")

    def without_name(self, username):
        """Signs somebody up with a program that does not say what it is, and returns the username."""
        return self.person(username, "Nora", "Quist")
