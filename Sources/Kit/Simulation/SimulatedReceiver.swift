import Geodesy
import Positioning
import Time

/// The output of a receiver at one time.
struct SimulatedEpoch {
    var time: Timestamp
    /// The position; `nil` if the receiver has none.
    var fix: Fix?
    /// Whether the receiver knows the time yet.
    var knowsTime = true
}

/// A simulated receiver with its errors, which turns a journey into a recording.
struct SimulatedReceiver {
    /// The seed of all errors.
    var seed: UInt64
    /// The seconds between two fixes.
    var interval = 1
    /// The wandering error of the position on each axis at the usual HDOP, in metres (standard deviation).
    var wander = 3.0
    /// The time for which an error lasts, in seconds.
    var correlationTime = 150.0
    /// The independent error of each fix on each axis, in metres (standard deviation).
    var jitter = 0.15
    /// The HDOP under a clear sky.
    var bestHDOP = 0.8
    /// The usual rise of the HDOP above that.
    var spreadHDOP = 0.35
    /// The altitude in metres above mean sea level, to which the height of the way is added.
    var altitude = 2.0
    /// The movement of the vehicle while it stands, in metres; this is not an error of the receiver.
    var sway = 0.0
    /// The seconds at the start without a position.
    var coldStart = 0
    /// The seconds in which nothing is recorded; a new segment begins after them.
    var paused: Range<Int>?
    /// The reflections and larger errors.
    var disturbances: [Disturbance] = []

    /// The greatest HDOP of an undisturbed fix.
    ///
    /// At 19 m per unit, its accuracy stays below the 50 m that a fix needs to enter a geofence.
    private static let worstHDOP = 2.4
    /// The seconds at the start without the time, too.
    private static let timelessStart = 6
    /// The seconds that a receiver needs to find its position again after a tunnel.
    private static let reacquisition = 4
    /// The speed in metres per second below which a receiver reports no course.
    private static let slowestCourse = 0.5

    /// Returns the recording of a journey that begins at `start`.
    func record(_ journey: Journey, from start: Timestamp) -> [SimulatedEpoch] {
        let step = Double(interval)
        var east = Wander(deviation: wander, correlationTime: correlationTime, seed: seed)
        var north = Wander(deviation: wander, correlationTime: correlationTime, seed: seed &+ 1)
        var up = Wander(deviation: 1.5 * wander, correlationTime: 2 * correlationTime, seed: seed &+ 2)
        var dilution = Wander(deviation: spreadHDOP, correlationTime: 90, seed: seed &+ 3)
        var swayEast = Wander(deviation: sway, correlationTime: 25, seed: seed &+ 4)
        var swayNorth = Wander(deviation: sway, correlationTime: 25, seed: seed &+ 5)
        var noise = SeededGenerator(seed: seed &+ 6)

        var epochs: [SimulatedEpoch] = []
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
            let height = altitude + journey.height(at: moment.at) + scale * up.advance(bySeconds: step)
            let speed = abs(moment.speed + (standing ? 0.03 + 0.05 * sway : 0.12) * noise.deviate())
            let course = journey.path.course(at: moment.at).degrees + 4 / max(1, moment.speed) * noise.deviate()

            if let paused, paused.contains(second) {
                begins = true
                continue
            }
            let time = start.advanced(byMilliseconds: Int64(second) * 1000)
            if journey.isCovered(at: moment.at) { foundAt = second + Self.reacquisition }
            guard second >= foundAt else {
                epochs.append(
                    SimulatedEpoch(time: time, fix: nil, knowsTime: second >= min(coldStart, Self.timelessStart)))
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
            epochs.append(SimulatedEpoch(time: time, fix: fix))
            begins = false
        }
        return epochs
    }
}

/// A period in which a receiver reports a wrong position.
struct Disturbance {
    /// The seconds of the journey.
    var seconds: Range<Int>
    /// The eastward error of the position, in metres.
    var east: Double
    /// The northward error of the position, in metres.
    var north: Double
    /// The HDOP that the receiver reports meanwhile.
    var hdop: Double
}

extension Coordinate {
    /// The nearest place that NMEA can express with five decimals of a minute, converted back to units of this type.
    ///
    /// With it, a recording has the same positions in NMEA and in GPX.
    var snappedToMinutes: Coordinate {
        func snapped(_ unitsE7: Int32) -> Int32 {
            let units = NMEAText.minuteUnits(unitsE7)
            return Int32((units * 10 + 3) / 6) * unitsE7.signum()
        }
        return Coordinate(latitudeE7: snapped(latitudeE7), longitudeE7: snapped(longitudeE7)) ?? self
    }
}
