import GRDB
import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

@testable import Store

/// Fixes that were reported after later ones, and how they come into the trips.
@Suite struct LateFixesTests {
    private let store: LocationDatabase
    private let now = time(1_000_000)

    init() throws { store = try LocationDatabase.temporary() }

    /// Stores a trip with a point each ten seconds of those that are given, going north.
    private func record(_ steps: [Int], isOpen: Bool = false) throws -> String {
        var trip = TripSummary(device: "anna", start: time(Double(steps[0]) * 10))
        var pending = PendingCommit()
        var changes: [TravelChange] = [.tripBegan(trip)]
        var numbers = TripNumbers()
        for step in steps {
            let fix = Self.fix(step)
            numbers.add(fix, gap: step == steps[0])
            changes.append(.point(fix, gap: step == steps[0]))
        }
        if !isOpen {
            trip.end = Self.fix(steps[steps.count - 1]).time
            trip.adopt(numbers)
            changes.append(.tripEnded(trip))
        }
        pending.changes["anna"] = changes
        _ = try store.commit(pending)
        return trip.id
    }

    private static func fix(_ step: Int) -> Fix {
        var point = StoreTests.fix(Double(step) * 10, Int32(step) * 10_000)
        point.speed = .metersPerSecond(11.1)
        return point
    }

    private func report(late steps: [Int]) throws {
        var pending = PendingCommit()
        for step in steps { pending.addLate(Self.fix(step), of: "anna") }
        _ = try store.commit(pending)
    }

    private func merge() throws -> LateFixes.Merge {
        try store.write { try LateFixes.merge(of: "anna", now: now, in: $0) }
    }

    @Test func lateFixesComeIntoTheTripAsIfTheyHadBeenInTime() throws {
        let whole = try LateFixesTests().recorded(Array(0...60))
        let id = try record((0...60).filter { $0 % 10 < 4 })
        try report(late: (0...60).filter { $0 % 10 >= 4 }.reversed())
        #expect(try store.read(LateFixes.devices) == ["anna"])
        let merge = try merge()
        #expect(merge.rest.isEmpty)
        #expect(merge.events.map(\.type) == ["trip.revised"])
        #expect(String(decoding: try #require(merge.events.first?.line), as: UTF8.self).contains("\"change\":\"late\""))
        let trip = try #require(try store.read { try Travels.trip(id: id, in: $0) })
        #expect(trip.summary.fixes == 61)
        #expect(trip.revision == 1)
        #expect(abs(trip.summary.distance.meters - whole.summary.distance.meters) < 0.01)
        #expect(try store.trace(ofTrip: id, limit: .max).map(\.time) == (0...60).map { Self.fix($0).time })
        #expect(try store.read(LateFixes.devices) == [])
        #expect(try self.merge().events.isEmpty)
    }

    private func recorded(_ steps: [Int]) throws -> RecordedTrip {
        let id = try record(steps)
        return try #require(try store.read { try Travels.trip(id: id, in: $0) })
    }

    @Test func whatIsStoredAlreadyChangesNothing() throws {
        let id = try record([0, 1, 2, 3])
        try report(late: [1, 2])
        #expect(try merge().events.isEmpty)
        #expect(try store.read { try Travels.trip(id: id, in: $0)?.revision } == 0)
        for step in [0, 3] {
            let time = try #require(Self.fix(step).time)
            #expect(try store.read { try ReportedDevices.stored([time], of: "anna", in: $0) } == [time])
        }
        let between = try #require(Self.fix(1).time).advanced(byMilliseconds: 1)
        #expect(try store.read { try ReportedDevices.stored([between], of: "anna", in: $0) }.isEmpty)
    }

    @Test func fixesDuringATripThatGoesOnWait() throws {
        _ = try record([0, 5, 10], isOpen: true)
        try report(late: [3])
        #expect(try merge().events.isEmpty)
        #expect(try store.read(LateFixes.devices) == ["anna"])
        let time = try #require(Self.fix(3).time)
        #expect(try store.read { try ReportedDevices.stored([time], of: "anna", in: $0) } == [time])
    }

    @Test func aTripThatGoesOnHoldsBackNoEarlierFixes() throws {
        let ended = try record([0, 1, 5])
        _ = try record([100, 110], isOpen: true)
        try report(late: [2, 3] + Array(101...109))
        #expect(try merge().events.count == 1)
        #expect(try store.read { try Travels.trip(id: ended, in: $0)?.summary.fixes } == 5)
        #expect(try merge().events.isEmpty)
        #expect(try store.read(LateFixes.devices) == ["anna"])
    }

    @Test func ofTwoTripsThatBeganAtOnceTheLongerOneHasTheFix() throws {
        let long = try record([0, 1, 5])
        // Of two trips with one start, the greater id comes later in the list.
        try store.write { db in
            try db.execute(
                sql: """
                    INSERT INTO trip (id, device, start, "end", distance_m, stopped_s, stops, fixes, algorithm, settings)
                    SELECT 'zero', device, start, start, 0, 0, 0, 1, algorithm, settings FROM trip
                    """)
        }
        try report(late: [3])
        let merge = try merge()
        #expect(merge.rest.isEmpty)
        #expect(try store.read { try Travels.trip(id: long, in: $0)?.summary.fixes } == 4)
    }

    @Test func fixesOfNoTripAreHandedBackOnce() throws {
        _ = try record([100, 101, 102])
        try report(late: [3, 1, 2, 200])
        #expect(try merge().rest.map(\.time) == [1, 2, 3, 200].map { Self.fix($0).time })
        #expect(try merge().rest.isEmpty)
    }

    @Test func aSecretNamesItsDeviceUntilItIsReplacedOrTaken() throws {
        func name(_ byte: UInt8) throws -> String? {
            try store.read {
                try ReportedDevices.name(digest: Array(repeating: byte, count: ReportedDevices.digestLength), in: $0)
            }
        }
        func set(_ byte: UInt8, _ device: String) throws {
            try store.write {
                try ReportedDevices.set(
                    digest: Array(repeating: byte, count: ReportedDevices.digestLength), of: device, in: $0)
            }
        }
        try set(1, "anna")
        try set(2, "bob")
        try set(3, "anna")
        #expect(try [1, 2, 3].map { try name($0) } == [nil, "bob", "anna"])
        #expect(try store.read(ReportedDevices.names) == ["anna", "bob"])
        #expect(try store.write { try ReportedDevices.removeSecret(of: "bob", in: $0) })
        #expect(try !store.write { try ReportedDevices.removeSecret(of: "bob", in: $0) })
        #expect(try name(2) == nil)
    }
}
