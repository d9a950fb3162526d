import Geodesy
import Positioning

/// What a receiver says at one time.
struct Epoch {
    /// When.
    var time: Timestamp
    /// The position, or nil where it has none.
    var fix: Fix?
    /// Whether the receiver knows the time yet.
    var knowsTime = true
}

/// A receiver with its errors, which turns a journey into what would have been recorded of it.
struct Receiver {
    /// What all its errors follow from.
    var seed: UInt64
    /// Seconds between two fixes.
    var interval = 1
    /// How far the position wanders on each axis at the usual HDOP, in metres (standard deviation).
    var wander = 3.0
    /// How long an error lasts, in seconds.
    var correlationTime = 150.0
    /// What is added to each fix on each axis, in metres (standard deviation).
    var jitter = 0.15
    /// The HDOP under a free sky.
    var bestHDOP = 0.8
    /// How far the HDOP rises above that, on the whole.
    var spreadHDOP = 0.35
    /// Metres above mean sea level.
    var altitude = 2.0
    /// How far the vehicle sways while it stands, in metres; the error of a receiver is not meant.
    var sway = 0.0
    /// Seconds at the start without a position.
    var coldStart = 0
    /// Seconds in which nothing is recorded; a new segment begins after them.
    var paused: Range<Int>?
    /// Reflections and worse.
    var disturbances: [Disturbance] = []

    /// The greatest HDOP of an undisturbed fix: 19 m for each unit stays below the 50 m that an entering fix needs.
    private static let worstHDOP = 2.4
    /// Seconds at the start without the time either.
    private static let timelessStart = 6
    /// Seconds that a receiver needs to find itself again after a tunnel.
    private static let reacquisition = 4
    /// Below this speed, in metres per second, a receiver gives no course.
    private static let slowestCourse = 0.5

    /// What is recorded of a journey that begins at a time.
    func record(_ journey: Journey, from start: Timestamp) -> [Epoch] {
        let step = Double(interval)
        var east = Wander(deviation: wander, correlationTime: correlationTime, seed: seed)
        var north = Wander(deviation: wander, correlationTime: correlationTime, seed: seed &+ 1)
        var up = Wander(deviation: 1.5 * wander, correlationTime: 2 * correlationTime, seed: seed &+ 2)
        var dilution = Wander(deviation: spreadHDOP, correlationTime: 90, seed: seed &+ 3)
        var swayEast = Wander(deviation: sway, correlationTime: 25, seed: seed &+ 4)
        var swayNorth = Wander(deviation: sway, correlationTime: 25, seed: seed &+ 5)
        var noise = SeededGenerator(seed: seed &+ 6)

        var epochs: [Epoch] = []
        var (foundAt, begins) = (coldStart, false)
        for second in stride(from: 0, through: journey.seconds, by: interval) {
            let moment = journey.moment(second: second)
            let standing = moment.speed == 0
            let hdop = min(Self.worstHDOP, bestHDOP + abs(dilution.advance(bySeconds: step)))
            let scale = hdop / (bestHDOP + 0.8 * spreadHDOP)
            let drift = (
                scale * east.advance(bySeconds: step) + jitter * noise.deviate(),
                scale * north.advance(bySeconds: step) + jitter * noise.deviate()
            )
            let swing =
                standing
                ? (swayEast.advance(bySeconds: step), swayNorth.advance(bySeconds: step))
                : (swayEast.fade(bySeconds: step), swayNorth.fade(bySeconds: step))
            let height = altitude + scale * up.advance(bySeconds: step)
            let speed = abs(moment.speed + (standing ? 0.03 + 0.05 * sway : 0.12) * noise.deviate())
            let course = journey.path.course(at: moment.at).degrees + 4 / max(1, moment.speed) * noise.deviate()

            if let paused, paused.contains(second) {
                begins = true
                continue
            }
            let time = start.advanced(byMilliseconds: Int64(second) * 1000)
            if journey.isCovered(at: moment.at) { foundAt = second + Self.reacquisition }
            guard second >= foundAt else {
                epochs.append(Epoch(time: time, fix: nil, knowsTime: second >= min(coldStart, Self.timelessStart)))
                continue
            }
            let disturbance = disturbances.first { $0.seconds.contains(second) }
            let place = journey.path.place(at: moment.at).displaced(
                east: drift.0 + swing.0 + (disturbance?.east ?? 0), north: drift.1 + swing.1 + (disturbance?.north ?? 0)
            )
            var fix = Fix(time: time, coordinate: Coordinate(place).snappedToMinutes, beginsSegment: begins)
            fix.altitude = .meters((height * 10).rounded() / 10)
            fix.speed = .metersPerSecond((speed * 100).rounded() / 100)
            fix.track = speed < Self.slowestCourse ? nil : Angle(degrees: (course * 10).rounded() / 10).normalized
            fix.hdop = ((disturbance?.hdop ?? hdop) * 100).rounded() / 100
            fix.satellites = max(4, min(11, 11 - Int(((fix.hdop ?? hdop) - bestHDOP) * 4)))
            fix.mode = .threeDimensional
            epochs.append(Epoch(time: time, fix: fix))
            begins = false
        }
        return epochs
    }
}

/// A time in which a receiver is misled.
struct Disturbance {
    /// Seconds of the journey.
    var seconds: Range<Int>
    /// Metres by which the position is off.
    var east: Double
    /// Metres by which the position is off.
    var north: Double
    /// What the receiver says of its confidence meanwhile.
    var hdop: Double
}

extension Coordinate {
    /// The nearest place that NMEA can say with five decimals of a minute, read again to whole units of this type.
    ///
    /// With it, a recording says the same as NMEA and as GPX.
    var snappedToMinutes: Coordinate {
        func snapped(_ unitsE7: Int32) -> Int32 {
            let units = NMEAText.minuteUnits(unitsE7)
            return Int32((units * 10 + 3) / 6) * unitsE7.signum()
        }
        return Coordinate(latitudeE7: snapped(latitudeE7), longitudeE7: snapped(longitudeE7)) ?? self
    }
}
