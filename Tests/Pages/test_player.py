from datetime import datetime, timedelta, timezone

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from case import PageTest
from stage import wait_for

START = datetime(2026, 4, 6, 8, tzinfo=timezone.utc)
#: The metres of a degree east at 52 degrees north, and the place where the trips begin.
EAST, NORTH, WEST = 68_460, 52.0, 6.0


def fixes(start=START, begin=0):
    """Returns a drive to the east: 5 minutes at 36 km/h, a stop of 4 minutes, 5 minutes at 86 km/h, a stop of 14 minutes, and 5 minutes at 36 km/h, then a rest."""
    time, way, found = start, begin, []
    for speed, seconds in [(10, 300), (0, 240), (24, 300), (0, 840), (10, 300), (0, 1200)]:
        for _ in range(seconds // 5):
            time += timedelta(seconds=5)
            way += speed * 5
            found.append((time, NORTH, WEST + way / EAST))
    return found


class Player(PageTest):
    draws = True

    def setUp(self):
        if self.stage.folder is None:
            self.skipTest("The daemon is another's.")

    @classmethod
    def setUpClass(cls):
        if cls.stage.folder is not None:
            cls.stage.replay("coach", fixes())

    def trip(self, **options):
        """Returns a window that shows the trip of the coach, at a place whose clock is nine hours ahead."""
        ended = lambda: [trip for trip in self.call("bob", "trips.list", device="coach", limit=1)["trips"] if trip.get("end")]
        trip = wait_for(ended, "the end of the trip")[0]
        window = self.window("bob", **options)
        self.answer_in_place(window, places_at={"lat": NORTH, "lon": WEST, "zone": "Asia/Tokyo"})
        window.open("/trips/" + trip["id"].replace(".", "*"))
        window.drawn("way")
        return window

    def keys(self, window, *keys):
        """Presses keys while no field has the focus."""
        window.driver.execute_script("document.activeElement.blur()")
        for key in keys:
            window.driver.find_element(By.TAG_NAME, "body").send_keys(key)

    def slider(self, window):
        return int(window.find("input[type=range]").get_attribute("value"))

    def current(self, window):
        return [row.text.split("\n")[0] for row in window.all(".played-list .row[aria-current]")]

    def seek(self, window, seconds):
        """Moves the slider to a time since the departure."""
        window.driver.execute_script(
            "const [slider, to] = [document.querySelector('.player input[type=range]'), arguments[0]];"
            "slider.value = String(to); slider.dispatchEvent(new Event('input', {bubbles: true}));", seconds)

    def test_a_card_shows_the_sight_that_the_device_is_near(self):
        mill = self.call("bob", "sights.add", title="The player's mill", description="It turns.", radius=50,
                         lat=NORTH + 60 / 111_200, lon=WEST + 1500 / EAST)["id"]
        self.addCleanup(self.call, "bob", "sights.remove", id=mill)
        window = self.trip()
        window.gone(".played-sight .card")
        self.seek(window, 145)
        window.see("The player's mill", ".played-sight")
        window.see("on the left", ".played-sight")
        self.seek(window, 158)
        window.see("behind you", ".played-sight")
        self.seek(window, 290)
        window.gone(".played-sight .card")
        # The slider is moved once while the page waits for what is near elsewhere.
        window.hold("sights.nearest")
        self.seek(window, 280)
        window.until(window.is_held, "the question about the place before")
        self.seek(window, 145)
        window.release()
        window.see("The player's mill", ".played-sight")

    def test_a_former_trip_is_drawn_once_however_the_map_moves_meanwhile(self):
        self.trip()
        window = self.window("bob")
        window.open("/now?device=coach")
        window.until(lambda: len(window.lines("way-past") or []) == 1, "the trip on the page Now")
        window.hold("trips.trace")
        for number, closer in enumerate((2, 0.1), 1):
            window.map("view.gl.jumpTo({zoom: view.gl.getZoom() + arguments[0]}); return true", closer)
            window.until(lambda: window.held() == number, "a finer trace")
        window.release()
        self.assertEqual(len(window.lines("way-past")), 1)

    def choose(self, window, title):
        """Presses the first row of the list whose title begins so, wherever the page is scrolled to."""
        row = next(row for row in window.all(".played-list .row-link") if row.text.startswith(title))
        window.driver.execute_script("arguments[0].click()", row)

    def test_colours_tell_the_speed_and_sizes_the_length_of_stops(self):
        window = self.trip()
        # Seven steps of 15 km/h hold 86 km/h, which lies in the sixth; 36 lies in the third.
        window.drawn("speed")
        drawn = window.map("return view.gl.getSource('speed').serialize().data.features.map(({ properties, geometry }) => "
                           "[properties.step, geometry.coordinates.map((line) => [line[0][0], line.at(-1)[0]])])")
        longest = {step: max(abs(end - start) for start, end in lines) * EAST for step, lines in drawn}
        self.assertAlmostEqual(longest[2], 3000, delta=300)
        self.assertAlmostEqual(longest[5], 7200, delta=300)
        # All lines together are as long as the way.
        whole = sum(abs(end - start) for _, lines in drawn for start, end in lines) * EAST
        self.assertAlmostEqual(whole, 13_200, delta=300)
        legend = [row.text for row in window.all(".speed-legend li")]
        self.assertEqual(legend, ["0–15", "15–30", "30–45", "45–60", "60–75", "75–90"])
        sizes = [mark.size["width"] for mark in window.all(".map .pin-stop .pin-mark")]
        # The third is the rest at the end.
        self.assertEqual(len(sizes), 3)
        self.assertGreater(sizes[1], sizes[0] + 1)
        self.assertIn("14 min", window.all(".map .pin-stop")[1].get_attribute("title"))

    def test_keys_play_a_trip_and_its_list_follows(self):
        window = self.trip()
        self.assertEqual(self.current(window), ["Departure"])
        self.keys(window, Keys.SPACE)
        window.until(lambda: self.slider(window) > 30, "playing")
        self.assertEqual(window.find(".plays").get_attribute("aria-label"), "Pause")
        self.keys(window, Keys.SPACE)
        window.until(lambda: window.find(".plays").get_attribute("aria-label") == "Play", "a pause")
        before = self.slider(window)
        self.keys(window, Keys.ARROW_RIGHT)
        after = self.slider(window)
        self.assertGreater(after, before)
        self.keys(window, Keys.ARROW_LEFT)
        self.assertEqual(self.slider(window), before)
        rate = window.find(".player select")
        chosen = rate.get_attribute("value")
        self.keys(window, "+")
        self.assertGreater(int(rate.get_attribute("value")), int(chosen))
        window.type("Playback speed", "1000 ×")
        self.keys(window, Keys.SPACE)
        window.until(lambda: self.current(window) == ["Arrival"], "the end", 30)
        # The clock is that of the place.
        self.choose(window, "Departure")
        window.until(lambda: self.current(window) == ["Departure"], "the begin")
        window.until(lambda: "5:00 PM" in window.find(".player-clock").text, "the clock of the place")
        self.choose(window, "2. ")
        window.until(lambda: self.current(window)[0].startswith("2. "), "the second stop")
        self.assertRegex(window.find(".player-clock").text, "5:1[345] PM")

    def test_the_map_follows_turns_and_tilts(self):
        window = self.trip(still=False)
        window.press("Course up", "main")
        window.press("Tilt", "main")
        window.until(lambda: abs((window.map("return view.pitch()") or 0) - 55) < 0.01, "a tilted map")
        window.until(lambda: abs(window.map("return view.bearing()") - 90) < 2, "the east up")
        window.type("Playback speed", "100 ×")
        window.press("Play", "main")
        place = "const { lng, lat } = view.gl.getCenter(); return [lat, lng]"
        window.until(lambda: self.slider(window) > 240, "playing", 30)
        window.press("Pause", "main")
        # At 100 times 36 km/h, the whole way is too far away to see the device move, so the map has come nearer.
        self.assertGreater(window.map("return view.zoom()"), 9)
        self.assertAlmostEqual(window.map(place)[0], NORTH, delta=0.002)
        where = WEST + 10 * min(300, self.slider(window) + 5) / EAST
        self.assertAlmostEqual(window.map(place)[1], where, delta=0.02)
        window.press("Course up", "main")
        window.press("Tilt", "main")
        window.until(lambda: window.map("return view.pitch()") == 0 and abs(window.map("return view.bearing()")) < 1, "north up, from above")

    def test_less_motion_moves_the_map_only_where_it_must(self):
        window = self.trip()
        self.keys(window, Keys.SPACE)
        window.until(lambda: self.slider(window) > 20, "playing")
        moves = window.map("view.moves = 0; view.gl.on('move', () => { view.moves += 1; }); return 1")
        self.assertTrue(moves)
        before = self.slider(window)
        window.until(lambda: self.slider(window) >= before + 60, "that it plays on", 30)
        self.keys(window, Keys.SPACE)
        self.assertLess(window.map("return view.moves"), 3)

    def test_a_whole_journey_is_played_without_its_nights(self):
        self.person("jo", "Jo", "Berg")
        self.stage.replay("coach-2", fixes())
        self.stage.replay("coach-2", fixes(START + timedelta(days=1), 13_200))
        ended = lambda: [trip for trip in self.call("jo", "trips.list", device="coach-2")["trips"] if trip.get("end")]
        trips = wait_for(lambda: len(ended()) > 1 and ended(), "the ends of both trips")
        plan = self.plan("jo", "Eastwards", locations=[("Bridge", NORTH, WEST + 1500 / EAST, {"radius_m": 100})],
                         start="2026-04-06", end="2026-04-07", zone="Europe/Amsterdam")
        for trip in trips:
            self.call("jo", "plans.addTrip", plan=plan, trip=trip["id"])
        window = self.window("jo")
        window.open(f"/plans/{plan}/journey")
        window.drawn("speed")
        slider = window.find("input[type=range]")
        lengths = [(datetime.fromisoformat(trip["end"]) - datetime.fromisoformat(trip["start"])).total_seconds() for trip in trips]
        self.assertAlmostEqual(int(slider.get_attribute("max")), sum(lengths), delta=60)
        days = [row.text for row in window.all(".played-list .row-day")]
        self.assertEqual(len(days), 2)
        self.assertIn("Apr 6", window.find(".player-clock").text)
        slider.send_keys(Keys.END)
        window.until(lambda: "Apr 7" in window.find(".player-clock").text, "the second day")
        window.until(lambda: self.current(window) == ["Arrival"], "the arrival")
        self.choose(window, "Departure")
        window.until(lambda: "Apr 6" in window.find(".player-clock").text, "the first day")
        self.assertEqual(self.slider(window), 0)
