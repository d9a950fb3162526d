import client
import vector
from case import PageTest
from tiles import TileDoor

#: A place in the middle of one of the invented tiles.
HERE = (50.50504, 5.50525)


class Map(PageTest):
    draws = True

    def door(self, description, tile=lambda *_: None, **more):
        """Opens a door with tiles."""
        door = TileDoor(self.stage.base, description, tile, **more)
        self.addCleanup(door.end)
        return door

    def back(self, window):
        """Leaves a door before it ends."""
        window.driver.get("about:blank")
        self.assertEqual(window.complaints(self.allowed), [], "the console, or a request elsewhere")
        window.base = self.stage.base

    def streets(self, schema, **names):
        """Opens a door with invented streets of a schema."""
        made = vector.tile(schema, **names)
        return self.door(vector.description(schema), lambda *_: made)

    def looking(self, door):
        """Opens the page Now at a door, in the window of nobody that these tests share."""
        window = self.window(None)
        window.driver.get("about:blank")
        self.assertEqual(window.complaints(self.allowed), [], "the console, or a request elsewhere")
        window.base = door.base
        self.addCleanup(self.back, window)
        window.open("/now")
        # The page would go back to a device that moves, and a map that follows one may never be at rest.
        follow = window.find(".now-tools button")
        if follow.get_attribute("aria-pressed") == "true":
            follow.click()
        window.drawn("sea")
        return window

    def see(self, window, place, zoom):
        """Shows a place, and waits until the map has drawn it."""
        window.map("view.see([arguments[0], arguments[1]], arguments[2])", *place, zoom)
        window.drawn("sea")

    def test_streets_of_each_schema_are_drawn(self):
        for schema in vector.SCHEMAS:
            with self.subTest(schema):
                window = self.looking(self.streets(schema))
                self.see(window, HERE, 15)
                for layer in ("present", "surface", "water", "stream", "building", "road edge", "road", "path", "rail",
                    "bridge",
                              "way name", "stream name", "shield"):
                    window.drawn(layer)
                self.see(window, HERE, 12)
                for layer in ("town", "border"):
                    window.drawn(layer)
                self.see(window, HERE, 14.5)
                window.drawn("lake name")
                self.see(window, HERE, 17)
                self.assertEqual(window.map("return view.gl.getZoom()"), 17)
                for layer in ("house", "point"):
                    window.drawn(layer)

    def test_no_coast_is_drawn_beyond_zoom_8_and_the_map_says_so(self):
        window = self.looking(self.stage)
        self.see(window, (38.7, -9.2), 6)
        window.drawn("coast")
        window.see_no("No street map of this area.")
        self.see(window, (38.7, -9.2), 8.5)
        self.assertEqual(window.count("land") + window.count("coast"), 0)
        window.see("No street map of this area.")
        window.press("How to get one", "main")
        window.see("waymark map import", "dialog")

    def test_the_map_says_where_a_file_has_no_tiles(self):
        west = vector.tile("Shortbread")
        # Columns to the west of 5.5 degrees have tiles.
        window = self.looking(self.door(vector.description("Shortbread"), lambda zoom, column,
            row: west if (column + 1) / 2 ** zoom * 360 - 180 <= 5.5 else None))
        for place, has in (((50.5, 5.4), True), ((50.5, 5.6), False), ((50.5, 7.0), False)):
            self.see(window, place, 14.5)
            window.until(lambda: window.find(".map-note").is_displayed() != has, f"the sentence at {place}")

    def test_a_tile_is_asked_for_only_where_the_file_has_some(self):
        door = self.streets("OpenMapTiles")
        window = self.looking(door)
        self.see(window, (10, 10), 12)
        door.asked.clear()
        self.see(window, (10, 10.3), 13)
        self.assertEqual(door.asked, [])
        self.see(window, HERE, 13)
        self.assertTrue(door.asked)

    def test_several_files_are_drawn_side_by_side_each_from_its_address(self):
        files = [vector.description(schema, bounds, name=name, tiles=f"/tiles/{name}/{{z}}/{{x}}/{{y}}")
            for schema, bounds, name in (("OpenMapTiles", (5, 50, 6, 51), "west"),
                ("Protomaps", (10, 50, 11, 51), "east"))]
        door = self.door({"tiles": None, "attribution": None, "provider": None, "files": files},
            lambda zoom, column, row: vector.tile("OpenMapTiles" if column / 2 ** zoom < 0.52 else "Protomaps"))
        window = self.looking(door)
        for place, name in ((HERE, "west"), ((50.5, 10.5), "east")):
            door.asked.clear()
            self.see(window, place, 14)
            window.drawn("road")
            self.assertEqual({path.split("/")[2] for path in door.asked}, {name})
            self.assertFalse(window.find(".map-note").is_displayed())

    def test_names_of_every_script_are_drawn_without_a_font_from_elsewhere(self):
        names = {
            "Åsgårdstræde": False, "Невский проспект": False, "Λεωφόρος": False, "Đường Trần": False, "中央通り": False,
            "شارع الحبيب": True, "שדרות": True, "महात्मा गांधी मार्ग": True, "ถนนสุขุมวิท": False}
        for name, is_picture in names.items():
            with self.subTest(name):
                window = self.looking(self.streets("OpenMapTiles", way=name, town=name))
                self.see(window, HERE, 15)
                window.drawn("way name")
                self.see(window, HERE, 12)
                window.drawn("town")
                pictures = window.map("return view.gl.listImages().filter((id) => id.startsWith('name:'))")
                self.assertEqual(any(picture.endswith(name) for picture in pictures), is_picture, pictures)

    def test_a_letter_is_a_field_of_distances(self):
        window = self.looking(self.stage)
        values = window.driver.execute_async_script("""
            const done = arguments[0], script = document.querySelector('script[type=module]').src;
            import(script.replace('app.js', 'map/letters.js')).then(async ({ fetchLetters }) => {
              const { data } = await fetchLetters({ url: 'letters://bold/0-255' });
              done([data.byteLength, [...new Uint8Array(data)].filter((value) => value > 192).length]);
            });""")
        self.assertGreater(values[0], 60_000)
        self.assertGreater(values[1], 5_000)

    def test_pictures_are_tiles_as_before(self):
        picture = client.picture(3, 256, 256)
        window = self.looking(self.door({"tiles": "/tiles/{z}/{x}/{y}", "attribution": "© The Painters", "min_zoom": 0,
            "max_zoom": 10, "provider": None}, lambda *_: picture, kind="image/png"))
        self.see(window, HERE, 11)
        window.until(lambda: window.map("return view.gl.areTilesLoaded() && !!view.gl.getLayer('pictures tiles0')"),
            "the pictures")
        window.see("© The Painters", ".map")
        self.assertFalse(window.find(".map-note").is_displayed())

    def test_an_attribution_is_text_and_never_markup(self):
        made = vector.description("OpenMapTiles",
            attribution="<a href='https://example.org'>© <img src=/none onerror=alert(1)>Somebody</a> & others")
        window = self.looking(self.door(made, lambda *_: vector.tile("OpenMapTiles")))
        self.see(window, HERE, 12)
        window.see("© Somebody & others", ".map")
        self.assertEqual(window.all(".maplibregl-ctrl-attrib img, .maplibregl-ctrl-attrib-inner a"), [])

    def test_colours_follow_the_theme(self):
        window = self.looking(self.streets("Protomaps"))
        self.see(window, HERE, 14)
        colours = lambda: window.map(
            "return ['road tiles0 0', 'building tiles0 0'].map((id) => "
            "JSON.stringify(Object.values(view.gl.getLayer(id).serialize().paint)[0]))")
        before = colours()
        window.driver.execute_script("document.documentElement.dataset.theme = 'dark'")
        window.until(lambda: all(one != other for one, other in zip(before, colours())), "other colours")
        window.driver.execute_script("document.documentElement.dataset.theme = 'light'")
        window.until(lambda: colours() == before, "the same colours as before")

    def test_the_map_moves_by_keyboard(self):
        from selenium.webdriver.common.keys import Keys
        window = self.looking(self.stage)
        self.see(window, HERE, 10)
        canvas = window.find(".map canvas")
        where = lambda: window.map("const { lng, lat } = view.gl.getCenter(); return [lng, lat, view.gl.getZoom()]")
        before = where()
        for key, axis in ((Keys.ARROW_RIGHT, 0), (Keys.ARROW_UP, 1), ("+", 2)):
            canvas.send_keys(key)
            window.until(lambda: where()[axis] > before[axis], key)


class WithoutMap(PageTest):
    allowed = ("maplibre", "ERR_BLOCKED_BY_CLIENT", "Failed to load resource")

    def test_a_sentence_says_what_is_missing_and_the_lists_work(self):
        window = self.window(None, size=(1000, 700))
        window.tell("Network.enable")
        window.tell("Network.setBlockedURLs", urls=["*maplibre-gl.js"])
        window.open("/now")
        window.see("get-maplibre", ".map")
        window.until(lambda: window.rows(".now-side"), "sights")
        window.open("/sights/westerkerk")
        window.see("get-maplibre", ".map")
        window.see("Westerkerk", "h1")

    def test_a_sentence_says_that_the_browser_draws_no_map(self):
        window = self.window(None, size=(1000, 700))
        window.tell("Page.addScriptToEvaluateOnNewDocument", source="""
            const draw = HTMLCanvasElement.prototype.getContext;
            HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
              return /^webgl/.test(kind) ? null : draw.call(this, kind, ...more);
            };""")
        window.open("/now")
        window.see("WebGL is off", ".map")
        window.until(lambda: window.rows(".now-side"), "sights")
