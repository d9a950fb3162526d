public import Geodesy
public import Time

/// One fix, its effect on one geofence, and the reason.
public struct ExplainedFix: Sendable {
    /// The position of a device relative to the geofence.
    public enum State: String, Sendable, CaseIterable {
        /// Nothing is known, or not any more.
        case unknown
        /// The device is beyond the radius, or beyond the exit margin if it was inside.
        case outside
        /// The device is within the geofence.
        case inside
    }

    /// The time of the fix; `nil` for a fix without a time.
    public var time: Timestamp?
    /// The position that the fix reports.
    public var place: Coordinate
    /// The accuracy of the fix; `nil` if unknown.
    public var accuracy: Distance?
    /// The reason why the fix was rejected; `nil` if it was accepted.
    public var rejection: String?
    /// The distance from the centre of a circle, or the line of a corridor, to the position that geofences assume.
    ///
    /// For polygons, it is how far outside of the boundary the position is, negative inside.
    public var distance: Distance
    /// The distance from the fix to the position that geofences assume instead; `nil` if they use that of the fix.
    ///
    /// It is the anchor of a standing device, or the average of the fixes before one that is doubted.
    public var held: Distance?
    /// Whether the fix would give an alarm that waits for a second fix, because those before do not bear this one out.
    public var isDoubted = false
    /// The state before the fix.
    public var before: State
    /// The state after the fix.
    public var after: State
    /// The events of this geofence that the fix caused.
    public var events: [Event] = []
    /// The explanation, as text.
    public var reason = ""
}
