import Daemon
import Geodesy
import Positioning
import TextCoding
import Tracking

/// Benchmarks of a million fixes of a thousand devices: the enters and exits alone, and the whole tracker.
///
/// By the definition of the work, each fix is trusted and an exit needs no margin. The dwell time is so long that no
/// device dwells.
enum FenceBenchmark {
    static let all =
        files.map { engines($0.file, $0.sights) } + [trackers(.fewSights, 10_000), trackers(.manySights, 100_000)]
        + [(.fixesOfOne, "1x1000000"), (.fixesOfTen, "10x100000"), (.fixesOfMost, "10000x100")].map {
            engines(.manySights, 100_000, $0, size: $1)
        }

    private static let files: [(file: Workload.File, sights: Int)] = [
        (.fewestSights, 1000), (.fewSights, 10_000), (.manySights, 100_000), (.maximumSights, 1_000_000),
    ]

    private static let policy = {
        var policy = TrackingPolicy()
        policy.gate.isOff = true
        policy.exitMargin = .zero
        policy.dwell = 1e9
        return policy
    }()

    private static func engines(
        _ file: Workload.File, _ sights: Int, _ fixes: Workload.File = .fixes, size: String = "1000000"
    ) -> Benchmark {
        engines("fence-\(sights)-\(size)", files: [file, fixes]) { GeofenceIndex(try $0.sights(file)) }
    }

    /// Returns the benchmark of the enters and exits of the last of the files, which are fixes.
    static func engines(
        _ name: String, files: [Workload.File], index make: @escaping @Sendable (Workload) throws -> GeofenceIndex
    ) -> Benchmark {
        Benchmark(name: name, files: files) { work in
            let index = try make(work)
            let steps = try steps(of: files.last ?? .fixes, in: work)
            report(name, steps.count, run(steps, in: index))
        }
    }

    /// The fixes of a file, as engines see them.
    static func steps(of file: Workload.File, in work: Workload) throws -> [DeviceStep] {
        try work.fixes(of: file).compactMap(DeviceStep.init)
    }

    /// Shows the fixes to new engines.
    static func run(_ steps: [DeviceStep], in index: GeofenceIndex) -> Outcome {
        let names = (0...steps.reduce(0) { max($0, $1.device) }).map { String($0) }
        var engines = names.map { _ in GeofenceEngine() }
        var outcome = Outcome()
        var events: [Event] = []
        let watch = Stopwatch()
        for step in steps {
            engines[step.device].advance(step.step, in: index, policy: policy) { kind, time, place in
                events.append(Event(kind: kind, time: time, device: names[step.device], place: place))
            }
            guard !events.isEmpty else { continue }
            if events.count > 1 { events.sort(by: Event.precedes) }
            outcome.add(events)
            events.removeAll(keepingCapacity: true)
        }
        outcome.took = watch.elapsed
        return outcome
    }

    /// The number and checksum of enters and exits, and how long they took.
    struct Outcome {
        var took = Elapsed(seconds: 0)
        private(set) var events = 0
        private(set) var checksum: UInt64 = 0

        fileprivate mutating func add(_ more: [Event]) {
            for event in more {
                guard let term = term(event) else { continue }
                events += 1
                checksum &+= term
            }
        }
    }

    /// A fix of one device.
    struct DeviceStep {
        var device: Int
        var step: GeofenceEngine.PlacedFix

        fileprivate init?(_ fix: Workload.DeviceFix) {
            guard let time = fix.fix.time else { return nil }
            device = fix.device
            step = GeofenceEngine.PlacedFix(time: time, place: fix.fix.coordinate)
        }
    }

    private static func trackers(_ file: Workload.File, _ sights: Int) -> Benchmark {
        Benchmark(name: "tracker-\(sights)-1000000", files: [file, .fixes]) { work in
            let index = GeofenceIndex(try work.sights(file))
            let fixes = try work.fixes()
            var trackers = (0...fixes.reduce(0) { max($0, $1.device) }).map {
                Tracker(device: String($0), policy: policy)
            }
            var output = Tracker.Output()
            var outcome = Outcome()
            let watch = Stopwatch()
            for fix in fixes {
                trackers[fix.device].ingest(fix.fix, in: index, into: &output)
                if !output.events.isEmpty {
                    outcome.add(output.events)
                    output.events.removeAll(keepingCapacity: true)
                }
                output.changes.removeAll(keepingCapacity: true)
            }
            outcome.took = watch.elapsed
            report("tracker-\(sights)-\(fixes.count)", fixes.count, outcome)
        }
    }

    /// Prints the figures, with the checksum of the enters and exits.
    private static func report(_ workload: String, _ count: Int, _ outcome: Outcome) {
        Figures(workload: workload, count: count, took: outcome.took, checksum: outcome.checksum).print {
            $0.member("events", outcome.events)
        }
    }

    private static func term(_ event: Event) -> UInt64? {
        let (sighting, isEnter): (Event.GeofenceSighting, Bool)
        switch event.kind {
        case .enter(let entered, _): (sighting, isEnter) = (entered, true)
        case .exit(let left, _, _): (sighting, isEnter) = (left, false)
        default: return nil
        }
        guard let device = UInt64(event.device), let sight = UInt64(sighting.geofence.identity.id) else { return nil }
        return ResultChecksum.event(device: device, sight: sight, time: event.time, isEnter: isEnter)
    }
}
