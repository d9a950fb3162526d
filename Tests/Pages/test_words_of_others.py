import client
import places
from case import PageTest
from stage import run

#: A text that would have an effect wherever a page treated it as markup; `{}` is a word to find it by.
HOSTILE = """{}"'><img src=x onerror="window.hurt=1"><script>window.hurt=1</script>"""
#: The part of it that is visible if a page shortens long texts.
SEEN = """{}"'><img src=x"""


class Hostile(PageTest):
    def hostile(self, word):
        self.words.append(word)
        return HOSTILE.format(word)

    def write(self):
        """Makes a person with a hostile name write such a text into every field; returns the pages that show these texts."""
        self.words = []
        text, stage = self.hostile, self.stage
        stage.people["eve"] = eve = client.sign_up(stage.base, stage.mail, "eve", text("first"), text("last"))
        eve.call("people.update", website="https://eve.example/'onerror='window.hurt=1")
        eve.call("friends.request", person="ada")
        self.call("ada", "friends.confirm", person="eve")
        self.call("ada", "people.follow", person="eve")
        stage.ride("raft", [(52.371, 4.9), (52.3711, 4.9), (52.371, 4.9)])
        eve.call("devices.join", device="raft")
        sight = eve.call("sights.add", title=text("sight"), description=text("information"), category="<script>", lat=52.371, lon=4.893, radius=60)["id"]
        eve.upload(f"sight/{sight}", client.picture(2, 64, 48), text("caption"))
        self.call("ada", "reviews.put", subject=f"sight/{sight}", rating=1, text=text("review"))
        self.call("eve", "suggestions.send", subject=f"sight/{sight}", to="ada", text=text("suggestion"))
        plan = eve.call(
            "plans.create", title=text("plan"), description=text("plandescription"), destination=text("destination"), postal_codes=["<script>"],
            cover_url="https://eve.example/'onerror='window.hurt=1", level="everyone", start="2027-04-01", end="2027-04-02", lat=52.4, lon=4.9)["id"]
        location = eve.call("locations.add", plan=plan, name=text("location"), address=text("address"), description=text("locationdescription"), lat=52.4, lon=4.9)["id"]
        eve.upload(f"location/{location}", client.picture(4, 64, 48), text("locationcaption"))
        fields = {name: text(name) for name in ("title", "description", "location", "address", "contact", "note")}
        eve.call("activities.add", plan=plan, booked=True, booking_code=text("code"), url="https://eve.example/'onerror='window.hurt=1", **fields)
        eve.call("activities.add", plan=plan, tab="transport", title=text("transport"), mode=text("mode"), departure=text("departure"), arrival=text("arrival"))
        eve.call("activities.add", plan=plan, tab="food", title=text("food"), recommendation=text("recommendation"), rating=1)
        eve.call("members.ask", plan=plan, person="ada")
        self.call("ada", "members.confirm", plan=plan)
        eve.call("expenses.add", plan=plan, title=text("expense"), category=text("category"), amount="10.00")
        eve.call("repayments.add", plan=plan, **{"from": "ada", "to": "eve", "amount": "1.00", "note": text("repayment")})
        eve.call("plans.publish", plan=plan, published=True)
        link = eve.call("links.create", plan=plan)["link"]
        vote = self.vote("eve", text("vote"), [("eve", 1), ("ada", 1)], [text("option"), "No"], participants=2)
        post = eve.call("posts.addProduct", name=text("product"), brand=text("brand"), price="1.00", currency="EUR", text=text("post"), brands=[text("brands")],
                        link="https://eve.example/'onerror='window.hurt=1", lat=52.37, lon=4.89)
        self.call("ada", "shopping.add", product=post["product"]["id"])
        run([stage.options.waymark, "devices", "update", "van", "--title", "<script>van", "--socket", str(stage.folder / "van.sock")])
        return {
            f"/people/eve": ["first", "last"], "/people": ["first"], "/people?of=following": ["first"], "/sights?text=onerror": ["sight", "information"],
            f"/sights/{sight}": ["sight", "information", "caption", "review"], f"/plans/{plan}": ["plan", "plandescription", "destination", "title", "transport", "departure"],
            f"/plans/{plan}?tab=food": ["food", "recommendation"], f"/plans/{plan}/locations": ["location", "address"], f"/plans/{plan}/money": ["expense", "category", "repayment"],
            f"/plans/{plan}/people": ["first"], f"/plans/{plan}/journey": ["location"], f"/plans/{plan}/photos": ["locationcaption"],
            f"/locations/{location}": ["location", "locationdescription", "locationcaption"], "/plans": ["plan"], "/explore": ["plan"], f"/s/{link}": ["plan", "location", "title"],
            f"/votes/{vote}": ["vote", "option", "first"], "/votes": [], "/feed": ["product", "post", "brands"], f"/posts/{post['id']}": ["product", "post", "brand"],
            f"/products/{post['product']['id']}": ["product", "brand"], "/shopping": ["product"], "/ranking": ["sight"], "/notifications": ["first", "suggestion"],
            "/profile": ["suggestion"], "/now": [], "/trips": [], "/machine": [],
        }

    def inert(self, window, where):
        self.assertIsNone(window.driver.execute_script("return window.hurt ?? null"), where)
        self.assertEqual(window.all("img[src=x], [onerror], [onclick], main script, dialog script"), [], where)

    def test_what_people_write_is_text_on_every_page(self):
        pages = self.write()
        window = self.window("ada")
        seen = set()
        for address, words in pages.items():
            window.open(address)
            for word in words:
                window.see(SEEN.format(word), "main")
            self.inert(window, address)
            seen |= set(words)
        plan = next(address for address in pages if address.startswith("/plans/")).split("?")[0]
        window.open(plan)
        window.press(HOSTILE.format("title"), "main")
        for word in ("description", "location", "address", "contact", "note", "code"):
            window.see(SEEN.format(word), "dialog")
        seen |= {"description", "contact", "note", "code", "mode", "arrival", "category"}
        self.inert(window, "an activity")
        eve = self.window("eve")
        eve.open(plan)
        eve.press(HOSTILE.format("title"), "main")
        eve.press("Edit", "dialog")
        eve.until(lambda: eve.field("Title").get_attribute("value") == HOSTILE.format("title"), "the text in its field")
        self.inert(eve, "its form")
        # The name of a file is also text of somebody else.
        eve.open(f"{plan}/photos")
        eve.press("Add photos", "main")
        eve.type("Which photos?", self.file(9, "<img src=x onerror=window.hurt=1>.png"))
        eve.see("Caption of <img src=x onerror=window.hurt=1>.png", "dialog")
        eve.press("Send", "dialog")
        eve.until(lambda: eve.all(".gallery img"), "the photo")
        self.inert(eve, "the name of a file")
        self.assertEqual(set(self.words) - seen, set(), "what no page was looked at for")
        run([self.stage.options.waymark, "devices", "update", "van", "--title", "van", "--socket", str(self.stage.folder / "van.sock")])


class Long(PageTest):
    """Names of 64 letters without a space, and titles in Arabic; and a person who has nothing yet."""

    @classmethod
    def setUpClass(cls):
        places.awkward(cls.stage)

    def test_a_long_name_fits_a_narrow_window(self):
        stick_out = []
        for name, address, person, _ in places.states(self.stage):
            if not name.startswith("long-"):
                continue
            window = self.window(person, size=(360, 740))
            window.open(address)
            stick_out += [f"{name}: {what}" for what in window.wider_than_window()]
        self.assertEqual(stick_out, [])

    def test_an_arabic_title_keeps_its_order_on_the_side_of_the_page(self):
        window = self.window("long")
        window.open("/votes/" + self.stage.made["long vote"])
        style = "const {direction, textAlign, unicodeBidi} = getComputedStyle(document.querySelector('h1')); return [direction, textAlign, unicodeBidi]"
        self.assertEqual(window.driver.execute_script(style), ["ltr", "left", "plaintext"])

    def test_a_person_without_a_device_learns_how_to_choose_one(self):
        window = self.window("new")
        window.open("/votes")
        window.see("your position is unknown.", "main")
        window.see_no("devices.join", "main")
        window.press("Devices I travel with", "main")
        window.see("I travel with it", "main")
