public import Geodesy
public import Positioning

/// A point of a GPX document: a track point, a route point or a waypoint.
///
/// What the document does not say, or says unreadably, is absent. Texts are without the blanks around them, and
/// never empty.
public struct GPXPoint: Hashable, Sendable {
    /// Where (`lat`, `lon`).
    public var coordinate: Coordinate
    /// Height above mean sea level (`ele`).
    public var elevation: Distance?
    /// When (`time`).
    public var time: Timestamp?
    /// Speed over ground: `speed`, a child in GPX 1.0, an extension in GPX 1.1; never negative.
    public var speed: Speed?
    /// Course over ground: `course` or `heading`, a child in GPX 1.0, an extension in GPX 1.1; within 0 ..< 360.
    public var course: Angle?
    /// The horizontal accuracy that some programs write as an extension, as a radius; taken as written.
    public var accuracy: Distance?
    /// Horizontal dilution of precision (`hdop`), never negative.
    public var hdop: Double?
    /// Satellites used (`sat`).
    public var satellites: Int?
    /// What kind of fix it was (`fix`).
    public var fixType: GPXFixType?
    /// What the point is called (`name`).
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

    /// A point of which only the place is known so far.
    public init(_ coordinate: Coordinate) { self.coordinate = coordinate }
}

/// The texts of a point: apart from it, because most points have none and are quickly copied then.
private indirect enum Texts: Hashable, Sendable {
    case none
    case some(All)

    struct All: Hashable, Sendable {
        var name: String?
        var comment: String?
        var description: String?
        var category: String?
        var symbol: String?
    }

    var all: All {
        get { if case .some(let all) = self { all } else { All() } }
        set { self = newValue == All() ? .none : .some(newValue) }
    }
}

/// What kind of fix a point was, as GPX 1.1 names it (`fixType`).
public enum GPXFixType: String, Hashable, Sendable, CaseIterable {
    /// No fix.
    case none
    /// Position without height.
    case twoDimensional = "2d"
    /// Position and height.
    case threeDimensional = "3d"
    /// Corrected by a reference station.
    case differential = "dgps"
    /// By the military signal.
    case precise = "pps"
}
