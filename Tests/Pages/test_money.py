from case import PageTest


class Money(PageTest):
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
        window.see("Repayments", "main")
        window.press("Undo", "main")
        window.press("Undo", "dialog")
        window.see_no("Repayments", "main")
        balances = self.call("ada", "expenses.balances", plan=plan)["balances"]
        self.assertEqual(sum(round(float(one["balance"]) * 100) for one in balances), 0)

    def test_who_paid_for_whom_is_kept__VT_8(self):
        plan = self.plan("ada", "Who paid", ["bob", "cleo"])
        window = self.window("ada")
        window.open(f"/plans/{plan}/money")
        window.press("Add an expense", "main")
        window.type("What it was for", "Tickets")
        window.type("Amount", "60")
        self.assertEqual([option.text for option in window.field("Who paid?").find_elements("css selector", "option")],
                         ["Ada Lovelace", "Bob Hope", "Cleo de Nijl", "Several people"])
        window.type("Who paid?", "Cleo de Nijl")
        window.type("How to split it", "Exact amounts")
        window.type("Share: Ada Lovelace", "15")
        window.type("Share: Bob Hope", "44")
        window.press("Save", "dialog")
        window.refused("amount")
        window.type("Share: Bob Hope", "45")
        window.press("Save", "dialog")
        window.see("paid by Cleo de Nijl", "main")
        window.see("Exact amounts: Ada Lovelace €15.00, Bob Hope €45.00", "main")
        window.see("Bob Hope gives Cleo de Nijl €45.00", "main")

    def test_three_currencies_come_to_one_balance__OU_7(self):
        plan = self.plan("ada", "Three currencies", ["bob"])
        window = self.window("ada")
        window.open(f"/plans/{plan}/money")
        for title, amount, currency, rate in (("Train", "100", "EUR", None), ("Museum", "50", "GBP", "1.17"), ("Taxi", "3000", "JPY", "0.0061")):
            window.press("Add an expense", "main")
            window.type("What it was for", title)
            window.type("Amount", amount)
            window.type("Currency", currency)
            if rate:
                window.press("Save", "dialog")
                window.refused("rate")
                window.type("Value of one unit in EUR", rate)
            window.press("Save", "dialog")
            window.gone("dialog")
            window.see(title, "main")
        window.see("€176.80", "main")
        window.see("¥3,000", "main")
        window.see("Bob Hope gives you €88.40", "main")
        window.press("Paid", "main")
        window.press("Paid", "dialog")
        window.see("Everything is settled.", "main")

    def test_what_a_person_owes_stands_first_and_says_you(self):
        plan = self.plan("ada", "Who owes whom", ["bob", "cleo"])
        for friend in ("bob", "cleo"):
            self.call("ada", "members.change", plan=plan, person=friend, edits=True)
        self.call("ada", "expenses.add", plan=plan, title="Cabin", amount="90.00")
        window = self.window("cleo")
        window.open(f"/plans/{plan}/money")
        owed = lambda: [row.text.split("\n")[0] for row in window.all("main .row") if "give" in row.text]
        window.until(lambda: owed() == ["You give Ada Lovelace €30.00", "Bob Hope gives Ada Lovelace €30.00"], "the own line first")
        # The word says that it is owed, so the amount has no sign.
        self.assertIn("Cleo de Nijl\n€30.00\nowes", [row.text for row in window.all("main .row")])
        window.press("Paid", "main")
        window.see("Have you given Ada Lovelace €30.00?", "dialog")
        window.press("Paid", "dialog")
        window.until(lambda: owed() == ["Bob Hope gives Ada Lovelace €30.00"], "the rest")
        german = self.window("ada", language="de")
        german.open(f"/plans/{plan}/money")
        german.see("Bob Hope gibt Ihnen 30,00", "main")

    def test_a_repayment_without_a_note_is_told_in_german(self):
        plan = self.plan("ada", "Paid back", ["bob"])
        self.call("ada", "expenses.add", plan=plan, title="Boat", amount="20.00")
        self.call("ada", "repayments.add", plan=plan, to="ada", amount="10.00", **{"from": "bob"})
        window = self.window("bob", language="de")
        window.open(f"/plans/{plan}")
        window.see("Ada Lovelace hat Rückzahlung hinzugefügt", "main")

    def test_the_payer_is_who_enters_an_expense(self):
        plan = self.plan("ada", "Who enters pays", ["bob", "cleo"])
        self.call("ada", "members.change", plan=plan, person="bob", edits=True)
        window = self.window("bob")
        window.open(f"/plans/{plan}/money")
        window.press("Add an expense", "main")
        window.type("What it was for", "Diesel")
        window.type("Amount", "1.061,20")
        window.press("Save", "dialog")
        window.see("paid by Bob Hope", "main")
        window.see("€1,061.20", "main")

    def test_a_traveller_who_may_only_read_enters_what_they_paid(self):
        plan = self.plan("ada", "Own expenses", ["cleo"])
        self.call("ada", "expenses.add", plan=plan, title="Berth", amount="20.00")
        window = self.window("cleo")
        window.open(f"/plans/{plan}/money")
        window.press("Add an expense", "main")
        self.assertEqual([option.text for option in window.field("Who paid?").find_elements("css selector", "option")], ["Cleo de Nijl"])
        window.type("What it was for", "Taxi")
        window.type("Amount", "25.40")
        window.press("Save", "dialog")
        window.see("paid by Cleo de Nijl", "main")
        menus = [row for row in window.all("main .row") if row.find_elements("css selector", ".menu")]
        self.assertEqual([row.text.splitlines()[0] for row in menus], ["Taxi"])
        window.act("Remove", "main .columns")
        window.press("Remove", "dialog")
        window.press("Undo", "#toast")
        window.see("Taxi", "main")

    def test_what_is_only_for_me_is_shared_with_nobody(self):
        plan = self.plan("ada", "A gift", ["bob"])
        window = self.window("ada")
        window.open(f"/plans/{plan}/money")
        window.press("Add an expense", "main")
        window.type("What it was for", "Earrings")
        window.type("Amount", "40")
        window.tick("Only for me: not shared", "dialog")
        window.press("Save", "dialog")
        window.see("Earrings", "main")
        expense, = self.call("ada", "expenses.list", plan=plan)["expenses"]
        self.assertTrue(expense["personal"])
        self.assertEqual([one["person"] for one in expense["shares"]], ["ada"])
        self.assertEqual({one["balance"] for one in self.call("ada", "expenses.balances", plan=plan)["balances"]}, {"0.00"})

    def test_a_long_list_grows_as_one_scrolls(self):
        plan = self.plan("ada", "Many coffees", ["bob"])
        for number in range(70):
            self.call("ada", "expenses.add", plan=plan, title=f"Coffee {number}", amount="1", category=f"Bar {number}")
        window = self.window("ada")
        window.open(f"/plans/{plan}/money")
        window.see("Coffee 69", "main")

        def rows():
            return len(window.all("main .columns > div:first-child .row"))

        first = rows()
        self.assertLess(first, 70)
        window.driver.execute_script("document.querySelector('main .list-foot button').scrollIntoView()")
        window.until(lambda: rows() > first, "more rows")

        def grown():
            # A slow page may grow to the end by itself, at any moment.
            for button in window.all("main .columns > div:first-child .list-foot button"):
                if button.text == "Show all":
                    button.click()
            return rows() == 70

        window.until(grown, "all rows")
        window.see("Coffee 0", "main")
        self.assertEqual(rows(), 70)
        # The sums of many categories grow, too, and their total is there at once.
        window.press("Category", "main")
        window.see("€70.00", "main tfoot")
        self.assertLess(len(window.all("main tbody tr")), 70)
