import Positioning
import Service
import Store
import Time
import Tracking

/// A past trip that is stored as it is given, from its first point to its last, with the given stops.
struct WholeTrip {
    private let device: String
    private let stops: [StopSummary]
    private var points: [Fix] = []
    private var numbers = TripNumbers()
    /// The number of points given so far, and the number of those that were not later than the point before.
    private(set) var statistics = Tracker.Statistics()

    init(device: String, stops: [StopSummary]) {
        self.device = device
        self.stops = stops
    }

    /// Appends points.
    ///
    /// - Throws: ``PastRecording/TooLong`` if there are more than ``PastRecording/maximumPoints``.
    mutating func add(_ fixes: [Fix]) throws(PastRecording.TooLong) {
        for var fix in fixes {
            statistics.read += 1
            guard let time = fix.time, points.last?.time.map({ $0 < time }) ?? true else {
                statistics.rejected.count(FixGate.Rejection.late.rawValue)
                continue
            }
            statistics.accepted += 1
            fix.beginsSegment = fix.beginsSegment || points.isEmpty
            numbers.add(fix, gap: fix.beginsSegment)
            points.append(fix)
            guard points.count <= PastRecording.maximumPoints else {
                throw PastRecording.TooLong(id: TripSummary(device: device, start: points[0].time ?? time).id)
            }
        }
    }

    /// Returns the trip and those of the stops that lie within it; nothing if it has no point.
    func finish() -> [PastRecording.Finding] {
        guard let start = points.first?.time, let end = points.last?.time else { return [] }
        var summary = TripSummary(device: device, start: start)
        summary.end = end
        summary.adopt(numbers)
        summary.kind = TripKind(ofMost: points)
        let stops = stops.filter { stop in stop.start >= start && stop.end.map { $0 <= end } ?? false }
        summary.stops = stops.count
        summary.stopped = stops.reduce(0) { $0 + ($1.end?.seconds(since: $1.start) ?? 0) }
        return [.trip(PastTrip(summary, points: points))] + stops.map { .stop($0, ofTrip: true) }
    }
}
