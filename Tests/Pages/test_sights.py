from case import PageTest


class Sights(PageTest):
    def test_are_searched_and_opened(self):
        window = self.window("bob")
        window.open("/sights")
        window.type("Search sights", "night watch")
        window.until(lambda: len(window.all("main .rows .row")) == 1, "one row")
        window.click("main .rows a")
        window.see("Rijksmuseum", "main h1")
        window.see("Night Watch")

    def test_others_are_rated_and_ones_own_are_not__TG_11(self):
        window = self.window("cleo")
        window.open(f"/sights/{self.stage.made['sight']}")
        window.press("Write a review")
        window.tick("4 stars")
        window.type("What do you think of it?", "Quiet indeed.")
        window.press("Send review", "dialog")
        window.see("Quiet indeed.")
        window.see("(1)")
        window.press("Change your review")
        window.tick("2 stars")
        window.press("Send review", "dialog")
        window.until(lambda: self.call("cleo", "reviews.summary", subject=f"sight/{self.stage.made['sight']}")["mean"] == 2, "the second in place of the first")
        own = self.window("bob")
        own.open(f"/sights/{self.stage.made['sight']}")
        own.see("Reviews")
        self.assertNotIn("Write a review", own.text())

    def test_a_review_is_agreed_with_and_flagged__GT_13(self):
        window = self.window("cleo")
        window.open("/sights/westerkerk")
        window.until(lambda: len(window.all(".review")) == 2, "two reviews")
        # Each bar is its share of all stars.
        shares = [float(bar.get_attribute("style").split(": ")[1].rstrip("%;")) for bar in window.all(".histogram .bar")]
        self.assertAlmostEqual(sum(shares), 100, delta=0.01)
        window.press("Agree", ".review:first-child")
        window.until(lambda: window.find(".review:first-child [aria-pressed=true]"), "agreed")
        window.press("Flag", ".review:first-child")
        window.press("Flag", "dialog")
        window.see("Flagged. Thank you.")

    def test_are_shared_and_suggested__GT_15(self):
        window = self.window("bob")
        window.open("/sights/artis")
        window.press("Share")
        self.assertIn(f"{self.stage.base}/sights/artis", window.field("Text to share").get_attribute("value"))
        window.press("Close", "dialog")
        window.press("Suggest")
        window.press("Send suggestion", "dialog")
        window.refused("to")
        for name in ("Ada Lovelace", "Cleo de Nijl"):
            window.tick(name)
        window.type("Add a message", "Go on a Tuesday.")
        window.press("Send suggestion", "dialog")
        window.press("Send suggestion", "dialog.question")
        window.see("Sent.")
        for person in ("ada", "cleo"):
            self.assertIn("Go on a Tuesday.", str(self.call(person, "suggestions.list")))

    def test_an_area_and_a_way_are_shown_without_a_circle(self):
        ring = [[4.86, 52.35], [4.88, 52.35], [4.88, 52.36], [4.86, 52.35]]
        park = self.call("bob", "sights.add", title="The park", description="Green.", shape={"type": "Polygon", "coordinates": [ring]})
        way = self.call("bob", "sights.add", title="The towpath", description="Narrow.", radius=40,
                        shape={"type": "LineString", "coordinates": ring[:2]})
        window = self.window("bob")
        window.open(f"/sights/{park['id']}")
        window.see("Area")
        self.assertNotIn("Radius", window.text())
        window.press("More actions")
        window.press("Edit")
        window.type("Title", "The old park")
        self.assertNotIn("Radius in metres", window.text())
        window.press("Save", "dialog")
        window.see("The old park", "main h1")
        self.assertEqual(self.call("bob", "sights.get", id=park["id"])["shape"], park["shape"])
        window.open(f"/sights/{way['id']}")
        window.see("80 m")

    def test_why_nothing_was_told_is_explained(self):
        along = lambda metres: (53.5, 6.3 + metres / 66_200)
        for title, metres in (("The lighthouse", 300), ("The far buoy", 2000)):
            self.call("bob", "sights.add", title=title, description="By the sea.", lat=53.5, lon=along(metres)[1], radius=60)
        self.stage.ride("dinghy", [along(15 * n) for n in range(40)])
        window = self.window("bob")
        for sight, told in (("the-lighthouse", "Reached"), ("the-far-buoy", "Nothing was reported: the closest fix was")):
            window.open(f"/sights/{sight}")
            window.press("Why was I not notified?", "main")
            window.type("Device", "dinghy")
            window.type("When", self.call("bob", "position.current", device="dinghy")["time"][:19])
            window.type("Minutes before and after", "5 min")
            window.press("Explain", "dialog")
            window.see(told, "dialog")
            self.assertEqual(len(window.all("dialog .rows > li")), 40)

    def test_are_read_by_who_has_not_signed_in__GT_2(self):
        window = self.window()
        window.open("/sights/rijksmuseum")
        window.see("Rijksmuseum", "main h1")
        self.assertNotIn("Write a review", window.text())
        window.open("/feed")
        window.see("Rain coat weather", "main")
        self.assertTrue(all(button.get_attribute("disabled") for button in window.all(".tile button:not(.tile-photo)")))
        window.open("/notifications")
        window.see("Sign in to see this.")


class Ranking(PageTest):
    def test_has_three_periods_and_keeps_ranks_in_a_search__MT_14(self):
        window = self.window("bob")
        window.open("/ranking")
        window.see("Rijksmuseum", "main .rows")
        rank = self.call("bob", "sights.ranking", text="van gogh")["sights"][0]["rank"]
        window.type("Search sights", "van gogh")
        window.until(lambda: len(window.all("main .rows .row")) == 1, "one row")
        self.assertEqual(window.find("main .rows .row b").text, str(rank))
        for period in ("Year", "Month", "Total"):
            window.press(period)
            window.settle()

    def test_a_place_has_a_chart_and_all_comments__MT_15(self):
        window = self.window("bob")
        window.open("/ranking")
        window.press("Ratings of Artis")
        window.see("The butterflies!", "dialog")
        counts = [int(bar.text) for bar in window.all("dialog .histogram:first-of-type li > span:last-child")][:5]
        self.assertEqual(sum(counts), self.call("bob", "sights.ratings", id="artis")["count"])
        window.press("Close", "dialog")
