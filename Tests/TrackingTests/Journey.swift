import Geodesy
import Positioning
import TestSupport
import Tracking

/// Made-up journeys, in metres from a place.
struct Journey {
    var origin = Coordinate(latitude: 52.37, longitude: 4.89).known
    var fixes: [Fix] = []
    private var seconds = 0.0
    private var east = 0.0
    private var north = 0.0
    static let begin = Timestamp(rfc3339: "2026-05-01T10:00:00Z").known

    init() {}

    /// The moment so many seconds after the beginning.
    static func at(_ seconds: Double) -> Timestamp {
        begin.advanced(byMilliseconds: Int64(seconds * 1000))
    }

    /// A place so many metres from the origin, or from another place, on a plane that is good enough for a test.
    func place(east: Double, north: Double, of start: Coordinate? = nil) -> Coordinate {
        let start = start ?? origin
        let latitude = start.latitude + north / 111_195
        let longitude = start.longitude + east / (111_195 * 0.6105)
        return Coordinate(latitude: latitude, longitude: longitude).known
    }

    /// Goes on at a speed for some seconds, with a fix each `every`.
    mutating func move(east vx: Double, north vy: Double, for duration: Double, every: Double = 1) {
        let end = seconds + duration
        while seconds + every <= end + 1e-9 {
            seconds += every
            east += vx * every
            north += vy * every
            report()
        }
    }

    /// Stays for some seconds.
    mutating func rest(for duration: Double, every: Double = 1) {
        move(east: 0, north: 0, for: duration, every: every)
    }

    /// Says nothing for some seconds, and meanwhile gets somewhere else.
    mutating func silence(for duration: Double, east dx: Double = 0, north dy: Double = 0) {
        seconds += duration
        east += dx
        north += dy
    }

    /// A fix where it is now.
    mutating func report() {
        fixes.append(Fix(time: Self.at(seconds), coordinate: place(east: east, north: north)))
    }
}

extension Tracker {
    /// Everything that fixes make of a fresh tracker, at a recording's end too.
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
    /// The events' lines.
    var lines: [String] { events.map { String(decoding: $0.json(), as: UTF8.self) } }
    /// The types of the events in order.
    var types: [String] { events.map(\.type) }

    var trips: [TripSummary] {
        changes.compactMap { if case .tripEnded(let trip) = $0 { trip } else { nil } }
    }

    var stops: [StopSummary] {
        changes.compactMap { if case .stopEnded(let stop) = $0 { stop } else { nil } }
    }

    /// The points that are left of all traces.
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
