import FeatureSupport
import Geodesy
import RPC
import Store
import TestSupport
import Testing
import Tracking

@testable import Service

/// Names and time zones from the gazetteer in sights, trips and plans.
@Suite struct PlaceNameTests {
    @Test func withoutAGazetteerSightsAndOwnLocationsAreFound() async throws {
        let core = try CoreFixture()
        try core.people("ada", "bob")
        try await core.call(
            "sights.add",
            [
                "id": "mill", "title": "Old Mill", "lat": 52.1, "lon": 5.1,
                "description": "Turns when the wind is right.",
            ])
        let plan = try await core.call(as: "ada", "plans.create", ["title": "Mills", "level": "friends"])
        let id = plan["id"] ?? .null
        try await core.call(
            as: "ada", "locations.add", ["plan": id, "name": "Müller's", "lat": 52, "lon": 5.1, "from": "2026-05-01"])
        func names(_ text: String, as person: String?) async throws -> [String] {
            let caller = CoreFixture.connection(as: person)
            let answer = try await core.call(
                "places.search", ["text": .string(text), "lat": 52, "lon": 5], from: caller)
            return answer["places"].elements.compactMap { $0["name"].text }
        }
        #expect(try await names("m", as: "ada") == ["Müller's", "Old Mill"], "the nearest first")
        #expect(try await names("MULL", as: "ada") == ["Müller's"])
        #expect(try await names("mull", as: "bob") == [])
        #expect(try await names("mill", as: nil) == ["Old Mill"])
        try await core.call("places.import", ["text": .string(MethodCase.utrecht + Self.mulheim)])
        #expect(try await names("mu", as: "ada") == ["Müller's", "Mülheim"], "the nearest first, whatever its kind")
        #expect(try await names("mu", as: "bob") == ["Mülheim"])
        #expect(try await names("mull", as: "ada") == ["Müller's"], "where the gazetteer has none")
    }

    @Test func sightsAndOwnLocationsComeBeforeTownsAndAfterWhatIsNear() async throws {
        let core = try CoreFixture()
        try core.people("ada", "bob", "cleo")
        #expect(try await core.call("places.search", ["text": "royal"])["empty"] == .bool(true))
        let beach =
            "4170797\tRoyal Palm Beach\t\t\t26.70841\t-80.2306\tP\tPPL\tUS\t\tFL\t\t\t\t38000\t\t\t\t2024-01-01\n"
        try await core.call("places.import", ["text": .string(beach)])
        try await core.call(
            "sights.add", ["title": "Royal Palace", "lat": 52.3732, "lon": 4.8914, "description": "Marble."])
        let plan =
            try await core.call(as: "ada", "plans.create", ["title": "A day", "level": "members"])["id"] ?? .null
        try await core.call(as: "ada", "friends.request", ["person": "bob"])
        try await core.call(as: "bob", "friends.confirm", ["person": "ada"])
        try await core.call(as: "ada", "members.ask", ["plan": plan, "person": "bob"])
        try await core.call(as: "bob", "members.confirm", ["plan": plan])
        for (name, level) in [("Royal Palm house", "everyone"), ("Royal Palette", "me")] {
            try await core.call(
                as: "ada", "locations.add",
                ["plan": plan, "name": .string(name), "lat": 48, "lon": 11, "level": .string(level)])
        }
        func names(_ who: String?, _ place: JSONObject = [:]) async throws -> [String] {
            var parameters = place
            parameters["text"] = "Royal Pal"
            let answer = try await core.call("places.search", parameters, from: CoreFixture.connection(as: who))
            #expect(answer["empty"] == nil)
            return answer["places"].elements.compactMap { $0["name"].text }
        }
        let amsterdam: JSONObject = ["lat": 52.37, "lon": 4.89]
        #expect(try await names(nil, amsterdam) == ["Royal Palace", "Royal Palm Beach"])
        #expect(try await names(nil, ["lat": 26.7, "lon": -80.2]) == ["Royal Palm Beach", "Royal Palace"])
        #expect(try await names(nil) == ["Royal Palace", "Royal Palm Beach"])
        let own = ["Royal Palace", "Royal Palette", "Royal Palm house", "Royal Palm Beach"]
        #expect(try await names("ada", amsterdam).sorted() == own.sorted())
        #expect(try await names("ada", amsterdam).first == "Royal Palace")
        #expect(try await names("ada", amsterdam).last == "Royal Palm Beach")
        #expect(try await names("ada") == own)
        #expect(try await names("bob") == own.filter { $0 != "Royal Palette" }, "another's private location")
        #expect(try await names("cleo") == ["Royal Palace", "Royal Palm Beach"], "a stranger to the plan")
        for limit in 1...3 {
            var (paged, after): ([String], JSONValue?) = ([], nil)
            repeat {
                var asked = amsterdam
                asked["text"] = "Royal Pal"
                asked["limit"] = .integer(Int64(limit))
                asked["after"] = after
                let answer = try await core.call(as: "ada", "places.search", asked)
                paged += answer["places"].elements.compactMap { $0["name"].text }
                after = answer["next"]
            } while after != nil
            #expect(paged.count == 4 && Set(paged) == Set(own), "\(limit) a page: \(paged)")
        }
    }

    /// With more sights of a name than are scored, those found are the nearest ones, as a look at all of them finds.
    @Test func theNearestOfManySightsAreFound() async throws {
        let core = try CoreFixture()
        var generator = SeededGenerator(seed: 43)
        var sights: [(id: String, place: Coordinate)] = []
        for number in 0..<2400 {
            let spread = number.isMultiple(of: 3) ? 0.1 : 3.0
            let place = Coordinate(
                latitude: 52 + Double.random(in: -spread...spread, using: &generator),
                longitude: 5 + Double.random(in: -spread...spread, using: &generator)
            ).known
            sights.append(("mill-\(number)", place))
        }
        try await core.call(
            "sights.import",
            [
                "sights": .array(
                    sights.map {
                        [
                            "id": .string($0.id), "title": "Old Mill", "lat": .number($0.place.latitude),
                            "lon": .number($0.place.longitude),
                        ]
                    })
            ])
        for (latitude, longitude) in [(52.0, 5.0), (53.5, 3.0), (60.0, 5.0)] {
            let center = Coordinate(latitude: latitude, longitude: longitude).known
            let answer = try await core.call(
                "places.search", ["text": "mil", "lat": .number(latitude), "lon": .number(longitude), "limit": 40])
            let found = answer["places"].elements.compactMap { $0["id"].text }
            #expect(found.count == 40)
            let near = sights.map { ($0.id, Sphere.distance(from: center, to: $0.place)) }
                .filter { $0.1 <= .kilometers(50) }.sorted { $0.1 < $1.1 }
            #expect(found.prefix(near.count) == near.prefix(40).map(\.0)[...], "\(near.count) are near")
        }
    }

    private static let mulheim =
        "2867838\tMülheim\tMuelheim\t\t51.43218\t6.87967\tP\tPPL\tDE\t\t07\t\t\t\t172404\t\t\tEurope/Berlin\t2024-01-01\n"

    @Test func newPlansAndLocationsGetTheTimeZoneOfTheirPlace() async throws {
        let core = try CoreFixture()
        try core.people("ada")
        let before = try await core.call(as: "ada", "plans.create", ["title": "A", "lat": 52, "lon": 5])
        #expect(before["zone"].text == "UTC")
        try await core.call("places.import", ["text": .string(MethodCase.utrecht + Self.mulheim)])
        let plan = try await core.call(
            as: "ada", "plans.create",
            ["title": "B", "lat": 52, "lon": 5, "start": "2026-05-01T10:00", "end": "2026-05-02"])
        #expect(plan["zone"].text == "Europe/Amsterdam")
        #expect(plan["start"]?["time"].text == "2026-05-01T08:00:00.000Z")
        let said = try await core.call(
            as: "ada", "plans.create", ["title": "C", "lat": 52, "lon": 5, "zone": "Europe/Lisbon"])
        #expect(said["zone"].text == "Europe/Lisbon")
        let location = try await core.call(
            as: "ada", "locations.add",
            ["plan": said["id"] ?? .null, "name": "Ruhr", "lat": 51.4, "lon": 6.9, "from": "2026-05-01T10:00"])
        #expect(location["from"]?["zone"].text == "Europe/Berlin")
        let nowhere = try await core.call(
            as: "ada", "locations.add", ["plan": said["id"] ?? .null, "name": "Later", "from": "2026-05-01T10:00"])
        #expect(nowhere["from"]?["zone"].text == "Europe/Lisbon")
        let own = try await core.call(
            as: "ada", "locations.update",
            ["location": location["id"] ?? .null, "from": "2026-05-01T11:00", "lat": 52, "lon": 5])
        #expect(own["from"]?["zone"].text == "Europe/Berlin", "a time keeps its zone")
    }

    @Test func tripsAreNamedByTheirEnds() async throws {
        let core = try CoreFixture()
        let trip = try core.record("gps0", at: 0)
        let id = JSONValue.string(trip.id)
        #expect(try await core.call("trips.get", ["id": id])["name"] == nil)
        // All trips of the fixture begin at the same place.
        let place = try await core.store.read { try Travels.ends(ofTrip: trip.id, in: $0) }.known.start
        let towns = ["Start", "End"].enumerated().map { index, name in
            "\(index + 1)\t\(name)\t\(name)\t\t\(place.latitude + Double(index) * 0.3)\t\(place.longitude)\tP\tPPL\tNL\t\t\t\t\t\t100\t\t\t\t\n"
        }
        try await core.call("places.import", ["text": .string(towns.joined())])
        #expect(try await core.call("trips.get", ["id": id])["name"].text == "Start")
        #expect(try await core.call("trips.list")["trips"].elements.first?["name"].text == "Start")
        let open = try core.record("gps1", at: 100, isOpen: true)
        #expect(try await core.call("trips.get", ["id": .string(open.id)])["name"].text == "Start →")
    }
}
