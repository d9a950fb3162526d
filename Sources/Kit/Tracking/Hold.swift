import Geodesy
import Time

/// Where geofences hold a device that stands, so that the noise of its fixes causes no events.
struct Hold: Sendable {
    /// The number of the rest.
    let rest: Int
    /// The place that geofences assume.
    let place: Coordinate
    /// The number of fixes in a row, up to the last one, that contradict the place; at most ``inARow``.
    var outside = 0
    /// When the hold last gave way, or began because the device had left another place without a trip.
    var followsSince: Timestamp?

    /// The number of fixes in a row for which the hold gives way.
    static let inARow = 3
    private static let longestFollowing = 600.0

    /// Returns how sure it must be that the device has left; see ``Rest/certaintyOfLeaving(_:at:accuracy:)``.
    ///
    /// Beyond twice the accuracy that the receiver claims, less is needed.
    static func certainty(_ remoteness: GeofenceEngine.Remoteness) -> Double {
        remoteness == .beyondAccuracy ? 20 : 24
    }

    /// Whether the hold follows the device, because that has moved within the last ten minutes.
    func follows(at time: Timestamp) -> Bool {
        followsSince.map { time.seconds(since: $0) <= Self.longestFollowing } ?? false
    }

    /// Whether a fix is so far from the place that geofences must follow a device which has left it before.
    func isFar(_ here: UnitVector, accuracy: Distance?) -> Bool {
        UnitVector(place).distance(to: here).meters > max(Rest.core, 2 * (accuracy?.meters ?? 0))
    }
}
