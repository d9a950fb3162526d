import Geodesy
import Positioning

/// In which direction a device goes.
extension ApproachEngine {
    /// Slower, in metres a second, is no way to anywhere: the course is noise.
    private static let leastSpeed = 1.0
    /// A leg is long enough, in metres, for its direction to be more than noise.
    private static let leastLeg = 30.0
    /// A leg that took longer, in seconds, says nothing about the present course.
    private static let longestLegTime = 60.0

    /// In which direction the device goes, and how fast; nil where that cannot be told.
    ///
    /// The receiver says it, or a leg that is long enough does.
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
        // The direction at its end: that of the way back, turned around.
        let course = Angle(degrees: step.here.bearing(to: begin).degrees + 180).normalized
        return (course, step.speed ?? .metersPerSecond(length / time))
    }
}
