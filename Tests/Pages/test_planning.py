from datetime import datetime, timedelta, timezone

import client
from case import PageTest

#: Reads lines with a function of the pages, whose module is named.
READ = """
const [file, name, lines, context, done] = arguments;
const base = performance.getEntriesByType('resource').map((one) => one.name).find((one) => one.endsWith('/texts.js'));
import(base.replace('texts.js', file)).then((module) => done(lines.map((line) => module[name](line, context))));"""


def zone_at(first, last):
    """Returns a zone in which it is between two hours of the day now, and today's date there."""
    now = datetime.now(timezone.utc)
    for ahead in sorted(range(-12, 15), key=abs):
        there = now + timedelta(hours=ahead)
        if first <= there.hour <= last:
            return f"Etc/GMT{-ahead:+d}" if ahead else "Etc/GMT", there
    raise AssertionError("no zone has this hour")


class Planning(PageTest):
    # The page Now, which some of these tests open, has a map that follows.
    draws = True

    def read(self, name, lines, context, language="en", file="planning/oneline.js"):
        window = self.window("ada", **({"language": language} if language != "en" else {}))
        window.open("/sights")
        return dict(zip(lines, window.driver.execute_async_script(READ, file, name, lines, context)))

    def test_a_line_becomes_an_item(self):
        day = "2027-05-01"  # a Saturday
        expected = {
            "Dinner 8pm Taberna": {"title": "Dinner", "tab": "food", "location": "Taberna", "from": f"{day}T20:00"},
            "Abendessen 20 Uhr bei Luigi": {"title": "Abendessen", "tab": "food", "location": "Luigi", "from": f"{day}T20:00"},
            "Lunch at Taberna 12:30": {"title": "Lunch", "tab": "food", "location": "Taberna", "from": f"{day}T12:30"},
            "20:00 Dinner at Taberna": {"title": "Dinner", "tab": "food", "location": "Taberna", "from": f"{day}T20:00"},
            "Museum 10:00-12:30": {"title": "Museum", "tab": "places", "from": f"{day}T10:00", "to": f"{day}T12:30"},
            "Drinks 8-10pm The Bar": {"title": "Drinks", "tab": "food", "location": "The Bar", "from": f"{day}T20:00", "to": f"{day}T22:00"},
            "Party 22:00–01:00": {"title": "Party", "tab": "itinerary", "from": f"{day}T22:00", "to": "2027-05-02T01:00"},
            "Zug 9.15 Uhr nach Rom": {"title": "Zug", "tab": "transport", "arrival": "Rom", "from": f"{day}T09:15"},
            "Ferry Sunday 14:05 to Texel": {"title": "Ferry", "tab": "transport", "arrival": "Texel", "from": "2027-05-02T14:05"},
            "Frühstück Tag 3 8h": {"title": "Frühstück", "tab": "food", "from": "2027-05-03T08:00"},
            "Walk": {"title": "Walk", "tab": "itinerary", "from": day},
            "Midnight swim 12am": {"title": "Midnight swim", "tab": "itinerary", "from": f"{day}T00:00"},
            "Boat for 12 people": {"title": "Boat for 12 people", "tab": "itinerary", "from": day},
            "Room 25:99": {"title": "Room 25:99", "tab": "itinerary", "from": day},
            "8pm": None, "": None,
        }
        self.assertEqual(self.read("readItem", list(expected), {"day": day, "today": "2027-04-30", "start": day}), expected)

    def test_a_line_may_name_a_date(self):
        day = "2026-11-29"  # a Sunday
        boat = {"title": "Boat", "tab": "itinerary", "from": "2026-12-01T14:00"}
        expected = {
            "Boat 1 December 14:00": boat, "Boat Dec 1 14:00": boat, "Boat 14:00 on Tuesday, December 1st": boat, "Boat 1.12. 14:00": boat,
            "Boat 1. Dez. 14 Uhr": boat, "Boat am 1. Dezember 2026 14 Uhr": boat, "Boat 01.12.26 14:00": boat, "Boat 14:00 the 1st of dec": boat,
            "Boat 2 January 9am": {"title": "Boat", "tab": "itinerary", "from": "2027-01-02T09:00"},
            "Boat 28 November 9am": {"title": "Boat", "tab": "itinerary", "from": "2026-11-28T09:00"},
            "Boat Dec 14:00": {"title": "Boat Dec", "tab": "itinerary", "from": f"{day}T14:00"},
            "Boat 31 February": {"title": "Boat 31 February", "tab": "itinerary", "from": day},
            "Room 1.12": {"title": "Room 1.12", "tab": "itinerary", "from": day},
        }
        self.assertEqual(self.read("readItem", list(expected), {"day": day, "today": day, "start": day}), expected)

    def test_a_line_becomes_an_expense(self):
        people = [{"id": "ann", "name": "Ann Lee"}, {"id": "bob", "name": "Bob Hope"}, {"id": "cai", "name": "Cai Wu"}]
        expected = {
            "Taxi 25.40 for Ann and Bob": {"title": "Taxi", "amount": "25.40", "sharers": ["ann", "bob"]},
            "Taxi 25,40 € für Ann und Bob": {"title": "Taxi", "amount": "25.40", "currency": "EUR", "sharers": ["ann", "bob"]},
            "12 USD Coffee": {"title": "Coffee", "amount": "12", "currency": "USD"},
            "Fuel 30 paid by Bob": {"title": "Fuel", "amount": "30", "payer": "bob"},
            "Sprit 1.234,56 von Bob für alle": {"title": "Sprit", "amount": "1234.56", "payer": "bob", "sharers": ["ann", "bob", "cai"]},
            "Tickets for Ann, Bob & me 36": {"title": "Tickets", "amount": "36", "sharers": ["ann", "bob", "cai"]},
            "Present for Mum 20": {"title": "Present for Mum", "amount": "20"},
            "Room 101 80.00": {"title": "Room 101", "amount": "80.00"},
            "Dinner": None, "7": None, "": None,
        }
        self.assertEqual(self.read("readExpense", list(expected), {"people": people, "me": "cai"}), expected)

    def test_clocks_that_skip_a_time(self):
        expected = {
            "2026-03-29T02:30": "2026-03-29T03:30", "2026-03-29T01:59": None, "2026-03-29T03:00": None,
            "2026-10-25T02:30": None, "2026-03-29": None, "nonsense": None,
        }
        self.assertEqual(self.read("skipped", list(expected), "Europe/Berlin", file="planning/clocks.js"), expected)
        self.assertEqual(self.read("skipped", ["2026-10-04T02:15"], "Australia/Lord_Howe", file="planning/clocks.js"),
                         {"2026-10-04T02:15": "2026-10-04T02:45"})

    def test_a_line_is_added_to_a_plan_and_taken_back(self):
        plan = self.plan("ada", "One line", start="2027-05-01", end="2027-05-03", zone="Europe/Amsterdam")
        window = self.window("ada")
        window.open(f"/plans/{plan}")
        # All days are there at once, each with a button.
        days = [heading.text for heading in window.all("main .section h2")]
        self.assertEqual([f"May {n}," in day for n, day in enumerate(days, 1)], [True] * 3, days)
        window.type("What, when and where, in one line", "Dinner 8pm Taberna")
        window.see("Dinner", ".quick .field-hint")
        window.see("Taberna", ".quick .field-hint")
        window.press("Add", ".quick")
        window.see("“Dinner” is in the plan.")
        self.assertEqual(window.field("What, when and where, in one line").get_attribute("value"), "")
        items = lambda: self.call("ada", "activities.list", plan=plan, tab="food")["activities"]
        item, = window.until(items, "the item")
        self.assertEqual((item["title"], item["location"], item["from"]["at"]), ("Dinner", "Taberna", "2027-05-01T20:00"))
        window.press("Undo", "#toast")
        window.until(lambda: not items(), "no item")

    def test_a_day_has_a_button_and_the_form_asks_for_what_is_needed(self):
        plan = self.plan("ada", "Three days", start="2027-05-01", end="2027-05-03", zone="Europe/Amsterdam")
        window = self.window("ada")
        window.open(f"/plans/{plan}")
        adding = [button for button in window.all("main .section button") if button.accessible_name.startswith("Add to ")]
        self.assertEqual(len(adding), 3)
        adding[1].click()
        window.see("Add an item", "dialog h2")
        shown = [field for field in window.all("dialog form input, dialog form textarea, dialog form select") if field.accessible_name]
        self.assertLessEqual(len(shown), 5, [field.accessible_name for field in shown])
        self.assertEqual(window.field("From", "dialog").get_attribute("value"), "2027-05-02")
        window.type("Title", "The tower")
        window.type("Name of the place", "Old town")
        window.press("Add", "dialog .form-buttons")
        window.gone("dialog")
        item, = self.call("ada", "activities.list", plan=plan)["activities"]
        self.assertEqual((item["title"], item["location"], item["from"]["at"]), ("The tower", "Old town", "2027-05-02"))

    def test_an_expense_is_one_line(self):
        plan = self.plan("ada", "One line of money", members=("bob", "cleo"))
        window = self.window("ada")
        window.open(f"/plans/{plan}/money")
        window.type("What was paid, in one line", "Taxi 25.40 for Ada and Bob")
        window.see("Taxi · €25.40 · paid by Ada Lovelace · for Ada Lovelace, Bob Hope", ".quick")
        window.press("Add", ".quick")
        window.see("“Taxi” is in the plan.")
        expense, = self.call("ada", "expenses.list", plan=plan)["expenses"]
        self.assertEqual((expense["amount"], [one["person"] for one in expense["payers"]]), ("25.40", ["ada"]))
        self.assertEqual(sorted(one["person"] for one in expense["shares"]), ["ada", "bob"])

    def test_items_at_the_same_time_are_told(self):
        plan = self.plan("ada", "Too much", start="2027-05-01", end="2027-05-01", zone="Europe/Amsterdam")
        for title, start, end in (("Museum", "10:00", "12:00"), ("Boat", "11:30", "13:00"), ("Lunch", "13:00", "14:00")):
            self.call("ada", "activities.add", plan=plan, title=title, **{"from": f"2027-05-01T{start}", "to": f"2027-05-01T{end}"})
        window = self.window("ada")
        window.open(f"/plans/{plan}")
        rows = {row.text.splitlines()[0]: row.text for row in window.all("main .rows > .row")}
        self.assertIn("at the same time as Boat", rows["Museum"])
        self.assertIn("at the same time as Museum", rows["Boat"])
        self.assertNotIn("same time", rows["Lunch"])

    def test_a_plan_moves_to_other_days_and_back(self):
        plan = self.plan("ada", "Later", start="2027-05-01", end="2027-05-02", zone="Europe/Amsterdam")
        item = self.call("ada", "activities.add", plan=plan, title="Bus", **{"from": "2027-05-02T10:00"})["id"]
        window = self.window("ada")
        window.open(f"/plans/{plan}")
        window.act("Move to other days")
        window.type("New first day", "2027-05-08")
        window.see("From ", "dialog")
        window.press("Move to other days", "dialog form")
        window.see("Moved by 7 days.")
        at = lambda: self.call("ada", "activities.get", activity=item)["from"]["at"]
        self.assertEqual((at(), self.call("ada", "plans.get", plan=plan)["end"]["at"]), ("2027-05-09T10:00", "2027-05-09"))
        window.press("Undo", "#toast")
        window.until(lambda: at() == "2027-05-02T10:00", "the old day")

    def test_two_days_change_places_and_back(self):
        plan = self.plan("ada", "Rain on Monday", start="2027-05-02", end="2027-05-04", zone="Europe/Amsterdam")
        beach, museum = (
            self.call("ada", "activities.add", plan=plan, title=title, **{"from": f"2027-05-0{day}T10:00"})["id"]
            for title, day in (("Beach", 3), ("Museum", 4)))
        window = self.window("ada")
        window.open(f"/plans/{plan}")
        window.press("Swap Mon, May 3, 2027 with another day", "main")
        window.press("Swap the days", "dialog form")
        window.see("Swapped Mon, May 3, 2027 and Tue, May 4, 2027.", "#toast")
        days = lambda: [self.call("ada", "activities.get", activity=one)["from"]["at"] for one in (beach, museum)]
        self.assertEqual(days(), ["2027-05-04T10:00", "2027-05-03T10:00"])
        self.assertEqual([row.splitlines()[0] for row in window.rows()], ["Museum", "Beach"])
        window.press("Undo", "#toast")
        window.until(lambda: days() == ["2027-05-03T10:00", "2027-05-04T10:00"], "the old days")

    def test_the_card_of_the_day_tells_what_is_next(self):
        name, there = zone_at(2, 16)
        plan = self.plan("bob", "Today in the town", members=("ada",), start=f"{there:%Y-%m-%dT%H:00}", end=f"{there:%Y-%m-%d}", zone=name)
        def add(title, hours, **more):
            self.call("bob", "activities.add", plan=plan, title=title, **{"from": f"{there + timedelta(hours=hours):%Y-%m-%dT%H:00}", **more})
        add("Long ago", -2)
        add("Train to the coast", 2, tab="transport", departure="Centraal", arrival="Den Helder", booking_code="XK7-22", booked=True)
        add("Supper", 5)
        self.call("bob", "expenses.add", plan=plan, title="Bread", amount="10.00")
        self.addCleanup(lambda: self.call("bob", "plans.remove", plan=plan))
        window = self.window("ada")
        window.open("/now")
        window.see("Train to the coast", ".now-side")
        card = window.find("section.card:not(.passing)").text
        for told in ("Today in the town", "Centraal → Den Helder", "XK7-22", "You pay next: €5.00 are open.", "Supper"):
            self.assertIn(told, card)
        self.assertNotIn("Long ago", card)
        window.press("Enter what was paid", "section.card:not(.passing)")
        window.see("Bread", "main")

    def test_a_flight_has_the_zones_of_both_ends(self):
        plan = self.plan("ada", "To the islands", start="2027-05-01", end="2027-05-01", zone="Europe/Berlin")
        window = self.window("ada")
        window.open(f"/plans/{plan}?tab=transport")
        window.press("Add transport", "main")
        window.type("Title", "Flight")
        window.type("From", "2027-05-01")
        window.type("From, time", "14:00")
        window.type("Until", "2027-05-01")
        window.type("Until, time", "16:30")
        window.type("Time zone of the arrival", "Atlantic/Azores")
        window.press("Add", "dialog .form-buttons")
        window.gone("dialog")
        item, = self.call("ada", "activities.list", plan=plan, tab="transport")["activities"]
        self.assertEqual((item["from"]["zone"], item["to"]["zone"]), ("Europe/Berlin", "Atlantic/Azores"))
        self.assertEqual((item["from"]["time"][:16], item["to"]["time"][:16]), ("2027-05-01T12:00", "2027-05-01T16:30"))
        # The reader is in UTC, where clocks show the same as on the Azores in summer.
        row = window.until(lambda: next((row.text for row in window.all("main .row") if "Flight" in row.text), None), "its row")
        self.assertIn("GMT+2", row)
        window.press("Flight", "main")
        window.press("Edit", "dialog")
        window.type("Title", "Early flight")
        window.press("Save", "dialog")
        window.until(lambda: self.call("ada", "activities.get", activity=item["id"])["title"] == "Early flight", "the title")
        self.assertEqual(self.call("ada", "activities.get", activity=item["id"])["to"]["zone"], "Atlantic/Azores")

    def test_a_time_that_clocks_skip_is_told_in_the_form_and_after_it(self):
        plan = self.plan("ada", "Summer time", start="2027-03-28", end="2027-03-28", zone="Europe/Berlin")
        window = self.window("ada")
        window.open(f"/plans/{plan}")
        window.press("Add an item", "main")
        window.type("Title", "Night train")
        window.type("From", "2027-03-28")
        window.type("From, time", "02:30")
        window.see("Clocks in Europe/Berlin skip", "dialog")
        window.press("Add", "dialog .form-buttons")
        window.see("Clocks in Europe/Berlin skip", "#toast")
        window.see("Clocks in Europe/Berlin skip", "main .row")

    def test_the_evening_tells_what_the_day_was_like_in_german(self):
        now = datetime.now(timezone.utc)
        plan = self.plan("ada", "Der ganze Tag", start=f"{now:%Y-%m-%dT%H:%M}", end=f"{now:%Y-%m-%d}", zone="Etc/UTC")
        self.addCleanup(lambda: self.call("ada", "plans.remove", plan=plan))
        self.stage.people["ada"].upload(f"plan/{plan}", client.picture(90, 64, 48), "Am Ufer")
        window = self.window("ada", language="de")
        window.open("/now")
        # Nothing is planned, so that the card already looks back.
        window.see("Für heute ist nichts geplant.", "section.card:not(.passing)")
        window.see("So war der Tag", "section.card:not(.passing)")
        self.assertTrue(window.all("section.card:not(.passing) .gallery img"))
        window.press("Den Tag teilen", "section.card:not(.passing)")
        self.assertIn("Der ganze Tag", window.field("Text zum Teilen").get_attribute("value"))
        window.escape()
        window.open(f"/plans/{plan}")
        window.type("Was, wann und wo, in einer Zeile", "Abendessen 20 Uhr bei Luigi")
        window.press("Hinzufügen", ".quick")
        window.see("„Abendessen“ steht im Plan.")
        item, = self.call("ada", "activities.list", plan=plan, tab="food")["activities"]
        self.assertEqual((item["location"], item["from"]["at"]), ("Luigi", f"{now:%Y-%m-%d}T20:00"))
