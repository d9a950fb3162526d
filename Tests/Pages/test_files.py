from case import PageTest


class Files(PageTest):
    def test_trips_of_a_gpx_file_are_imported_and_told(self):
        trip = {"id": "gps0.1", "device": "gps0", "start": "2026-05-01T08:00:00Z", "end": "2026-05-01T09:00:00Z", "distance": 5200, "name": "Hoorn → Edam"}
        window = self.window("cleo", size=(1100, 800))
        self.answer_in_place(window, admin=True, trips_import=[
            {"trips": [], "stops": 0, "read": 2000, "rejected": {}},
            {"trips": [{**trip, "outcome": "added"}, {**trip, "id": "gps0.2", "outcome": "overlapping", "with": "van.1"}], "stops": 1, "read": 2001, "rejected": {"wild": 3}}])
        window.open("/trips")
        window.press("Import GPX", "main")
        point = '<trkpt lat="52.5" lon="5.1"><ele>3</ele><time>2026-05-01T08:00:00Z</time></trkpt>'
        window.type("GPX file", self.file(f"<gpx><trk><trkseg>{point * 1999}</trkseg><trkseg>{point * 2}</trkseg></trk></gpx>".encode(), "day.gpx"))
        window.press("Import", "dialog")
        window.see("2,001 points were read, and 2 trips were found.", "dialog")
        window.see("Skipped: wild: 3.", "dialog")
        window.see("overlaps another trip", "dialog")
        first, second = (one["params"] for one in window.driver.execute_script("return window.asked"))
        self.assertEqual([first["more"], first["part"], second.get("more"), second["part"]], [True, 0, None, 1])
        self.assertEqual(first["points"][0], {"lat": 52.5, "lon": 5.1, "time": "2026-05-01T08:00:00Z", "alt": 3})
        self.assertEqual([n for n, one in enumerate(first["points"]) if one.get("gap")], [1999])
