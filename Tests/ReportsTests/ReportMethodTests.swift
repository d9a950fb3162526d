import Daemon
import FeatureSupport
import GRDB
import Geodesy
import Positioning
import RPC
import Testing
import Time
import Tracking

@testable import Service
@testable import Sights
@testable import Store

@Suite struct ReportMethodTests {
    private let core: CoreFixture
    private static let day = 86_400.0

    init() throws {
        core = try CoreFixture()
        try core.store.write { try TripSums.setZone("UTC", in: $0) }
    }

    private func sums(_ parameters: JSONObject) async throws -> [JSONValue] {
        try await core.call("reports.summary", parameters, isGuest: true)["sums"].elements
    }

    @Test func thePeriodsAddUpTheTrips() async throws {
        // The 1st of May 2026 is a Friday.
        for number in 0..<4 { try core.record("gps0", at: Double(number) * Self.day, points: 30) }
        try core.record("gps0", at: 5 * Self.day, isOpen: true)
        let days = try await sums(["period": "day"])
        #expect(days.map { $0["start"].text } == ["2026-05-04", "2026-05-03", "2026-05-02", "2026-05-01"])
        #expect(days.allSatisfy { $0["distance"].number == 1234.6 && $0["trips"] == 1 && $0["moving"] == 29 })
        #expect(days.last?["first"] == "2026-05-01T10:00:00.000Z")
        #expect(days.last?["last"] == "2026-05-01T10:00:29.000Z")
        let weeks = try await sums(["period": "week"])
        #expect(weeks.map { $0["start"].text } == ["2026-05-04", "2026-04-27"])
        #expect(weeks.map { $0["end"].text } == ["2026-05-10", "2026-05-03"])
        #expect(weeks.map { $0["trips"].number } == [1, 3])
        let months = try await sums([:])
        #expect(months.count == 1)
        #expect(months.first?["distance"].number == 4938.2)
        let some = try await sums(["period": "year", "from": "2026-05-02", "to": "2026-05-03"])
        #expect(some.map { $0["trips"].number } == [2])
        #expect(some.first?["start"] == "2026-05-02")
        #expect(some.first?["end"] == "2026-05-03")
    }

    @Test func pagesJoinWithoutLossOrRepetition() async throws {
        for number in 0..<9 {
            try core.record("gps0", at: Double(number) * Self.day)
            try core.record("van", at: Double(number) * Self.day)
        }
        let whole = try await sums(["period": "day"])
        #expect(whole.count == 18)
        for limit in [1, 4, 5] as [JSONValue] {
            let pages = try await core.pages("reports.summary", ["period": "day", "limit": limit], of: "sums")
            #expect(pages.flatMap(\.self) == whole)
        }
    }

    @Test func visitsCountInThePeriodInWhichTheyBegan() async throws {
        try core.record("gps0", at: 0)
        try core.record("gps0", at: Self.day)
        try core.record("van", at: Self.day)
        _ = try core.store.importSights([Sight(id: "mill", title: "Mill", place: fix(0).coordinate)])
        try await core.store.write { db in
            for (device, seconds) in [
                ("gps0", -36_000.0), ("gps0", -36_001), ("gps0", 60), ("gps0", Self.day), ("van", Self.day + 70),
            ] {
                try Visits.enter("mill", device, at: moment(seconds), isInitial: false, in: db)
            }
        }
        let days = try await sums(["period": "day"])
        #expect(days.map { $0["start"].text } == ["2026-05-02", "2026-05-02", "2026-05-01"])
        #expect(days.map { $0["device"].text } == ["gps0", "van", "gps0"])
        #expect(days.map { $0["visits"].number } == [1, 1, 2])
        #expect(try await sums(["period": "month", "device": "gps0"]).map { $0["visits"].number } == [3])
    }

    @Test func theLogbookKeepsWhatIsNotGiven() async throws {
        let trip = try core.record("gps0", at: 0)
        let id = JSONValue.string(trip.id)
        let set = try await core.call("logbook.set", ["id": id, "purpose": "business", "reason": " Customer "])
        #expect(set["purpose"] == "business")
        #expect(set["reason"] == "Customer")
        try await core.call("logbook.set", ["id": id, "driver": "Ada"])
        var lines = try await core.call("logbook.list", [:], isGuest: true)["trips"].elements
        #expect(lines.count == 1)
        #expect(lines.first?["purpose"] == "business")
        #expect(lines.first?["driver"] == "Ada")
        #expect(try await sums([:]).first?["business"].number == 1234.6)
        try await core.call("logbook.set", ["id": id, "purpose": "none", "reason": "", "driver": " "])
        lines = try await core.call("logbook.list", [:])["trips"].elements
        #expect(lines.first?["purpose"] == nil && lines.first?["reason"] == nil && lines.first?["driver"] == nil)
        #expect(try await sums([:]).first?["business"] == nil)
    }

    @Test func theLogbookHasOnlyTripsThatHaveEnded() async throws {
        for number in 0..<5 { try core.record("gps0", at: Double(number) * Self.day) }
        try core.record("gps0", at: 9 * Self.day, isOpen: true)
        try core.record("van", at: 9 * Self.day, isOpen: true)
        let pages = try await core.pages("logbook.list", ["limit": 2], of: "trips")
        #expect(pages.map(\.count) == [2, 2, 1])
        #expect(pages.flatMap(\.self).ids.last == "gps0@2026-05-01T10:00:00.000Z")
    }

    @Test func aDayHasTheTripsStopsAndVisitsThatTouchIt() async throws {
        // Ends after midnight, which is 14 hours after the first moment.
        let midnight = 50_400.0
        let late = try core.record("gps0", at: midnight - 10, points: 30)
        let later = try core.record("gps0", at: midnight + 600, points: 3)
        try core.record("van", at: midnight + 700, points: 3)
        let open = try core.record("gps0", at: midnight + 5000, isOpen: true)
        let parked = try core.stop("gps0", from: 60, to: midnight - 100)
        let night = try core.stop("gps0", from: midnight - 90, to: midnight + 200)
        let rest = try core.stop("gps0", from: midnight + 700, to: nil)
        _ = try core.store.importSights([Sight(id: "mill", title: "Mill", place: fix(0).coordinate)])
        try await core.store.write { db in
            try Visits.enter("mill", "gps0", at: moment(midnight + 30), isInitial: false, in: db)
        }
        func history(_ day: JSONValue) async throws -> JSONValue {
            try await core.call("history.day", ["day": day, "device": "gps0"], isGuest: true)
        }
        let first = try await history("2026-05-01")
        #expect(first["trips"].elements.ids == [late.id])
        #expect(first["stops"].elements.ids == [parked.id, night.id])
        #expect(first["visits"].elements.isEmpty)
        let second = try await history("2026-05-02")
        #expect(second["begin"] == "2026-05-02T00:00:00.000Z")
        #expect(second["trips"].elements.ids == [late.id, later.id, open.id])
        #expect(second["stops"].elements.ids == [night.id, rest.id])
        #expect(second["visits"].elements.first?["title"] == "Mill")
        let all = try await core.call("history.day", ["day": "2026-05-02"])
        #expect(all["trips"].elements.count == 4)
    }

    @Test func tripsNearAPlaceAreFoundInPages() async throws {
        let trips = try (0..<5).map { try core.record("gps0", at: Double($0) * 1000, points: 10) }
        try core.record("gps0", at: 9000, isOpen: true)
        var found: [String] = []
        var parameters: JSONObject = ["lat": 52.3703, "lon": 4.89, "radius": 30, "limit": 2]
        while true {
            let page = try await core.call("history.near", parameters, isGuest: true)
            found += page["trips"].elements.ids
            guard let next = page["next"] else { break }
            parameters["after"] = next
        }
        #expect(found == trips.reversed().map(\.id))
        let near = try await core.call("history.near", ["lat": 52.3703, "lon": 4.89, "radius": 30])
        // The points are 11 m and one second apart, so the first one within 30 m is the second.
        #expect(near["trips"].elements.last?["near"] == "2026-05-01T10:00:01.000Z")
        let none = try await core.call("history.near", ["lat": 52.4, "lon": 4.89, "radius": 100])
        #expect(none["trips"].elements.isEmpty)
    }

    @Test func theSightsWhereATripBeginsAndEndsSayWhatItWasFor() async throws {
        // Both trips begin at home. One goes 320 m north, the other 650 m.
        _ = try core.store.importSights([
            Sight(id: "home", title: "Home", place: fix(0).coordinate),
            Sight(id: "yard", title: "Yard", place: fix(0, north: 29_000).coordinate),
            Sight(id: "bally", title: "Bally", place: fix(0, north: 58_000).coordinate),
        ])
        let (early, late) = (try core.record("gps0", at: 0, points: 30), try core.record("gps0", at: 1000, points: 59))
        func set(_ sight: JSONValue, _ role: JSONValue) async throws {
            try await core.call("logbook.setPlace", ["sight": sight, "role": role])
        }
        func purposes() async throws -> [String?] {
            try await core.call("logbook.list", [:])["trips"].elements.map { $0["purpose"].text }
        }
        try await set("home", "home")
        try await set("yard", "work")
        #expect(try await purposes() == [nil, nil])
        #expect(try await core.call("logbook.apply", ["limit": 1])["changed"] == 0)
        #expect(try await core.call("logbook.apply", [:])["changed"] == 1)
        #expect(try await purposes() == [nil, "commute"])
        try await set("bally", "business")
        #expect(try await core.call("logbook.apply", [:])["changed"] == 1)
        let lines = try await core.call("logbook.list", [:])["trips"].elements
        #expect(lines.first?["purpose"] == "business")
        #expect(lines.first?["reason"] == "Bally")
        // What somebody says by hand stays.
        try await core.call("logbook.set", ["id": .string(early.id), "purpose": "private"])
        #expect(try await core.call("logbook.apply", [:])["same"] == 2)
        #expect(try await purposes() == ["business", "private"])
        // A rule that holds no more takes its entry away.
        try await set("bally", "none")
        #expect(try await core.call("logbook.apply", [:])["changed"] == 1)
        #expect(try await purposes() == [nil, "private"])
        let places = try await core.call("logbook.places", [:])["places"].elements
        #expect(places.map { $0["role"].text } == ["home", "work"])
        // From then on, the end of a trip is enough.
        let followers = LogConsumers(core.context, core.features.consumers)
        try await core.store.write { db in
            let event = EventRecord(
                time: moment(2000), type: "trip.end", device: "gps0", subject: "trip/\(late.id)",
                members: Array(#""type":"trip.end""#.utf8))
            _ = try EventLog.append([event], to: db)
        }
        try await set("bally", "business")
        try await followers.catchUp()
        #expect(try await purposes() == ["business", "private"])
    }

    @Test func timesOverALimitCountWhereTheyBegan() async throws {
        try core.record("gps0", at: 0)
        try core.record("gps0", at: Self.day)
        let midnight = 50_400.0
        // Two beginnings of the same, one time over midnight, and one on another day.
        let events = [
            (10.0, #""limit":13.9,"speed":15"#), (40.0, #""limit":13.9,"max_speed":16,"over":400,"seconds":30.5"#),
            (midnight + 5, #""limit":13.9,"max_speed":16,"over":400,"seconds":20"#),
            (Self.day + 60, #""limit":13.9,"max_speed":16,"over":400,"seconds":12"#),
        ].map { seconds, members in
            EventRecord(
                time: moment(seconds), type: "geofence.speed", device: "gps0", subject: nil,
                members: Array("\"type\":\"geofence.speed\",\(members)".utf8))
        }
        try await core.store.write { _ = try EventLog.append(events, to: $0) }
        try await LogConsumers(core.context, core.features.consumers).catchUp()
        let days = try await sums(["period": "day"])
        #expect(days.map { $0["speeding"].number } == [1, 2])
        #expect(days.map { $0["speeding_time"].number } == [12, 50.5])
        #expect(try await sums([:]).map { $0["speeding"].number } == [3])
    }
}
