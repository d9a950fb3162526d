import Companion
import Daemon
import Geodesy
import Positioning
import TextCoding
import Tracking

/// A million fixes of a thousand devices through their trackers: enters and exits, with trips and stops on the way.
///
/// Each fix is trusted, and an exit needs no margin, as the definition of the work has it; nobody waits for a dwell.
enum FenceBenchmark {
    static let all = [benchmark(.fewSights, 10_000), benchmark(.manySights, 100_000)]

    private static func benchmark(_ file: Workload.File, _ sights: Int) -> Benchmark {
        Benchmark(name: "fence-\(sights)-1000000", files: [file, .fixes]) { work in
            let index = GeofenceIndex(try work.sights(file))
            let fixes = try work.fixes()
            var run = Run(devices: fixes.reduce(0) { max($0, $1.device) })
            let watch = Stopwatch()
            for fix in fixes { run.take(fix, in: index) }
            var figures = Figures(workload: "fence-\(sights)-\(fixes.count)", count: fixes.count, took: watch.elapsed)
            let transitions = run.transitions
            figures.checksum = transitions.reduce(0) { $0 &+ $1 }
            figures.print { $0.member("events", transitions.count) }
        }
    }

    private struct Run {
        private var trackers: [Tracker]
        private var output = Tracker.Output()
        private var events: [Event] = []

        init(devices: Int) {
            var policy = TrackingPolicy()
            policy.gate.isOff = true
            policy.exitMargin = .zero
            policy.dwell = 1e9
            trackers = (0...devices).map { Tracker(device: String($0), policy: policy) }
        }

        mutating func take(_ fix: Workload.DeviceFix, in index: GeofenceIndex) {
            trackers[fix.device].ingest(fix.fix, in: index, into: &output)
            if !output.events.isEmpty {
                events += output.events
                output.events.removeAll(keepingCapacity: true)
            }
            output.changes.removeAll(keepingCapacity: true)
        }

        /// The term of each enter and exit.
        var transitions: [UInt64] {
            events.compactMap { event in
                let (sighting, isEnter): (Event.GeofenceSighting, Bool)
                switch event.kind {
                case .enter(let entered, _): (sighting, isEnter) = (entered, true)
                case .exit(let left, _, _): (sighting, isEnter) = (left, false)
                default: return nil
                }
                guard let device = UInt64(event.device), let sight = UInt64(sighting.geofence.identity.id) else {
                    return nil
                }
                return Checksum.event(device: device, sight: sight, time: event.time, isEnter: isEnter)
            }
        }
    }
}
