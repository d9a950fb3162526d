import Geodesy
import Positioning
import Simulation
import TextCoding
import Time
import Tracking

/// The benchmark of a thousand simulated nights at anchor, and as many in which the anchor drags.
///
/// Besides the time it prints how many nights gave a false alarm, how many drags gave none, how many gave it more than a
/// minute after the boat had passed the boundary, and the longest such delay in seconds. The first three are to be 0.
enum AnchorBenchmark {
    static let all = [nights]

    private static let count: UInt64 = 1000
    /// The seconds after the boundary within which an alarm is in time.
    private static let inTime = 60.0

    private static let nights = Benchmark(name: "anchor-\(count)", files: []) { _ in
        var (falses, missed, late, fixes, longest) = (0, 0, 0, 0, 0.0)
        let watch = Stopwatch()
        for seed in 0..<count {
            let calm = alarm(in: AnchoredNight(seed: seed, drags: false), &fixes)
            if calm.alarm != nil { falses += 1 }
            let drag = alarm(in: AnchoredNight(seed: seed, drags: true), &fixes)
            guard let told = drag.alarm else {
                missed += 1
                continue
            }
            let delay = drag.passed.map { told - $0 } ?? 0
            if delay > inTime { late += 1 }
            longest = max(longest, delay)
        }
        Figures(workload: "anchor-\(count)", count: fixes, took: watch.elapsed).print { json in
            json.member("false", falses)
            json.member("missed", missed)
            json.member("late", late)
            json.member("longest", longest, decimals: 1)
        }
    }

    /// Returns the seconds at which a night's alarm was given first, and at which the boat passed the boundary.
    private static func alarm(in night: AnchoredNight, _ fixes: inout Int) -> (alarm: Double?, passed: Double?) {
        var anchor = Geofence(
            identity: .init(kind: .sight, id: "anchor"), title: "Anchor", center: AnchoredNight.anchor,
            radius: night.radius)
        anchor.isAlarm = true
        let index = GeofenceIndex([(anchor, 1)])
        var tracker = Tracker(device: "boat")
        var (alarm, passed): (Double?, Double?) = (nil, nil)
        var count = 0
        night.forEachFix { fix, second, distance in
            count += 1
            var output = Tracker.Output()
            tracker.ingest(fix, in: index, into: &output)
            if output.events.contains(where: { $0.type == "geofence.exit" }) { alarm = second }
            if distance > night.boundary.meters { passed = passed ?? second }
            return alarm == nil
        }
        fixes += count
        return (alarm, passed)
    }
}
