/// A length.
///
/// It is finite, and its magnitude is at most ``greatest``.
public struct Distance: Hashable, Comparable, Sendable, AdditiveArithmetic {
    /// The length in metres, within ±10¹⁵.
    public let meters: Double

    /// A length of 0.
    public static let zero = Distance(meters: 0)

    /// The greatest length, 10¹⁵ m.
    ///
    /// A vehicle in a low orbit takes 4,000 years for it, so no sum of paths comes near. At this magnitude a `Double`
    /// still resolves an eighth of a metre, and a 64-bit integer can hold the length in millimetres.
    public static let greatest = Distance(meters: greatestMeters)

    private static let greatestMeters = 1e15

    /// Creates a length in metres, limited to the valid range.
    ///
    /// NaN becomes ``greatest``.
    public init(meters: Double) {
        let greatest = Self.greatestMeters
        self.meters = meters.magnitude <= greatest ? meters : meters < 0 ? -greatest : greatest
    }

    /// Returns a length in metres.
    public static func meters(_ meters: Double) -> Distance { Distance(meters: meters) }

    /// Returns a length in kilometres.
    public static func kilometers(_ kilometers: Double) -> Distance {
        Distance(meters: kilometers * 1000)
    }

    /// Returns whether the first length is shorter.
    public static func < (lhs: Distance, rhs: Distance) -> Bool { lhs.meters < rhs.meters }

    /// Returns the sum of two lengths.
    public static func + (lhs: Distance, rhs: Distance) -> Distance {
        Distance(meters: lhs.meters + rhs.meters)
    }

    /// Returns the difference of two lengths, which is negative if the first is shorter.
    public static func - (lhs: Distance, rhs: Distance) -> Distance {
        Distance(meters: lhs.meters - rhs.meters)
    }
}

/// A speed over ground.
///
/// It is finite, and its magnitude is at most ``greatest``.
public struct Speed: Hashable, Comparable, Sendable {
    /// The speed in metres per second, within ±299,792,458.
    public let metersPerSecond: Double

    /// The greatest speed, that of light.
    public static let greatest = Speed(metersPerSecond: greatestMetersPerSecond)

    private static let greatestMetersPerSecond = 299_792_458.0

    /// Returns a speed in metres per second.
    public static func metersPerSecond(_ value: Double) -> Speed { Speed(metersPerSecond: value) }

    /// Returns a speed in knots, which are nautical miles of 1,852 m an hour.
    public static func knots(_ knots: Double) -> Speed { Speed(metersPerSecond: knots * 1852 / 3600) }

    /// Returns a speed in kilometres per hour.
    public static func kilometersPerHour(_ value: Double) -> Speed {
        Speed(metersPerSecond: value / 3.6)
    }

    /// Creates a speed in metres per second, limited to the valid range.
    ///
    /// NaN becomes ``greatest``.
    public init(metersPerSecond: Double) {
        let greatest = Self.greatestMetersPerSecond
        let isWithin = metersPerSecond.magnitude <= greatest
        self.metersPerSecond = isWithin ? metersPerSecond : metersPerSecond < 0 ? -greatest : greatest
    }

    /// Returns whether the first speed is slower.
    public static func < (lhs: Speed, rhs: Speed) -> Bool {
        lhs.metersPerSecond < rhs.metersPerSecond
    }
}

/// A direction in the horizontal plane, clockwise from true north.
///
/// It is finite.
public struct Angle: Hashable, Sendable {
    /// The direction in degrees.
    public let degrees: Double

    /// Creates a direction in degrees.
    ///
    /// A value that is not finite becomes 0.
    public init(degrees: Double) { self.degrees = degrees.isFinite ? degrees : 0 }

    /// Returns a direction in degrees.
    public static func degrees(_ degrees: Double) -> Angle { Angle(degrees: degrees) }

    /// The same direction within 0 ..< 360.
    public var normalized: Angle {
        let rest = degrees.truncatingRemainder(dividingBy: 360)
        let positive = rest < 0 ? rest + 360 : rest
        return Angle(degrees: positive == 360 ? 0 : positive)
    }
}

// Quantities are encoded as objects with one member. Decoding limits its value like any other.

extension Distance: Codable {
    private enum CodingKeys: CodingKey { case meters }

    /// Decodes the member `meters`.
    public init(from decoder: any Decoder) throws {
        self.init(meters: try decoder.container(keyedBy: CodingKeys.self).decode(Double.self, forKey: .meters))
    }
}

extension Speed: Codable {
    private enum CodingKeys: CodingKey { case metersPerSecond }

    /// Decodes the member `metersPerSecond`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(metersPerSecond: try container.decode(Double.self, forKey: .metersPerSecond))
    }
}

extension Angle: Codable {
    private enum CodingKeys: CodingKey { case degrees }

    /// Decodes the member `degrees`.
    public init(from decoder: any Decoder) throws {
        self.init(degrees: try decoder.container(keyedBy: CodingKeys.self).decode(Double.self, forKey: .degrees))
    }
}
