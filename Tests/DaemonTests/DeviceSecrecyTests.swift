#if Companion
import Callers
import GRDB
import Geodesy
import Phones
import Positioning
import RPC
import Store
import Synchronization
import TestSupport
import Testing
import Time
import Tracking

@testable import Daemon
@testable import EventStream
@testable import Sights
@testable import Service

/// Once there is a group of devices, no answer, event or phone tells anybody of a device that they may not see.
///
/// The airship `zeppelin` has travelled along a parallel that nothing else is on, has visited a sight, has an anchor and an
/// entry in the logbook. Bob is in its group, and Ada travels with it; Eve may not know of it.
@Suite(.slow) struct DeviceSecrecyTests {
    private static let name = "zeppelin"
    /// A name of the same length that no device has.
    private static let other = "aeroship"
    private static let latitude = 47.6543
    /// What tells of the device: its name, and its latitude as answers write it.
    private static let secrets = [name, "47.6543"]
    private static let trip = "\(name)@2026-05-01T10:00:00.000Z"

    private struct World {
        let store: LocationDatabase
        let rig: LiveRig
        let features: Features
        let visibility: EventVisibility
        let table: MethodTable<Principal>
        /// The id of the trip.
        let trip: String

        func call(
            _ method: String, _ parameters: JSONObject = [:], from caller: Principal = DeviceSecrecyTests.admin
        ) async throws -> JSONValue {
            let request = Request(id: .integer(1), method: method, parameters: .named(parameters))
            let answer = try await table.dispatch(request, from: caller).get()
            return try JSONValue(parsing: answer.bytes.span)
        }

        /// Returns the answer to a call, or its error, as text.
        func text(_ method: String, _ parameters: JSONObject, from caller: Principal) async -> String {
            let request = Request(id: .integer(1), method: method, parameters: .named(parameters))
            switch await table.dispatch(request, from: caller) {
            case .success(let answer): return String(decoding: answer.bytes, as: UTF8.self)
            case .failure(let error):
                return error.message
                    + (error.data.map { String(decoding: JSONText($0).bytes, as: UTF8.self) } ?? "")
            }
        }
    }

    fileprivate static let admin = caller(nil, rights: [.read, .change])

    private static func caller(_ person: String?, rights: Set<AccessRight> = [.read]) -> Principal {
        let caller = Principal(number: 1, origin: .user(1000), rights: rights)
        caller.identity = person.map { .init(person: $0) }
        return caller
    }

    private static func world(hasGroup: Bool = true) async throws -> World {
        let store = try Stores.temporary()
        let rig = try await LiveRig(store)
        let features = Features(store: store, liveState: rig.pipeline)
        let visibility = EventVisibility(store)
        visibility.configure(features.context.subjects, features.context.editor)
        let hub = try await EventHub(
            journal: StoreJournal(store: store), visibility: visibility.allows, discretion: visibility.shown)
        let table = DaemonServers.methods(
            rig.pipeline, hub: hub, features: features, connections: { 0 }, reload: { [] }, report: { _, _ in })
        try await store.write { db in
            for id in ["ada", "bob", "eve"] {
                try db.execute(
                    sql: """
                        INSERT INTO person (id, first_name, last_name, email, joined, proven)
                        VALUES (?, ?, 'Test', ?, 1, 1)
                        """, arguments: [id, id, "\(id)@example.org"])
            }
            let quay = Sight(
                id: "quay", title: "Quay", place: Coordinate(latitude: 47.6549, longitude: 9.4687).known,
                radius: .meters(200), information: "Old.")
            _ = try SightStore.put([quay], in: db)
        }
        await rig.pipeline.watch(
            [
                .watched(
                    try #require(try await store.read { try SightStore.sight(id: "quay", in: $0) }).geofence,
                    revision: 1)
            ])
        try await rig.run {
            for start in stride(from: 0, to: 180, by: 60) {
                await rig.receive((start..<start + 60).map { flight($0) }, of: name)
            }
            await rig.receive((0..<150).map { flight(180 + $0 * 10, at: 180) }, of: name)
        }
        let world = World(
            store: store, rig: rig, features: features, visibility: visibility, table: table,
            trip: try await store.read { try Travels.trips(in: $0).first?.summary.id } ?? trip)
        try await LogConsumers(features.context, features.consumers).catchUp()
        _ = try await world.call("devices.update", ["device": .string(name), "people": ["ada"]])
        _ = try await world.call(
            "sights.add",
            [
                "title": "Mast", "lat": .number(latitude), "lon": 9.4687, "radius": 40, "category": "anchor",
                "devices": [.string(name)], "alarm": true, "description": "Moored.",
            ])
        _ = try await world.call("logbook.set", ["id": .string(world.trip), "purpose": "business"])
        if hasGroup {
            _ = try await world.call(
                "groups.create", ["title": "Airships", "devices": [.string(name)], "people": ["bob"]])
        }
        return world
    }

    /// A fix along the parallel, 15 m a second to the east until a second.
    private static func flight(_ second: Int, at moved: Int? = nil) -> Fix {
        let east = Double(moved ?? second) * 15 / (111_195 * 0.6737)
        return Fix(
            time: LiveRig.time(Double(second)),
            coordinate: Coordinate(latitude: latitude, longitude: 9.4327 + east).known)
    }

    private static func values(_ world: World) -> [String: [JSONValue]] {
        let trip = JSONValue.string(world.trip)
        let own: [String: [JSONValue]] = [
            "device": [.string(name)], "id": [trip, "quay", "mast", "airships"], "ids": [.array([trip])],
            "with": [trip], "trip": [trip], "sight": ["quay", "mast"], "subject": ["sight/quay", "sight/mast"],
            "geofence": ["sight/quay", "sight/mast"], "lat": [.number(47.6549)], "lon": [.number(9.4687)],
            "day": ["2026-05-01"], "time": ["2026-05-01T10:02:00Z"], "at": ["2026-05-01T10:02:00Z"],
            "text": ["quay", "mast"], "types": [.array(["*"])], "format": ["csv", "gpx"], "after": [],
            "radius": [.number(5000)], "bbox": [.array([9, 47, 10, 48])],
        ]
        return PrivacyWalkTests.values.merging(own) { $1 }
    }

    private static func parameters(of method: Method<Principal>, in world: World) -> [JSONObject] {
        PrivacyWalkTests.parameters(
            of: method, from: values(world), optional: ["device", "lat", "lon", "types", "ids", "text", "period"])
    }

    @Test(arguments: [nil, "eve"]) func nothingTellsAStrangerOfADevice(_ person: String?) async throws {
        let world = try await Self.world()
        let stranger = Self.caller(person)
        var walked = 0
        let methods = world.table.methods.sorted { !PrivacyWalkTests.changes($0) && PrivacyWalkTests.changes($1) }
        for method in methods where method.right != .change {
            for parameters in Self.parameters(of: method, in: world) {
                let given = String(decoding: JSONText(.object(parameters)).bytes, as: UTF8.self)
                let text = await world.text(method.name, parameters, from: stranger)
                walked += 1
                for secret in Self.secrets where text.contains(secret) && !given.contains(secret) {
                    Issue.record("\(person ?? "nobody") sees \(secret) by \(method.name) \(given): \(text.prefix(300))")
                }
                #expect(!text.contains("47.6543"), "\(method.name) \(given)")
                guard given.contains(Self.name), !PrivacyWalkTests.changes(method) else { continue }
                // A device that one may not see answers as one that does not exist.
                let renamed = try JSONValue(parsing: Array(given.replacing(Self.name, with: Self.other).utf8).span)
                guard case .object(let changed) = renamed else { continue }
                let absent = await world.text(method.name, changed, from: stranger)
                #expect(text.replacing(Self.name, with: Self.other) == absent, "\(method.name) \(given)")
            }
        }
        #expect(walked > 100)
    }

    /// The walk above finds what there is to find: those who may see the device do so by the same calls.
    @Test(arguments: ["ada", "bob"]) func thoseWhoMaySeeADeviceDo(_ person: String) async throws {
        let world = try await Self.world()
        let caller = Self.caller(person)
        var telling: Set<String> = []
        for method in world.table.methods where method.right == .read && !PrivacyWalkTests.changes(method) {
            for parameters in Self.parameters(of: method, in: world) {
                let given = String(decoding: JSONText(.object(parameters)).bytes, as: UTF8.self)
                let text = await world.text(method.name, parameters, from: caller)
                if Self.secrets.contains(where: { text.contains($0) && (!given.contains($0) || $0 != Self.name) }) {
                    telling.insert(method.name)
                }
            }
        }
        #expect(
            telling.isSuperset(of: [
                "devices.list", "position.current", "trips.list", "trips.get", "trips.trace", "trips.export",
                "events.list", "reports.summary", "logbook.list", "sights.get", "sights.visits",
                "sights.nearest", "server.stats",
            ]), "\(telling.sorted())")
    }

    @Test func eventsOfADeviceReachOnlyThoseWhoSeeIt() async throws {
        let world = try await Self.world()
        let events = try world.store.events(after: 0, limit: .max).filter { $0.device == Self.name }
        #expect(Set(events.map(\.type)).isSuperset(of: ["trip.start", "trip.end", "geofence.enter"]))
        let position = EventRecord(
            seq: nil, time: LiveRig.time(0), type: "position", device: Self.name, subject: nil, recipient: nil, line: []
        )
        for event in events + [position] {
            for person in [nil, "eve"] { #expect(!world.visibility.allows(event, Self.caller(person))) }
            for person in ["ada", "bob"] { #expect(world.visibility.allows(event, Self.caller(person))) }
            #expect(world.visibility.allows(event, Self.admin))
        }
        // The rule follows each change at once.
        _ = try await world.call("groups.update", ["id": "airships", "people": ["eve"]])
        #expect(world.visibility.allows(position, Self.caller("eve")))
        #expect(!world.visibility.allows(position, Self.caller("bob")))
        _ = try await world.call("groups.remove", ["id": "airships"])
        for person in [nil, "ada", "bob", "eve"] { #expect(world.visibility.allows(position, Self.caller(person))) }
    }

    /// Squares and sums name no device, so the walk over all methods does not recognise them.
    @Test func squaresAndYearsCountOnlyTheDevicesThatOneSees() async throws {
        let world = try await Self.world()
        func counted(_ caller: Principal) async throws -> [JSONValue] {
            let heat = try await world.call("history.heat", ["bbox": [9, 47, 10, 48], "zoom": 10], from: caller)
            let year = try await world.call("history.year", ["year": 2026], from: caller)
            return [heat["cells"] ?? .null, heat["years"] ?? .null, year["trips"] ?? .null, year["bbox"] ?? .null]
        }
        let all = try await counted(Self.admin)
        #expect(all[1] == [2026] && all[2] == 1)
        for person in [nil, "eve"] {
            #expect(try await counted(Self.caller(person)) == [[], [], 0, .null])
            let refused = await world.text(
                "history.heat", ["bbox": [9, 47, 10, 48], "device": .string(Self.name)], from: Self.caller(person))
            let missing = await world.text(
                "history.heat", ["bbox": [9, 47, 10, 48], "device": .string(Self.other)], from: Self.caller(person))
            #expect(refused.replacing(Self.name, with: Self.other) == missing)
        }
        for person in ["ada", "bob"] { #expect(try await counted(Self.caller(person)) == all) }
    }

    @Test func withoutAGroupAllAnswersAreAsBefore() async throws {
        let world = try await Self.world(hasGroup: false)
        func answers() async -> [String] {
            var answers: [String] = []
            for method in world.table.methods
            where method.right == .read && !PrivacyWalkTests.changes(method) && !method.name.hasPrefix("server.") {
                for parameters in Self.parameters(of: method, in: world) {
                    answers.append(await world.text(method.name, parameters, from: Self.caller("eve")))
                }
            }
            return answers
        }
        let before = await answers()
        #expect(before.contains { $0.contains(Self.name) })
        _ = try await world.call("groups.create", ["title": "Airships", "devices": [.string(Self.name)]])
        #expect(await answers() != before)
        _ = try await world.call("groups.remove", ["id": "airships"])
        #expect(await answers() == before)
    }

    @Test func aPhoneShowsTheDevicesThatItsDriverMaySee() async throws {
        let world = try await Self.world(hasGroup: false)
        // The first pipeline has been drained.
        let rig = try await LiveRig(world.store)
        let door = PhoneDoor(pipeline: rig.pipeline, store: world.store)
        @Sendable func friends(_ second: Int) async throws -> [String] {
            let body = #"{"_type":"location","tst":\#(1_777_629_600 + second),"lat":48,"lon":9,"acc":10}"#
            let head = PhoneRequest.Head(path: "", query: "", authorization: nil)
            let report = PhoneReport(reading: PhoneRequest(head: head, body: Array(body.utf8)))
            #expect(report.client == .owntracks)
            let answer = try await door.receive(report, of: "phone")
            guard case .array(let messages) = try JSONValue(parsing: answer.span) else { return ["?"] }
            return messages.map { message in
                switch (message["_type"], message["name"], message["lat"]) {
                case (.string("card")?, .string(let name)?, _): name
                case (.string("location")?, _, .number(let latitude)?): "\(latitude)"
                default: "?"
                }
            }
        }
        try await rig.run {
            _ = try await world.call("devices.secret", ["device": "phone"])
            _ = try await world.call("devices.update", ["device": "phone", "people": ["bob"]])
            #expect(try await friends(5010) == [])
            _ = try await world.call(
                "groups.create", ["title": "Airships", "devices": [.string(Self.name)], "people": ["bob"]])
            #expect(try await friends(5020) == [Self.name, "47.6543"])
            // Of several people, all must be allowed to see the device.
            _ = try await world.call("devices.update", ["device": "phone", "people": ["bob", "eve"]])
            #expect(try await friends(5030) == [])
            _ = try await world.call("devices.update", ["device": "phone", "people": []])
            #expect(try await friends(5040) == [])
        }
    }
}
#endif
