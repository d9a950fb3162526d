import Daemon
import Positioning
import Store
import TextCoding
import Tracking

/// Benchmarks of storing points of trips, a thousand or one per transaction; each transaction is synchronised.
enum StoreBenchmarks {
    static let all = [
        Benchmark(name: "store-batch", files: [.fixes, .nmea]) { work in
            try measure("store-batch", by: "waymark", try work.fixes(60_000), perCommit: 1000)
            let track = try work.trackFixes(100_000).map { Workload.DeviceFix(device: 1, fix: $0) }
            try measure("store-batch", by: "waymark-1device", track, perCommit: 1000)
        },
        Benchmark(name: "store-single", files: [.fixes]) { work in
            try measure("store-single", by: "waymark", try work.fixes(500), perCommit: 1)
        },
    ]

    private static func measure(
        _ workload: String, by peer: String, _ fixes: [Workload.DeviceFix], perCommit: Int
    ) throws {
        let scratch = try ScratchFolder()
        let trips = try beginTrips(of: fixes, in: scratch)
        let before = try scratch.size("store")
        let store = try Stores.open(at: scratch.file("store"))
        let watch = Stopwatch()
        var start = 0
        while start < fixes.count {
            let end = min(start + perCommit, fixes.count)
            _ = try store.commit(commit(of: fixes[start..<end]))
            start = end
        }
        let took = watch.elapsed
        let sum = try sum(of: trips, in: store)
        try store.close()
        let grown = try scratch.size("store") - before
        Figures(peer: peer, workload: workload, count: fixes.count, took: took, checksum: sum).print {
            $0.member("bytes_per_fix", Double(grown) / Double(fixes.count), decimals: 1)
        }
    }

    /// Creates the store, with a trip for each device.
    ///
    /// - Returns: The trips.
    private static func beginTrips(of fixes: [Workload.DeviceFix], in scratch: ScratchFolder) throws -> [TripSummary] {
        var trips: [String: TripSummary] = [:]
        for fix in fixes {
            let device = String(fix.device)
            guard trips[device] == nil, let time = fix.fix.time else { continue }
            trips[device] = TripSummary(device: device, start: time)
        }
        var pending = PendingCommit()
        for trip in trips.values {
            var output = Tracker.Output()
            output.changes = [.tripBegan(trip)]
            pending.add(output, of: trip.device)
        }
        let store = try Stores.open(at: scratch.file("store"))
        _ = try store.commit(pending)
        try store.close()
        return Array(trips.values)
    }

    private static func commit(of fixes: ArraySlice<Workload.DeviceFix>) -> PendingCommit {
        var pending = PendingCommit()
        var outputs: [Int: Tracker.Output] = [:]
        for fix in fixes {
            outputs[fix.device, default: Tracker.Output()].changes.append(.point(fix.fix, gap: false))
        }
        for (device, output) in outputs { pending.add(output, of: String(device)) }
        return pending
    }

    /// Reads the stored points back, and returns their checksum.
    private static func sum(of trips: [TripSummary], in store: LocationDatabase) throws -> UInt64 {
        var sum: UInt64 = 0
        for trip in trips {
            let device = UInt64(trip.device) ?? 0
            try store.forEachPoint(ofTrip: trip.id) { fix in
                if let time = fix.time { sum &+= ResultChecksum.row(device: device, time: time) }
                return true
            }
        }
        return sum
    }
}
