public import Geodesy

/// How far ahead of a device a geofence is told, in two tiers, each by time or by distance, whichever comes first.
public struct Lookahead: Hashable, Sendable, Codable {
    /// How far one tier reaches.
    public struct Tier: Hashable, Sendable, Codable {
        /// Seconds to the border at the present speed.
        public var time: Double
        /// The distance to the border for those who need longer for it.
        public var distance: Distance

        /// As far as one gets in so many seconds, and at least so far.
        public init(time: Double, distance: Distance) {
            self.time = time
            self.distance = distance
        }

        /// How far it reaches at a speed.
        public func reach(at speed: Speed) -> Distance {
            min(max(distance, .meters(time * speed.metersPerSecond)), TrackingPolicy.longestLeg)
        }
    }

    /// Told first, as tier 1.
    ///
    /// A car in town is told 840 m ahead, a walker 150 m, which is two minutes: time enough for either to look around.
    public var far = Tier(time: 60, distance: .meters(150))
    /// Told shortly before, as tier 2.
    public var near = Tier(time: 15, distance: .meters(40))

    /// The tiers by default.
    public init() {}

    /// The tier of a border that lies so far ahead; nil beyond both.
    ///
    /// What comes in sight within twice the reach of the second tier is told as that alone: the first would be followed
    /// by it within seconds, and say nothing more.
    /// - Parameter isNew: whether nothing was told of it yet.
    func tier(at distance: Distance, speed: Speed, isNew: Bool) -> Int? {
        guard distance <= far.reach(at: speed) else { return distance <= near.reach(at: speed) ? 2 : nil }
        return distance.meters <= near.reach(at: speed).meters * (isNew ? 2 : 1) ? 2 : 1
    }
}
