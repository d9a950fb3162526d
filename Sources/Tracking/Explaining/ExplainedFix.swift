public import Geodesy
public import Positioning

/// What one fix did about one geofence, and why.
public struct ExplainedFix: Sendable {
    /// Where a device is taken to be.
    public enum State: String, Sendable, CaseIterable {
        /// Nothing is known yet, or no longer.
        case unknown
        /// Beyond the radius, or beyond the margin once it was inside.
        case outside
        /// Within.
        case inside
    }

    /// When; nil for a fix without time.
    public var time: Timestamp?
    /// Where it says the device is.
    public var place: Coordinate
    /// Its accuracy; nil where it is unknown.
    public var accuracy: Distance?
    /// Why it was not let through; nil where it was.
    public var rejection: String?
    /// How far the middle of the geofence is from where the device is taken to be.
    public var distance: Distance
    /// How far from the fix a device that stands is held to be; nil where it is where the fix is.
    public var held: Distance?
    /// Where the device was taken to be before.
    public var before: State
    /// Where it is taken to be since.
    public var after: State
    /// What the fix told of the geofence.
    public var events: [Event] = []
    /// Why.
    public var reason = ""
}
