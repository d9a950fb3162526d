public import Geodesy

/// One position report of a device.
///
/// What the receiver did not say is absent.
public struct Fix: Hashable, Sendable {
    /// When the position was measured; absent where the source gave no time or no date.
    public var time: Timestamp?
    /// Where.
    public var coordinate: Coordinate
    /// Height above mean sea level, in metres.
    public var altitude: Distance?
    /// Speed over ground.
    public var speed: Speed?
    /// Course over ground.
    public var track: Angle?
    /// The radius that holds the true position in 95 % of cases.
    public var accuracy: Distance?
    /// Horizontal dilution of precision, without unit.
    public var hdop: Double?
    /// Whether the receiver had height too.
    public var mode: FixMode?
    /// Satellites used.
    public var satellites: Int?
    /// Whether a new segment of the source begins here: between this fix and the one before lies no leg.
    public var beginsSegment: Bool

    /// A fix of which only the place, and perhaps the time, is known so far.
    public init(time: Timestamp?, coordinate: Coordinate, beginsSegment: Bool = false) {
        self.time = time
        self.coordinate = coordinate
        self.beginsSegment = beginsSegment
    }
}

extension Fix {
    /// The altitudes that a source is believed, in metres: from deeper than any sea or mine to beyond the geostationary
    /// orbit.
    public static let altitudes: ClosedRange<Double> = -100_000...50_000_000
    /// The speeds that a source is believed, in metres a second: nothing in a low orbit is faster than 7,800.
    public static let speeds: ClosedRange<Double> = 0...10_000
    /// The courses that a source is believed: the degrees of a compass.
    public static let tracks: ClosedRange<Double> = 0...360
    /// The accuracies that a source is believed, in metres: up to half the way around the earth.
    public static let accuracies: ClosedRange<Double> = 0...20_100_000
}

/// What kind of fix a receiver had; "none" is not a kind of fix and so is not here.
public enum FixMode: UInt8, Sendable, Codable {
    /// Position without height.
    case twoDimensional = 2
    /// Position and height.
    case threeDimensional = 3
}

/// How inaccurate a fix is, where the receiver says it in other terms than a radius of 95 %.
public enum Accuracy {
    /// From the dilution of precision: 19 m for each unit, as gpsd assumes.
    public static func estimated(hdop: Double) -> Distance { .meters(19 * hdop) }

    /// From the standard deviations of latitude and longitude in metres: 1.73 times their hypotenuse is the radius
    /// of 95 % for a circular normal distribution (2.4477 / √2).
    public static func estimated(latitudeDeviation: Double, longitudeDeviation: Double) -> Distance {
        let square =
            latitudeDeviation * latitudeDeviation + longitudeDeviation * longitudeDeviation
        return .meters(1.73 * square.squareRoot())
    }
}
