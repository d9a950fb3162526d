import FeatureSupport
import Foundation
import GRDB
import Geodesy
import Positioning
import RPC
import Service
import Synchronization
import TestSupport
import Testing
import Time
import Tracking
import WebClient

@testable import Store
@testable import Uplink

/// What a centre shows of its boards: their devices, trips, stops and events, as if they were its own.
@Suite struct UplinkCentreTests {
    private let pair: BoardAndCentre
    private var board: LocationDatabase { pair.board }
    private var centre: CoreFixture { pair.centre }

    init() async throws { pair = try await BoardAndCentre { $0.recipient == nil && $0.device != "hidden" } }

    /// Drives a device due east for some minutes, with a rest before and after.
    private func drive(_ device: String, from start: Double, minutes: Int = 6) throws {
        var tracker = Tracker(device: device)
        var pending = PendingCommit()
        var output = Tracker.Output()
        var east = 0.0
        for step in 0..<(minutes * 12 + 160) {
            let isMoving = step >= 40 && step < 40 + minutes * 12
            east += isMoving ? 60 : 0
            let place = try #require(Coordinate(latitude: 52, longitude: 5 + east / 68_000))
            var fix = Fix(time: moment(start + Double(step) * 5), coordinate: place)
            fix.speed = .metersPerSecond(isMoving ? 12 : 0)
            fix.altitude = .meters(Double(step % 7))
            fix.accuracy = step % 3 == 0 ? nil : .meters(4)
            tracker.ingest(fix, in: GeofenceIndex(), into: &output)
        }
        tracker.finish(into: &output)
        pending.add(output, of: device)
        _ = try board.commit(pending)
    }

    private func points(_ id: String, in store: LocationDatabase) throws -> [Fix] {
        try store.trace(ofTrip: id, limit: .max)
    }

    /// Checks that the centre has the trips and stops of the board with all points and numbers, and no others.
    private func check(_ comment: Comment? = nil, except hidden: String = "hidden") throws {
        let trips = try board.trips().filter { $0.summary.device != hidden }
        let found = try centre.store.trips()
        #expect(found.map(\.summary.id) == trips.map { "van/\($0.summary.id)" }, comment)
        for (trip, other) in zip(trips, found) {
            #expect(other.summary.device == "van/\(trip.summary.device)", comment)
            #expect(other.revision == trip.revision, comment)
            #expect(other.summary.start == trip.summary.start && other.summary.end == trip.summary.end, comment)
            #expect(abs(other.summary.distance.meters - trip.summary.distance.meters) <= 0.051, comment)
            #expect(abs(other.summary.moving - trip.summary.moving) <= 0.001, comment)
            #expect(other.summary.fixes == trip.summary.fixes, comment)
            #expect(other.summary.stops == trip.summary.stops, comment)
            #expect(try points(other.summary.id, in: centre.store) == points(trip.summary.id, in: board), comment)
        }
        for device in try board.devices() where device.name != hidden {
            let stops = try board.stops(ofDevice: device.name)
            let others = try centre.store.stops(ofDevice: "van/\(device.name)")
            #expect(others.map(\.id) == stops.map { "van/\($0.id)" }, comment)
            #expect(others.map(\.end) == stops.map(\.end), comment)
        }
    }

    /// The events of the centre's own log that came from the board: their type, device, time and subject.
    private func told() throws -> [String] {
        try centre.store.events(after: 0, limit: .max).filter { $0.device?.hasPrefix("van/") ?? false }
            .map { "\($0.time) \($0.type) \($0.device ?? "") \($0.subject ?? "")" }
    }

    @Test func theCentreListsTripsStopsAndEventsOfTheBoard() async throws {
        try drive("gps0", from: 0, minutes: 60)
        try drive("bike", from: 9_000)
        try drive("hidden", from: 20_000)
        await pair.send()
        try check()
        #expect(try board.trips().count == 3)
        #expect(try points("van/\(board.trips()[0].summary.id)", in: centre.store).count > TraceBatch.longest)
        let events = try told()
        let revised = events.filter { $0.contains("trip.revised") }
        #expect(revised.count == 2)
        let own = try board.events(after: 0, limit: .max).filter { $0.device != "hidden" }
        #expect(
            events.filter { !$0.contains("trip.revised") }
                == own.map { event in
                    let id = event.subject.map { $0.replacing("/", with: "/van/") } ?? ""
                    return "\(event.time) \(event.type) van/\(event.device ?? "") \(id)"
                })
        let listed = try await centre.call("devices.list")["devices"].elements
        #expect(listed.compactMap { $0["name"].text } == ["van/bike", "van/gps0"])
        #expect(try await centre.call("trips.list")["trips"].elements.count == 2)
        #expect(try await centre.call("uplink.verify")["boards"].elements.first?["proven"] == true)
    }

    @Test func nothingThatComesTwiceChangesAnything() async throws {
        try drive("gps0", from: 0, minutes: 50)
        let bodies = Mutex<[[UInt8]]>([])
        let reliable = pair.reliable
        await pair.uplink { body in
            bodies.withLock { $0.append(body) }
            return try await reliable(body)
        }.run(pair.once)
        let events = try told()
        for body in bodies.withLock({ $0 + $0.reversed() }) { _ = try await reliable(body) }
        let count = bodies.withLock { $0.count }
        // A board that connects again only asks what the centre has.
        for _ in 0..<2 {
            await pair.uplink { body in
                bodies.withLock { $0.append(body) }
                return try await reliable(body)
            }.run(pair.once)
        }
        #expect(bodies.withLock { $0.count } == count + 2)
        #expect(try told() == events)
        try check()
    }

    @Test(.slow, arguments: 1...12) func aBadNetworkCrashesAndEditsLeaveTheSameTrips(_ seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        try await pair.sendBadly(rounds: 6, seed: seed &+ 1000) { round in
            let device = ["gps0", "bike", "hidden"][Int.random(in: 0..<3, using: &generator)]
            try drive(device, from: Double(round) * 20_000, minutes: .random(in: 4...60, using: &generator))
            try edit(using: &generator)
        }
        await pair.send()
        try check("seed \(seed)")
        let verified = try await centre.call("uplink.verify")["boards"].elements.first
        #expect(verified?["proven"] == true)
    }

    @Test(.slow, arguments: 1...12) func aBadBrokerCrashesAndEditsLeaveTheSameTrips(_ seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed &+ 3000)
        try await pair.sendOverBadBroker(rounds: 6, seed: seed &+ 4000) { round in
            let device = ["gps0", "bike", "hidden"][Int.random(in: 0..<3, using: &generator)]
            try drive(device, from: Double(round) * 20_000, minutes: .random(in: 4...60, using: &generator))
            try edit(using: &generator)
        }
        try check("seed \(seed)")
        let verified = try await centre.call("uplink.verify")["boards"].elements.first
        #expect(verified?["proven"] == true)
    }

    /// Changes a trip of the board at random: splits it, removes points or merges it with the next.
    private func edit(using generator: inout SeededGenerator) throws {
        let trips = try board.trips()
        guard let index = trips.indices.randomElement(using: &generator), let end = trips[index].summary.end else {
            return
        }
        let (id, start) = (trips[index].summary.id, trips[index].summary.start)
        let time = start.advanced(byMilliseconds: end.milliseconds(since: start) / 2)
        let choice = Int.random(in: 0..<4, using: &generator)
        try board.write { db in
            let events: [EventRecord]
            do {
                switch choice {
                case 0: events = try TripEditing.split(id, at: time, now: moment(200_000), in: db).events
                case 1:
                    let from = time.advanced(byMilliseconds: -60_000)
                    events = try TripEditing.removeSpan(
                        from: from, until: time, ofTrip: id, now: moment(200_000), in: db
                    ).events
                case 2:
                    let next = trips[(index + 1)...].first { $0.summary.device == trips[index].summary.device }
                    guard let next else { return }
                    events = try TripEditing.merge(id, with: next.summary.id, now: moment(200_000), in: db).events
                default: return
                }
            } catch is TripEditError { return }
            _ = try EventLog.append(events, to: db)
        }
    }

    @Test func aTripThatPeopleChangedAtTheCentreStaysAsTheyLeftIt() async throws {
        try drive("gps0", from: 0)
        await pair.send()
        let trip = try #require(try centre.store.trips().first?.summary)
        let time = try #require(try points(trip.id, in: centre.store).dropFirst(10).first?.time)
        try await centre.store.write { db in
            _ = try TripEditing.removePoint(at: time, ofTrip: trip.id, now: moment(90_000), in: db)
        }
        let changed = try points(trip.id, in: centre.store)
        let own = try #require(try board.trips().first?.summary)
        let other = try #require(try points(own.id, in: board).dropFirst(20).first?.time)
        try await board.write { db in
            let revision = try TripEditing.removePoint(at: other, ofTrip: own.id, now: moment(90_000), in: db)
            _ = try EventLog.append(revision.events, to: db)
        }
        await pair.send()
        #expect(try points(trip.id, in: centre.store) == changed)
    }

    @Test func aBoardThatWasRestoredFromABackupIsNotToldTwice() async throws {
        try drive("gps0", from: 0)
        await pair.send()
        let events = try told()
        try await board.write { try EventLog.rename(in: $0) }
        try drive("bike", from: 20_000)
        await pair.send()
        #expect(
            try Array(told().filter { $0.contains("van/gps0") && !$0.contains("revised") })
                == events.filter { !$0.contains("revised") })
        try check()
        #expect(try await centre.call("uplink.status")["boards"].elements.count == 2)
    }

    @Test func groupsDecideWhoSeesTheDevicesOfABoard() async throws {
        try drive("gps0", from: 0)
        await pair.send()
        try centre.people("ada", "bob")
        try await centre.call("groups.create", ["title": "Fleet"])
        try await centre.call("groups.update", ["id": "fleet", "devices": ["van/gps0"], "people": ["ada"]])
        for (person, count) in [("ada", 1), ("bob", 0)] {
            #expect(try await centre.call(as: person, "devices.list")["devices"].elements.count == count)
            #expect(try await centre.call(as: person, "trips.list")["trips"].elements.count == count)
        }
    }

    @Test func aBoardWritesOnlyUnderItsOwnNameAndNonsenseIsLeftOut() async throws {
        var batch = UplinkBatch(after: EventChain(log: try board.logExtent().name))
        let trip = #""trip":{"id":"a@2026-05-01T10:00:00.000Z","start":"2026-05-01T10:00:00.000Z""#
        let lines = [
            #""type":"trip.start","time":"2026-05-01T10:00:00.000Z","device":"../gps0",\#(trip)}"#,
            #""type":"trip.end","time":"2026-05-01T10:00:00.000Z","device":"a",\#(trip),"end":"2026-05-01T09:00:00.000Z"}"#,
            #""type":"trip.start","time":"never","device":"a",\#(trip)}"#,
            #""type":"trip.start","time":"2026-05-01T10:00:00.000Z","device":"","lat":1,"lon":2,\#(trip)}"#,
            #""type":"geofence.enter","time":"2026-05-01T10:00:00.000Z","device":"a","lat":91,"lon":2,"geofence":7"#,
            #""type":"person.joined","time":"2026-05-01T10:00:00.000Z","device":"a""#,
            #""type":"stop.start","time":"2026-05-01T10:00:00.000Z","device":"a","stop":{"id":"a@x","lat":1e300,"lon":0}"#,
            #""type":"trip.start","time":"2026-05-01T10:00:00.000Z","device":"a",\#(trip)}"#,
        ]
        for (index, line) in lines.enumerated() {
            let isAdded = batch.add(.event(Array("{\"seq\":\(index + 1),\(line)}".utf8)))
            #expect(isAdded)
        }
        #expect(try await BoardCentre(centre.context).receive(batch.bytes, of: pair.number).status == 200)
        #expect(try centre.store.devices().map(\.name) == ["van/a"])
        #expect(try centre.store.trips().map(\.summary.id) == ["van/a@2026-05-01T10:00:00.000Z"])
        #expect(try told().count == 2)
    }

    @Test func aNameOfThisMachinesDevicesIsNoNameOfABoard() async throws {
        try await centre.store.write { _ = try Devices.add("bus/ttyUSB0", to: $0) }
        let error = try await centre.error("uplink.board", ["name": "bus"])
        #expect(error?.data?["field"] == "name")
        #expect(try await centre.call("uplink.board", ["name": "van"])["secret"].text != nil)
    }

    @Test func aPartOfATraceIsReadAsItWasWritten() throws {
        var generator = SeededGenerator(seed: 5)
        var points: [Fix] = []
        for index in 0..<200 {
            let place = try #require(
                Coordinate(
                    latitudeE7: .random(in: -900_000_000...900_000_000, using: &generator),
                    longitudeE7: .random(in: -1_800_000_000...1_800_000_000, using: &generator)))
            var fix = Fix(time: moment(Double(index)), coordinate: place, beginsSegment: index % 9 == 0)
            if index % 2 == 0 { fix.altitude = .meters(Double(Int.random(in: -1000...90_000, using: &generator)) / 10) }
            if index % 3 == 0 {
                fix.speed = .metersPerSecond(Double(Int.random(in: 0...9000, using: &generator)) / 100)
            }
            if index % 5 == 0 { fix.accuracy = .meters(3) }
            points.append(fix)
        }
        var trip = TripSummary(device: "gps0", start: moment(0))
        trip.end = moment(200)
        let batch = TraceBatch(
            log: "0f", seq: 7, after: nil, isFollowed: true, trip: HandedTrip(trip, revision: 2), points: points)
        #expect(try TraceBatch(batch.bytes) == batch)
        for cut in stride(from: 0, to: batch.bytes.count, by: 97) {
            #expect(throws: WebFailure.self) { try TraceBatch(Array(batch.bytes.prefix(cut))) }
        }
    }
}
