import math
from datetime import datetime, timedelta

from case import PageTest

#: When the journey begins: at 10:00 in Amsterdam.
START = datetime(2026, 6, 1, 8)
#: The locations of the plan: a name, the number of the step at which they lie, and the day that they are planned for.
PLACES = [("Mill", 40, 0), ("Hotel", 119, 0), ("Forum", 150, 1), ("Inn", 239, 1), ("Tower", 300, 2)]
ISLAND = ("Island", 53, 5)


def step(n):
    """Returns a place on the way, which is 50 m east of the one before."""
    return 52, 5 + n * 0.00073


def fixes(day):
    """Returns the fixes of a day: 6 km in ten minutes, and then a rest. On the second day, the device also pauses for five minutes."""
    time, found = START + timedelta(days=day), []
    for n in range(120 * day, 120 * day + 120):
        rests = 30 if n == 180 else 100 if n % 120 == 119 else 0
        for seconds in [5] + [10] * rests:
            time += timedelta(seconds=seconds)
            found.append((time, *step(n)))
    return found


def arrival(at, day):
    """Returns the time of the first fix within 120 m of a step."""
    metres = 111_195 * math.cos(math.radians(52))
    return next(time for time, _, longitude in fixes(day) if abs(longitude - step(at)[1]) * metres <= 120)


class Journey(PageTest):
    draws = True
    # While the daemon does not run, the console reports that.
    allowed = ("net::ERR", "Failed to load resource")

    def setUp(self):
        if self.stage.folder is None:
            self.skipTest("The daemon is another's.")

    def add(self, window, plan, name, latitude, longitude, day):
        window.open(f"/plans/{plan}/locations")
        window.press("Add a location", "main")
        for label, text in {"Latitude and longitude": f"{latitude}, {longitude:.6f}", "Name": name, "From": f"2026-06-0{day + 1}", "From, time": "10:00", "Radius in metres": "120"}.items():
            window.type(label, text)
        window.press("Add the location", "dialog")
        window.gone("dialog")
        window.see(name, "main .rows")

    def journey(self, window, plan):
        """Returns the texts on the page of the journey: the figures, and the rows of both tables and of both lists."""
        window.open(f"/plans/{plan}/journey")
        window.until(lambda: len(window.all("main .table")) == 2, "both tables")
        cells = lambda table: [[cell.text for cell in row.find_elements("css selector", "th, td")] for row in table.find_elements("css selector", "tbody tr")]
        figures = dict(figure.text.split("\n") for figure in window.all("main .figure"))
        lists = {part.find_element("css selector", "h2").text: [row.text for row in part.find_elements("css selector", ".row")] for part in window.all("main section.section")}
        return figures, *map(cells, window.all("main .table")), lists

    def passed(self, window):
        """Returns the names of the locations that the page shows as passed."""
        return [row.split("\n")[0].split(". ")[1] for row in window.rows() if "passed" in row]

    def test_a_journey_of_three_days_ticks_off_five_of_six_locations__OU_2_MT_6(self):
        self.stage.replay("camper", [(START - timedelta(days=20), 50, 5)])
        window = self.window(self.person("pia", "Pia", "Vos"))
        window.open("/profile")
        devices = [device["name"] for device in self.call("pia", "devices.list")["devices"]]
        window.press("I travel with it", "main", nth=devices.index("camper"))
        window.see("I travel with it ✓", "main")
        window.open("/plans")
        window.press("New plan", "main")
        for label, text in {"Title": "East", "Start": "2026-06-01", "End": "2026-06-03", "Time zone": "Europe/Amsterdam"}.items():
            window.type(label, text)
        window.press("Create the plan", "dialog")
        window.see("East", "main h1")
        plan = self.plan_named("pia", "East")["id"]
        for name, at, day in PLACES:
            self.add(window, plan, name, *step(at), day)
        self.add(window, plan, *ISLAND, 2)
        # The page shows each stamp as it comes. The daemon restarts after the first day.
        names = [name for name, _, _ in PLACES]
        for day, count in enumerate((2, 4, 5)):
            window.open(f"/plans/{plan}/locations")
            self.stage.replay("camper", fixes(day))
            window.until(lambda: self.passed(window) == names[:count], f"{count} locations passed")
            if day == 0:
                self.restart()
        arrivals = [arrival(at, day) for _, at, day in PLACES]
        locations = self.call("pia", "locations.list", plan=plan)["locations"]
        self.assertEqual([one.get("passed") for one in locations], [f"{time:%Y-%m-%dT%H:%M:%S}.000Z" for time in arrivals] + [None])
        window.until(lambda: [trip.get("end") for trip in self.call("pia", "plans.journey", plan=plan)["trips"]].count(None) == 0, "the end of the last trip")
        shown = figures, places, days, lists = self.journey(window, plan)
        self.assertEqual(figures, {"Visited": "5 / 6", "Planned": "125 km", "Travelled": "17.9 km"})
        self.assertEqual([name for name, *_ in places], names + ["Island"])
        for (_, planned, passed, stayed), (_, _, day), time in zip(places, PLACES, arrivals):
            self.assertIn(f"Jun {day + 1}", planned)
            self.assertIn(f"Jun {day + 1}", passed)
            self.assertIn(f"{time + timedelta(hours=2):%I:%M %p}", passed)
        self.assertEqual([stayed for *_, stayed in places], ["25 s", "23 h 51 min", "25 s", "23 h 46 min", "25 s", "–"])
        self.assertEqual(places[5][2], "not yet")
        self.assertEqual([distances for _, *distances in days], [["4.0 km", "6.0 km"], ["6.0 km", "6.0 km"], ["115 km", "6.0 km"]])
        self.assertEqual([("10:00 AM" in trip, "6.0 km" in trip) for trip in lists["Trips"]], [(True, True)] * 3)
        pause, rest = lists["Unplanned stops"]
        self.assertTrue("10:05 AM" in pause and pause.endswith("5 min") and "10:10 AM" in rest, lists)
        # The map shows the planned and the travelled way.
        self.assertEqual({kind: len(window.lines(kind)) for kind in ("way-plan", "way")}, {"way-plan": 1, "way": 3})
        for mark, count in {".pin-passed": 5, ".pin-location": 1, ".pin-stop": 2}.items():
            self.assertEqual(len(window.all(f".map {mark}")), count, mark)
        self.restart()
        self.assertEqual(self.journey(window, plan), shown)
        window.open(f"/plans/{plan}/locations")
        self.assertEqual(self.passed(window), names)
