"""What somebody meets who sees Waymark for the first time."""

from case import PageTest


class Newcomers(PageTest):
    def test_a_visitor_reads_what_this_is_and_signs_up(self):
        window = self.window(None)
        window.open("/now")
        window.see("Waymark travels with", ".visitor")
        window.see("With an account, you plan journeys with others", ".visitor")
        self.assertEqual([link.text for link in window.all(".visitor a.button")], ["Sign up", "Sign in"])
        self.assertEqual([link.text for link in window.all(".top .account a")], ["Sign up", "Sign in"])
        window.press("Sign up", ".visitor")
        window.see("Sign up", "main h1")
        # It is about the computer that keeps it, which is not the phone in one's hand.
        window.see("stays on the computer that runs this Waymark", "main")
        german = self.window(None, language="de", size=(390, 844))
        german.open("/now")
        german.see("Willkommen an Bord", ".visitor")
        self.assertEqual(german.wider_than_window(), [])
        signed_in = self.window("bob")
        signed_in.open("/now")
        signed_in.see("What happened")
        self.assertFalse(signed_in.all(".visitor"))

    def test_who_is_in_a_plan_does_not_like_or_keep_it(self):
        plan = self.plan("ada", "Ours alone", ["bob"])
        self.call("ada", "plans.publish", plan=plan, published=True)
        self.call("dan", "reactions.set", subject=f"plan/{plan}", kind="like", on=True)
        names = lambda window: [one.accessible_name for one in window.all(".page-head .actions > button")]
        for who in ("ada", "bob"):
            window = self.window(who)
            window.open(f"/plans/{plan}")
            window.see("Share", ".page-head")
            self.assertFalse({"Like", "Save"} & set(names(window)), who)
            window.see("One person likes this", ".page-head")
        other = self.window("cleo")
        other.open(f"/plans/{plan}")
        other.press("Save", ".page-head")
        other.until(lambda: self.call("cleo", "plans.get", plan=plan)["saved"], "that it is saved")
        self.assertIn("Like", names(other))
        # Who has saved it and comes along later can take that back.
        self.call("ada", "members.ask", plan=plan, person="cleo")
        self.call("cleo", "members.confirm", plan=plan)
        other.open(f"/plans/{plan}")
        other.press("Save", ".page-head")
        other.until(lambda: not self.call("cleo", "plans.get", plan=plan)["saved"], "that it is not saved")
        other.open(f"/plans/{plan}")
        other.see("One person likes this", ".page-head")
        self.assertFalse({"Like", "Save"} & set(names(other)))

    def test_a_post_asks_for_a_photo_a_place_and_words_first(self):
        window = self.window("bob")
        window.open("/feed")
        window.press("New post", "main")
        shown = lambda: [one.accessible_name.removesuffix(" (optional)") 
                         for one in window.all("dialog form :is(input, textarea, select):not(details.more:not([open]) *)") if one.is_displayed()]
        self.assertEqual(shown(), ["Photo", "This was not where I am now", "What do you want to say about it?"])
        window.see_no("Outfit", "dialog")
        window.type("What do you want to say about it?", "Found on the quay", "dialog")
        window.press("More", "dialog")
        window.see("Who can see it", "dialog")
        window.see("Ask about the outfit: wear it or change it?", "dialog")
        # What is typed stays when the post becomes one of a product, and back.
        window.press("Product", "dialog")
        window.see("Price", "dialog")
        self.assertEqual(window.field("What do you want to say about it?", "dialog").get_attribute("value"), "Found on the quay")
        window.press("Photo or words", "dialog")
        window.see_no("Price", "dialog")
        window.press("Post", "dialog form")
        window.see("Found on the quay", "main")

    def test_the_first_trip_is_told_while_it_is_under_way(self):
        window = self.window("bob")
        trip = {"id": "van@2026-06-01T08:00:00Z", "device": "van", "start": "2026-06-01T08:00:00Z", "distance": 12345, "stops": 0}
        fix = {"device": "van", "time": "2026-06-01T08:20:00Z", "lat": 52.37, "lon": 4.89}
        self.answer_in_place(window, reports_summary={"sums": [], "zone": "UTC"})
        plain = "const plain%s = window.fetch; window.fetch = async (address, options) => {" \
            " if (address !== '/rpc') return plain%s(address, options); const asked = JSON.parse(options.body);" \
            " if (!Array.isArray(asked)) return plain%s(address, options);" \
            " const answers = await (await plain%s(address, options)).json();" \
            " for (const one of asked) { const answer = answers.find(({id}) => id === one.id);" \
            "  if (one.method === 'trips.current') { delete answer.error; answer.result = {trip: TRIP}; }" \
            "  if (one.method === 'position.current') { delete answer.error; answer.result = FIX; } }" \
            " return new Response(JSON.stringify(answers)); };"
        import json
        script = window.tell("Page.addScriptToEvaluateOnNewDocument", source=plain.replace("%s", "Batch").replace("TRIP", json.dumps(trip)).replace("FIX", json.dumps(fix)))
        self.addCleanup(lambda: window.tell("Page.removeScriptToEvaluateOnNewDocument", identifier=script["identifier"]))
        window.open("/history")
        window.see("The first trip is under way: 12.3 km in 20 min.", "main .empty")
        window.see_no("No trips yet", "main")
        window.press("Open the map", "main .empty")
        window.until(lambda: "/now?device=" in window.driver.current_url, "the map of the device")

    def test_events_name_the_plan_that_they_belong_to(self):
        plan = self.plan("ada", "Along the dikes", ["bob"], locations=[("The lock", 52.6, 5.4)])
        location = self.call("ada", "locations.list", plan=plan)["locations"][0]["id"]
        window = self.window("bob")
        self.take_the_bike()
        base = {"time": "2026-06-01T08:00:00Z", "seq": 1}
        vote = self.vote("ada", "Which lock first?")
        events = [
            {**base, "type": "geofence.exit", "device": "van", "geofence": {"kind": "vote", "id": vote, "title": f"Vote {vote}", "distance": 3, "radius": 100}},
            {**base, "type": "geofence.enter", "device": "van", "geofence": {"kind": "location", "id": location, "title": "The lock", "distance": 3, "radius": 100}},
            {**base, "type": "notification", "to": "bob", "notification": {"id": "1", "kind": "question", "text": "Something was asked in a plan.", "destination": f"waymark://plan/{plan}"}},
            {**base, "type": "notification", "to": "bob", "notification": {"id": "2", "kind": "review", "text": "Somebody has reviewed something of yours.", "destination": "waymark://sight/artis"}},
        ]
        self.answer_in_place(window, events_list={"events": events, "last": 3})
        # What happens meanwhile does not push them away.
        still = window.tell("Page.addScriptToEvaluateOnNewDocument", source="window.EventSource = class extends EventTarget { close() {} };")
        self.addCleanup(lambda: window.tell("Page.removeScriptToEvaluateOnNewDocument", identifier=still["identifier"]))
        window.open("/now")
        row = lambda text: window.until(lambda: next((row for row in window.all(".now-side li.row") if text in row.text), None), text)
        for text, name in (("Reached The lock", "Along the dikes"), (f"Left Vote {vote}", "Which lock first?"), ("Something was asked", "Along the dikes"), ("Somebody has reviewed", "Artis")):
            window.until(lambda: name.lower() in row(text).text.lower(), f"{name!r} in {text!r}")
        window.driver.execute_script("arguments[0].querySelector('.belongs a').click()", row("Reached The lock"))
        window.see("Along the dikes", "main h1")

    #: Each page, the methods that answer with nothing, what it says, and its button.
    EMPTY = [
        ("/plans", {"plans.list": "plans"}, "A plan has the days", "New plan"),
        ("/plans?of=asked", {"plans.list": "plans"}, "Plans of others that you may join", "People"),
        ("/plans?of=saved", {"plans.list": "plans"}, "Those of others that you save", "Explore"),
        ("/people", {"friends.list": "people"}, "Friends see your plans", "Invite"),
        ("/people?of=following", {"people.following": "people"}, "come into your feed", "Suggested"),
        ("/people?of=followers", {"people.followers": "people"}, "Whoever follows you sees your posts", "Invite"),
        ("/feed", {"posts.feed": "posts"}, "Posts of the people that you follow", "People"),
        ("/feed?of=here", {"posts.here": "posts"}, "of people nearby appear here", "New post"),
        ("/feed?of=mine", {"posts.list": "posts"}, "What you post is shown", "New post"),
        ("/votes", {"votes.here": "votes", "votes.list": "votes"}, "Votes that you open are kept here", "Open a vote"),
        ("/notifications", {"notifications.list": "notifications"}, "Here you read which sights come near", "People"),
        ("/sights", {"sights.list": "sights"}, "They are announced as you come near", "Add a sight on the map"),
        ("/ranking", {"sights.ranking": "sights"}, "Rate a sight, and it appears here", "Sights"),
        ("/shopping", {"shopping.list": "products"}, "Products from posts that you want to buy", "Feed"),
        ("/explore", {"plans.explore": "plans"}, "What you publish, others find here", "Plans"),
        ("/trips", {"trips.list": "trips"}, "starts automatically when a device moves", "Open the map"),
    ]

    def test_an_empty_page_says_what_it_will_hold_and_has_its_button(self):
        window = self.window("bob")
        for path, methods, text, label in self.EMPTY:
            with self.subTest(path):
                self.answer_in_place(window, **{method.replace(".", "_"): {list: [], "count": 0} for method, list in methods.items()})
                window.open(path)
                window.see(text, "main", 15)
                buttons = [one.text for one in window.all("main .empty :is(a.button, button)")]
                self.assertIn(label, buttons)
                self.doCleanups()
        german = self.window("bob", language="de")
        self.answer_in_place(german, notifications_list={"notifications": []}, sights_list={"sights": []})
        for path, text in (("/notifications", "Noch keine Mitteilungen."), ("/sights", "Noch gibt es keine Sehenswürdigkeiten.")):
            german.open(path)
            german.see(text, "main")

    def test_an_ended_vote_says_that_it_has_ended(self):
        self.allowed = ("403",)
        window = self.window("dan")
        window.open(f"/votes/{self.stage.made['finished vote']}")
        window.see("This vote has ended.", "main")
        window.type("Passcode", "1", "main")
        window.press("Show the result", "main")
        window.see("The winner is: The red one", "main")

    def test_a_visitor_is_offered_nothing_that_only_travellers_understand(self):
        window = self.window(None)
        window.open("/sights/westerkerk")
        window.see("Visits", "main")
        self.assertNotIn("Why was I not notified?", window.text())
        signed_in = self.window("bob")
        signed_in.open("/sights/westerkerk")
        signed_in.see("Why was I not notified?", "main")
