from case import PageTest
from selenium.webdriver.common.keys import Keys

#: An answer of the map in the dialog, as `view`; nothing while it is not drawn.
VIEW = "const view = document.querySelector('dialog .map')?.view; if (!view?.gl?.style?._loaded || view.gl.isMoving()) return null; "
#: A place far from all other sights, and metres there as degrees.
PLACE = (53.2, 5.5)
NORTH, EAST = 1 / 111_195, 1 / 66_610


def at(north, east):
    """Returns a place some metres from `PLACE`."""
    return (PLACE[0] + north * NORTH, PLACE[1] + east * EAST)


class Drawing(PageTest):
    draws = True

    def sight(self, title, **fields):
        fields = fields or {"lat": PLACE[0], "lon": PLACE[1], "radius": 80}
        return self.call("bob", "sights.add", title=title, description="To draw.", **fields)["id"]

    def edit(self, window, sight, edit="Edit", more="More actions"):
        """Opens the form of a sight, and shows its map."""
        window.open(f"/sights/{sight}")
        window.press(more, "main")
        window.press(edit, ".menu-items")
        window.find("dialog .drawing")

    def show(self, window, selector="dialog .drawing-map"):
        window.driver.execute_script("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)

    def see_map(self, window, zoom=16):
        """Shows the surroundings of the place in the dialog's map."""
        self.show(window)
        window.until(lambda: window.driver.execute_script(VIEW + "return true"), "the map")
        window.driver.execute_script(VIEW + "view.see([arguments[0], arguments[1]], arguments[2])", *PLACE, zoom)
        window.until(lambda: window.driver.execute_script(VIEW + "return true"), "the map at rest")

    def pixel(self, window, place):
        return window.until(lambda: window.driver.execute_script(VIEW + """
            const {x, y} = view.gl.project([arguments[1], arguments[0]]), box = view.gl.getCanvas().getBoundingClientRect();
            return [box.left + x, box.top + y];""", *place), "a pixel")

    def mouse(self, window, kind, pixel, buttons=1):
        window.tell("Input.dispatchMouseEvent", type=kind, x=pixel[0], y=pixel[1], button="left", buttons=buttons, clickCount=1)

    def tap(self, window, *places):
        for place in places:
            pixel = self.pixel(window, place)
            self.mouse(window, "mousePressed", pixel)
            self.mouse(window, "mouseReleased", pixel, 0)

    def drag(self, window, place, to):
        """Drags what lies at a place to another."""
        start, end = self.pixel(window, place), self.pixel(window, to)
        self.mouse(window, "mousePressed", start)
        for step in range(1, 6):
            self.mouse(window, "mouseMoved", [a + (b - a) * step / 5 for a, b in zip(start, end)])
        self.mouse(window, "mouseReleased", end, 0)

    def count(self, window, count):
        window.until(lambda: window.find("dialog .drawing").get_attribute("data-count") == str(count), f"{count} positions")

    def positions(self, window):
        """Returns the list beside the map as places."""
        values = window.driver.execute_script("return [...document.querySelectorAll('dialog .positions input')].map(({value}) => Number(value))")
        return list(zip(values[::2], values[1::2]))

    def are_near(self, found, expected, metres=6):
        self.assertEqual(len(found), len(expected), found)
        for (lat, lon), (north, east) in zip(found, expected):
            self.assertLess(abs(lat - north) / NORTH, metres, (found, expected))
            self.assertLess(abs(lon - east) / EAST, metres, (found, expected))

    def places(self, sight):
        """Returns the places of a sight's outer ring or line."""
        shape = self.call("bob", "sights.get", id=sight)["shape"]
        ring = shape["coordinates"][0][:-1] if shape["type"] == "Polygon" else shape["coordinates"]
        return [(lat, lon) for lon, lat in ring]

    def test_an_area_is_drawn_by_tapping(self):
        sight = self.sight("The drawn field")
        window = self.window("bob")
        self.edit(window, sight)
        window.press("Area", "dialog")
        window.see("Tap the corners one after the other", "dialog")
        self.see_map(window)
        self.tap(window, at(-90, -150), at(-90, 150), at(90, 150))
        self.count(window, 3)
        window.press("Done", "dialog")
        self.show(window)
        # Now a tap adds nothing, and a corner can be dragged.
        self.tap(window, at(40, -170))
        self.count(window, 3)
        self.drag(window, at(90, 150), at(90, 60))
        window.until(lambda: abs(self.positions(window)[2][1] - at(90, 60)[1]) / EAST < 6, "the corner there")
        # The handle in the middle of an edge makes a corner, by dragging too.
        self.drag(window, at(-90, 0), at(-60, 0))
        self.count(window, 4)
        self.are_near(self.positions(window), [at(-90, -150), at(-60, 0), at(-90, 150), at(90, 60)])
        self.tap(window, at(0, 105))
        self.count(window, 5)
        window.press("Delete corner", "dialog")
        self.count(window, 4)
        self.tap(window, at(-60, 0))
        window.press("Delete corner", "dialog")
        self.count(window, 3)
        window.press("Undo", "dialog")
        self.count(window, 4)
        sizes = window.driver.execute_script("return [...document.querySelectorAll('dialog .handle')].map((one) => [one.offsetWidth, one.offsetHeight])")
        self.assertTrue(sizes and all(min(size) >= 44 for size in sizes), sizes)
        window.press("Save", "dialog")
        window.gone("dialog")
        self.are_near(self.places(sight), [at(-90, -150), at(-60, 0), at(-90, 150), at(90, 60)])
        window.until(lambda: len(window.lines("fence") or []) == 1, "the area on the page")
        self.assertEqual(len(window.lines("fence")[0][0]), 5)

    def test_a_circle_is_moved_and_widened(self):
        sight = self.sight("The drawn circle")
        window = self.window("bob")
        self.edit(window, sight)
        self.see_map(window)
        self.drag(window, at(0, 0), at(40, -60))
        window.until(lambda: abs(self.positions(window)[0][1] - at(0, -60)[1]) / EAST < 6, "the centre there")
        self.drag(window, at(40, 20), at(40, 90))
        window.until(lambda: abs(float(window.field("Radius in metres").get_attribute("value")) - 150) < 6, "the radius")
        window.type("Radius in metres", "120")
        window.press("Save", "dialog")
        window.gone("dialog")
        saved = self.call("bob", "sights.get", id=sight)
        self.assertEqual(saved["radius"], 120)
        self.are_near([(saved["lat"], saved["lon"])], [at(40, -60)])

    def test_sizes_are_in_feet_for_whoever_reads_miles(self):
        sight = self.sight("The circle in feet", lat=PLACE[0], lon=PLACE[1], radius=30.48)
        window = self.window("bob", language="en-US")
        self.edit(window, sight)
        self.assertEqual(window.field("Radius in feet").get_attribute("value"), "100")
        window.type("Radius in feet", "500")
        window.press("Save", "dialog")
        window.gone("dialog")
        self.assertAlmostEqual(self.call("bob", "sights.get", id=sight)["radius"], 152.4, delta=0.05)
        self.edit(window, sight)
        window.type("Radius in feet", "0")
        window.press("Save", "dialog")
        window.see("Write a number of feet", "#drawing-error")
        window.press("Way", "dialog")
        window.field("Width in feet")

    def test_a_way_is_drawn_with_its_width(self):
        sight = self.sight("The drawn way")
        window = self.window("bob")
        self.edit(window, sight)
        window.press("Way", "dialog")
        self.see_map(window)
        self.tap(window, at(0, -150), at(0, 0), at(80, 100))
        self.count(window, 3)
        window.type("Width in metres", "60")
        window.press("Save", "dialog")
        window.gone("dialog")
        self.assertEqual(self.call("bob", "sights.get", id=sight)["radius"], 30)
        self.are_near(self.places(sight), [at(0, -150), at(0, 0), at(80, 100)])
        window.until(lambda: len(window.lines("corridor") or []) == 1, "the way on the page")
        # It becomes a circle again.
        self.edit(window, sight)
        window.press("Circle", "dialog")
        window.press("Save", "dialog")
        window.gone("dialog")
        self.assertNotIn("form", self.call("bob", "sights.get", id=sight))

    def test_the_map_now_shows_true_shapes(self):
        ring = [[lon, lat] for lat, lon in (at(-1000, -300), at(-1000, 300), at(-600, 300), at(-1000, -300))]
        self.sight("The true area", shape={"type": "Polygon", "coordinates": [ring]})
        self.sight("The true way", shape={"type": "LineString", "coordinates": ring[:2]}, radius=20)
        window = self.window("bob")
        window.open("/now")
        window.drawn("sea")
        window.press("Follow the device", "main")
        window.map("view.see([arguments[0], arguments[1]], 15)", *at(-900, 0))
        window.until(lambda: [one for one in window.lines("fence") or [] if len(one[0]) == 4], "the area")
        window.until(lambda: window.lines("corridor"), "the way")
        self.are_near([tuple(place) for place in window.lines("corridor")[0][0]], [at(-1000, -300), at(-1000, 300)], 0.1)

    def test_rules_are_in_the_readers_words(self):
        sight = self.sight("The slow street", lat=52.37, lon=4.89, radius=50)
        window = self.window("bob", language="de")
        self.allowed = ("400",)
        self.edit(window, sight, "Bearbeiten", "Weitere Aktionen")
        window.driver.execute_script("document.querySelector('dialog .drawing-rules summary').click()")
        window.type("Tempolimit in km/h", "30")
        window.type("Zeiten", "immer")
        window.tick("van")
        window.press("Speichern", "dialog")
        window.see("Bitte Tage und Zeiten schreiben", "dialog")
        window.type("Zeiten", "Di–Do, 8–17 Uhr")
        window.type("Zeitzone dieser Zeiten", "Europe/Amsterdam")
        window.press("Speichern", "dialog")
        window.gone("dialog")
        saved = self.call("bob", "sights.get", id=sight)
        self.assertEqual([saved["active"], saved["devices"]], ["Tu-Th 08:00-17:00", ["van"]])
        self.assertAlmostEqual(saved["speed_limit"] * 3.6, 30, delta=0.05)
        window.see("Di-Do 08:00-17:00", "main")
        window.see("30 km/h", "main")
        self.edit(window, sight, "Bearbeiten", "Weitere Aktionen")
        window.type("Tempolimit in km/h", "")
        window.type("Zeiten", "")
        window.tick("van")
        window.press("Speichern", "dialog")
        window.gone("dialog")
        self.assertFalse({"active", "devices", "speed_limit"} & self.call("bob", "sights.get", id=sight).keys())

    def test_groups_are_offered_where_there_are_some(self):
        sight = self.sight("The quiet street", lat=52.37, lon=4.89, radius=50)
        window = self.window("bob")
        rules = "document.querySelector('dialog .drawing-rules summary').click()"
        self.edit(window, sight)
        window.driver.execute_script(rules)
        window.see("Only for these devices", "dialog")
        self.assertNotIn("these groups", window.find("dialog").text)
        window = self.window("bob")
        self.answer_in_place(window, groups_list={"groups": [{"id": "fleet", "title": "Rental boats", "devices": [], "people": []}]})
        self.edit(window, sight)
        window.driver.execute_script(rules)
        window.see("Only for the devices of these groups", "dialog")
        window.tick("Rental boats")
        self.assertEqual(len(window.all("dialog fieldset[name=groups] input:checked")), 1)


class WithoutMap(PageTest):
    allowed = ("maplibre", "ERR_BLOCKED_BY_CLIENT", "Failed to load resource", "400")

    def form(self, person, language):
        window = self.window(person, language=language)
        window.tell("Network.setBlockedURLs", urls=["*maplibre-gl.js"])
        window.open("/now")
        return window

    def rows(self, window):
        return window.driver.execute_script(
            "return [...document.querySelectorAll('dialog .positions .position')].map((row) => [...row.querySelectorAll('input')].map(({value}) => value).join(' '))")

    def test_an_area_is_written_as_a_list_and_by_keyboard(self):
        window = self.form("bob", "en-GB")
        window.press("Add a sight here", "main")
        window.type("Title", "The written field")
        window.type("Information", "Written.")
        window.press("Area", "dialog")
        number = len(self.rows(window)) + 1
        for lat, lon in (("53.1", "5.1"), ("53.1", "5.2"), ("53.2", "5.1"), ("53.2", "5.2")):
            window.type(f"Latitude of position {number}", lat)
            window.type(f"Longitude of position {number}", lon)
            window.field(f"Longitude of position {number}").send_keys(Keys.ENTER)
            number += 1
        window.see("The edges after corners 2 and 4 cross", "dialog .field-hint")
        window.press("Add the sight", "dialog")
        window.see("The edges after corners 2 and 4 cross", "#drawing-error")
        self.assertEqual(len(window.all("dialog .positions [aria-invalid]")), 4)
        window.find("dialog [aria-label='Move position 4 up']").send_keys(Keys.ENTER)
        window.until(lambda: self.rows(window) == ["53.1 5.1", "53.1 5.2", "53.2 5.2", "53.2 5.1"], "the order")
        self.assertEqual(window.all("dialog .positions [aria-invalid]"), [])
        self.assertEqual(window.find("#drawing-error").text, "")
        window.type("Latitude of position 3", "95")
        window.press("Add the sight", "dialog")
        window.see("Latitudes are numbers from -90 to 90", "dialog")
        window.type("Latitude of position 3", "53,25")
        window.press("Add the sight", "dialog")
        window.see("The written field", "main h1")
        shape = self.call("bob", "sights.get", id="the-written-field")["shape"]
        self.assertEqual(shape, {"type": "Polygon", "coordinates": [[[5.1, 53.1], [5.2, 53.1], [5.2, 53.25], [5.1, 53.2], [5.1, 53.1]]]})

    def test_errors_are_in_german(self):
        window = self.form("cleo", "de")
        window.press("Ort hier eintragen", "main")
        window.type("Name", "Das Feld")
        window.type("Beschreibung", "Geschrieben.")
        window.press("Weg", "dialog")
        window.type("Breite von Position 1", "53,1")
        window.type("Länge von Position 1", "5,1")
        window.press("Diese Position hinzufügen", "dialog")
        window.press("Ort eintragen", "dialog")
        window.see("Ein Weg braucht mindestens zwei Punkte; dieser hat 1.", "dialog")
        for number in (2, 3, 4):
            window.type(f"Breite von Position {number}", "53,1")
            window.type(f"Länge von Position {number}", f"5,{number}")
            window.press("Diese Position hinzufügen", "dialog")
        window.press("Fläche", "dialog")
        window.press("Ort eintragen", "dialog")
        window.see("Die Ecken liegen auf einer Linie", "dialog")
