import Geodesy
import Time

/// Derives the course and speed of a device.
extension ApproachEngine {
    /// The speed, in metres a second, below which the course is noise.
    private static let leastSpeed = 1.0
    /// The least length, in metres, of a leg whose direction is more than noise.
    private static let leastLeg = 30.0
    /// The duration, in seconds, above which a leg does not show the present course.
    private static let longestLegTime = 60.0

    /// Returns the device's course and speed, or `nil` if they are unknown.
    ///
    /// The receiver reports the course, or a leg of at least ``leastLeg`` shows it.
    mutating func motion(_ step: MovingFix) -> (course: Angle, speed: Speed)? {
        if step.isApart { rest() }
        if let speed = step.speed {
            guard speed.metersPerSecond >= Self.leastSpeed else {
                rest()
                return nil
            }
            if let track = step.track {
                base = (step.time, step.place)
                return (track, speed)
            }
        }
        guard let start = base else {
            base = (step.time, step.place)
            return nil
        }
        let begin = UnitVector(start.place)
        let (length, time) = (begin.distance(to: step.here).meters, step.time.seconds(since: start.time))
        guard length >= Self.leastLeg || time > Self.longestLegTime else { return nil }
        base = (step.time, step.place)
        guard time <= Self.longestLegTime, length >= Self.leastSpeed * time else {
            heading = nil
            return nil
        }
        // The direction at the leg's end is the opposite of the bearing back to its start.
        let course = Angle(degrees: step.here.bearing(to: begin).degrees + 180).normalized
        return (course, step.speed ?? .metersPerSecond(length / time))
    }
}
