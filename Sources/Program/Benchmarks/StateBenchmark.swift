import Foundation
import Geodesy
import Positioning
import TextCoding
import Time
import Tracking

/// The benchmark of writing devices' states as JSON, beside Foundation's encoder, whose bytes are to be the same.
enum StateBenchmark {
    static let all = [states]

    private static let rounds = 200

    private static let states = Benchmark(name: "state-json", files: []) { _ in
        let states = drive()
        let foundation = JSONEncoder()
        foundation.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try measure("waymark", states) { try SortedJSON.text(of: $0).utf8.reduce(0) { $0 &* 31 &+ UInt64($1) } }
        try measure("foundation", states) { try foundation.encode($0).reduce(0) { $0 &* 31 &+ UInt64($1) } }
    }

    private static func measure(
        _ peer: String, _ states: [Tracker.Saved], _ checksum: (Tracker.Saved) throws -> UInt64
    ) throws {
        var sum: UInt64 = 0
        let watch = Stopwatch()
        for _ in 0..<rounds { for state in states { sum &+= try checksum(state) } }
        Figures(
            peer: peer, workload: "state-json", count: rounds * states.count, took: watch.elapsed, checksum: sum
        ).print()
    }

    /// Returns the state after each tenth fix of a drive of ten minutes past circles.
    private static func drive() -> [Tracker.Saved] {
        func place(_ north: Double, _ east: Double) -> Coordinate {
            Coordinate(latitude: 52.37 + north, longitude: 4.88 + east) ?? .origin
        }
        let sights = (0..<50).map { number in
            Geofence(
                identity: .init(kind: .sight, id: "sight-\(number)"), title: "Sight \(number)",
                center: place(Double(number % 7) * 0.002, Double(number / 7) * 0.003), radius: .meters(120))
        }
        let index = GeofenceIndex(sights.map { ($0, 1) })
        var tracker = Tracker(device: "van")
        var output = Tracker.Output()
        return (0..<600).compactMap { (second: Int) -> Tracker.Saved? in
            let time = Timestamp(milliseconds: 1_750_000_000_000 + Int64(second) * 1000)
            let moment = Double(second)
            var fix = Fix(time: time, coordinate: place(moment * 7e-5, sin(moment / 40) * 0.002))
            (fix.speed, fix.accuracy) = (.metersPerSecond(8.23), .meters(4.2))
            tracker.ingest(fix, in: index, into: &output)
            return second % 10 == 9 ? tracker.saved(in: index) : nil
        }
    }
}
