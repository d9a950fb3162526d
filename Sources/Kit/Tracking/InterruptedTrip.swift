import Geodesy
import Positioning
import Time

/// A trip that ended in silence while the device was moving, such as on a train in the mountains.
///
/// The device may have travelled on without being received.
struct InterruptedTrip: Sendable, Codable {
    /// The trip's id, or the id of the trip that it was joined to.
    let id: String
    private let end: Fix
    private let speed: Speed
    /// The first fix of the next trip.
    var next: Fix?

    /// The least ratio of the mean speed across the silence to the greater of the speeds before and after it.
    ///
    /// The straight line is shorter than a winding path, and the device may have waited for less time than ends a trip.
    /// Either may account for half the speed.
    private static let share = 0.5

    init?(id: String, _ trip: TripSummary, end: Fix) {
        guard let speed = trip.averageMovingSpeed else { return nil }
        (self.id, self.end, self.speed) = (id, end, speed)
    }

    /// Whether the device crossed the silence at about the speed of the trip before it and of `trip`, the next one.
    ///
    /// The next trip must have ended.
    func isContinued(by trip: TripSummary) -> Bool {
        guard let next, let start = end.time, let begin = next.time, let after = trip.averageMovingSpeed else {
            return false
        }
        let way = Ellipsoid.distance(from: end.coordinate, to: next.coordinate).meters
        return way / begin.seconds(since: start) >= Self.share * max(speed, after).metersPerSecond
    }
}
