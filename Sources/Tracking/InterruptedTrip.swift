import Geodesy
import Positioning

/// A trip that ended in silence while the device moved, and may have gone on unheard: that of a train in the mountains.
struct InterruptedTrip: Sendable, Codable {
    /// The trip's id, or that of the one it was joined to.
    let id: String
    private let end: Fix
    private let speed: Speed
    /// With what the next trip began.
    var next: Fix?

    /// The share of the speed before and after that the mean speed across a silence must have: half of it may be the
    /// straight line for a winding way, or a wait that would not have ended the trip.
    private static let share = 0.5

    init?(id: String, _ trip: TripSummary, end: Fix) {
        guard let speed = trip.averageMovingSpeed else { return nil }
        (self.id, self.end, self.speed) = (id, end, speed)
    }

    /// Whether the silence was travelled at the speed of the trip before it and the next one, which has ended.
    func goesOn(with trip: TripSummary) -> Bool {
        guard let next, let start = end.time, let begin = next.time, let after = trip.averageMovingSpeed else {
            return false
        }
        let way = Ellipsoid.distance(from: end.coordinate, to: next.coordinate).meters
        return way / begin.seconds(since: start) >= Self.share * max(speed, after).metersPerSecond
    }
}
