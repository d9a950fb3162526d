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
        /// A leg faster than this (180 km/h) must follow from the speed before it.
        public var unsurprisingSpeed = Speed.metersPerSecond(50)
        /// How many times the speed before a surprising leg may be.
        public var greatestGain = 3.0
        /// Beyond this time between two fixes, in seconds, the speed before says nothing.
        public var longestMemory = 30.0
        /// Displacements up to this are noise, whatever speed a short time makes of them.
        public var noise = Distance.meters(100)
        /// So many fixes in a row that agree among themselves prove a place the gate would not believe.
        public var proof = 3
        /// For so many seconds they must agree: positions that jump between high houses stay there for a while.
        public var proofTime = 10.0

        /// The rules by default.
        public init() {}
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
        var accuracy: Double
    }

    /// What the gate asks of a fix.
    public var policy: Policy
    private var last: Sighting?
    private var suspect: Sighting?
    private var suspectSince: Timestamp?
    private var suspects = 0

    /// A gate that has seen nothing yet.
    public init(policy: Policy = Policy()) { self.policy = policy }

    /// The time of the last fix that was let through.
    public var lastTime: Timestamp? { last?.time }

    /// Judges the next fix of a device.
    ///
    /// A fix that proves a jump (see ``Policy/proof``) is let through with ``Fix/beginsSegment`` set: nobody knows
    /// the way there.
    ///
    /// - Returns: why it is rejected, or nil where it is let through.
    /// - Complexity: O(1).
    public mutating func judge(_ fix: inout Fix) -> Rejection? {
        guard let time = fix.time else { return .noTime }
        if let last, time <= last.time { return .late }
        let now = Sighting(
            time: time, coordinate: fix.coordinate, speed: fix.speed?.metersPerSecond,
            accuracy: fix.accuracy?.meters ?? 0)
        if !policy.isOff, let rejection = doubt(now, &fix) { return rejection }
        accept(now)
        return nil
    }

    private mutating func doubt(_ now: Sighting, _ fix: inout Fix) -> Rejection? {
        if fix.coordinate.latitudeE7 == 0, fix.coordinate.longitudeE7 == 0 { return .nullIsland }
        if now.accuracy > policy.worstAccuracy.meters { return .accuracy }
        guard let last, !isPlausible(from: last, to: now) else { return nil }
        if let suspect, now.time > suspect.time, isPlausible(from: suspect, to: now) {
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

    private mutating func accept(_ now: Sighting) {
        var now = now
        if let last, suspects == 0 {
            let leg = Self.speed(from: last, to: now).value
            now.speed = max(now.speed ?? 0, leg)
        }
        last = now
        suspect = nil
        suspects = 0
    }

    private func isPlausible(from start: Sighting, to end: Sighting) -> Bool {
        let (speed, displacement) = Self.speed(from: start, to: end)
        guard displacement > policy.noise.meters else { return true }
        guard speed <= policy.greatestSpeed.metersPerSecond else { return false }
        guard speed > policy.unsurprisingSpeed.metersPerSecond, let before = start.speed,
            end.time.seconds(since: start.time) <= policy.longestMemory
        else { return true }
        return speed <= policy.greatestGain * max(before, end.speed ?? 0)
    }

    /// Metres a second, and metres, by which two sightings lie apart beyond what their own inaccuracy explains.
    private static func speed(
        from start: Sighting, to end: Sighting
    ) -> (value: Double, displacement: Double) {
        let apart = UnitVector(start.coordinate).distance(to: UnitVector(end.coordinate)).meters
        let displacement = max(0, apart - start.accuracy - end.accuracy)
        return (displacement / end.time.seconds(since: start.time), displacement)
    }
}
