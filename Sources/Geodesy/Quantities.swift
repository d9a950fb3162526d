/// A length.
public struct Distance: Hashable, Comparable, Sendable, Codable, AdditiveArithmetic {
    /// The length in metres.
    public var meters: Double

    /// No length.
    public static let zero = Distance(meters: 0)

    /// A length of so many metres.
    public init(meters: Double) { self.meters = meters }

    /// A length of so many metres.
    public static func meters(_ meters: Double) -> Distance { Distance(meters: meters) }

    /// A length of so many kilometres.
    public static func kilometers(_ kilometers: Double) -> Distance {
        Distance(meters: kilometers * 1000)
    }

    /// The shorter of the two comes first.
    public static func < (lhs: Distance, rhs: Distance) -> Bool { lhs.meters < rhs.meters }

    /// Both lengths one after the other.
    public static func + (lhs: Distance, rhs: Distance) -> Distance {
        Distance(meters: lhs.meters + rhs.meters)
    }

    /// How much longer the first is; negative where it is shorter.
    public static func - (lhs: Distance, rhs: Distance) -> Distance {
        Distance(meters: lhs.meters - rhs.meters)
    }
}

/// A speed over ground.
public struct Speed: Hashable, Comparable, Sendable, Codable {
    /// The speed in metres per second.
    public var metersPerSecond: Double

    /// A speed of so many metres per second.
    public static func metersPerSecond(_ value: Double) -> Speed { Speed(metersPerSecond: value) }

    /// A speed of so many knots: nautical miles of 1,852 m an hour.
    public static func knots(_ knots: Double) -> Speed { Speed(metersPerSecond: knots * 1852 / 3600) }

    /// A speed of so many kilometres per hour.
    public static func kilometersPerHour(_ value: Double) -> Speed {
        Speed(metersPerSecond: value / 3.6)
    }

    /// A speed of so many metres per second.
    public init(metersPerSecond: Double) { self.metersPerSecond = metersPerSecond }

    /// The slower of the two comes first.
    public static func < (lhs: Speed, rhs: Speed) -> Bool {
        lhs.metersPerSecond < rhs.metersPerSecond
    }
}

/// A direction in the horizontal plane, clockwise from true north.
public struct Angle: Hashable, Sendable, Codable {
    /// The direction in degrees.
    public var degrees: Double

    /// A direction of so many degrees.
    public init(degrees: Double) { self.degrees = degrees }

    /// A direction of so many degrees.
    public static func degrees(_ degrees: Double) -> Angle { Angle(degrees: degrees) }

    /// The same direction within 0 ..< 360.
    public var normalized: Angle {
        let rest = degrees.truncatingRemainder(dividingBy: 360)
        let positive = rest < 0 ? rest + 360 : rest
        return Angle(degrees: positive == 360 ? 0 : positive)
    }
}
