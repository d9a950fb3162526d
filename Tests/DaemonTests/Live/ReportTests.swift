#if Companion
import GRDB
import Geodesy
import Phones
import Positioning
import RPC
import Service
import Store
import TestSupport
import Testing
import Time
import Tracking

@testable import Daemon

/// The places that phones report, from the request to the store.
@Suite(.slow, .timeLimit(.minutes(2))) struct ReportTests {
    /// Returns OwnTracks' messages of a drive eastward at 10 m/s after a rest, at some seconds.
    private static func report(_ seconds: [Int]) -> PhoneReport {
        let messages = seconds.map { second in
            let fix = LiveRig.fix(Double(second), east: Double(max(0, second - 60)) * 10)
            return """
                {"_type":"location","lat":\(fix.coordinate.latitude),"lon":\(fix.coordinate.longitude),"acc":5,\
                "tst":\(1_777_629_600 + second)}
                """
        }
        let body = Array("[\(messages.joined(separator: ","))]".utf8)
        return PhoneReport(reading: PhoneRequest(head: PhoneRequest.Head(), body: body))
    }

    private static let drive = Array(stride(from: 0, through: 900, by: 10))

    private func rig() async throws -> LiveRig { try await LiveRig(try Stores.temporary()) }

    @Test func aReportIsOnTheDiskWhenItIsAnswered() async throws {
        let rig = try await rig()
        try await rig.run {
            try await rig.pipeline.receive(Self.report([0]), of: "anna")
            let device = try #require(try rig.store.devices().first)
            #expect(device.name == "anna")
            #expect(device.last?.time == LiveRig.time(0))
            try await rig.pipeline.receive(Self.report(Self.drive), of: "anna")
            #expect(try rig.types() == ["source.online", "trip.start"])
            try await rig.refuse(true, when: "UPDATE ON device")
            await #expect(throws: ReportPostponed.self) {
                try await rig.pipeline.receive(Self.report([910]), of: "anna")
            }
            try await rig.refuse(false)
        }
    }

    @Test func aBacklogInPiecesGivesTheTripOfALiveJourney() async throws {
        let live = try await rig()
        try await live.run {
            for second in Self.drive { try await live.pipeline.receive(Self.report([second]), of: "anna") }
        }
        let backlog = try await rig()
        try await backlog.run {
            for start in stride(from: 0, to: Self.drive.count, by: 20) {
                let piece = Array(Self.drive.dropFirst(start).prefix(20).reversed())
                // Everything is sent twice.
                for _ in 0..<2 { try await backlog.pipeline.receive(Self.report(piece), of: "anna") }
            }
        }
        func events(_ rig: LiveRig) throws -> [[UInt8]] { try rig.store.events(after: 0, limit: .max).map(\.line) }
        #expect(try events(live) == events(backlog))
        #expect(try live.store.trips() == backlog.store.trips())
        let counts = try #require(await backlog.pipeline.reported["anna"])
        #expect((counts.duplicates, counts.late, counts.future) == (Self.drive.count, 0, 0))
    }

    @Test func latePlacesAreMergedAndFutureOnesRejected() async throws {
        let rig = try await rig()
        let synchronised = try await LiveRig(try Stores.temporary(), isSynchronised: true)
        let features = Features(store: rig.store, liveState: rig.pipeline) { LiveRig.time(5_000) }
        try await rig.run {
            let early = Self.drive.filter { $0 % 30 == 0 }
            let late = Self.drive.filter { $0 % 30 != 0 }
            // An hour's rest ends the trip.
            try await rig.pipeline.receive(Self.report(early + [1_000, 2_800, 4_600]), of: "anna")
            try await rig.pipeline.receive(Self.report(late), of: "anna")
            #expect(await rig.pipeline.reported["anna"]?.late == late.count)
            #expect(await rig.pipeline.quiet(for: 60, among: ["anna"]) == [])
            rig.clock.move(by: 61)
            #expect(await rig.pipeline.quiet(for: 60, among: ["anna", "bob"]) == ["anna", "bob"])
            let before = try #require(try rig.store.trips().first)
            try await LateMerges(rig.pipeline, features.context, logger: rig.pipeline.logger).merge("anna")
            let after = try #require(try rig.store.trips().first)
            #expect(after.summary.fixes > before.summary.fixes)
            #expect(try rig.types().last == "trip.revised")
        }
        try await synchronised.run {
            try await synchronised.pipeline.receive(Self.report([0, 90_000]), of: "anna")
            #expect(await synchronised.pipeline.reported["anna"]?.future == 1)
            let device = await synchronised.pipeline.snapshot().devices.first
            #expect(device?.read == 2)
            #expect(device?.rejected["future"] == 1)
        }
    }

    @Test func eventsOfABacklogSayWhenItCame() async throws {
        let rig = try await LiveRig(try Stores.temporary(), isSynchronised: true)
        rig.clock.error = 3600
        try await rig.run {
            try await rig.pipeline.receive(Self.report(Self.drive), of: "anna")
            let start = try #require(try rig.store.events(after: 0, limit: .max).last)
            #expect(start.type == "trip.start")
            #expect(start.received == LiveRig.time(3600))
            #expect(await rig.pipeline.age(of: "anna")?.isOld == false)
            rig.clock.move(by: 2_000)
            #expect(await rig.pipeline.age(of: "anna")?.isOld == false)
            rig.clock.move(by: 101)
            #expect(await rig.pipeline.age(of: "anna")?.isOld == true)
        }
    }

    @Test func aPhoneThatAsksIsToldTheNearestSightsOnce() async throws {
        let rig = try await rig()
        let door = PhoneDoor(pipeline: rig.pipeline, store: rig.store)
        let sights = (0..<20).map { number in
            Geofence(
                identity: .init(kind: .sight, id: "s\(number)"), title: "Sight \(number)",
                center: LiveRig.fix(0, east: Double(number) * 500).coordinate, radius: .meters(50))
        }
        await rig.pipeline.watch(sights.indices.map { .watched(sights[$0], revision: Int64($0) + 1) })
        @Sendable func told(_ second: Int) async throws -> [String] {
            let body = try await door.receive(Self.report([second]), of: "anna")
            let answer = try JSONValue(parsing: body.span)
            guard case .array(let messages) = answer, let first = messages.first else { return [] }
            #expect(messages.count == 1)
            guard case .array(let regions)? = first["waypoints"]?["waypoints"] else { return [] }
            #expect(Set(regions.map { "\($0["tst"] ?? .null)" }).count == regions.count)
            return regions.map { "\($0["rid"] ?? .null)" }
        }
        try await rig.run {
            try await rig.store.write { db in
                try ReportedDevices.set(digest: Array(repeating: 1, count: 32), of: "anna", in: db)
            }
            #expect(try await told(0) == [])
            #expect(try await rig.store.write { try ReportedDevices.setRegions(true, of: "anna", in: $0) })
            #expect(try await told(10).count == RegionSelection.maximumRegions)
            #expect(try await told(20) == [])
            await rig.pipeline.watch([.watched(sights[3], revision: 30)])
            #expect(try await told(30) == [])
            var moved = sights[3]
            moved.title = "Mill"
            await rig.pipeline.watch([.watched(moved, revision: 31)])
            #expect(try await told(40).count == 1)
        }
    }

    @Test func silenceForHoursEndsAPhonesTripAndPutsItOffline() async throws {
        let rig = try await rig()
        try await rig.run {
            try await rig.pipeline.receive(Self.report(Self.drive), of: "anna")
            rig.clock.move(by: 3 * 3600)
            await rig.pipeline.tick()
            await rig.pipeline.probe()
            #expect(try rig.types() == ["source.online", "trip.start"])
            rig.clock.move(by: 4 * 3600)
            await rig.pipeline.tick()
            await rig.pipeline.probe()
            #expect(try rig.types() == ["source.online", "trip.start", "trip.end", "source.offline"])
            try await rig.pipeline.receive(Self.report([30_000]), of: "anna")
            #expect(try rig.types().last == "source.online")
        }
    }

    // MARK: A day as phones send it

    /// The seconds and the way east, in metres, of two drives with a rest before, between and after them.
    private static let day: [(second: Int, east: Double)] = {
        var day: [(Int, Double)] = []
        var east = 0.0
        for second in stride(from: 0, through: 9_000, by: 10) {
            if (600..<1_800).contains(second) || (4_200..<5_400).contains(second) { east += 110 }
            day.append((second, east))
        }
        return day
    }()

    private static func report(day pieces: some Sequence<(second: Int, east: Double)>) -> PhoneReport {
        let messages = pieces.map { second, east in
            let fix = LiveRig.fix(Double(second), east: east)
            return """
                {"_type":"location","lat":\(fix.coordinate.latitude),"lon":\(fix.coordinate.longitude),"acc":5,\
                "tst":\(1_777_629_600 + second)}
                """
        }
        let body = Array("[\(messages.joined(separator: ","))]".utf8)
        return PhoneReport(reading: PhoneRequest(head: PhoneRequest.Head(), body: body))
    }

    /// Whether the device rests at a time of the day.
    private static func isRest(_ time: Timestamp) -> Bool {
        let second = time.seconds(since: LiveRig.time(0))
        return !(600..<1_800).contains(second) && !(4_200..<5_400).contains(second)
    }

    private struct Outcome {
        var stops: [Int]
        var points: [[Timestamp]]
    }

    private static func outcome(of store: LocationDatabase) throws -> Outcome {
        let trips = try store.trips()
        return Outcome(
            stops: trips.map(\.summary.stops),
            points: try trips.map { try store.trace(ofTrip: $0.summary.id, limit: .max).compactMap(\.time) })
    }

    /// Some requests are lost and sent again, some twice, some after the next one; and the daemon starts anew.
    @Test(arguments: 0..<24 as Range<UInt64>) func everyPlaceOfADayIsStoredOnce(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var requests: [[(second: Int, east: Double)]] = []
        var rest = Self.day[...]
        while !rest.isEmpty {
            let count = Int.random(in: 1...20, using: &random)
            requests.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        var sent: [[(second: Int, east: Double)]] = []
        for request in requests {
            sent.append(request)
            let chance = Int.random(in: 0..<10, using: &random)
            if chance == 0 { sent.append(request) }
            if chance == 1, sent.count > 1 { sent.swapAt(sent.count - 1, sent.count - 2) }
            if chance == 2, sent.count > 3 { sent.append(sent[sent.count - 3]) }
        }
        let inOrder = try await rig()
        try await inOrder.run {
            for request in [Self.day[...]] { try await inOrder.pipeline.receive(Self.report(day: request), of: "anna") }
        }
        let store = try Stores.temporary()
        let cut = Int.random(in: 0...sent.count, using: &random)
        for part in [sent[..<cut], sent[cut...]] {
            let rig = try await LiveRig(store)
            let features = Features(store: store, liveState: rig.pipeline) { LiveRig.time(20_000) }
            try await rig.run {
                for request in part { try await rig.pipeline.receive(Self.report(day: request), of: "anna") }
                rig.clock.move(by: 61)
                try await LateMerges(rig.pipeline, features.context, logger: rig.pipeline.logger).merge("anna")
            }
        }
        let (found, expected) = (try Self.outcome(of: store), try Self.outcome(of: inOrder.store))
        #expect(found.stops == expected.stops)
        try #require(found.points.count == expected.points.count)
        for (one, other) in zip(found.points, expected.points) {
            #expect(one == one.sorted() && one.count == Set(one).count)
            #expect(Set(one).isSuperset(of: other))
            // While places of the edge of a trip were missing, it began or ended at the rest beside them.
            #expect(Set(one).subtracting(other).allSatisfy { Self.isRest($0) })
        }
    }

    // MARK: A day whose requests come in any order

    /// The seconds and the way east, in metres, of a phone that sends nothing while it lies still for long: two drives
    /// with ten minutes of rest around each.
    private static let silentDay: [(second: Int, east: Double)] = {
        var day: [(Int, Double)] = []
        var east = 0.0
        for second in stride(from: 0, through: 14_000, by: 10) {
            if (600..<2_400).contains(second) || (9_000..<11_400).contains(second) { east += 110 }
            if (3_600..<8_400).contains(second) { continue }
            day.append((second, east))
        }
        return day
    }()

    private static func isSilentRest(_ time: Timestamp) -> Bool {
        let second = time.seconds(since: LiveRig.time(0))
        return !(600..<2_400).contains(second) && !(9_000..<11_400).contains(second)
    }

    /// The trips are those of the day in order, whichever request comes first, and whichever places are missing when a
    /// trip begins and ends.
    ///
    /// Places that were not late when they came, and too few to be a trip then, are kept nowhere.
    @Test(arguments: 100..<112 as Range<UInt64>) func tripsGrowAtTheirEdges(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var requests: [[(second: Int, east: Double)]] = []
        var rest = Self.silentDay[...]
        let largest = [40, 100, 250].randomElement(using: &random) ?? 40
        while !rest.isEmpty {
            let count = Int.random(in: 1...largest, using: &random)
            requests.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        let inOrder = try await rig()
        try await inOrder.run { try await inOrder.pipeline.receive(Self.report(day: Self.silentDay), of: "anna") }
        requests.shuffle(using: &random)
        var newest = -1
        var inTime: Set<Timestamp> = []
        for request in requests {
            for place in request where place.second > newest { inTime.insert(LiveRig.time(Double(place.second))) }
            newest = max(newest, request.last?.second ?? newest)
        }
        let sent = requests.map { (request: $0, isFollowedByRest: Int.random(in: 0..<6, using: &random) == 0) }
        let store = try Stores.temporary()
        let cut = Int.random(in: 0...sent.count, using: &random)
        for part in [sent[..<cut], sent[cut...]] {
            let rig = try await LiveRig(store)
            let features = Features(store: store, liveState: rig.pipeline) { LiveRig.time(20_000) }
            try await rig.run {
                for (request, isFollowedByRest) in part {
                    try await rig.pipeline.receive(Self.report(day: request), of: "anna")
                    guard isFollowedByRest else { continue }
                    rig.clock.move(by: 61)
                    try await LateMerges(rig.pipeline, features.context, logger: rig.pipeline.logger).merge("anna")
                }
                // The phone is silent for so long that its trip has ended, and what came late has its place.
                if part.endIndex == sent.endIndex { rig.clock.move(by: 8 * 3600) }
                await rig.pipeline.tick()
                rig.clock.move(by: 61)
                try await LateMerges(rig.pipeline, features.context, logger: rig.pipeline.logger).merge("anna")
            }
        }
        let (found, expected) = (try Self.outcome(of: store), try Self.outcome(of: inOrder.store))
        try #require(found.points.count == expected.points.count)
        for (one, other) in zip(found.points, expected.points) {
            #expect(one == one.sorted() && one.count == Set(one).count)
            #expect(Set(other).subtracting(one).subtracting(inTime).filter { !Self.isSilentRest($0) } == [])
            #expect(Set(one).subtracting(other).allSatisfy { Self.isSilentRest($0) })
        }
        for trip in try store.trips().map(\.summary) {
            let fixes = try store.trace(ofTrip: trip.id, limit: .max)
            #expect(trip.start == fixes.first?.time && trip.end == fixes.last?.time && trip.fixes == fixes.count)
        }
    }
}
#endif
