from case import PageTest
from stage import wait_for

#: Where a line on the map begins and ends, and where the centre of an element lies, in pixels from the left of the map.
PLACES = """
const map = document.querySelector('.map').getBoundingClientRect();
const { gl, shapes } = document.querySelector('.map').view;
const line = shapes.of(arguments[0])[0].flat(), lons = line.map(([, lon]) => lon);
const turn = 360 * Math.round((gl.getCenter().lng - (Math.min(...lons) + Math.max(...lons)) / 2) / 360);
const at = (part) => gl.project([lons[part * (lons.length - 1)] + turn, line[part * (line.length - 1)][0]]).x;
const found = [...document.querySelectorAll(arguments[1])].map((one) => one.getBoundingClientRect());
return [at(0), at(1), map.width, ...found.map((box) => box.left + box.width / 2 - map.left)];"""


class Meridian(PageTest):
    """Lines across the 180th meridian, where Fiji lies. All of them go from west to east."""
    draws = True

    def places(self, window, line, mark):
        """Returns where a line begins and ends, how wide the map is, and where marks lie."""
        return window.driver.execute_script(PLACES, line, mark)

    def sail(self, device, *metres):
        """Makes a device sail along a parallel, over places that are as many metres east of the meridian."""
        self.stage.ride(device, [(-16.8, (one / 106_500) % 360 - 180) for one in metres])

    def test_a_trip_is_drawn_and_played_across_the_180th_meridian(self):
        from selenium.webdriver.common.keys import Keys
        self.sail("ketch", *range(-1500, 300, 60), *[300] * 45, *range(300, 1501, 60))
        trip = wait_for(lambda: self.call("bob", "trips.list", device="ketch", limit=1)["trips"], "the trip")[0]
        window = self.window("bob")
        window.open("/trips/" + trip["id"].replace(".", "*"))
        window.drawn("way")
        slider = window.find("input[type=range]")
        for key, part in ((Keys.HOME, 0), (Keys.END, 1)):
            slider.send_keys(key)
            start, end, width, mark = self.places(window, "way", ".map .me-mark")
            self.assertTrue(0 < start < end < width and end - start > width / 3, (start, end, width))
            self.assertAlmostEqual(mark, (start, end)[part], delta=3)
        # The stop lies east of the meridian, at three fifths of the way.
        *_, stop = self.places(window, "way", ".map .pin-stop")
        self.assertAlmostEqual((stop - start) / (end - start), 0.6, delta=0.05)
        # Between the last point west of the meridian and the one on it.
        window.type("Time within the trip", "122")
        *_, mark = self.places(window, "way", ".map .me-mark")
        self.assertAlmostEqual((mark - start) / (end - start), 0.488, delta=0.005)
        window.open("/trips")
        window.see("ketch", "main")
        row = f"main a[href='/trips/{trip['id'].replace('.', '*')}']"
        drawn = window.until(lambda: window.driver.execute_script(f"const box = document.querySelector(\"{row} .trail path\").getBBox(); return [box.x, box.width]"), "its small map")
        self.assertAlmostEqual(drawn[0], 4, delta=1)
        self.assertAlmostEqual(drawn[1], 72, delta=1)

    def test_the_live_line_and_the_device_stay_together_across_the_180th_meridian(self):
        self.sail("yawl", *range(-900, -299, 60))
        self.person("sina", "Sina", "Ravu")
        self.call("sina", "devices.join", device="yawl")
        self.call("sina", "sights.add", title="Across the line", description="A mark of the chart.", lat=-16.8, lon=-179.995, radius=60)
        window = self.window("sina")
        window.open("/now")
        window.drawn("way")
        before = window.until(lambda: self.places(window, "way", ".map .me-mark"), "the device")
        window.until(lambda: window.all(".map .pin-sight, .map .cluster"), "the sight on the other side")
        self.sail("yawl", *range(-300, 301, 60))
        def together():
            start, end, width, mark = self.places(window, "way", ".map .me-mark")
            return start < end < width and abs(end - mark) < 3 and abs(mark - width / 2) < 3 and end - start > before[1] - before[0] + 50
        window.until(together, "the device in the middle, at the east end of its line")
        window.open("/now")
        window.drawn("way")
        window.until(together, "the same when the page is opened there")

    def test_a_plan_is_drawn_across_the_180th_meridian(self):
        plan = self.plan("ada", "Around Taveuni", locations=[("Buca Bay", -16.65, 179.85), ("Waiyevo", -16.79, -179.98), ("Matei", -16.69, -179.88)])
        link = self.call("ada", "links.create", plan=plan)["link"]
        window = self.window("ada")
        for address in (f"/plans/{plan}/locations", f"/plans/{plan}/journey", f"/s/{link}"):
            window.open(address)
            window.drawn("way-plan")
            start, end, width, *pins = window.until(lambda: self.places(window, "way-plan", ".map .pin"), "the pins")
            self.assertTrue(0 < start < end < width and end - start > width / 3, (address, start, end, width))
            self.assertEqual([round((pin - start) / (end - start), 1) for pin in pins], [0, 0.6, 1], address)

    def test_a_map_of_plans_shows_both_sides_of_the_180th_meridian_together(self):
        self.person("mere", "Mere", "Tuwai")
        for title, latitude, longitude in [("Apia", -13.83, -171.76), ("Nadi", -17.8, 177.42), ("Suva", -18.14, 178.44)]:
            self.plan("mere", title, destination=title, lat=latitude, lon=longitude)
        window = self.window("mere")
        window.open("/plans")
        window.press("Map")
        window.until(lambda: len(window.all(".map .pin")) == 3, "the pins", 30)
        left, width = (window.find(".map").rect[key] for key in ("x", "width"))
        pins = {pin.get_attribute("title"): pin.rect["x"] - left for pin in window.all(".map .pin")}
        self.assertTrue(0 < pins["Nadi"] < pins["Suva"] < pins["Apia"] < width, pins)
        self.assertGreater(pins["Apia"] - pins["Nadi"], width / 3)

    def test_plans_without_a_destination_are_on_no_map(self):
        self.person("sione", "Sione", "Fa")
        self.plan("sione", "Somewhere")
        window = self.window("sione")
        window.open("/plans")
        window.press("Map")
        window.see("None of these plans has a destination on the map yet.", "main")

    def test_a_map_that_is_dragged_around_the_world_still_shows_its_pins(self):
        from selenium.webdriver.common.action_chains import ActionChains
        plan = self.plan("ada", "From Fiji to Samoa", locations=[("Suva", -18.14, 178.44), ("Apia", -13.83, -171.76)])
        window = self.window("ada")
        window.open(f"/plans/{plan}/locations")
        window.drawn("way-plan")
        for _ in range(7):
            window.press("Zoom out", "main")
        # The world is 512 pixels wide now. The line, the pins and the land come around again.
        for _ in range(4):
            ActionChains(window.driver).move_to_element_with_offset(window.find(".map"), 100, 100).click_and_hold().move_by_offset(-150, 0).move_by_offset(-150, 0).release().perform()
            start, end, width, *pins = self.places(window, "way-plan", ".map .pin")
            self.assertTrue(0 < start < end < width, (start, end, width))
            for pin, point in zip(pins, (start, end), strict=True):
                self.assertAlmostEqual((pin - point + 256) % 512, 256, delta=1.5)

    def test_a_sight_names_all_plans_that_lead_there(self):
        self.person("timoci", "Timoci", "Vaka")
        there = ("The beacon", -16.9, 179.9999)
        self.plan("timoci", "The oldest plan", locations=[there])
        for n in range(21):
            self.plan("timoci", f"Elsewhere {n}", locations=[("Levuka", -17.68, 178.83)])
        self.plan("timoci", "Many places", locations=[*[(f"Place {n}", -17, 178 + n / 100) for n in range(101)], there])
        sight = self.call("timoci", "sights.add", title="The beacon of Fiji", description="On the line.", lat=-16.9, lon=-179.9999, radius=60)
        window = self.window("timoci")
        window.open(f"/sights/{sight['id']}")
        window.see("The oldest plan", "main")
        window.see("Many places", "main")
        self.assertNotIn("Elsewhere", window.find("main").text)
