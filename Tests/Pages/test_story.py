from datetime import datetime, timedelta

import client
from case import PageTest

#: When the journey begins: at 10:00 in Amsterdam.
START = datetime(2025, 5, 6, 8)


def step(n):
    """Returns a place on the way, which is 50 m east of the one before."""
    return 52.5, 5 + n * 0.00073


def fixes(day):
    """Returns the fixes of a day: 6 km in ten minutes, and then a rest of 17 minutes."""
    time, found = START + timedelta(days=day), []
    for n in range(120 * day, 120 * day + 120):
        for seconds in [5] + [10] * (100 if n % 120 == 119 else 0):
            time += timedelta(seconds=seconds)
            found.append((time, *step(n)))
    return found


class Story(PageTest):
    draws = True

    def setUp(self):
        if self.stage.folder is None:
            self.skipTest("The daemon is another's.")

    def entries(self, window):
        """Returns for each part of the story its heading, its note, and the kind and the text of each entry."""
        return {
            part.find_element("css selector", "h2").text: (
                part.find_element("css selector", ".page-note").text,
                [(entry.get_attribute("class").split("is-")[1], entry.text) for entry in part.find_elements("css selector", ".story-entry")])
            for part in window.all(".story-day")}

    def travelled(self, device):
        """Returns a plan of three days, two of which were travelled with a new device, with photos."""
        self.stage.replay(device, [(START - timedelta(days=20), 50, 5)])
        self.call("ada", "devices.join", device=device)
        self.addCleanup(lambda: self.call("ada", "devices.leave", device=device))
        plan = self.plan("ada", "To the east", ["bob"], [
            ("Old mill", *step(40), {"from": "2025-05-06T10:00", "radius_m": 120, "address": "Molenweg 3", "level": "everyone"}.items()),
            ("Hidden bay", *step(170), {"from": "2025-05-07T10:00", "radius_m": 120, "level": "members"}.items())],
            description="Two days by the water.", start="2025-05-06", end="2025-05-08", zone="Europe/Amsterdam")
        mill = self.call("ada", "locations.list", plan=plan)["locations"][0]["id"]
        for tab, fields in [
            ("lodging", {"title": "Inn", "from": "2025-05-06T15:00", "to": "2025-05-07T10:00", "address": "Dorpsstraat 1",
                         "booked": True, "booking_code": "INN-42", "contact": "+31 20 555", "level": "everyone"}),
            ("itinerary", {"title": "Museum free of charge", "from": "2025-05-08", "level": "everyone"}),
        ]:
            self.call("ada", "activities.add", plan=plan, tab=tab, **fields)
        for day in range(2):
            self.stage.replay(device, fixes(day))
        person = self.stage.people["ada"]
        for subject, seed, taken, caption in [
            (f"plan/{plan}", 60, None, "The cover"), (f"plan/{plan}", 61, START + timedelta(minutes=6), "Under way"),
            (f"location/{mill}", 62, None, "The mill"), (f"plan/{plan}", 63, datetime(2020, 1, 1), "Of another year"),
        ]:
            person.upload(subject, client.picture(seed, 64, 48, taken), caption)
        return plan

    def test_a_story_tells_the_days_of_a_plan(self):
        plan = self.travelled("caravan")
        window = self.window("ada")
        window.until(lambda: len([trip for trip in self.call("ada", "plans.journey", plan=plan)["trips"] if trip.get("end")]) == 2, "the end of both trips", 30)
        window.open(f"/plans/{plan}")
        window.press("Story", "main")
        window.see("Under way", "main")
        figures = dict(figure.text.split("\n") for figure in window.all("main .figure"))
        self.assertEqual(figures, {"Days": "3", "Visited": "2 / 2", "Planned": "6.4 km", "Travelled": "11.8 km", "Photos": "3"})
        window.see("with Ada Lovelace, Bob Hope", "main")
        days = self.entries(window)
        self.assertEqual([(day, note) for day, (note, _) in days.items()], [
            ("Tue, May 6, 2025", "Day 1 · 5.9 km travelled"), ("Wed, May 7, 2025", "Day 2 · 5.9 km travelled"), ("Thu, May 8, 2025", "Day 3")])
        first, second, third = (entries for _, entries in days.values())
        # Everything has its place by time, and the photo without a time is with its location.
        self.assertEqual([kind for kind, _ in first], ["trip", "location", "photos", "stop", "item"])
        self.assertIn("5.9 km on the way", first[0][1])
        self.assertTrue("1. Old mill" in first[1][1] and "Molenweg 3" in first[1][1] and "The mill" in first[1][1], first)
        self.assertTrue("Under way" in first[2][1] and "10:06 AM" in first[2][1], first)
        self.assertTrue(all(words in first[4][1] for words in ("Inn", "INN-42", "Dorpsstraat 1", "+31 20 555")), first)
        self.assertEqual([kind for kind, _ in second][:2], ["trip", "location"])
        self.assertEqual([kind for kind, _ in third], ["item"])
        window.see("Of another year", "main > .page section:last-of-type")
        self.assertEqual({kind: len(window.lines(kind)) for kind in ("way-plan", "way")}, {"way-plan": 1, "way": 2})
        # A photo opens, and what others add comes.
        window.press("Open photo: Under way", "main")
        window.press("Close", "dialog")
        self.call("ada", "activities.add", plan=plan, tab="food", title="Soup", **{"from": "2025-05-08T12:00"})
        window.see("Soup", "main")
        # On paper there is the code, but nothing to press.
        window.tell("Emulation.setEmulatedMedia", media="print")
        self.addCleanup(window.tell, "Emulation.setEmulatedMedia", media="")
        self.assertTrue(window.find(".story-code").is_displayed())
        self.assertFalse([one for one in window.all("main .actions, main .back, .tabs") if one.is_displayed()])

    def test_a_day_without_anything_is_a_day_of_the_plan(self):
        plan = self.plan("ada", "Two of three", start="2027-05-01", end="2027-05-03")
        for day in ("01", "03"):
            self.call("ada", "activities.add", plan=plan, tab="itinerary", title="A walk", **{"from": f"2027-05-{day}"})
        window = self.window("ada")
        window.open(f"/plans/{plan}/story")
        figures = dict(figure.text.split("\n") for figure in window.until(lambda: window.all("main .figure"), "the figures"))
        self.assertEqual(figures, {"Days": "3"})

    def test_a_link_tells_the_story_to_everybody(self):
        plan = self.travelled("tuktuk")
        link = self.call("ada", "links.create", plan=plan)
        window = self.window(None)
        window.open(f"/s/{link['link']}")
        window.press("Story", "main")
        window.until(lambda: window.all(".story-entry"), "the story")
        days = self.entries(window)
        self.assertEqual([kind for _, entries in days.values() for kind, _ in entries], ["location", "item", "item"])
        for hidden in ("Hidden bay", "INN-42", "+31 20 555"):
            self.assertNotIn(hidden, window.driver.page_source)
        self.assertEqual(self.call("ada", "links.list", plan=plan)["links"][0]["opened"], 1)
        window.open(f"/s/{link['link']}/story")
        window.see("Two days by the water.", "main")
        self.call("ada", "links.revoke", plan=plan, number=link["number"])
        window.open(f"/s/{link['link']}/story")
        window.see("This link", "main")

    def test_an_empty_story_says_what_it_will_tell(self):
        plan = self.plan("ada", "Nothing yet")
        window = self.window("ada", language="de")
        window.open(f"/plans/{plan}/story")
        window.see("Hier werden die Tage dieses Plans erzählt", "main")
        window.press("Den ersten Tag planen", "main")
        window.see("Eintrag hinzufügen", "main")
