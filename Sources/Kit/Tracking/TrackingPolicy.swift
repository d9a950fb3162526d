public import Geodesy
public import Positioning

/// The settings that events and trips depend on, besides the fixes and the geofences.
public struct TrackingPolicy: Hashable, Sendable, Codable {
    /// The settings of the gate.
    public var gate = FixGate.Policy()
    /// A fixed exit margin that replaces the formula.
    public var exitMargin: Distance?
    /// The number of seconds inside after which a dwell is emitted.
    public var dwell = 60.0
    /// The number of seconds at rest after which a stop is reported.
    public var stopAfter = 180.0
    /// The distance from the running mean within which a device is at rest.
    public var stopRadius = Distance.meters(60)
    /// The number of seconds at rest, or of silence, that end a trip.
    public var tripEndAfter = 900.0
    /// How far ahead geofences are reported as approached; `nil` to report no approaches.
    public var lookahead: Lookahead?

    /// The speed above which a device is reported, wherever it is; `nil` for none.
    public var speedLimit: Speed?

    /// Creates the default settings.
    public init() {}

    /// The longest leg between two fixes that counts as the path travelled.
    public static let longestLeg = Distance.kilometers(5)
    /// The longest time, in seconds, that such a leg may span while the gate is on.
    public static let longestLegTime = 600.0
    /// The version of the rules by which trips are computed.
    ///
    /// It changes with the rules and is stored with each trip.
    public static let algorithm = 4

    /// Returns the accuracy of a fix, or `nil` if it is unknown or the gate is off.
    func accuracy(of fix: Fix) -> Distance? { gate.isOff ? nil : fix.accuracy }
}
