public import Geodesy

/// How far ahead of a device geofences are reported as approached.
///
/// There are two tiers. Each reaches as far as a time or a distance, whichever is farther.
public struct Lookahead: Hashable, Sendable, Codable {
    /// The reach of one tier.
    public struct Tier: Hashable, Sendable, Codable {
        /// The reach as seconds at the present speed.
        public var time: Double
        /// The least reach, for devices so slow that they need more than ``time`` for it.
        public var distance: Distance

        /// Creates a tier that reaches as far as a device gets in `time` seconds, and at least `distance`.
        public init(time: Double, distance: Distance) {
            self.time = time
            self.distance = distance
        }

        /// Returns the reach at a speed, at most the longest leg.
        public func reach(at speed: Speed) -> Distance {
            min(max(distance, .meters(time * speed.metersPerSecond)), TrackingPolicy.longestLeg)
        }
    }

    /// The tier that is reported first, as tier 1.
    ///
    /// It reaches 840 m for a car in town, and 150 m for a walker, who takes two minutes for that. Either has enough
    /// time to look around.
    public var far = Tier(time: 60, distance: .meters(150))
    /// The tier that is reported shortly before, as tier 2.
    public var near = Tier(time: 15, distance: .meters(40))

    /// Creates the default tiers.
    public init() {}

    /// Returns the tier of a boundary at a distance ahead, or `nil` if it is beyond both.
    ///
    /// A geofence that comes into view within twice the reach of the second tier is only reported as tier 2. Tier 1
    /// would precede it by mere seconds and add nothing.
    ///
    /// - Parameter isNew: whether the geofence has not been reported yet.
    func tier(at distance: Distance, speed: Speed, isNew: Bool) -> Int? {
        guard distance <= far.reach(at: speed) else { return distance <= near.reach(at: speed) ? 2 : nil }
        return distance.meters <= near.reach(at: speed).meters * (isNew ? 2 : 1) ? 2 : 1
    }
}
