public import Geodesy
public import Time

/// One position report of a device.
///
/// Values that the receiver did not report are `nil`.
public struct Fix: Hashable, Sendable {
    /// The time of the measurement; `nil` if the source gave no time or no date.
    public var time: Timestamp?
    /// The position.
    public var coordinate: Coordinate
    /// The height above mean sea level.
    public var altitude: Distance?
    /// The speed over ground.
    public var speed: Speed?
    /// The course over ground.
    public var track: Angle?
    /// The radius that holds the true position in 95 % of cases.
    public var accuracy: Distance?
    /// The horizontal dilution of precision, without a unit.
    public var hdop: Double?
    /// Whether the fix includes height.
    public var mode: FixMode?
    /// The number of satellites used.
    public var satellites: Int?
    /// How the device travelled; `nil` if the source does not tell.
    public var kind: TripKind?
    /// Whether a new segment of the source begins here.
    ///
    /// There is no leg between this fix and the one before.
    public var beginsSegment: Bool

    /// Creates a fix with a position, and a time if it is known.
    public init(time: Timestamp?, coordinate: Coordinate, beginsSegment: Bool = false) {
        self.time = time
        self.coordinate = coordinate
        self.beginsSegment = beginsSegment
    }
}

extension Fix {
    /// The plausible altitudes, in metres: from deeper than any sea or mine to beyond the geostationary orbit.
    public static let altitudes: ClosedRange<Double> = -100_000...50_000_000
    /// The plausible speeds, in metres a second.
    ///
    /// Nothing in a low orbit is faster than 7,800.
    public static let speeds: ClosedRange<Double> = 0...10_000
    /// The plausible courses: the degrees of a compass.
    public static let tracks: ClosedRange<Double> = 0...360
    /// The plausible accuracies, in metres: up to half the circumference of the earth.
    public static let accuracies: ClosedRange<Double> = 0...20_100_000
}

/// The kind of a receiver's fix.
///
/// "No fix" is not included.
public enum FixMode: UInt8, Sendable, Codable {
    /// A position without height.
    case twoDimensional = 2
    /// A position with height.
    case threeDimensional = 3
}

/// Conversions of other measures of inaccuracy to the radius of 95 %.
public enum Accuracy {
    /// Returns the accuracy for a dilution of precision: 19 m for each unit, as gpsd assumes.
    public static func estimated(hdop: Double) -> Distance { .meters(19 * hdop) }

    /// Returns the accuracy for the standard deviations of latitude and longitude in metres.
    ///
    /// The radius of 95 % is 1.73 times their hypotenuse, for a circular normal distribution (2.4477 / √2).
    public static func estimated(latitudeDeviation: Double, longitudeDeviation: Double) -> Distance {
        let square =
            latitudeDeviation * latitudeDeviation + longitudeDeviation * longitudeDeviation
        return .meters(1.73 * square.squareRoot())
    }
}
