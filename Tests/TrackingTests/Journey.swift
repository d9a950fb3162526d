import Geodesy
import Positioning
import TestSupport
import Time
import Tracking

/// A made-up journey, in metres from its origin.
struct Journey {
    var origin = Coordinate(latitude: 52.37, longitude: 4.89).known
    var fixes: [Fix] = []
    private var seconds = 0.0
    private var east = 0.0
    private var north = 0.0
    static let begin = Timestamp(rfc3339: "2026-05-01T10:00:00Z").known

    init() {}

    /// Returns the moment `seconds` seconds after the beginning.
    static func at(_ seconds: Double) -> Timestamp {
        begin.advanced(byMilliseconds: Int64(seconds * 1000))
    }

    /// Returns a place some metres east and north of the origin or of another place, on a plane that is accurate enough
    /// for tests.
    func place(east: Double, north: Double, of start: Coordinate? = nil) -> Coordinate {
        let start = start ?? origin
        let latitude = start.latitude + north / 111_195
        let longitude = start.longitude + east / (111_195 * 0.6105)
        return Coordinate(latitude: latitude, longitude: longitude).known
    }

    /// Moves at a constant speed for some seconds, with a fix each `every` seconds.
    mutating func move(east vx: Double, north vy: Double, for duration: Double, every: Double = 1) {
        let end = seconds + duration
        while seconds + every <= end + 1e-9 {
            seconds += every
            east += vx * every
            north += vy * every
            report()
        }
    }

    /// Stays at the place for some seconds.
    mutating func rest(for duration: Double, every: Double = 1) {
        move(east: 0, north: 0, for: duration, every: every)
    }

    /// Sends no fix for some seconds, and moves to another place meanwhile.
    mutating func silence(for duration: Double, east dx: Double = 0, north dy: Double = 0) {
        seconds += duration
        east += dx
        north += dy
    }

    /// Adds a fix at the current place.
    mutating func report() {
        fixes.append(Fix(time: Self.at(seconds), coordinate: place(east: east, north: north)))
    }
}

extension Tracker {
    /// Returns the output of a new tracker for all fixes, including the end of the recording.
    static func output(
        of fixes: [Fix], in index: GeofenceIndex = GeofenceIndex(), policy: TrackingPolicy = TrackingPolicy()
    ) -> Tracker.Output {
        var tracker = Tracker(device: "van", policy: policy)
        var output = Tracker.Output()
        for fix in fixes { tracker.ingest(fix, in: index, into: &output) }
        tracker.finish(into: &output)
        return output
    }
}

extension Tracker.Output {
    /// The events as JSON lines.
    var lines: [String] { events.map { String(decoding: $0.json(), as: UTF8.self) } }
    var types: [String] { events.map(\.type) }

    var trips: [TripSummary] {
        changes.compactMap { if case .tripEnded(let trip) = $0 { trip } else { nil } }
    }

    var stops: [StopSummary] {
        changes.compactMap { if case .stopEnded(let stop) = $0 { stop } else { nil } }
    }

    /// The remaining points of all traces.
    var trace: [(fix: Fix, gap: Bool)] {
        var points: [(fix: Fix, gap: Bool)] = []
        for change in changes {
            switch change {
            case .point(let fix, let gap): points.append((fix, gap))
            case .truncated(let time): while let last = points.last?.fix.time, last > time { points.removeLast() }
            default: break
            }
        }
        return points
    }
}
