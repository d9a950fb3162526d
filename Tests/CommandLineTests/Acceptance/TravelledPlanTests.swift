#if Companion
import Foundation
import Geodesy
import RPC
import TestSupport
import Testing
import Time

/// Plans that a journey stamps: row OU-2, and MT-6 of My Trips.
@Suite(.slow) struct TravelledPlanTests {
    private static let password: JSONObject = ["account": "ada", "password": "correct horse"]

    private static func signedIn(_ town: Town) throws -> Traveller {
        let ada = try town.traveller()
        try ada.call("people.signIn", password)
        return ada
    }

    /// Creates the plan of the three days with these places and returns its id.
    private static func plan(_ ada: Traveller, _ places: some Sequence<ThreeDays.Place>) throws -> JSONValue {
        let plan = try ada.call(
            "plans.create",
            ["title": "East", "zone": "Europe/Amsterdam", "start": "2026-06-01", "end": "2026-06-03"])["id"].known
        for place in places { try add(place, to: plan, ada) }
        return plan
    }

    private static func add(_ place: ThreeDays.Place, to plan: JSONValue, _ ada: Traveller) throws {
        try ada.call(
            "locations.add",
            [
                "plan": plan, "name": .string(place.name), "lat": .number(place.middle.latitude),
                "lon": .number(place.middle.longitude), "radius_m": .number(ThreeDays.radius),
                "from": .string("2026-06-0\(place.day + 1)T10:00"),
            ])
    }

    private static func drive(_ town: Town, day: Int) async throws {
        try await town.drive(
            ThreeDays.fixes(ofDay: day).map {
                (Timestamp(milliseconds: $0.time), $0.place.latitude, $0.place.longitude)
            })
    }

    /// Waits until `count` locations are stamped or the deadline passes, and returns when each was passed, by name.
    private static func stamps(_ ada: Traveller, _ plan: JSONValue, atLeast count: Int) throws -> [String: String] {
        var stamps: [String: String] = [:]
        let end = ContinuousClock.now + RunningDaemon.deadline
        repeat {
            let list = try ada.call("locations.list", ["plan": plan])["locations"]?.elements ?? []
            for location in list { stamps[location["name"]?.text ?? ""] = location["passed"]?.text }
        } while stamps.count < count && .now < end
        return stamps
    }

    private static func expected(_ places: some Sequence<ThreeDays.Place>) -> [String: String] {
        var stamps: [String: String] = [:]
        for place in places {
            stamps[place.name] = ThreeDays.arrival(at: place).map { Timestamp(milliseconds: $0).description }
        }
        return stamps
    }

    @Test("MT-6 a replay stamps the locations it passes with their fixes' times, once, and a restart changes nothing")
    func stamps() async throws {
        let folder = try TemporaryFolder()
        let places = ThreeDays.places
        let town = try await Town(in: folder)
        // A device is known only after its first fix.
        try await town.drive(Town.way(latitude: 50), from: "2026-05-01T08:00:00Z")
        let plan = try await offThePool {
            let ada = try town.resident("ada")
            try ada.call("devices.join", ["device": "van"])
            return try Self.plan(ada, places)
        }
        try await Self.drive(town, day: 0)
        let expected = Self.expected(places.prefix(2))
        try await Town.play(in: town) { town in
            let ada = try Self.signedIn(town)
            #expect(try Self.stamps(ada, plan, atLeast: 2) == expected)
            let told = try ada.call("notifications.list")["notifications"]?.elements ?? []
            #expect(told.compactMap { $0["text"]?.text }.filter { $0.contains("A traveller passed") }.count == 2)
        }
        #expect(try await town.daemon.stop() == .exit(0))
        let again = try await Town(in: folder)
        try await Town.play(in: again) { town in
            let ada = try Self.signedIn(town)
            #expect(try Self.stamps(ada, plan, atLeast: 2) == expected)
        }
    }

    @Test("OU-2 a journey stamps five of six locations and shows trips, distances beside the planned ones, and stops")
    func journey() async throws {
        let folder = try TemporaryFolder()
        let places = ThreeDays.places
        let town = try await Town(in: folder)
        try await town.drive(Town.way(latitude: 50), from: "2026-05-01T08:00:00Z")
        let plan = try await offThePool {
            let ada = try town.resident("ada")
            try ada.call("devices.join", ["device": "van"])
            return try Self.plan(ada, places.filter { $0.name != "Tower" })
        }
        try await Self.drive(town, day: 0)
        try await Self.drive(town, day: 1)
        town.daemon.kill()
        let later = try await Town(in: folder)
        // This location is added during the journey and watched at once.
        try await Town.play(in: later) { town in
            try Self.add(places[4], to: plan, try Self.signedIn(town))
        }
        try await Self.drive(later, day: 2)
        try await Town.play(in: later) { town in
            let ada = try Self.signedIn(town)
            #expect(try Self.stamps(ada, plan, atLeast: 5) == Self.expected(places))
            let journey = try ada.call("plans.journey", ["plan": plan])
            let visited = (journey["locations"]?.elements ?? []).filter { $0["visited"] == true }
            #expect(visited.compactMap { $0["name"]?.text } == ["Mill", "Hotel", "Forum", "Inn", "Tower"])
            // The van only passes the mill, and stays at the hotel overnight.
            let stays = visited.map { $0["stayed_s"]?.real ?? 0 }
            #expect(stays[0] < 60 && stays[1] > 80_000 && stays[1] < 90_000)
            #expect(journey["trips"]?.elements?.count == 3)
            let days = journey["days"]?.elements ?? []
            #expect(days.compactMap { $0["day"]?.text } == ["2026-06-01", "2026-06-02", "2026-06-03"])
            // About 6 km a day; the exact start of a trip may vary.
            for day in days { #expect(abs((day["travelled_m"]?.real ?? 0) - 5960) < 120, "\(day)") }
            let first = Ellipsoid.distance(from: places[0].middle, to: places[1].middle).meters
            #expect(abs((days[0]["planned_m"]?.real ?? 0) - first) < 0.1)
            let stops = (journey["stops"]?.elements ?? []).compactMap { stop in
                Coordinate(latitude: stop["lat"]?.real ?? 0, longitude: stop["lon"]?.real ?? 0)
            }
            #expect(stops.count == ThreeDays.stops.count)
            for (stop, expected) in zip(stops, ThreeDays.stops) {
                #expect(Sphere.distance(from: stop, to: expected).meters < 60)
            }
            // A caller who is not a member sees plan and stamps, but nothing else about where people have been.
            try ada.call("plans.publish", ["plan": plan, "published": true])
            let shown = try town.traveller().call("plans.journey", ["plan": plan])
            #expect(shown["locations"] == journey["locations"] && shown["planned_m"] == journey["planned_m"])
            #expect(shown["travelled_m"] == nil && shown["trips"] == nil && shown["stops"] == nil)
            #expect(shown["days"]?.elements?.allSatisfy { $0["travelled_m"] == nil } == true)
        }
    }
}
#endif
