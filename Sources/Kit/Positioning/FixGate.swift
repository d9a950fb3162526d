public import Geodesy
public import Time

/// Judges fixes one by one, so that invalid, implausible and late ones never cause an event.
///
/// The gate is a value without a clock. Its verdict depends only on the fixes, and it judges each fix as it comes,
/// without waiting for a later one.
public struct FixGate: Sendable, Codable {
    /// The rules by which the gate judges fixes.
    public struct Policy: Hashable, Sendable, Codable {
        /// Whether the gate judges only the time and trusts every place.
        public var isOff = false
        /// The worst accuracy that is accepted.
        ///
        /// 200 m is worse than a usable receiver ever reports, and better than a phone network's position.
        public var worstAccuracy = Distance.meters(200)
        /// The greatest plausible speed, faster over ground than any airliner.
        public var greatestSpeed = Speed.metersPerSecond(350)
        /// The gain of speed above which a leg is surprising: 180 km/h.
        public var unsurprisingGain = Speed.metersPerSecond(50)
        /// The greatest acceleration that is not surprising, in metres a second, each second.
        ///
        /// It lowers the allowed gain of short legs, because no brake or engine exceeds it.
        public var greatestAcceleration = 15.0
        /// The ratio of a leg's speed to the speed before up to which even a surprising leg is accepted.
        public var greatestGain = 3.0
        /// The time between two fixes, in seconds, after which the speed before no longer counts.
        public var longestMemory = 30.0
        /// The displacement up to which a leg is noise, whatever its speed.
        public var noise = Distance.meters(100)
        /// The same limit for legs whose fixes both have an accuracy.
        ///
        /// It applies to the distance beyond these accuracies.
        public var unclaimedNoise = Distance.meters(30)
        /// The number of consistent fixes in a row that prove an implausible place.
        public var proof = 3
        /// The time, in seconds, over which these fixes must be consistent.
        ///
        /// Positions that jump between tall buildings stay there for a while.
        public var proofTime = 10.0

        /// Creates the default rules.
        public init() {}

        /// These rules, reduced for fixes that a gate has accepted before.
        ///
        /// Only their time is judged, because the data that made a jump plausible was not kept.
        public var trusting: Policy {
            var policy = self
            policy.worstAccuracy = .greatest
            policy.noise = .greatest
            policy.unclaimedNoise = .greatest
            return policy
        }
    }

    /// The reason why a fix was rejected.
    public enum Rejection: String, Hashable, Sendable, CaseIterable {
        /// The fix has no time, or that of a receiver which does not know the week; see
        /// ``Timestamp/isOfUnknownWeek``.
        case noTime = "no-time"
        /// The fix is not later than the last accepted one.
        case late
        /// The fix is at 0° N 0° E, which receivers without a fix report.
        case nullIsland = "null-island"
        /// The fix reports an accuracy that makes it worthless.
        case accuracy
        /// The fix implies an impossible speed.
        case speed
    }

    /// The gain of speed above which a leg to a fix of another origin is surprising, in metres a second.
    ///
    /// A fix that tells nothing but its place, among others that tell their speed or accuracy, comes from the mobile
    /// network or another guess.
    private static let foreignGain = 2.0
    /// The time in seconds after a fix that tells more during which such a fix is foreign.
    private static let longestForeign = 600.0

    private struct Sighting: Hashable, Sendable, Codable {
        var time: Timestamp
        var coordinate: Coordinate
        var speed: Double?
        var accuracy: Double?
        /// Whether the fix told nothing but its place; `nil` in states of earlier versions.
        var isBare: Bool?
    }

    /// The rules.
    ///
    /// They are not encoded with the state.
    public var policy = Policy()
    private var last: Sighting?
    private var suspect: Sighting?
    private var suspectSince: Timestamp?
    private var suspects = 0

    private enum CodingKeys: CodingKey {
        case last, suspect, suspectSince, suspects
    }

    /// Creates a gate that has seen no fix.
    public init(policy: Policy = Policy()) { self.policy = policy }

    /// Whether a restored count is within the bounds of valid states.
    public var isBounded: Bool { SavedCount.bounds.contains(suspects) }

    /// The time of the last accepted fix.
    public var lastTime: Timestamp? { last?.time }

    /// Judges the next fix of a device.
    ///
    /// A fix that proves a jump (see ``Policy/proof``) is accepted with ``Fix/beginsSegment`` set, because the path
    /// there is unknown. The same holds for a fix that is consistent with a jump until enough time has passed to make
    /// it plausible.
    ///
    /// - Returns: the reason for a rejection, or `nil` if the fix is accepted.
    /// - Complexity: O(1).
    public mutating func judge(_ fix: inout Fix) -> Rejection? {
        guard let time = fix.time, !time.isOfUnknownWeek else { return .noTime }
        if let last, time <= last.time { return .late }
        let now = Sighting(
            time: time, coordinate: fix.coordinate, speed: fix.speed?.metersPerSecond,
            accuracy: fix.accuracy?.meters,
            isBare: fix.speed == nil && fix.accuracy == nil && fix.hdop == nil && fix.satellites == nil)
        let leg = last.map { Leg(from: $0, to: now) }
        if !policy.isOff, let rejection = doubt(now, leg, &fix) { return rejection }
        accept(now, leg)
        return nil
    }

    private mutating func doubt(_ now: Sighting, _ leg: Leg?, _ fix: inout Fix) -> Rejection? {
        if fix.coordinate.latitudeE7 == 0, fix.coordinate.longitudeE7 == 0 { return .nullIsland }
        if let accuracy = now.accuracy, accuracy > policy.worstAccuracy.meters { return .accuracy }
        guard let leg else { return nil }
        // A fix that tells more does not confirm a guess of the mobile network, however near it lies.
        let agrees =
            suspect.map {
                now.time > $0.time && $0.isBare == now.isBare && isPlausible(Leg(from: $0, to: now))
            } ?? false
        if isPlausible(leg) {
            // With enough time, any jump becomes slow enough to be plausible, but it is still a jump.
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

    /// The leg from one sighting to another.
    private struct Leg {
        /// The duration in seconds.
        let time: Double
        /// The distance between the sightings that their own inaccuracy does not explain, in metres.
        let displacement: Double
        let isClaimed: Bool
        /// The speed at the start, in metres a second.
        let before: Double?
        /// The speed at the end, in metres a second.
        let end: Double
        /// Whether the end tells nothing but its place, unlike the start.
        let isForeign: Bool

        /// The speed in metres a second.
        var speed: Double { displacement / time }

        init(from start: Sighting, to end: Sighting) {
            time = end.time.seconds(since: start.time)
            let apart = Sphere.distance(from: start.coordinate, to: end.coordinate).meters
            displacement = max(0, apart - (start.accuracy ?? 0) - (end.accuracy ?? 0))
            isClaimed = start.accuracy != nil && end.accuracy != nil
            before = start.speed
            self.end = end.speed ?? 0
            isForeign = end.isBare == true && start.isBare == false
        }
    }

    /// Returns the displacement up to which a leg is noise, in metres.
    private func noise(of leg: Leg) -> Double { (leg.isClaimed ? policy.unclaimedNoise : policy.noise).meters }

    private func isPlausible(_ leg: Leg) -> Bool {
        guard leg.displacement > noise(of: leg) else { return true }
        guard leg.speed <= policy.greatestSpeed.metersPerSecond else { return false }
        if leg.isForeign, leg.time <= Self.longestForeign {
            let known = leg.before ?? 0
            return leg.speed <= max(policy.greatestGain * known, known + Self.foreignGain)
        }
        guard let before = leg.before, leg.time <= policy.longestMemory else { return true }
        let known = max(before, leg.end)
        let gain = min(policy.greatestAcceleration * leg.time, policy.unsurprisingGain.metersPerSecond)
        return leg.speed <= max(policy.greatestGain * known, known + gain)
    }
}
