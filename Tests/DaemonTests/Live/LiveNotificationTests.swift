#if Companion
import Callers
import GRDB
import Geodesy
import Positioning
import RPC
import Store
import TestSupport
import Testing

@testable import Daemon
@testable import EventStream
@testable import Sights
@testable import Service

/// A notification's path from a fix to its recipient.
@Suite(.timeLimit(.minutes(2))) struct LiveNotificationTests {
    /// Returns a store with a sight 300 m to the east, Ada on the device `van`, and Bob.
    private func store() throws -> LocationDatabase {
        let store = try Stores.temporary()
        let place = LiveRig.fix(0, east: 300).coordinate
        _ = try store.importSights([
            Sight(id: "mill", title: "Old <Mill>", place: place, radius: .meters(50), information: "An old mill.")
        ])
        try store.write { db in
            for id in ["ada", "bob"] {
                try db.execute(
                    sql: """
                        INSERT INTO person (id, first_name, last_name, email, joined, proven)
                        VALUES (?, ?, '', ?, 0, 0)
                        """, arguments: [id, id, "\(id)@example.org"])
            }
            try db.execute(
                sql: "INSERT INTO carried (device, person) SELECT 'van', number FROM person WHERE id = 'ada'")
        }
        return store
    }

    private static func connection(_ person: String?) -> Principal {
        let connection = Principal(
            number: 1, origin: .user(0), rights: [.read])
        connection.identity = person.map { Principal.Identity(person: $0) }
        return connection
    }

    /// Drives eastward, `north` metres north of the sight, and lets the log consumers catch up.
    private func drive(_ rig: LiveRig, north: Double = 0, from start: Int = 0) async throws {
        await rig.receive(
            (start..<start + 60).map { second in
                let fix = LiveRig.fix(Double(second), east: Double(second - start) * 10)
                let place = Coordinate(
                    latitudeE7: fix.coordinate.latitudeE7 + Int32(north / 0.011_12),
                    longitudeE7: fix.coordinate.longitudeE7)
                return Fix(time: fix.time, coordinate: place.known)
            })
        let features = Features(store: rig.store, liveState: rig.pipeline)
        try await LogConsumers(features.context, features.consumers).catchUp()
    }

    private func told(_ types: [String]) -> Int { types.count { $0 == "notification" } }

    @Test func aDriveThroughASightNotifiesOnceAndADrivePastItDoesNot() async throws {
        let beside = try await LiveRig(try store())
        try await beside.run { try await drive(beside, north: 160) }
        #expect(told(try beside.types()) == 0)
        let through = try await LiveRig(try store())
        try await through.run { try await drive(through) }
        #expect(told(try through.types()) == 1)
        #expect(try through.types().count { $0 == "geofence.enter" } == 1)
    }

    @Test func onlyTheRecipientSeesANotificationEventWithAnyFilter() async throws {
        let rig = try await LiveRig(try store())
        let hub = await rig.pipeline.hub
        let filters: [EventFilter] = [
            EventFilter(), EventFilter(types: ["notification"]), EventFilter(recipient: "ada"),
            EventFilter(devices: ["van"]), EventFilter(bounds: .init(west: -180, south: -90, east: 180, north: 90)),
        ]
        let people: [String?] = ["ada", "bob", nil]
        var listeners: [EventListener] = []
        for person in people {
            for filter in filters { listeners.append(try await EventListener(to: hub, as: person, filter: filter)) }
        }
        try await rig.run { try await drive(rig) }
        var live: [Int] = []
        for listener in listeners {
            live.append(try await listener.told().count { $0.contains(#""type":"notification""#) })
        }
        #expect(live == [1, 1, 1, 1, 1] + [0, 0, 0, 0, 0] + [0, 0, 0, 0, 0])
        #expect(try await listeners[0].told().isEmpty)

        var table = MethodTable<Principal>(title: "Test", version: "1")
        table.add(hub.methods())
        for (person, expected) in [("ada", 1), ("bob", 0), (nil, 0)] as [(String?, Int)] {
            for parameters in [[:], ["types": ["notification"]], ["to": "ada"], ["devices": ["van"]]] as [JSONObject] {
                let request = Request(id: .integer(1), method: "events.list", parameters: .named(parameters))
                let answer = try await table.dispatch(request, from: Self.connection(person)).get()
                let text = String(decoding: answer.bytes, as: UTF8.self)
                #expect(text.split(separator: #""type":"notification""#).count - 1 == expected, "\(parameters)")
            }
        }
    }
}
#endif
