"""Changes that people make without a connection, which wait on the phone and go in when it is back."""

import json

from case import PageTest
from tiles import TileDoor

ALL = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}


class Outbox(PageTest):
    allowed = ("ERR_INTERNET_DISCONNECTED", "ERR_EMPTY_RESPONSE", "ERR_FAILED", "Failed to fetch", "Failed to load resource", "EventSource", "network error",
               "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_CONNECTION")

    def phone(self, person, path, **options):
        """Returns the window of a person on a phone behind a door of its own, at a page that also opens without a connection."""
        self.door = TileDoor(self.stage.base, {}, lambda *_: None)
        self.addCleanup(self.door.end)
        window = self.window(person, size=(390, 844), **options)
        window.base = self.door.base
        window.open(path)
        # The page registers its service worker some seconds after it was opened.
        window.until(lambda: window.driver.execute_script("return Boolean(navigator.serviceWorker.controller)"), "the service worker", 40)
        window.open(path)
        self.until_kept(window)
        return window

    def until_kept(self, window):
        """Waits until the other parts of the plan are read, and what keeps changes is there."""
        window.until(lambda: window.driver.execute_script(
            "return Object.keys(localStorage).some((key) => key.startsWith('read:reviews.list')) && performance.getEntriesByType('resource').some(({name}) => name.endsWith('outbox/outbox.js'))"),
            "the parts of the plan", 30)

    def leave(self, window):
        """Takes the connection away."""
        self.door.closed = True
        # What Chromium emulates does not hold for the service worker.
        window.tell("Network.enable")
        window.tell("Network.emulateNetworkConditions", offline=True, **ALL)
        self.addCleanup(window.tell, "Network.emulateNetworkConditions", offline=False, **ALL)

    def come_back(self, window):
        self.door.closed = False
        window.tell("Network.emulateNetworkConditions", offline=False, **ALL)

    def waiting(self, window, text):
        """Waits until the head of the page says how much waits."""
        window.until(lambda: window.find(".waits").text == text, f"{text!r}", 20)

    def gone_in(self, window):
        window.until(lambda: not [one for one in window.all(".waits") if one.is_displayed()], "everything to go in", 45)

    def pay(self, window, line):
        window.type("What was paid, in one line", line, "main")
        window.press("Add", ".quick")

    def expenses(self, plan):
        return self.call("ada", "expenses.list", plan=plan)["expenses"]

    def shared(self, title, **fields):
        """Returns a plan of Ada's that Bob may change, with one item."""
        plan = self.plan("ada", title, ["bob"], start="2027-05-01", end="2027-05-03", zone="Europe/Amsterdam", **fields)
        self.call("ada", "members.change", plan=plan, person="bob", edits=True)
        item = self.call("ada", "activities.add", **{"plan": plan, "title": "Supper", "from": "2027-05-01T19:00"})["id"]
        return plan, item

    def test_an_hour_without_a_connection__OU_4b(self):
        plan, item = self.shared("Away for an hour")
        window = self.phone("ada", f"/plans/{plan}")
        self.leave(window)
        window.act("Edit")
        window.type("Title", "Away for two hours")
        window.press("Save", "dialog")
        window.gone("dialog")
        window.see("Away for two hours", "main h1")
        self.waiting(window, "one change waits")
        window.press("Supper", "main")
        window.press("Edit", "dialog")
        window.tick("Booked")
        window.type("Note", "By the window", "dialog")
        window.press("Save", "dialog")
        window.gone("dialog")
        window.see("waits", "main .rows")
        window.press("Money", ".tabs")
        self.pay(window, "Taxi 25.40")
        window.see("Taxi", "main .rows")
        self.pay(window, "Ferry 8")
        window.see("Ferry", "main .rows")
        self.waiting(window, "4 changes wait")
        window.press("Photos & reviews", ".tabs")
        window.press("Add photos", "main")
        window.type("Which photos?", self.file(72, "bridge.png"))
        window.type("Caption of bridge.png", "The bridge")
        window.press("Send", "dialog")
        window.see("The bridge", ".gallery")
        self.waiting(window, "5 changes wait")
        self.assertEqual(window.wider_than_window(), [])
        # The page is loaded again, still without a connection.
        window.driver.refresh()
        window.settle()
        self.waiting(window, "5 changes wait")
        window.see("Away for two hours", "main h1")
        window.see("The bridge", ".gallery")
        window.until(lambda: window.driver.execute_script("return document.querySelector('.gallery img')?.naturalWidth > 0"), "the photo of this phone")
        window.press("Money", ".tabs")
        window.see("Taxi", "main .rows")
        window.see("Ferry", "main .rows")
        # What waits is listed, opened and edited.
        window.press("5 changes wait", ".top")
        self.assertEqual([row.split("\n")[0] for row in window.rows("dialog")],
                         ["Plan “Away for an hour”", "Item “Supper”", "Expense “Taxi”", "Expense “Ferry”", "Photo “The bridge”"])
        window.see("changed: Booked, Note", "dialog")
        self.assertEqual(window.wider_than_window(), [])
        window.escape()
        window.gone("dialog")
        window.until(lambda: window.all("main .row .menu button"), "the menus")
        window.act("Edit", "main .row:first-child")
        window.type("Amount", "9.50", "dialog")
        window.press("Save", "dialog")
        window.gone("dialog")
        self.waiting(window, "5 changes wait")
        self.assertEqual(self.expenses(plan), [])
        self.come_back(window)
        window.see("5 changes have gone in.", patience=45)
        self.gone_in(window)
        kept = self.call("ada", "activities.get", activity=item)
        self.assertEqual((kept["booked"], kept["note"], kept["title"]), (True, "By the window", "Supper"))
        self.assertEqual(self.call("ada", "plans.get", plan=plan)["title"], "Away for two hours")
        self.assertEqual(sorted((one["title"], one["amount"]) for one in self.expenses(plan)), [("Ferry", "9.50"), ("Taxi", "25.40")])
        photo, = self.call("ada", "photos.list", subject=f"plan/{plan}")["photos"]
        self.assertEqual(photo["caption"], "The bridge")
        window.until(lambda: "waits" not in window.find("main").text, "no marks")

    def test_what_another_person_changed_meanwhile_is_merged(self):
        plan, _ = self.shared("Both at once", description="As it was")
        window = self.phone("ada", f"/plans/{plan}")
        self.leave(window)
        window.act("Edit")
        window.type("Title", "Both, merged")
        window.type("Description", "Ada's words")
        window.press("Save", "dialog")
        window.gone("dialog")
        self.call("bob", "plans.update", plan=plan, description="Bob's words", destination="Hoorn")
        self.come_back(window)
        self.waiting(window, "one change waits · one needs you")
        kept = lambda: [self.call("ada", "plans.get", plan=plan).get(name) for name in ("title", "description", "destination")]
        self.assertEqual(kept(), ["Both, merged", "Bob's words", "Hoorn"])
        window.press("one change waits · one needs you", ".top")
        window.press("Choose", "dialog")
        window.see("Bob's words", window.top())
        window.see("Ada's words", window.top())
        window.press("Save", window.top())
        self.gone_in(window)
        self.assertEqual(kept(), ["Both, merged", "Ada's words", "Hoorn"])

    def test_an_answer_that_is_lost_makes_nothing_twice(self):
        plan, _ = self.shared("Once")
        window = self.phone("ada", f"/plans/{plan}/money")
        self.door.losing = 2
        self.pay(window, "Bread 3.20")
        self.gone_in(window)
        window.see("Bread", "main .rows")
        self.assertEqual([one["title"] for one in self.expenses(plan)], ["Bread"])
        self.assertGreater(len([call for call in self.door.sent if "expenses.add" in call]), 1)

    def test_what_arrived_without_an_answer_is_changed_and_not_made_anew(self):
        plan, _ = self.shared("Edited while it waits")
        window = self.phone("ada", f"/plans/{plan}/money")
        # The first call arrives, and the connection is gone before its answer.
        window.driver.execute_script("""
            const plain = window.fetch;
            window.fetch = async (address, options) => {
              if (window.cut) throw new TypeError('network error');
              const answer = await plain(address, options);
              if (window.wasCut || !String(options?.body).includes('expenses.add')) return answer;
              window.cut = window.wasCut = true;
              throw new TypeError('network error');
            };""")
        self.pay(window, "Cheese 7.00")
        self.waiting(window, "one change waits")
        self.assertEqual([one["amount"] for one in self.expenses(plan)], ["7.00"])
        window.until(lambda: window.all("main .row .menu button"), "the menu")
        window.act("Edit", "main .row:first-child")
        window.type("Amount", "8.00", "dialog")
        window.press("Save", "dialog")
        window.gone("dialog")
        window.driver.execute_script("window.cut = false; window.dispatchEvent(new Event('online'))")
        self.gone_in(window)
        self.assertEqual([(one["title"], one["amount"]) for one in self.expenses(plan)], [("Cheese", "8.00")])

    def test_a_photo_arrives_once(self):
        plan, _ = self.shared("One photo")
        window = self.phone("ada", f"/plans/{plan}/photos")
        self.door.losing = 1
        window.press("Add photos", "main")
        window.type("Which photos?", self.file(73, "once.png"))
        window.press("Send", "dialog")
        window.gone("dialog")
        self.gone_in(window)
        window.until(lambda: len(window.all(".gallery img")) == 1, "the photo", 20)
        self.assertEqual(len(self.call("ada", "photos.list", subject=f"plan/{plan}")["photos"]), 1)
        self.assertEqual(len([path for path in self.door.sent if path.startswith("/photos")]), 2)

    def test_what_is_refused_says_why_and_is_dropped(self):
        plan, item = self.shared("Refused")
        window = self.phone("bob", f"/plans/{plan}")
        self.leave(window)
        window.press("Supper", "main")
        window.press("Edit", "dialog")
        window.type("Title", "Breakfast", "dialog")
        window.press("Save", "dialog")
        window.gone("dialog")
        window.see("Breakfast", "main .rows")
        self.call("ada", "activities.remove", activity=item)
        self.come_back(window)
        self.waiting(window, "one change waits · one needs you")
        window.open("/profile")
        window.press("Sign out", "main")
        window.see("one change waits on this phone. Sign out and lose it?", "dialog")
        window.press("Cancel", "dialog")
        window.press("one change waits · one needs you", ".top")
        window.see("There is no activity", "dialog")
        window.press("Drop", "dialog")
        window.press("Drop", "dialog.question")
        window.see("Nothing waits.", "dialog")
        self.gone_in(window)

    def lose(self, window, method):
        """Lets the next change by a method arrive, and loses its answer and the connection, until `find` gives it back."""
        window.driver.execute_script("""
            const [method] = arguments, plain = window.fetch;
            window.fetch = async (address, options) => {
              if (window.cut) throw new TypeError('network error');
              const answer = await plain(address, options);
              if (window.wasCut || !String(options?.body).includes(`"${method}"`) || (await answer.clone().json()).error) return answer;
              window.cut = window.wasCut = true;
              throw new TypeError('network error');
            };""", method)

    def find(self, window):
        window.driver.execute_script("window.cut = false; window.dispatchEvent(new Event('online'))")

    def settled(self, window):
        """Waits until nothing waits any longer, except for the person."""
        window.until(lambda: "needs you" in window.find(".waits").text or not window.find(".waits").is_displayed(), "everything to go in", 45)

    def repay(self, window, amount, note=""):
        window.press("Enter a repayment", "main")
        window.type("Who gave", "Bob Hope", "dialog")
        window.type("Who received it", "Ada Lovelace", "dialog")
        window.type("Amount in EUR", amount, "dialog")
        window.type("Note", note, "dialog")
        window.press("Save", "dialog")
        window.gone("dialog")

    def repayments(self, plan):
        return [(one["from"]["person"], one["to"]["person"], one["amount"], one.get("note")) for one in self.call("ada", "repayments.list", plan=plan)["repayments"]]

    def test_repayments_wait__OU_4b(self):
        plan, _ = self.shared("Paid back")
        self.call("ada", "repayments.add", **{"plan": plan, "from": "bob", "to": "ada", "amount": "2", "note": "coffee"})
        window = self.phone("ada", f"/plans/{plan}/money")
        self.leave(window)
        self.repay(window, "5", "cash")
        window.see("Bob Hope gave Ada Lovelace €5.00", "main")
        self.repay(window, "7")
        window.see("Bob Hope gave Ada Lovelace €7.00", "main")
        self.waiting(window, "2 changes wait")
        row = lambda text: next(row for row in window.all("main .row") if text in row.text)
        self.assertIn("waits", row("gave Ada Lovelace €5.00").text)
        # One that waits is removed, and so is one that is stored.
        for told in ("gave Ada Lovelace €7.00", "gave Ada Lovelace €2.00"):
            window.driver.execute_script("arguments[0].querySelector('button').click()", row(told))
            window.press("Undo", "dialog.question")
            window.until(lambda: told not in window.find("main").text, f"no {told!r}")
        self.waiting(window, "2 changes wait")
        window.press("2 changes wait", ".top")
        self.assertEqual([line.split("\n")[0] for line in window.rows("dialog")],
                         ["Repayment “Bob Hope gave Ada Lovelace €5.00”", "Repayment “Bob Hope gave Ada Lovelace €2.00”"])
        window.escape()
        self.assertEqual(self.repayments(plan), [("bob", "ada", "2.00", "coffee")])
        self.come_back(window)
        self.gone_in(window)
        self.assertEqual(self.repayments(plan), [("bob", "ada", "5.00", "cash")])
        window.until(lambda: "waits" not in window.find("main").text, "no marks")

    def test_a_repayment_that_waits_is_edited(self):
        plan, _ = self.shared("Paid back twice as much")
        window = self.phone("ada", f"/plans/{plan}/money")
        self.leave(window)
        self.repay(window, "5", "cash")
        window.see("Bob Hope gave Ada Lovelace €5.00", "main")
        window.press("Edit", "main .rows.dense")
        self.assertEqual([window.field(label, "dialog").get_attribute("value") for label in ("Who gave", "Who received it", "Amount in EUR", "Note")],
                         ["bob", "ada", "5", "cash"])
        window.type("Amount in EUR", "10", "dialog")
        window.press("Save", "dialog")
        window.gone("dialog")
        window.see("Bob Hope gave Ada Lovelace €10.00", "main")
        window.see_no("€5.00", "main")
        self.waiting(window, "one change waits")
        self.come_back(window)
        self.gone_in(window)
        self.assertEqual(self.repayments(plan), [("bob", "ada", "10.00", "cash")])
        # What is stored has no such button.
        window.see("Bob Hope gave Ada Lovelace €10.00", "main")
        window.until(lambda: not [one for one in window.all("main .rows.dense .row button") if one.text == "Edit"], "no button")

    def test_what_waits_is_on_the_later_pages_of_a_list(self):
        plan, _ = self.shared("Thirty coffees")
        for number in range(30):
            self.call("ada", "expenses.add", plan=plan, title=f"Coffee {number}", amount="1")
        window = self.phone("ada", f"/plans/{plan}/money")
        row = lambda: next((row for row in window.all("main .columns > div:first-child .row") if "Coffee 3\n" in row.text), None)

        def grown():
            window.driver.execute_script("document.querySelector('main .list-foot button')?.scrollIntoView()")
            return row()

        window.until(grown, "the second page", 20)
        self.leave(window)
        window.driver.execute_script("arguments[0].querySelector('[aria-haspopup]').click()", row())
        window.press("Edit", ".menu-items:not([hidden])")
        window.type("Amount", "4.50", "dialog")
        window.press("Save", "dialog")
        window.gone("dialog")
        self.waiting(window, "one change waits")
        window.until(lambda: grown() and "€4.50" in row().text and "waits" in row().text, "the change in its place", 20)
        self.come_back(window)
        self.gone_in(window)
        self.assertIn("4.50", [expense["amount"] for expense in self.call("ada", "expenses.list", plan=plan, limit=100)["expenses"] if expense["title"] == "Coffee 3"])

    def test_a_repayment_whose_answer_is_lost_is_made_once(self):
        plan, _ = self.shared("Paid back once")
        window = self.phone("ada", f"/plans/{plan}/money")
        self.lose(window, "repayments.add")
        self.repay(window, "5")
        window.see("one change waits", ".top", 20)
        self.find(window)
        self.settled(window)
        self.assertEqual(len(self.repayments(plan)), 1)

    def move(self, window, day):
        """Moves the plan so that it begins on a day."""
        window.act("Move to other days")
        window.type("New first day", day, "dialog")
        window.press("Move to other days", "dialog form")
        window.gone("dialog")

    def days(self, plan, item):
        return self.call("ada", "plans.get", plan=plan)["start"]["at"], self.call("ada", "activities.get", activity=item)["from"]["at"]

    def test_a_plan_is_moved_while_it_waits__OU_4b(self):
        plan, item = self.shared("Later")
        window = self.phone("ada", f"/plans/{plan}")
        self.leave(window)
        window.press("Supper", "main")
        window.press("Edit", "dialog")
        window.type("Title", "Late supper", "dialog")
        window.press("Save", "dialog")
        window.gone("dialog")
        self.move(window, "2027-05-03")
        window.see("Mon, May 3, 2027 – Wed, May 5, 2027", "main")
        self.waiting(window, "2 changes wait")
        # What one sees on the new days is what one changes, also in a change that waits from before.
        window.press("Late supper", "main")
        window.see("May 3", "dialog")
        window.press("Edit", "dialog")
        window.type("From", "2027-05-04", "dialog")
        window.press("Save", "dialog")
        window.gone("dialog")
        self.waiting(window, "2 changes wait")
        window.press("Late supper", "main")
        window.see("May 4", "dialog")
        window.escape()
        window.press("2 changes wait", ".top")
        window.see("moved 2 days later", "dialog")
        window.escape()
        # A move back right after it leaves nothing to send.
        self.move(window, "2027-05-04")
        self.move(window, "2027-05-03")
        self.waiting(window, "2 changes wait")
        self.assertEqual(self.days(plan, item), ("2027-05-01", "2027-05-01T19:00"))
        self.come_back(window)
        self.gone_in(window)
        self.assertEqual(self.days(plan, item), ("2027-05-03", "2027-05-04T19:00"))
        window.until(lambda: "waits" not in window.find("main").text, "no marks")

    def test_a_plan_that_two_people_move_waits_for_a_choice(self):
        plan, item = self.shared("Moved twice")
        window = self.phone("ada", f"/plans/{plan}")
        self.leave(window)
        self.move(window, "2027-05-03")
        self.call("bob", "plans.shift", plan=plan, days=7)
        self.come_back(window)
        self.waiting(window, "one change waits · one needs you")
        self.assertEqual(self.days(plan, item), ("2027-05-08", "2027-05-08T19:00"))
        window.press("one change waits · one needs you", ".top")
        window.press("Choose", "dialog")
        window.see("2027-05-08", window.top())
        window.see("2027-05-03", window.top())
        window.press("Save", window.top())
        self.gone_in(window)
        self.assertEqual(self.days(plan, item), ("2027-05-03", "2027-05-03T19:00"))

    def test_a_move_whose_answer_is_lost_is_made_once(self):
        plan, item = self.shared("Moved once")
        window = self.phone("ada", f"/plans/{plan}")
        self.lose(window, "plans.shift")
        self.move(window, "2027-05-03")
        window.see("one change waits", ".top", 20)
        self.find(window)
        self.settled(window)
        self.assertEqual(self.days(plan, item), ("2027-05-03", "2027-05-03T19:00"))

    def sums(self, window):
        """Returns what the page of the money says of balances, transfers and totals, without how much waits."""
        return window.driver.execute_script("""
            return [...document.querySelectorAll('main .columns section')].filter((one) => ['Balances', 'Settle up', 'Totals'].includes(one.querySelector('h2').textContent))
              .map((one) => one.innerText.replace(/\\s+with .* waits?(?=\\s)/, '').split(/\\s*\\n\\s*/).join(' | '));""")

    def test_sums_count_what_waits__OU_4b(self):
        plan = self.plan("ada", "Counted away", ["bob", "cleo"], start="2027-05-01", end="2027-05-03", zone="Europe/Amsterdam")
        def pay(person, title, amount, **more):
            self.call(person, "expenses.add", plan=plan, title=title, amount=amount, payers=[{"person": person, "amount": amount}], **more)
        pay("ada", "Hotel", "100")
        pay("bob", "Museum", "31.01")
        pay("ada", "Boat", "50", currency="USD", rate="0.9", split="parts", shares=[{"person": "ada", "share": "1"}, {"person": "cleo", "share": "2"}])
        window = self.phone("ada", f"/plans/{plan}/money")
        before = self.sums(window)
        self.assertNotIn("that wait", window.find("main").text)
        self.leave(window)
        self.pay(window, "Taxi 25.40")
        window.see("Taxi", "main .rows")
        window.see("with one that waits", "main")
        self.pay(window, "Ferry 10.01 for Bob and Cleo")
        window.see("Ferry", "main .rows")
        row = lambda text: next(row for row in window.all("main .row") if row.text.startswith(text))
        def change(title, item):
            window.driver.execute_script("arguments[0].querySelector('.menu button').click()", row(title))
            window.press(item, ".menu-items:not([hidden])")
        change("Boat", "Edit")
        window.type("Amount", "80", "dialog")
        window.press("Save", "dialog")
        window.gone("dialog")
        window.see("with 3 that wait", "main")
        change("Museum", "Remove")
        window.press("Remove", "dialog.question")
        window.see("with 4 that wait", "main")
        self.repay(window, "7.30")
        window.see("with 5 that wait", "main")
        away = self.sums(window)
        self.assertIn("Total\t€207.41", away[2])
        self.assertNotEqual(away, before)
        self.assertEqual(self.call("ada", "expenses.sums", plan=plan)["total"], "176.01")
        self.come_back(window)
        self.gone_in(window)
        window.until(lambda: "that wait" not in window.find("main").text, "no marks")
        # The daemon comes to the same.
        self.assertEqual(self.call("ada", "expenses.sums", plan=plan)["total"], "207.41")
        window.open(f"/plans/{plan}/money")
        self.assertEqual(self.sums(window), away)

    def at_the_plans(self, title):
        """Returns a window of Ada's on a phone that has shown the list of plans, and has no connection any longer."""
        plan, _ = self.shared(title)
        window = self.phone("ada", f"/plans/{plan}")
        window.press("Plans", ".foot")
        window.see(title, ".tiles")
        return window

    def make(self, window, title, **fields):
        window.press("New plan", "main")
        window.type("Title", title)
        for label, text in fields.items():
            window.type(label, text)
        window.press("Create the plan", "dialog")
        window.see(title, "main h1")

    def test_a_plan_is_made_and_filled_away__OU_4b(self):
        window = self.at_the_plans("Already there")
        self.leave(window)
        self.make(window, "Made away", Start="2027-06-01", End="2027-06-03", Destination="Texel")
        own = window.driver.current_url
        self.assertIn("/plans/waits-", own)
        window.see("waits", "main")
        window.type("What, when and where, in one line", "Breakfast 8am", "main")
        window.press("Add", ".quick")
        window.see("Breakfast", "main .rows")
        window.press("Locations", ".tabs")
        window.press("Add a location", "main")
        window.type("Name", "Lighthouse", "dialog")
        window.press("Add the location", "dialog")
        window.gone("dialog")
        window.see("Lighthouse", "main .rows")
        window.click("main .row-link")
        window.see("Lighthouse", "main h1")
        window.press("Made away", "main")
        window.press("Lists", ".tabs")
        window.press("To pack", "main")
        window.type("Add an entry", "Binoculars\n", "main")
        window.see("Binoculars", "main .checklist")
        window.press("Money", ".tabs")
        self.pay(window, "Ferry 25.40")
        window.see("Ferry", "main .rows")
        window.see("with one that waits", "main")
        window.act("Edit")
        window.type("Title", "Made and edited away")
        window.press("Save", "dialog")
        window.gone("dialog")
        self.move(window, "2027-06-02")
        window.see("Wed, Jun 2, 2027 – Fri, Jun 4, 2027", "main")
        self.waiting(window, "7 changes wait")
        self.assertLessEqual(window.driver.execute_script(
            "return [...document.querySelectorAll('.toast')].filter((one) => one.textContent.includes('No connection')).length"), 1)
        # All of it is there after the phone was switched off.
        window.driver.refresh()
        window.settle()
        window.see("Made and edited away", "main h1")
        window.see("Ferry", "main .rows")
        window.press("Days", ".tabs")
        window.see("Breakfast", "main .rows")
        self.assertEqual(window.wider_than_window(), [])
        window.press("Plans", ".foot")
        window.see("Made and edited away", ".tiles")
        self.assertEqual([plan for plan in self.call("ada", "plans.list")["plans"] if "edited away" in plan["title"]], [])
        window.press("7 changes wait", ".top")
        self.assertEqual(window.rows("dialog")[0].split("\n")[:2], ["Plan “Made and edited away”", "new"])
        window.press("Open", "dialog")
        window.see("Made and edited away", "main h1")
        self.come_back(window)
        self.gone_in(window)
        made, = [plan for plan in self.call("ada", "plans.list")["plans"] if "edited away" in plan["title"]]
        window.until(lambda: window.driver.current_url.endswith(f"/plans/{made['id']}"), "the address of the plan")
        window.until(lambda: "waits" not in window.find("main").text, "no marks")
        self.assertEqual((made["start"]["at"], made["end"]["at"], made["destination"]), ("2027-06-02", "2027-06-04", "Texel"))
        day, = self.call("ada", "plans.itinerary", plan=made["id"])["days"]
        self.assertEqual([(one["title"], one["from"]["at"]) for one in day["items"]], [("Breakfast", "2027-06-02T08:00")])
        self.assertEqual([one["name"] for one in self.call("ada", "locations.list", plan=made["id"])["locations"]], ["Lighthouse"])
        self.assertEqual([(one["title"], one["amount"]) for one in self.expenses(made["id"])], [("Ferry", "25.40")])
        tasks, = [one["tasks"] for one in self.call("ada", "checklists.list", plan=made["id"])["checklists"]]
        self.assertEqual([one["title"] for one in tasks], ["Binoculars"])
        # The address that the phone gave it leads to the plan.
        window.driver.get(own)
        window.settle()
        window.see("Made and edited away", "main h1")
        self.assertTrue(window.driver.current_url.endswith(f"/plans/{made['id']}"))

    def test_a_plan_that_is_open_when_it_goes_in_takes_what_is_typed(self):
        window = self.at_the_plans("Another one")
        self.leave(window)
        self.make(window, "Open meanwhile")
        window.press("Add an item", "main")
        window.type("Title", "Typed before", "dialog")
        self.come_back(window)
        self.gone_in(window)
        window.press("Add", "dialog")
        window.gone("dialog")
        window.see("Typed before", "main .rows")
        made = self.plan_named("ada", "Open meanwhile")["id"]
        window.until(lambda: [one["title"] for day in self.call("ada", "plans.itinerary", plan=made)["days"] for one in day["items"]] == ["Typed before"], "the item")

    def test_a_plan_that_is_removed_unsent_leaves_nothing(self):
        window = self.at_the_plans("Stays")
        self.leave(window)
        self.make(window, "Not after all")
        self.pay_in(window, "Ferry 25.40")
        self.waiting(window, "2 changes wait")
        window.act("Remove")
        window.press("Remove", "dialog.question")
        window.see("Stays", ".tiles")
        self.gone_in(window)
        self.assertNotIn("Not after all", window.find("main").text)

    def pay_in(self, window, line):
        window.press("Money", ".tabs")
        self.pay(window, line)
        window.see(line.split()[0], "main .rows")

    def test_a_plan_whose_answer_is_lost_is_made_once(self):
        window = self.at_the_plans("Before it")
        self.lose(window, "plans.create")
        self.make(window, "Only one")
        window.see("one change waits", ".top", 20)
        self.find(window)
        self.settled(window)
        self.assertEqual(len([plan for plan in self.call("ada", "plans.list")["plans"] if plan["title"] == "Only one"]), 1)

    def test_a_plan_that_waits_is_told_in_german(self):
        plan, _ = self.shared("Schon da")
        window = self.phone("ada", f"/plans/{plan}", language="de", dark=True)
        window.press("Pläne", ".foot")
        window.see("Schon da", ".tiles")
        self.leave(window)
        window.press("Neuer Plan", "main")
        window.type("Titel", "Unterwegs gemacht")
        window.press("Plan anlegen", "dialog")
        window.see("Unterwegs gemacht", "main h1")
        window.see("wartet", "main")
        self.waiting(window, "Eine Änderung wartet")
        self.assertEqual(window.wider_than_window(), [])
        window.press("Eine Änderung wartet", ".top")
        window.see("Plan „Unterwegs gemacht“", "dialog")
        window.see("neu", "dialog")
        window.escape()
        window.gone("dialog")

    def test_new_objects_are_named_by_the_phone_and_removed_unsent(self):
        plan, _ = self.shared("Made away")
        window = self.phone("ada", f"/plans/{plan}")
        self.leave(window)
        window.type("What, when and where, in one line", "Breakfast 8am", "main")
        window.press("Add", ".quick")
        window.see("Breakfast", "main .rows")
        window.press("Breakfast", "main")
        window.press("Edit", "dialog")
        window.type("Title", "Late breakfast", "dialog")
        window.press("Save", "dialog")
        window.gone("dialog")
        window.see("Late breakfast", "main .rows")
        self.waiting(window, "one change waits")
        window.type("What, when and where, in one line", "Boat 11am", "main")
        window.press("Add", ".quick")
        window.press("Boat", "main")
        window.press("Remove", "dialog")
        window.press("Remove", "dialog.question")
        self.waiting(window, "one change waits")
        window.press("Supper", "main")
        window.press("Remove", "dialog")
        window.press("Remove", "dialog.question")
        self.waiting(window, "2 changes wait")
        self.come_back(window)
        self.gone_in(window)
        items = [one for day in self.call("ada", "plans.itinerary", plan=plan)["days"] for one in day["items"]]
        self.assertEqual([one["title"] for one in items], ["Late breakfast"])
        sent = [json.loads(body)["method"] for body in self.door.sent if '"once"' in body]
        self.assertEqual(sent, ["activities.add", "activities.remove"])

    def test_what_waits_is_told_in_german(self):
        self.person("otto", "Otto", "Wartet")
        own = self.plan("otto", "Ottos Reise")
        window = self.phone("otto", f"/plans/{own}", language="de", dark=True)
        self.leave(window)
        window.type("Was, wann und wo, in einer Zeile", "Frühstück 8:00", "main")
        window.press("Hinzufügen", ".quick")
        self.waiting(window, "Eine Änderung wartet")
        self.assertEqual(window.wider_than_window(), [])
        window.press("Eine Änderung wartet", ".top")
        window.see("Eintrag „Frühstück“", "dialog")
        window.see("neu", "dialog")
        window.escape()
        window.gone("dialog")

    def test_moves_and_repayments_that_wait_are_told_in_german(self):
        plan, _ = self.shared("Nach hinten")
        window = self.phone("ada", f"/plans/{plan}", language="de")
        self.leave(window)
        window.press("Weitere Aktionen", "main")
        window.press("Auf andere Tage verschieben", ".menu-items:not([hidden])")
        window.type("Neuer erster Tag", "2027-05-02", "dialog")
        window.press("Auf andere Tage verschieben", "dialog form")
        window.gone("dialog")
        window.press("Geld", ".tabs")
        window.press("Rückzahlung eintragen", "main")
        window.type("Wer gegeben hat", "Bob Hope", "dialog")
        window.type("Wer bekommen hat", "Ada Lovelace", "dialog")
        window.type("Betrag in EUR", "5,50", "dialog")
        window.press("Speichern", "dialog")
        window.gone("dialog")
        window.see("Bob Hope hat Ada Lovelace 5,50 € gegeben", "main")
        window.see("mit einem Eintrag, der wartet", "main")
        self.waiting(window, "2 Änderungen warten")
        window.press("2 Änderungen warten", ".top")
        window.see("Plan „Nach hinten“", "dialog")
        window.see("einen Tag nach hinten verschoben", "dialog")
        window.see("Rückzahlung „Bob Hope hat Ada Lovelace 5,50 € gegeben“", "dialog")
        self.assertEqual(window.wider_than_window(), [])
        window.escape()
        window.gone("dialog")
