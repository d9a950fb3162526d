/// A length; finite, and in either direction at most ``greatest``.
public struct Distance: Hashable, Comparable, Sendable, AdditiveArithmetic {
    /// The length in metres, within ±10¹⁵.
    public let meters: Double

    /// No length.
    public static let zero = Distance(meters: 0)

    /// The greatest length, 10¹⁵ m.
    ///
    /// A vehicle in a low orbit needs 4,000 years for it, so that no sum of ways comes near; a `Double` still tells
    /// eighths of a metre apart there, and a whole number of 64 bits holds it in millimetres.
    public static let greatest = Distance(meters: greatestMeters)

    private static let greatestMeters = 1e15

    /// A length of so many metres, or the nearest that there is; ``greatest`` for what is no number.
    public init(meters: Double) {
        let greatest = Self.greatestMeters
        self.meters = meters.magnitude <= greatest ? meters : meters < 0 ? -greatest : greatest
    }

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

/// A speed over ground; finite, and in either direction at most ``greatest``.
public struct Speed: Hashable, Comparable, Sendable {
    /// The speed in metres per second, within ±299,792,458.
    public let metersPerSecond: Double

    /// The greatest speed: that of light.
    public static let greatest = Speed(metersPerSecond: greatestMetersPerSecond)

    private static let greatestMetersPerSecond = 299_792_458.0

    /// A speed of so many metres per second.
    public static func metersPerSecond(_ value: Double) -> Speed { Speed(metersPerSecond: value) }

    /// A speed of so many knots: nautical miles of 1,852 m an hour.
    public static func knots(_ knots: Double) -> Speed { Speed(metersPerSecond: knots * 1852 / 3600) }

    /// A speed of so many kilometres per hour.
    public static func kilometersPerHour(_ value: Double) -> Speed {
        Speed(metersPerSecond: value / 3.6)
    }

    /// A speed of so many metres per second, or the nearest that there is; ``greatest`` for what is no number.
    public init(metersPerSecond: Double) {
        let greatest = Self.greatestMetersPerSecond
        let isWithin = metersPerSecond.magnitude <= greatest
        self.metersPerSecond = isWithin ? metersPerSecond : metersPerSecond < 0 ? -greatest : greatest
    }

    /// The slower of the two comes first.
    public static func < (lhs: Speed, rhs: Speed) -> Bool {
        lhs.metersPerSecond < rhs.metersPerSecond
    }
}

/// A direction in the horizontal plane, clockwise from true north; finite.
public struct Angle: Hashable, Sendable {
    /// The direction in degrees.
    public let degrees: Double

    /// A direction of so many degrees; 0 for what is no finite number.
    public init(degrees: Double) { self.degrees = degrees.isFinite ? degrees : 0 }

    /// A direction of so many degrees.
    public static func degrees(_ degrees: Double) -> Angle { Angle(degrees: degrees) }

    /// The same direction within 0 ..< 360.
    public var normalized: Angle {
        let rest = degrees.truncatingRemainder(dividingBy: 360)
        let positive = rest < 0 ? rest + 360 : rest
        return Angle(degrees: positive == 360 ? 0 : positive)
    }
}

// Kept as objects with one member, whose value is checked as any other is.

extension Distance: Codable {
    private enum CodingKeys: CodingKey { case meters }

    /// Reads the member `meters`.
    public init(from decoder: any Decoder) throws {
        self.init(meters: try decoder.container(keyedBy: CodingKeys.self).decode(Double.self, forKey: .meters))
    }
}

extension Speed: Codable {
    private enum CodingKeys: CodingKey { case metersPerSecond }

    /// Reads the member `metersPerSecond`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(metersPerSecond: try container.decode(Double.self, forKey: .metersPerSecond))
    }
}

extension Angle: Codable {
    private enum CodingKeys: CodingKey { case degrees }

    /// Reads the member `degrees`.
    public init(from decoder: any Decoder) throws {
        self.init(degrees: try decoder.container(keyedBy: CodingKeys.self).decode(Double.self, forKey: .degrees))
    }
}
