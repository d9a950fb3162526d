public import Geodesy
public import Positioning

/// The settings that events and trips depend on, beside the fixes and the geofences.
public struct TrackingPolicy: Hashable, Sendable, Codable {
    /// What the gate asks of a fix.
    public var gate = FixGate.Policy()
    /// A fixed exit margin instead of the formula.
    public var exitMargin: Distance?
    /// Seconds inside until a dwell is told.
    public var dwell = 60.0
    /// Seconds at rest until a stop is told.
    public var stopAfter = 180.0
    /// Being within this distance of the running mean is being at rest.
    public var stopRadius = Distance.meters(60)
    /// Seconds at rest, or of silence, that end a trip.
    public var tripEndAfter = 900.0
    /// How far ahead geofences are told; nil where approaches are not.
    public var lookahead: Lookahead?

    /// The settings by default.
    public init() {}

    /// The longest leg between two fixes that is taken for the way travelled.
    public static let longestLeg = Distance.kilometers(5)
    /// The longest time, in seconds, that such a leg may span while the gate is on.
    public static let longestLegTime = 600.0
    /// What trips are computed by: changes with the rules, and is stored with each trip.
    public static let algorithm = 3

    /// What a fix says of its inaccuracy, where that is to be considered.
    func accuracy(of fix: Fix) -> Distance? { gate.isOff ? nil : fix.accuracy }
}
