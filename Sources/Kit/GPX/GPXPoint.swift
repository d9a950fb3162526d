public import Geodesy
public import Time

/// A point of a GPX document: a track point, a route point or a waypoint.
///
/// Values that are missing or unreadable in the document are `nil`. Texts have no surrounding white space and are never
/// empty.
public struct GPXPoint: Hashable, Sendable {
    /// The position (`lat`, `lon`).
    public var coordinate: Coordinate
    /// The height above mean sea level (`ele`).
    public var elevation: Distance?
    /// The time of the point (`time`).
    public var time: Timestamp?
    /// The speed over ground, never negative: `speed`, a child in GPX 1.0 and an extension in GPX 1.1.
    public var speed: Speed?
    /// The course over ground, within 0 ..< 360: `course` or `heading`, a child in GPX 1.0 and an extension in GPX 1.1.
    public var course: Angle?
    /// The radius of horizontal accuracy that some programs write as an extension, unchanged.
    public var accuracy: Distance?
    /// The horizontal dilution of precision (`hdop`), never negative.
    public var hdop: Double?
    /// The number of satellites used (`sat`).
    public var satellites: Int?
    /// The kind of fix (`fix`).
    public var fixType: GPXFixType?
    /// The distance at which Garmin's devices warn of a waypoint, an extension.
    public var proximity: Distance? {
        get { texts.all.proximity }
        set { texts.all.proximity = newValue }
    }
    /// The name of the point (`name`).
    public var name: String? {
        get { texts.all.name }
        set { texts.all.name = newValue }
    }
    /// A comment (`cmt`).
    public var comment: String? {
        get { texts.all.comment }
        set { texts.all.comment = newValue }
    }
    /// A description (`desc`).
    public var description: String? {
        get { texts.all.description }
        set { texts.all.description = newValue }
    }
    /// A category (`type`).
    public var category: String? {
        get { texts.all.category }
        set { texts.all.category = newValue }
    }
    /// The name of a symbol (`sym`).
    public var symbol: String? {
        get { texts.all.symbol }
        set { texts.all.symbol = newValue }
    }

    private var texts = Texts.none

    /// Creates a point with only a position.
    public init(_ coordinate: Coordinate) { self.coordinate = coordinate }
}

/// The texts of a point and what only waypoints have, stored separately because most points have none and are then copied quickly.
private indirect enum Texts: Hashable, Sendable {
    case none
    case some(All)

    struct All: Hashable, Sendable {
        var name: String?
        var comment: String?
        var description: String?
        var category: String?
        var symbol: String?
        var proximity: Distance?
    }

    var all: All {
        get { if case .some(let all) = self { all } else { All() } }
        set { self = newValue == All() ? .none : .some(newValue) }
    }
}

/// The kind of fix of a point, with the names of GPX 1.1 (`fixType`).
public enum GPXFixType: String, Hashable, Sendable, CaseIterable {
    /// There was no fix.
    case none
    /// A position without height.
    case twoDimensional = "2d"
    /// A position with height.
    case threeDimensional = "3d"
    /// A position corrected by a reference station.
    case differential = "dgps"
    /// A position from the military signal.
    case precise = "pps"
}
