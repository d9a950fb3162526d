import Geodesy
import Positioning

/// What a trip adds up to, fix by fix.
struct TripNumbers: Sendable, Codable, Hashable {
    private(set) var distance = Distance.zero
    private(set) var fixes = 0
    private(set) var maximumSpeed: Double?
    var stopped = 0.0
    var stops = 0
    private var lastPlace: Coordinate?
    private var lastTime: Timestamp?
    private var speedBefore: Double?
    private var speedBeforeThat: Double?

    /// Adds a point of the trace; over a gap no distance is counted and no speed is known.
    mutating func add(_ fix: Fix, gap: Bool) {
        fixes += 1
        var leg: Double?
        if let lastPlace, let lastTime, let time = fix.time, !gap {
            let length = Ellipsoid.distance(from: lastPlace, to: fix.coordinate)
            distance += length
            let seconds = time.seconds(since: lastTime)
            if seconds > 0 { leg = length.meters / seconds }
        }
        note(speed: fix.speed?.metersPerSecond ?? leg)
        lastPlace = fix.coordinate
        lastTime = fix.time
    }

    /// Takes the median of the last three speeds for one that is borne out.
    private mutating func note(speed: Double?) {
        guard let speed else { return }
        defer { (speedBeforeThat, speedBefore) = (speedBefore, speed) }
        guard let a = speedBeforeThat, let b = speedBefore else { return }
        let median = max(min(a, b), min(max(a, b), speed))
        maximumSpeed = max(maximumSpeed ?? 0, median)
    }
}
