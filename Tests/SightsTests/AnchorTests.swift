import FeatureSupport
import GRDB
import Geodesy
import Positioning
import RPC
import Store
import Testing
import Time
import Tracking

@testable import Service
@testable import Sights

/// Anchors that drop by themselves, and who may raise them.
@Suite struct AnchorTests {
    private let core: CoreFixture
    private let followers: LogConsumers

    init() throws {
        core = try CoreFixture()
        followers = LogConsumers(core.context, [AnchorConsumer()])
        try core.people("ada", "bob")
        try core.store.write { db in
            try Devices.add("boat", to: db)
            try db.execute(sql: "INSERT INTO carried SELECT 'boat', number FROM person WHERE id = 'ada'")
        }
        core.liveState.place("boat", at: fix(0))
    }

    private func log(_ kind: Event.Kind, at seconds: Double, north: Int32 = 0) async throws {
        let event = Event(kind: kind, time: moment(seconds), device: "boat", place: fix(0, north: north).coordinate)
        try await core.store.write { _ = try EventLog.append([EventRecord(event)], to: $0) }
        try await followers.catchUp()
    }

    /// Ends the open stop, and begins one at another place.
    private func stop(at seconds: Double, north: Int32 = 0, logs: Bool = true) async throws {
        try await core.store.write { db in
            try db.execute(
                sql: "UPDATE stop SET \"end\" = ? WHERE \"end\" IS NULL", arguments: [moment(seconds - 1).milliseconds])
        }
        let stop = StopSummary(
            device: "boat", start: moment(seconds), place: fix(seconds, north: north).coordinate)
        var pending = PendingCommit()
        pending.changes["boat"] = [.stopBegan(stop)]
        _ = try await core.store.commit(pending)
        if logs { try await log(.stopStart(stop), at: seconds, north: north) }
    }

    private func sighting(_ anchor: JSONValue) throws -> Event.GeofenceSighting {
        let id = try #require(anchor["id"].text)
        return Event.GeofenceSighting(
            geofence: Geofence(
                identity: .init(kind: .sight, id: id), title: "Anchor", center: fix(0).coordinate, radius: .meters(40)),
            distance: .meters(1))
    }

    private func anchors() async throws -> [JSONValue] {
        try await core.call("anchors.get", ["device": "boat"], isGuest: true)["anchors"].elements
    }

    private func anchor() async throws -> JSONValue { try #require(try await anchors().first) }

    private func switchOn() async throws {
        #expect(try await core.call(as: "ada", "anchors.auto", ["device": "boat", "radius": 30])["auto"] == 30)
    }

    @Test func aStopDropsAnAnchorOnlyWhereSomebodyAskedForIt() async throws {
        try await stop(at: 10)
        #expect(try await anchors().isEmpty)
        // The open stop drops it at once.
        try await switchOn()
        let anchor = try await anchor()
        #expect(anchor["radius"] == 30)
        #expect(anchor["alarm"] == true)
        #expect(anchor["devices"] == ["boat"])
        #expect(core.liveState.index.all.map(\.geofence.isAlarm) == [true])
        _ = try await core.call(as: "ada", "anchors.auto", ["device": "boat", "off": true])
        #expect(try await anchors() == [anchor])
        _ = try await core.call(as: "ada", "anchors.raise", ["device": "boat"])
        try await stop(at: 500, north: 9000)
        #expect(try await anchors().isEmpty)
        #expect(core.liveState.index.all.isEmpty)
    }

    @Test func itNeverRaisesItselfAndIsRaisedWhenItsAlarmIsAcknowledged() async throws {
        try await switchOn()
        try await stop(at: 10)
        let first = try await anchor()
        try await log(.enter(sighting(first), initial: true), at: 11)
        // The next stop nearby leaves it, and so does one after the alarm, which goes on.
        try await stop(at: 300)
        try await log(.exit(sighting(first), inside: 300, removed: false), at: 400)
        try await stop(at: 700, north: 9000)
        #expect(try await anchors() == [first])
        // Acknowledged, it is raised, and drops again where the boat lies now.
        let answer = try await core.call(as: "ada", "anchors.acknowledge", ["device": "boat"])
        let second = try #require(answer["anchors"].elements.first)
        #expect(answer["anchors"].elements.count == 1)
        #expect(second["alarm"] == true)
        #expect(second["lat"] == 52.3709)
        #expect(core.liveState.index.all.count == 1)
    }

    @Test func acknowledgingUnderWayRaisesItUntilTheNextStop() async throws {
        try await switchOn()
        try await stop(at: 10)
        let first = try await anchor()
        try await log(.enter(sighting(first), initial: true), at: 11)
        try await log(.exit(sighting(first), inside: 300, removed: false), at: 400)
        _ = try await core.call(as: "ada", "anchors.acknowledge", ["device": "boat"])
        #expect(try await anchors().isEmpty)
        try await stop(at: 900, north: 9000)
        #expect(try await anchor()["lat"] == 52.3709)
    }

    @Test func anAnchorThatTheDeviceNeverEnteredIsReplaced() async throws {
        try await switchOn()
        try await stop(at: 10)
        try await stop(at: 900, north: 9000)
        #expect(try await anchors().count == 1)
        #expect(try await anchor()["lat"] == 52.3709)
    }

    @Test func aStopThatIsOverAndOneOfBeforeDropNothing() async throws {
        try await switchOn()
        let stop = try core.stop("boat", from: 10, to: 20)
        try await log(.stopStart(stop), at: 10)
        #expect(try await anchors().isEmpty)
    }

    @Test func somebodyElseOnBoardEndsTheAlarmAndOthersDoNot() async throws {
        let own: JSONObject = [
            "title": "Anchor", "description": "Here.", "category": "anchor", "lat": 52.37, "lon": 4.89, "radius": 40,
            "devices": ["boat"], "alarm": true,
        ]
        _ = try await core.call(as: "bob", "sights.add", own)
        _ = try await core.call(as: "ada", "anchors.acknowledge", ["device": "boat"])
        #expect(try await anchor()["alarm"] == nil)
        #expect(try await core.error(as: "bob", "anchors.auto", ["device": "boat"])?.code == .notAllowed)
        // It is bob's own.
        _ = try await core.call(as: "bob", "anchors.raise", ["device": "boat"])
        #expect(try await anchors().isEmpty)
        #expect(try await core.error(as: "bob", "anchors.raise", ["device": "boat"])?.code == .notAllowed)
    }
}
