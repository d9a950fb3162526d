#if Companion
import Callers
import GRDB
import Geodesy
import Positioning
import RPC
import Store
import TestSupport
import Testing
import Time
import Tracking

@testable import Daemon
@testable import Service

/// OU-2: a plan gets the same stamps live, in a replay and across a restart, from its travellers' devices and its time
/// only.
@Suite(.slow, .timeLimit(.minutes(2))) struct PlanStampTests {
    /// How the daemon receives a journey.
    enum Hearing: CaseIterable {
        case replayed, live, restarted
    }

    private static let ada: Principal = {
        let connection = Principal(number: 1, origin: .user(1000), rights: [.read])
        connection.identity = .init(person: "ada")
        return connection
    }()

    private static func call(_ features: Features, _ method: String, _ parameters: JSONObject) async throws -> JSONValue
    {
        var table = MethodTable<Principal>(title: "Test", version: "1") { Issue.record("\($0) failed: \($1)") }
        table.add(features.methods)
        let request = Request(id: .integer(1), method: method, parameters: .named(parameters))
        let answer = try await table.dispatch(request, from: ada).get()
        return try JSONValue(parsing: answer.bytes.span)
    }

    /// Returns the plan of the three days after a journey, without what differs from store to store.
    private static func journey(
        _ hearing: Hearing, start: String = "2026-06-01", end: String = "2026-06-03", device: String = "van"
    ) async throws -> (answer: JSONObject, events: Int) {
        let store = try Stores.temporary()
        try await store.write { db in
            try db.execute(
                sql: """
                    INSERT INTO person (id, first_name, last_name, email, joined, proven)
                    VALUES ('ada', 'Ada', '', 'ada@example.org', 0, 0);
                    INSERT INTO carried SELECT 'van', number FROM person;
                    """)
        }
        var rig = try await LiveRig(store)
        var features = Features(store: store, liveState: rig.pipeline)
        let plan = try #require(
            try await call(
                features, "plans.create",
                ["title": "East", "zone": "Europe/Amsterdam", "start": .string(start), "end": .string(end)])["id"])
        func add(_ place: ThreeDays.Place) async throws {
            _ = try await call(
                features, "locations.add",
                [
                    "plan": plan, "name": .string(place.name), "lat": .number(place.middle.latitude),
                    "lon": .number(place.middle.longitude), "radius_m": .number(ThreeDays.radius),
                    "from": .string("2026-06-0\(place.day + 1)T10:00"),
                ])
        }
        for place in ThreeDays.places where place.name != "Tower" { try await add(place) }
        var last: Int64?
        for day in 0..<3 {
            if hearing == .restarted, day > 0 {
                rig = try await LiveRig(store)
                features = Features(store: store, liveState: rig.pipeline)
            }
            // This location is added during the journey.
            if day == 2 { try await add(ThreeDays.places[4]) }
            let fixes = ThreeDays.fixes(ofDay: day)
            let heard = rig
            let before = last
            try await rig.run {
                var last = before
                for fix in fixes {
                    if let last { heard.clock.move(by: Double(fix.time - last) / 1000) }
                    last = fix.time
                    await heard.receive(
                        [Fix(time: Timestamp(milliseconds: fix.time), coordinate: fix.place)], of: device,
                        isRecording: hearing == .replayed)
                }
            }
            last = fixes.last?.time
        }
        try await LogConsumers(features.context, features.consumers).catchUp()
        let answer = try await call(features, "plans.journey", ["plan": plan])
        guard case .object(var object) = answer else { throw RPCError(.notFound, "no journey") }
        object["locations"] = .array(
            elements(answer["locations"]).map { location in
                guard case .object(var location) = location else { return location }
                location["id"] = nil
                return .object(location)
            })
        let events = try store.events(after: 0, limit: .max).count { $0.subject?.hasPrefix("location/") == true }
        return (object, events)
    }

    private static func elements(_ value: JSONValue?) -> [JSONValue] {
        if case .array(let elements)? = value { elements } else { [] }
    }

    @Test func liveReplayedAndRestartedJourneysGiveTheSameStamps() async throws {
        let (replayed, events) = try await Self.journey(.replayed)
        let locations = Self.elements(replayed["locations"])
        let expected = ThreeDays.places.map { place in
            ThreeDays.arrival(at: place).map { JSONValue.string(Timestamp(milliseconds: $0).description) }
        }
        // The location that was added during the journey is the last of the plan.
        let order = [0, 1, 2, 3, 5, 4]
        #expect(locations.map { $0["passed"] } == order.map { expected[$0] })
        #expect(events >= 10)
        for hearing in [Hearing.live, .restarted] {
            let (other, others) = try await Self.journey(hearing)
            #expect(other == replayed, "\(hearing)")
            #expect(others == events)
        }
    }

    @Test func aDeviceThatCarriesNoTravellerStampsNothing() async throws {
        let (answer, events) = try await Self.journey(.replayed, device: "truck")
        #expect(events == 0 && answer["travelled_m"] == 0)
    }

    @Test func locationsAreStampedFromADayBeforeThePlanToADayAfter() async throws {
        for (start, end, passed) in [
            ("2026-06-02", "2026-06-02", 5), ("2026-06-03", "2026-06-03", 4), ("2026-05-20", "2026-05-31", 2),
            ("2026-06-05", "2026-06-06", 0), ("2026-05-20", "2026-05-30", 0),
        ] {
            let (answer, events) = try await Self.journey(.replayed, start: start, end: end)
            let locations = Self.elements(answer["locations"])
            #expect(locations.count == 6)
            #expect(locations.count { $0["passed"] != nil } == passed, "\(start)")
            #expect((events > 0) == (passed > 0), "\(start)")
        }
    }
}
#endif
