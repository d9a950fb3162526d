public import Geodesy

/// Judges fixes one by one, so that void, wild and old ones never make an event.
///
/// A value without a clock: the verdict depends on the fixes alone, and each fix is judged when it comes; none waits
/// for a later one.
public struct FixGate: Sendable, Codable {
    /// What the gate asks of a fix.
    public struct Policy: Hashable, Sendable, Codable {
        /// Whether only the time is judged, and every place trusted.
        public var isOff = false
        /// The worst accuracy let through.
        ///
        /// 200 m is worse than a usable receiver ever says and better than what a
        /// phone network does.
        public var worstAccuracy = Distance.meters(200)
        /// Faster than any airliner over ground.
        public var greatestSpeed = Speed.metersPerSecond(350)
        /// A leg that is faster than the speed before it by more than this (180 km/h) is surprising.
        public var unsurprisingGain = Speed.metersPerSecond(50)
        /// A shorter leg is surprising already where no brake or engine does that: metres a second, each second.
        public var greatestAcceleration = 15.0
        /// How many times the speed before a surprising leg may be.
        public var greatestGain = 3.0
        /// Beyond this time between two fixes, in seconds, the speed before says nothing.
        public var longestMemory = 30.0
        /// Displacements up to this are noise, whatever speed a short time makes of them.
        public var noise = Distance.meters(100)
        /// The same beyond what both fixes say of their accuracy, where they do.
        public var unclaimedNoise = Distance.meters(30)
        /// So many fixes in a row that agree among themselves prove a place the gate would not believe.
        public var proof = 3
        /// For so many seconds they must agree: positions that jump between high houses stay there for a while.
        public var proofTime = 10.0

        /// The rules by default.
        public init() {}

        /// These rules for fixes that a gate has let through before: only their time is judged, for what made a jump
        /// believable was not kept.
        public var trusting: Policy {
            var policy = self
            policy.worstAccuracy = .greatest
            policy.noise = .greatest
            policy.unclaimedNoise = .greatest
            return policy
        }
    }

    /// Why a fix was not let through.
    public enum Rejection: String, Hashable, Sendable, CaseIterable {
        /// It has no time.
        case noTime = "no-time"
        /// It is not later than the last one let through.
        case late
        /// It lies on 0° N 0° E, where receivers without a fix say they are.
        case nullIsland = "null-island"
        /// It says itself that it is worthless.
        case accuracy
        /// Nothing gets there that fast.
        case speed
    }

    private struct Sighting: Hashable, Sendable, Codable {
        var time: Timestamp
        var coordinate: Coordinate
        var speed: Double?
        var accuracy: Double?
    }

    /// What the gate asks of a fix; not kept with what it has seen.
    public var policy = Policy()
    private var last: Sighting?
    private var suspect: Sighting?
    private var suspectSince: Timestamp?
    private var suspects = 0

    private enum CodingKeys: CodingKey {
        case last, suspect, suspectSince, suspects
    }

    /// A gate that has seen nothing yet.
    public init(policy: Policy = Policy()) { self.policy = policy }

    /// Whether what was saved of it can be counted on.
    public var isBounded: Bool { SavedCount.bounds.contains(suspects) }

    /// The time of the last fix that was let through.
    public var lastTime: Timestamp? { last?.time }

    /// Judges the next fix of a device.
    ///
    /// A fix that proves a jump (see ``Policy/proof``), or agrees with one until it is slow enough to be true, is let
    /// through with ``Fix/beginsSegment`` set: nobody knows the way there.
    ///
    /// - Returns: why it is rejected, or nil where it is let through.
    /// - Complexity: O(1).
    public mutating func judge(_ fix: inout Fix) -> Rejection? {
        guard let time = fix.time else { return .noTime }
        if let last, time <= last.time { return .late }
        let now = Sighting(
            time: time, coordinate: fix.coordinate, speed: fix.speed?.metersPerSecond,
            accuracy: fix.accuracy?.meters)
        let leg = last.map { Leg(from: $0, to: now) }
        if !policy.isOff, let rejection = doubt(now, leg, &fix) { return rejection }
        accept(now, leg)
        return nil
    }

    private mutating func doubt(_ now: Sighting, _ leg: Leg?, _ fix: inout Fix) -> Rejection? {
        if fix.coordinate.latitudeE7 == 0, fix.coordinate.longitudeE7 == 0 { return .nullIsland }
        if let accuracy = now.accuracy, accuracy > policy.worstAccuracy.meters { return .accuracy }
        guard let leg else { return nil }
        let agrees = suspect.map { now.time > $0.time && isPlausible(Leg(from: $0, to: now)) } ?? false
        if isPlausible(leg) {
            // Time that passes makes any jump slow enough; it stays a jump.
            if agrees, leg.displacement > noise(of: leg) { fix.beginsSegment = true } else { suspects = 0 }
            return nil
        }
        if agrees {
            suspects += 1
        } else {
            suspects = 1
            suspectSince = now.time
        }
        suspect = now
        guard suspects >= policy.proof, let suspectSince, now.time.seconds(since: suspectSince) >= policy.proofTime
        else { return .speed }
        fix.beginsSegment = true
        return nil
    }

    private mutating func accept(_ now: Sighting, _ leg: Leg?) {
        var now = now
        if let leg, suspects == 0 { now.speed = max(now.speed ?? 0, leg.speed) }
        last = now
        suspect = nil
        suspects = 0
    }

    /// From one sighting to another.
    private struct Leg {
        /// In seconds.
        let time: Double
        /// By how many metres the sightings lie apart beyond what their own inaccuracy explains.
        let displacement: Double
        let isClaimed: Bool
        /// The speed before, and at the end, in metres a second.
        let before: Double?
        let end: Double

        /// Metres a second.
        var speed: Double { displacement / time }

        init(from start: Sighting, to end: Sighting) {
            time = end.time.seconds(since: start.time)
            let apart = Sphere.distance(from: start.coordinate, to: end.coordinate).meters
            displacement = max(0, apart - (start.accuracy ?? 0) - (end.accuracy ?? 0))
            isClaimed = start.accuracy != nil && end.accuracy != nil
            before = start.speed
            self.end = end.speed ?? 0
        }
    }

    /// In metres.
    private func noise(of leg: Leg) -> Double { (leg.isClaimed ? policy.unclaimedNoise : policy.noise).meters }

    private func isPlausible(_ leg: Leg) -> Bool {
        guard leg.displacement > noise(of: leg) else { return true }
        guard leg.speed <= policy.greatestSpeed.metersPerSecond else { return false }
        guard let before = leg.before, leg.time <= policy.longestMemory else { return true }
        let known = max(before, leg.end)
        let gain = min(policy.greatestAcceleration * leg.time, policy.unsurprisingGain.metersPerSecond)
        return leg.speed <= max(policy.greatestGain * known, known + gain)
    }
}
