import GRDB
import Positioning
import TestSupport
import Testing
import Time
import Tracking

@testable import Store

/// The trips that an import would overlap, compared with a pass over all trips.
@Suite struct TripOverlapTests {
    private struct Stored {
        var id: String
        var start: Int64
        var end: Int64?
        var isHidden = false
    }

    /// Returns a length from nothing to half a year, each power of two as often.
    private func length(_ random: inout SeededGenerator) -> Int64 {
        let bits = Int64.random(in: 0...34, using: &random)
        return bits == 0 ? 0 : Int64.random(in: 1 << (bits - 1)..<1 << bits, using: &random)
    }

    @Test(.slow, arguments: 1...8)
    func anImportOverlapsWhatAPassOverAllTripsFinds(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let store = try LocationDatabase.temporary()
        var trips: [Stored] = []
        for number in 0..<120 {
            let start = Int64.random(in: 0...1 << 33, using: &random)
            trips.append(
                Stored(
                    id: "t\(number)", start: start, end: start + length(&random),
                    isHidden: Int.random(in: 0..<8, using: &random) == 0))
        }
        if seed.isMultiple(of: 2) { trips.append(Stored(id: "open", start: 1 << 32)) }
        try store.write { [trips] db in
            _ = try Devices.add("van", to: db)
            for trip in trips {
                try db.execute(
                    sql: """
                        INSERT INTO trip (id, device, start, "end", algorithm, settings, hidden)
                        VALUES (?, 1, ?, ?, 1, '{}', ?)
                        """, arguments: [trip.id, trip.start, trip.end, trip.isHidden])
            }
        }
        for _ in 0..<300 {
            let start = Int64.random(in: -1000...1 << 33, using: &random)
            let end = start + length(&random)
            let overlapping = trips.filter { trip in
                !trip.isHidden && trip.start < end && trip.end.map { $0 > start } ?? true
            }
            var summary = TripSummary(device: "van", start: Timestamp(milliseconds: start))
            summary.end = Timestamp(milliseconds: end)
            try store.write { [summary] db in
                try db.inSavepoint {
                    let outcome = try Travels.add(
                        PastTrip(summary), policy: TrackingPolicy(), now: time(0), to: db)
                    switch outcome {
                    case .overlapping(let id):
                        let first = overlapping.map(\.start).min()
                        #expect(overlapping.contains { $0.id == id && $0.start == first })
                    case .added: #expect(overlapping.isEmpty)
                    case .known: Issue.record("no such trip is stored")
                    }
                    return .rollback
                }
            }
        }
    }
}
