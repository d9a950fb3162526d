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

@Suite struct VisitTests {
    private let core: CoreFixture
    private let followers: LogConsumers

    init() throws {
        core = try CoreFixture()
        followers = LogConsumers(core.context, [VisitConsumer()])
        _ = try core.store.importSights([
            Sight(id: "mill", title: "Mill", place: fix(0).coordinate),
            Sight(id: "inn", title: "Inn", place: fix(0).coordinate),
        ])
    }

    /// Appends an event of a geofence to the log.
    private func log(
        _ type: String, _ sight: String = "mill", _ device: String = "van", at seconds: Double, initial: Bool = false
    ) async throws {
        var members = #""type":"geofence.\#(type)","time":"\#(moment(seconds))","device":"\#(device)""#
        if initial { members += #","initial":true"# }
        let event = EventRecord(
            time: moment(seconds), type: "geofence.\(type)", device: device, subject: "sight/\(sight)",
            members: Array(members.utf8))
        try await core.store.write { db in
            try Devices.add(device, to: db)
            _ = try EventLog.append([event], to: db)
        }
    }

    private func visits(_ sight: JSONValue = "mill") async throws -> [String] {
        try await followers.catchUp()
        let answer = try await core.call("sights.visits", ["id": sight, "limit": 1000], isGuest: true)
        let rows = answer["visits"].elements
        #expect(answer["count"].number == Double(rows.count))
        return rows.map { row in
            func seconds(_ name: String) -> String {
                row[name].text.flatMap(Timestamp.init(rfc3339:)).map {
                    String(($0.milliseconds - moment(0).milliseconds) / 1000)
                } ?? "?"
            }
            return "\(row["device"].text ?? "") \(seconds("entered"))-\(seconds("left"))"
        }
    }

    @Test func anEnterAndItsExitMakeAVisit() async throws {
        try await log("enter", at: 10)
        #expect(try await visits() == ["van 10-?"])
        try await log("enter", "mill", "bike", at: 10)
        try await log("enter", "inn", at: 11)
        try await log("dwell", at: 70)
        try await log("exit", at: 80)
        try await log("cross", at: 90)
        try await log("enter", at: 100)
        try await log("exit", "mill", "bike", at: 120)
        #expect(try await Set(visits()) == ["van 100-?", "van 10-80", "bike 10-120"])
        #expect(try await visits().first == "van 100-?")
        #expect(try await visits("inn") == ["van 11-?"])
    }

    @Test func repeatedEventsChangeNothing() async throws {
        for seconds in [10.0, 100, 200] {
            try await log("enter", at: seconds)
            try await log("exit", at: seconds + 50)
        }
        try await log("enter", at: 300)
        let once = try await visits()
        #expect(once == ["van 300-?", "van 200-250", "van 100-150", "van 10-60"])
        let events = try core.store.events(after: 0, limit: 100)
        for start in events.indices {
            try await core.store.write { db in
                var consequences = Consequences()
                for event in events[start...] { try VisitConsumer().consume(event, in: db, &consequences) }
                #expect(consequences.events.isEmpty && consequences.geofences.isEmpty)
            }
            #expect(try await visits() == once)
        }
    }

    @Test func aVisitContinuesAfterAnInitialEnterUnlessTheSightMoved() async throws {
        try await log("enter", at: 10)
        _ = try await visits()
        _ = try await core.call("sights.update", ["id": "mill", "radius": 70])
        try await log("enter", at: 20, initial: true)
        #expect(try await visits() == ["van 10-?"])
        _ = try await core.call("sights.update", ["id": "mill", "lat": 52.3701])
        try await log("enter", at: 30, initial: true)
        #expect(try await visits() == ["van 30-?", "van 10-?"])
        try await log("exit", at: 40)
        #expect(try await visits() == ["van 30-40", "van 10-?"])
        // This visit has no exit, and the next one begins from outside.
        try await log("enter", at: 50)
        try await log("enter", at: 60)
        try await log("exit", at: 70)
        #expect(try await visits() == ["van 60-70", "van 50-?", "van 30-40", "van 10-?"])
        // Events of a restarted timeline lie before the others.
        try await log("enter", at: 80)
        try await log("enter", at: 5, initial: true)
        try await log("exit", at: 6)
        #expect(try await visits() == ["van 80-?", "van 60-70", "van 50-?", "van 30-40", "van 10-?", "van 5-6"])
    }

    @Test func removingASightRemovesItsVisits() async throws {
        try await log("enter", at: 10)
        #expect(try await visits().count == 1)
        _ = try await core.call("sights.remove", ["id": "mill"])
        try await log("enter", at: 20)
        try await followers.catchUp()
        _ = try await core.call("sights.import", ["sights": [["id": "mill", "title": "New", "lat": 1, "lon": 2]]])
        try await log("exit", at: 30)
        #expect(try await visits() == [])
    }

    @Test func aVisitNamesTheCurrentTripOfItsDeviceAtThatTime() async throws {
        let first = try core.record("van", at: 0, points: 100)
        try core.record("bike", at: 0, points: 300)
        let second = try core.record("van", at: 200, points: 50, isOpen: true)
        for seconds in [50.0, 150, 210] {
            try await log("enter", at: seconds)
            try await log("exit", at: seconds + 1)
        }
        _ = try await visits()
        func trips() async throws -> [String?] {
            try await core.call("sights.visits", ["id": "mill"])["visits"].elements.map { $0["trip"].text }
        }
        #expect(try await trips() == [second.id, nil, first.id])
        _ = try await core.call("trips.remove", ["id": .string(first.id)])
        #expect(try await trips() == [second.id, nil, nil])
    }

    @Test func pagesJoinIntoTheWholeList() async throws {
        for number in 0..<20 {
            for device in ["a", "b", "c"] { try await log("enter", "mill", device, at: Double(number)) }
        }
        let whole = try await visits()
        #expect(whole.count == 60)
        let pages = try await core.pages("sights.visits", ["id": "mill", "limit": 7], of: "visits")
        let listed: [JSONValue] = pages.flatMap { $0 }
        let joined: [String] = listed.compactMap { $0["entered"].text }
        #expect(joined.count == 60)
        #expect(joined == joined.sorted(by: >))
        #expect(Set(listed.map { String(describing: $0) }).count == 60)
    }

    @Test func eventsAreKeptUntilTheyHaveBeenConsumed() async throws {
        try await log("enter", at: 10)
        try await log("exit", at: 20)
        let all = moment(1000)
        #expect(
            try await core.store.prune(eventsBefore: all, tracesBefore: nil, upTo: followers.reached()) == Pruned())
        try await followers.catchUp()
        try await log("enter", at: 30)
        #expect(
            try await core.store.prune(eventsBefore: all, tracesBefore: nil, upTo: followers.reached()).events == 2)
        #expect(try await visits() == ["van 30-?", "van 10-20"])
        // A consumer that has read nothing holds back the minimum.
        let reached = try await LogConsumers(core.context, [VisitConsumer(), Idle()]).reached()
        #expect(reached == 0)
    }

    @Test func aNewSightIsEnteredAtOnceAndAgainAfterARestart() async throws {
        try core.people("ada")
        _ = try await core.call(
            as: "ada", "sights.add",
            [
                "id": "new", "title": "New", "description": "Just added.", "lat": .number(fix(0).coordinate.latitude),
                "lon": .number(fix(0).coordinate.longitude),
            ])
        func types(_ index: GeofenceIndex) -> [String] {
            var tracker = Tracker(device: "van")
            var output = Tracker.Output()
            tracker.ingest(fix(0), in: index, into: &output)
            return output.events.compactMap { $0.subject == "sight/new" ? $0.type : nil }
        }
        #expect(types(core.liveState.index) == ["geofence.enter"])
        #expect(try types(core.store.sightGeofences()) == ["geofence.enter"])
    }
}

/// A consumer that has taken no event yet.
private struct Idle: LogConsumer {
    let name = "idle"
    func concerns(_ event: EventRecord) -> Bool { false }
    func consume(_ event: EventRecord, in db: Database, _ consequences: inout Consequences) throws {}
}
