import Geodesy
import Positioning
import TestSupport
import Time

/// A simulated receiver: it adds wandering noise to a journey, and accuracy and speed if it reports them.
struct Receiver {
    /// The standard deviation on each axis, in metres.
    var deviation = 3.0
    /// The time in seconds after which the error has mostly changed.
    var correlationTime = 60.0
    /// Whether it reports accuracy and speed.
    var tells: Bool
    var seed: UInt64 = 1

    /// Returns the journey's fixes as the receiver reports them.
    func fixes(of journey: Journey) -> [Fix] {
        var random = SeededGenerator(seed: seed)
        func deviate() -> Double { (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) } }
        var (east, north) = (deviation * deviate(), deviation * deviate())
        var before: Fix?
        return journey.fixes.map { truth in
            var fix = truth
            var speed = 0.0
            if let before, let start = before.time, let end = truth.time {
                let seconds = end.seconds(since: start)
                let kept = max(0, 1 - seconds / correlationTime)
                let renewed = deviation * (1 - kept * kept).squareRoot()
                (east, north) = (kept * east + renewed * deviate(), kept * north + renewed * deviate())
                speed = Ellipsoid.distance(from: before.coordinate, to: truth.coordinate).meters / seconds
            }
            before = truth
            fix.coordinate = journey.place(east: east, north: north, of: truth.coordinate)
            if tells {
                fix.accuracy = .meters(2.45 * deviation)
                // A jump of the place is no driven speed.
                fix.speed = .metersPerSecond(max(0, (speed < 100 ? speed : 0) + 0.1 * deviate()))
            }
            return fix
        }
    }
}
