import Geodesy
import Positioning
import Service
import Store
import Time
import Tracking

/// The trips and stops of a recording whose points are minutes apart, such as that of a tracker that saves its battery.
///
/// The rules for live devices need to see a device move. Here only the places tell: a device stands while its points
/// stay within a circle, and travels between such places, however long it was silent. The way between two points is
/// unknown, so the distance is that of straight lines, and the trip says so (`bridged`).
struct SparseTrips {
    /// The least radius of the circle, in metres.
    private static let leastRadius = 150.0

    private let device: String
    private let policy: TrackingPolicy
    private var gate: FixGate
    private(set) var statistics = Tracker.Statistics()
    private(set) var firstRejected: (reason: String, time: Timestamp)?
    private var trip: [Fix] = []
    private var stops: [StopSummary] = []
    /// The points at the place where the device stands, or may have begun to: the first and the last, and their number.
    private var stand: (first: Fix, last: Fix, count: Int)?

    init(device: String, policy: TrackingPolicy) {
        self.device = device
        self.policy = policy
        gate = FixGate(policy: policy.gate)
    }

    /// Takes the next points, and returns what was found.
    ///
    /// - Throws: ``PastRecording/TooLong`` if a trip has more than ``PastRecording/maximumPoints``.
    mutating func add(_ fixes: [Fix]) throws(PastRecording.TooLong) -> [PastRecording.Finding] {
        var findings: [PastRecording.Finding] = []
        for var fix in fixes {
            statistics.read += 1
            if let rejection = gate.judge(&fix) {
                statistics.rejected.count(rejection.rawValue)
                if let time = fix.time, firstRejected == nil { firstRejected = (rejection.rawValue, time) }
                continue
            }
            statistics.accepted += 1
            // All ways are equally unknown.
            fix.beginsSegment = false
            findings += try add(fix)
        }
        return findings
    }

    private mutating func add(_ fix: Fix) throws(PastRecording.TooLong) -> [PastRecording.Finding] {
        guard let stand else {
            self.stand = (fix, fix, 1)
            return []
        }
        guard !isTogether(stand.first, fix) else {
            self.stand = (stand.first, fix, stand.count + 1)
            return []
        }
        let findings = leave(stand)
        // The departure is the last point at the place.
        if trip.isEmpty { trip = [stand.last] }
        self.stand = (fix, fix, 1)
        guard trip.count <= PastRecording.maximumPoints else {
            let id = trip.first?.time.map { TripSummary(device: device, start: $0).id }
            throw PastRecording.TooLong(id: id ?? device)
        }
        return findings
    }

    /// Processes the points at a place when the device has left it, or the recording has ended.
    private mutating func leave(_ stand: (first: Fix, last: Fix, count: Int)) -> [PastRecording.Finding] {
        guard let start = stand.first.time, let end = stand.last.time else { return [] }
        let seconds = end.seconds(since: start)
        var stop: StopSummary?
        if stand.count > 1, seconds >= policy.stopAfter {
            stop = StopSummary(device: device, start: start, place: stand.first.coordinate)
            stop?.end = end
        }
        guard !trip.isEmpty else { return stop.map { [.stop($0, ofTrip: false)] } ?? [] }
        trip.append(stand.first)
        if seconds >= policy.tripEndAfter {
            return endTrip() + (stop.map { [.stop($0, ofTrip: false)] } ?? [])
        }
        if stand.count > 1 { trip.append(stand.last) }
        if let stop { stops.append(stop) }
        return []
    }

    /// Ends the recording.
    mutating func finish() -> [PastRecording.Finding] {
        guard let stand else { return [] }
        self.stand = nil
        let found = leave(stand)
        return found + endTrip()
    }

    private mutating func endTrip() -> [PastRecording.Finding] {
        defer { (trip, stops) = ([], []) }
        guard trip.count > 1, let start = trip.first?.time, let end = trip.last?.time else {
            return stops.map { .stop($0, ofTrip: false) }
        }
        var numbers = TripNumbers()
        for (index, fix) in trip.enumerated() {
            numbers.add(fix, gap: index == 0)
            if index == 0 { trip[index].beginsSegment = true }
        }
        var summary = TripSummary(device: device, start: start)
        summary.end = end
        summary.adopt(numbers)
        summary.kind = TripKind(ofMost: trip)
        summary.stops = stops.count
        summary.stopped = stops.reduce(0) { $0 + ($1.end?.seconds(since: $1.start) ?? 0) }
        statistics.distance += summary.distance
        return [.trip(PastTrip(summary, points: trip))] + stops.map { .stop($0, ofTrip: true) }
    }

    private func isTogether(_ one: Fix, _ other: Fix) -> Bool {
        let accuracies = (one.accuracy?.meters ?? 0) + (other.accuracy?.meters ?? 0)
        let radius = max(Self.leastRadius, policy.stopRadius.meters, accuracies)
        return Sphere.distance(from: one.coordinate, to: other.coordinate).meters <= radius
    }
}
