"""Places by name, sights that come near, and bookings from files."""

import base64
import json
import quopri

from case import PageTest

BEACH = "4170797\tRoyal Palm Beach\t\t\t26.70841\t-80.2306\tP\tPPL\tUS\t\tFL\t\t\t\t38000\t\t\t\t2024-01-01\n"


class Places(PageTest):
    """What people look for by its name is found where they are."""

    def test_a_sight_nearby_comes_before_a_beach_far_away(self):
        plan = self.plan("ada", "Palaces", lat=52.37, lon=4.89)
        self.plan("bob", "Bob's own", locations=[("Royal Palette", 52.37, 4.89, {"level": "me"})])
        self.stage.administer("ada")
        self.addCleanup(self.stage.administer, "ada", "--remove")
        window = self.window("ada")
        window.open(f"/plans/{plan}")
        window.press("Add an item", "main")
        window.type("Name of the place", "royal pal", "dialog")
        window.until(lambda: any(row.startswith("Royal Palace, sight (") for row in window.rows("dialog")), "the palace")
        window.see("waymark place import", "dialog")
        self.call("ada", "places.import", text=BEACH)
        window.open("/history")
        window.type("When was I in …?", "royal pal", "main")
        window.see("Royal Palm Beach, US", "main")
        rows = [row for row in window.rows() if row.startswith("Royal")]
        self.assertRegex(rows[0], r"^Royal Palace, sight \(\d")
        self.assertRegex(rows[1], r"^Royal Palm Beach, US \(7,\d\d\d km\)$")
        self.assertEqual(len(rows), 2, "not what others keep for themselves")
        window.see_no("waymark place import", "main")
        window.press(rows[0], "main ul.rows")
        window.see("In Royal Palace", "main")


class Passing(PageTest):
    """The card of a sight that the device comes to which carries the person."""

    SOON = 20

    def way(self, first, last, south=53.4):
        """Returns places from west to east, 15 m apart."""
        return [(south, 6.6 + 15 * n / 66_400) for n in range(first, last)]

    def aboard(self, device, south):
        """Makes a device that carries Dan, west of a sight on the left of its way; returns the sight."""
        title = f"The drawbridge of the {device}"
        sight = self.call("bob", "sights.add", title=title, description="It opens at six.", radius=60,
                          lat=south + 30 / 111_200, lon=6.6 + 300 / 66_400)["id"]
        self.stage.ride(device, self.way(-6, 0, south))
        self.call("dan", "devices.join", device=device)
        self.addCleanup(self.call, "dan", "devices.leave", device=device)
        return title, sight

    def test_a_card_says_what_comes_and_asks_how_it_was(self):
        title, sight = self.aboard("dinghy", 53.4)
        window, german = self.window("dan"), self.window("dan", language="de")
        for each in (window, german):
            each.open("/now?device=dinghy")
        self.stage.ride("dinghy", self.way(0, 19))
        window.see(title, ".passing", self.SOON)
        window.see("m on the left", ".passing")
        german.see("m links", ".passing", self.SOON)
        # Nothing is heard unless somebody wants it.
        self.assertEqual(window.driver.execute_script("return localStorage.getItem('near.sound')"), None)
        window.type("Sound", "a tone", ".passing")
        self.assertEqual(window.driver.execute_script("return localStorage.getItem('near.sound')"), "tone")
        self.addCleanup(window.driver.execute_script, "localStorage.removeItem('near.sound')")
        spoken = window.driver.execute_script("return document.querySelector('main p[aria-live=polite].hidden').textContent")
        self.assertIn(title, spoken)
        self.stage.ride("dinghy", self.way(19, 34))
        window.see("How was it?", ".passing", self.SOON)
        german.see("Wie war es?", ".passing", self.SOON)
        window.click(".passing input[value='4']")
        window.see("Your stars are kept.")
        window.gone(".passing")
        own = self.call("dan", "reviews.summary", subject=f"sight/{sight}")["own"]
        self.assertEqual(self.call("dan", "reviews.get", review=own)["rating"], 4)

    def test_escape_closes_the_card(self):
        title, _ = self.aboard("canoe", 53.5)
        window = self.window("dan")
        window.open("/now?device=canoe")
        self.stage.ride("canoe", self.way(0, 19, 53.5))
        window.see(title, ".passing", self.SOON)
        window.escape()
        window.gone(".passing")
        window.open("/profile")
        window.type("When a sight comes near", "read aloud", "main")
        self.assertEqual(window.driver.execute_script("return localStorage.getItem('near.sound')"), "speech")
        window.driver.execute_script("localStorage.removeItem('near.sound')")


FOLDED = "BEGIN:VEVENT\r\nUID:3\r\nDTSTART:20260602T190000Z\r\nDTEND:20260602T210000Z\r\nSUMMARY:Dinner at the Caf".encode() \
    + b"\xc3\r\n \xa9 Oost\r\nLOCATION:Oost\\, first floor\r\nDESCRIPTION:Ask for the window.\\nBring cash\\; no cards.\r\nEND:VEVENT\r\n"
CALENDAR = b"""BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//test
BEGIN:VTIMEZONE
TZID:Lisbon
X-LIC-LOCATION:Europe/Lisbon
END:VTIMEZONE
BEGIN:VEVENT
UID:1
DTSTART;TZID=Europe/Amsterdam:20260601T100000
DURATION:PT1H30M
SUMMARY:Museum of bags
GEO:52.3654;4.8965
URL:https://example.org/bags
BEGIN:VALARM
TRIGGER:-PT15M
DESCRIPTION:Not this
END:VALARM
END:VEVENT
BEGIN:VEVENT
UID:2
DTSTART;VALUE=DATE:20260601
DTEND;VALUE=DATE:20260604
SUMMARY:Hotel Amstel
END:VEVENT
BEGIN:VEVENT
UID:4
DTSTART;TZID="Lisbon":20260603T080000
SUMMARY:Call Lisbon
RRULE:FREQ=DAILY
END:VEVENT
BEGIN:VEVENT
UID:5
STATUS:CANCELLED
DTSTART:20260603T090000
SUMMARY:Never
END:VEVENT
""".replace(b"\n", b"\r\n") + FOLDED + b"END:VCALENDAR\r\n"

FLIGHT = {
    "@context": "http://schema.org", "@type": "FlightReservation", "reservationNumber": "RX7QZ",
    "reservationStatus": "http://schema.org/ReservationConfirmed",
    "reservationFor": {
        "@type": "Flight", "flightNumber": "1693", "airline": {"@type": "Airline", "name": "KLM", "iataCode": "KL"},
        "departureAirport": {"@type": "Airport", "name": "Amsterdam", "iataCode": "AMS"},
        "arrivalAirport": {"@type": "Airport", "name": "Lisboa", "iataCode": "LIS"},
        "departureTime": "2026-06-04T09:15:00+02:00", "arrivalTime": "2026-06-04T11:20:00+01:00"}}
LODGING = {
    "@context": "http://schema.org", "@type": "LodgingReservation", "reservationNumber": "H-12",
    "reservationFor": {"@type": "LodgingBusiness", "name": "Casa do Père", "telephone": "+351 1",
                       "address": {"streetAddress": "Rua 1", "postalCode": "1100", "addressLocality": "Lisboa"}},
    "checkinTime": "2026-06-04T15:00", "checkoutTime": "2026-06-06T11:00"}
PAGE = f"""<html><head><script type="application/ld+json">{json.dumps([FLIGHT, LODGING], ensure_ascii=False)}</script>
<script type="application/ld+json">{{ damaged</script></head><body><img src="https://elsewhere.example/pixel.gif"></body></html>"""
INVITATION = CALENDAR.replace(b"Museum of bags", b"Museum of keys").replace(b"UID:1", b"UID:9")
MAIL = b"\r\n".join([
    b"From: Booking <a@example.org>", b"To: ada@example.org", b"Subject: Your booking", b"MIME-Version: 1.0",
    b'Content-Type: multipart/mixed;\r\n boundary="outer"', b"", b"--outer",
    b'Content-Type: multipart/alternative; boundary="outer2"', b"", b"--outer2", b"Content-Type: text/plain", b"", b"Hello",
    b"--outer2", b"Content-Type: text/html; charset=utf-8", b"Content-Transfer-Encoding: quoted-printable", b"",
    quopri.encodestring(PAGE.encode()).replace(b"\n", b"\r\n"), b"--outer2--", b"--outer",
    b'Content-Type: application/octet-stream; name="invite.ics"', b"Content-Transfer-Encoding: base64", b"",
    base64.encodebytes(INVITATION), b"--outer--", b""])
TRACK = b"""<gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1">
<wpt lat="52.36" lon="4.88"><name>The corner &amp; caf\xc3\xa9</name><desc>Good soup</desc></wpt>
<wpt lat="52.37" lon="4.9"><name>Bench</name></wpt><wpt lat="52.38" lon="4.9"/></gpx>"""


class Bookings(PageTest):
    """Files become items and locations of a plan, once the person has agreed."""

    #: The browser describes what is wrong with a damaged GPX file in a document with a style of its own.
    allowed = ("inline style",)

    def setUp(self):
        self.id = self.plan("ada", "Bags and keys", ["bob"], zone="Europe/Amsterdam", start="2026-06-01", end="2026-06-06")

    def items(self):
        days = self.call("ada", "plans.itinerary", plan=self.id)["days"]
        return {item["title"]: item for day in days for item in day["items"]}

    def choose(self, window, content, name):
        window.press("Add from files", "main")
        window.type("Files", self.file(content, name), "dialog")
        window.press("Look into it", "dialog")

    def test_a_calendar_becomes_items(self):
        window = self.window("ada")
        window.open(f"/plans/{self.id}")
        self.choose(window, CALENDAR, "trip.ics")
        window.see("Dinner at the Café Oost", "dialog")
        window.see("One event was cancelled", "dialog")
        window.see("only the first one is added", "dialog")
        window.see_no("Never", "dialog")
        self.assertEqual(self.items(), {}, "before the person agrees")
        row = next(row for row in window.all("dialog .row") if "Hotel Amstel" in row.text)
        row.find_element("css selector", "input").click()
        window.press("Add 3", "dialog")
        window.see("3 were added to the plan.")
        items = self.items()
        self.assertEqual(sorted(items), ["Call Lisbon", "Dinner at the Café Oost", "Museum of bags"])
        bags, dinner, lisbon = (items[name] for name in ("Museum of bags", "Dinner at the Café Oost", "Call Lisbon"))
        self.assertEqual((bags["tab"], bags["from"]["at"], bags["to"]["at"], bags["from"]["zone"], bags["lat"]),
                         ("places", "2026-06-01T10:00", "2026-06-01T11:30", "Europe/Amsterdam", 52.3654))
        self.assertEqual(bags["url"], "https://example.org/bags")
        self.assertNotIn("note", bags)
        self.assertEqual((dinner["tab"], dinner["from"]["at"], dinner["location"], dinner["note"]),
                         ("food", "2026-06-02T21:00", "Oost, first floor", "Ask for the window.\nBring cash; no cards."))
        self.assertEqual((lisbon["from"]["at"], lisbon["from"]["zone"]), ("2026-06-03T08:00", "Europe/Lisbon"))
        # The same file again says what is there.
        self.choose(window, CALENDAR, "trip.ics")
        window.see("already there", "dialog")
        window.press("Add one", "dialog")
        window.see("One was added to the plan.")
        hotel = self.items()["Hotel Amstel"]
        self.assertEqual((hotel["tab"], hotel["from"]["at"], hotel["to"]["at"]), ("lodging", "2026-06-01", "2026-06-03"))
        window.press("Undo", ".toast:last-child")
        window.until(lambda: "Hotel Amstel" not in self.items(), "undone")

    def test_a_mail_becomes_bookings(self):
        window = self.window("ada")
        window.open(f"/plans/{self.id}")
        self.choose(window, MAIL, "booking.eml")
        window.see("Flight KL 1693, Amsterdam → Lisboa", "dialog")
        window.see("code RX7QZ", "dialog")
        window.see("Museum of keys", "dialog")
        window.press("Add 6", "dialog")
        window.see("6 were added to the plan.")
        items = self.items()
        flight, stay = items["Flight KL 1693, Amsterdam → Lisboa"], items["Casa do Père"]
        self.assertEqual((flight["tab"], flight["from"]["at"], flight["from"]["zone"], flight["to"]["time"], flight["booking_code"]),
                         ("transport", "2026-06-04T09:15", "Europe/Amsterdam", "2026-06-04T10:20:00.000Z", "RX7QZ"))
        self.assertEqual((flight["departure"], flight["arrival"], flight["mode"], flight["booked"]), ("Amsterdam", "Lisboa", "Flight", True))
        self.assertEqual((stay["tab"], stay["from"]["at"], stay["to"]["at"], stay["address"], stay["contact"]),
                         ("lodging", "2026-06-04T15:00", "2026-06-06T11:00", "Rua 1, 1100 Lisboa", "+351 1"))

    def test_files_are_dropped_on_the_page(self):
        german = self.window("ada", language="de")
        german.open(f"/plans/{self.id}/locations")
        def drag(event):
            return german.driver.execute_script("""
                const files = new DataTransfer();
                files.items.add(new File([Uint8Array.from(atob(arguments[1]), (one) => one.charCodeAt(0))], 'places.gpx'));
                const event = new DragEvent(arguments[0], {bubbles: true, cancelable: true, dataTransfer: files});
                document.querySelector('main').dispatchEvent(event);
                return event.defaultPrevented && Boolean(document.querySelector('.bookings-drop'));""",
                event, base64.b64encode(TRACK).decode())
        german.until(lambda: drag("dragover"), "where to drop")
        drag("drop")
        german.see("The corner & café", "dialog")
        german.press("2 hinzufügen", "dialog")
        german.see("2 Einträge sind jetzt im Plan.")
        locations = self.call("ada", "locations.list", plan=self.id)["locations"]
        self.assertEqual([(one["name"], one.get("description")) for one in locations], [("The corner & café", "Good soup"), ("Bench", None)])

    def test_what_is_no_booking_is_told(self):
        window = self.window("ada")
        window.open(f"/plans/{self.id}")
        for content, name, words in [
            (b"\x00\x01\x02 nothing", "x.bin", "x.bin: This is neither a calendar nor a saved mail nor a GPX file."),
            (b"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:No time\r\nEND:VEVENT\r\n", "a.ics", "The file has no bookings"),
            (b"<gpx><wpt lat='1'", "b.gpx", "b.gpx: The file is damaged."),
            (b"BEGIN:VCALENDAR\r\n" + b"".join(
                b"BEGIN:VEVENT\r\nUID:%d\r\nDTSTART:20260601\r\nSUMMARY:E%d\r\nEND:VEVENT\r\n" % (n, n) for n in range(400)),
             "many.ics", "too many entries"),
            (b"BEGIN:VCALENDAR\r\n" + b"A" * 10_000_001, "large.ics", "large.ics: The file is too large."),
            (b"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART:20261332T256199\r\nSUMMARY:Day 32\r\nEND:VEVENT\r\n", "c.ics", "The file has no bookings"),
        ]:
            self.choose(window, content, name)
            window.see(words, "dialog")
            window.escape()
            window.gone("dialog")
        # Who may only look is not offered it.
        other = self.window("bob")
        other.open(f"/plans/{self.id}")
        self.assertNotIn("Add from files", other.text())
