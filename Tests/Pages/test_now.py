import pathlib
import re

from case import PageTest


class Now(PageTest):
    draws = True

    def test_shows_the_ten_closest_in_order__TG_9(self):
        window = self.window("bob")
        window.open("/now")
        window.see("Closest to you")
        rows = window.until(lambda: len(found := window.texts(".now-side ol .row")) == 10 and found, "ten rows")
        lengths = []
        for row in rows:
            number, unit = re.search(r"([\d.,]+) (m|km)", row).groups()
            lengths.append(float(number.replace(",", "")) * (1000 if unit == "km" else 1))
        self.assertEqual(lengths, sorted(lengths))

    def test_pins_stand_around__TG_10_OU_1(self):
        window = self.window("bob")
        window.open("/now")
        window.until(lambda: window.all(".map .pin-sight, .map .cluster"), "pins")
        window.drawn("sea")

    def test_follows_the_device_and_its_events(self):
        self.stage.keep_driving()
        window = self.window("bob")
        window.open("/now")
        # In a tunnel, where fixes are missing for half a minute, there is no speed. Nor is there one after another test
        # has restarted the daemon: the van drives the same way again, and its fixes are known for as long as it took.
        speed = lambda: next((one.text for one in window.all(".speed")), None)
        before = window.until(speed, "a speed", patience=300)
        window.until(lambda: window.all(".me-mark"), "the device on the map")
        # On its way the van stands for five minutes, which take less than two at this speed.
        window.until(lambda: speed() not in (None, before), "another speed", patience=150)
        window.see("What happened")

    def test_a_device_that_moves_is_not_said_to_stand_still(self):
        self.stage.keep_driving()
        window = self.window("bob")
        self.answer_in_place(window, trips_current={})
        window.open("/now")
        card = lambda: window.find(".now-side .card").text

        def driving():
            found = re.search(r"^([\d,.]+) km/h$", card(), re.M)
            return found and float(found[1].replace(",", "")) > 10
        window.until(lambda: driving() and "Moving. A trip is about to start." in card() and driving(), "that the van moves", patience=300)
        self.assertFalse(driving() and "Not moving" in card())

    def test_a_picture_stands_for_the_map_until_it_has_drawn_itself(self):
        self.stage.ride("skiff", [(53.2, 6 + n / 4000) for n in range(70)])
        window = self.window(self.person("ines", "Ines", "Paz"))
        window.tell("Page.addScriptToEvaluateOnNewDocument", source="""
            new MutationObserver(() => {
              const image = document.querySelector('.map-snapshot');
              if (image && !document.querySelector('.maplibregl-canvas')) window.stoodIn ??= image.style.transform;
            }).observe(document, { childList: true, subtree: true });""")
        script = window.driver.execute_script
        window.open("/now?device=skiff")
        self.assertIsNone(script("return window.stoodIn ?? null"))
        kept = window.until(lambda: script("return JSON.parse(localStorage.getItem('read:map'))"), "the picture", patience=40)
        self.assertTrue(kept["image"].startswith("data:image/webp;base64,"))
        self.assertLess(len(kept["image"]), 400_000)
        window.open("/now?device=skiff")
        window.until(lambda: script("return window.stoodIn"), "the picture in place of the map")
        window.until(lambda: not window.all(".now-snapshot"), "the map itself", patience=30)
        # Elsewhere, at a turned map or in other colours, it would show what is not there.
        script("const kept = JSON.parse(localStorage.getItem('read:map'));"
               "localStorage.setItem('read:map', JSON.stringify({ ...kept, lat: kept.lat + 0.5 }))")
        window.open("/now?device=skiff")
        window.drawn("sea")
        self.assertIsNone(script("return window.stoodIn ?? null"))
        # It goes with the person whose it is.
        window.open("/profile")
        window.press("Sign out")
        window.until(lambda: script("return localStorage.getItem('read:map')") is None, "that the picture is deleted")

    def test_the_past_is_not_told_as_if_it_were_now(self):
        self.stage.ride("skiff", [(53.2, 6 + n / 4000) for n in range(70)])
        self.call("dan", "devices.join", device="skiff")
        window = self.window("dan")
        window.open("/now")
        card = lambda: window.find(".now-side .card").text
        window.until(lambda: "Last seen" in card(), "how old the position is", patience=60)
        self.assertFalse(window.all(".speed"))
        self.assertNotIn("On a trip", card())
        self.assertNotIn("Not moving", card())
        window.open("/trips")
        window.until(lambda: "last fix" in window.find("main").text, "that the trip does not go on")
        self.call("dan", "devices.leave", device="skiff")

    def test_whom_no_device_carries_has_no_place_of_their_own(self):
        self.person("hugo", "Hugo", "Claus")
        window = self.window("hugo")
        window.open("/now")
        window.see("Where you are is not known yet", "main")
        window.until(lambda: "Closest to" in window.text(), "the sights")
        self.assertNotIn("Closest to you", window.text())
        self.assertFalse([one for one in window.all("main button") if one.text in ("Add a sight here", "Drop anchor")])
        window.press("Add a sight on the map", "main")
        window.press("Yes, add it there", "dialog")
        window.see("A new sight", "dialog h2")
        self.assertNotIn("right here", window.find("dialog h2").text)
        window.press("Close", "dialog")
        window.press("Yes, I am on board", "main")
        window.see("Closest to you")
        self.assertNotIn("Where you are is not known yet", window.text())

    def test_an_anchor_is_dropped_and_raised(self):
        # The van stands now and then, so that the rule of another test may have dropped its anchor.
        self.call("bob", "anchors.raise", device="van")
        anchors = lambda: [one for one in self.call("bob", "sights.list", category="anchor")["sights"] if one.get("alarm")]
        window = self.window("bob")
        window.open("/now")
        window.press("Drop anchor", "main")
        window.type("Radius in metres", "5000")
        window.press("Drop anchor", "dialog")
        window.until(lambda: len(anchors()) == 1, "an anchor")
        self.assertEqual(anchors()[0]["radius"], 5000)
        self.assertEqual(len(anchors()[0]["devices"]), 1)
        window.press("Alarm off", "main")
        window.until(lambda: not anchors(), "no alarm")
        window.press("Raise anchor", "main")
        window.until(lambda: not self.call("bob", "sights.list", category="anchor")["sights"], "no anchor")

    def test_an_anchor_drops_by_itself_where_somebody_asks_for_it(self):
        window = self.window("bob")
        window.open("/now")
        window.press("Drop anchor at each stop…", "main")
        window.tick("Drop the anchor whenever this device stops")
        window.type("Radius in metres", "25")
        window.press("Save", "dialog")
        window.press("Drops anchor at each stop", "main")
        window.tick("Drop the anchor whenever this device stops")
        window.press("Save", "dialog")
        window.until(lambda: "Drop anchor at each stop…" in window.find("main").text, "that it is off")
        self.call("bob", "anchors.raise", device="van")

    def test_a_sight_is_added_here__TG_5_TG_7_TG_8(self):
        window = self.window("bob")
        window.open("/now")
        self.allowed = ("400",)
        titles = [sight["title"] for sight in self.call("bob", "sights.list", limit=500)["sights"]]
        window.press("Add a sight here", "main")
        window.press("Add the sight", "dialog")
        window.see("Please fill this in.", "dialog")
        window.type("Title", "The bridge with bicycles")
        window.press("Add the sight", "dialog")
        window.refused("description")
        self.assertEqual([sight["title"] for sight in self.call("bob", "sights.list", limit=500)["sights"]], titles)
        window.type("Information", "They lean on both sides.")
        photo = self.file(61)
        window.type("Photo", photo)
        window.press("Add the sight", "dialog")
        window.see("The bridge with bicycles", "main h1")
        window.click(lambda: next(iter([image for image in window.all(".gallery img") if image.is_displayed()]), None), "its photo")
        link = next(e for e in window.all("dialog a") if e.text == "Save to a file").get_attribute("href")
        self.assertEqual(self.stage.people["bob"].get(link.removeprefix(self.stage.base)), pathlib.Path(photo).read_bytes())
        window.press("Close", "dialog")
        window.press("Add photos", "main")
        window.type("Which photos?", self.file(b"no picture at all", "notes.png"))
        window.press("Send", "dialog")
        window.refused("files")
        self.assertEqual(self.call("bob", "sights.get", id="the-bridge-with-bicycles")["added_by"], "bob")
        self.assertEqual(self.call("bob", "photos.list", subject="sight/the-bridge-with-bicycles")["count"], 1)

    def test_a_sight_elsewhere_is_asked_for__TG_6(self):
        window = self.window("bob")
        window.open("/now")
        count = len(self.call("bob", "sights.list", limit=500)["sights"])
        press = """
            const map = document.querySelector('.map canvas'), box = map.getBoundingClientRect();
            for (const type of ['mousedown', 'contextmenu', 'mouseup']) map.dispatchEvent(
              new MouseEvent(type, {bubbles: true, button: 2, clientX: box.left + 60, clientY: box.top + 60}));"""
        window.drawn("sea")
        window.driver.execute_script(press)
        window.press("Cancel", "dialog")
        self.assertEqual(len(self.call("bob", "sights.list", limit=500)["sights"]), count)
        window.driver.execute_script(press)
        window.press("Yes, add it there", "dialog")
        window.type("Title", "Far corner")
        window.type("Information", "Chosen on the map.")
        window.press("Add the sight", "dialog")
        window.see("Far corner", "main h1")

    def test_a_sight_is_told_when_near_and_one_beside_the_way_is_not__TG_3(self):
        along = lambda metres: (53.0, 6.0 + metres / 67_000)
        self.stage.ride("cart", [along(0), along(10), along(0)])
        self.call("cleo", "devices.join", device="cart")
        for title, north in (("The ferry stage", 0), ("The hidden mill", 160)):
            self.call("bob", "sights.add", title=title, description="On the bank.", lat=53 + north / 111_200, lon=along(500)[1], radius=60)
        self.stage.ride("cart", [along(15 * n) for n in range(70)])
        window = self.window("cleo")
        window.open("/notifications")
        window.press("Sights", "main")
        window.see("The ferry stage is near", "main")
        self.assertEqual(len([row for row in window.rows() if "The ferry stage" in row]), 1)
        self.assertNotIn("The hidden mill", window.find("main").text)
        self.call("cleo", "devices.leave", device="cart")
