public import Geodesy
import Service
public import Shapes
import Store
public import Time
public import Tracking

/// A point of interest: a place with a geofence that emits events when a device comes near.
///
/// The geofence is a circle, unless the sight has an ``outline``.
public struct Sight: Hashable, Sendable {
    /// The sight's id, in the normal form of an ``Store/Identifier``.
    ///
    /// An import keeps the id that it was given.
    public let id: String
    /// The name that people read.
    public var title: String
    /// The centre of the circle, and otherwise a place in the middle of the outline's box.
    public var place: Coordinate
    /// The radius of the circle, or half the width of the corridor; 0 for polygons.
    public var radius: Distance
    /// The polygons or the corridor; `nil` for a circle, and in short lists.
    public private(set) var outline: Shape?
    /// Whether the sight is a circle, a polygon or a corridor.
    public private(set) var kind = Shape.Kind.circle
    /// The rules of the geofence.
    public var rules = SightRules()
    /// The kind of place, such as a museum, in free text.
    public var category: String?
    /// The description.
    public var information: String?
    /// The id of the person who added the sight; `nil` if none did, such as for an import.
    public var owner: String?
    /// The time at which the owner added it; `nil` if no person did.
    public var added: Timestamp?

    /// The radius of a sight that is given none.
    public static let defaultRadius = Distance.meters(100)
    /// The largest radius.
    ///
    /// Anything larger is a region rather than a place.
    public static let greatestRadius = Distance.kilometers(100)
    /// The longest id, in bytes of UTF-8.
    public static let longestID = Identifier.longest
    /// The longest title, in bytes of UTF-8.
    ///
    /// Every event of the sight repeats it.
    public static let longestTitle = 1000
    /// The longest category, in bytes of UTF-8.
    ///
    /// Every list of sights repeats it.
    public static let longestCategory = 1000
    /// The longest description, in bytes of UTF-8: a long article.
    public static let longestInformation = 100_000

    /// Creates a sight without checking it; see ``check()``.
    public init(
        id: String, title: String, place: Coordinate, radius: Distance = Sight.defaultRadius,
        category: String? = nil, information: String? = nil, owner: String? = nil,
        added: Timestamp? = nil
    ) {
        self.id = Identifier.normal(id)
        self.title = title
        self.place = place
        self.radius = radius
        self.category = category
        self.information = information
        self.owner = owner
        self.added = added
    }

    /// Creates a sight of any shape without checking it; see ``check()``.
    public init(
        id: String, title: String, shape: Shape, category: String? = nil, information: String? = nil,
        owner: String? = nil, added: Timestamp? = nil
    ) {
        self.init(
            id: id, title: title, place: .origin, category: category, information: information, owner: owner,
            added: added)
        setShape(shape)
    }

    /// Gives the sight another shape.
    public mutating func setShape(_ shape: Shape) {
        (radius, kind) = (shape.radius, shape.kind)
        if shape.kind == .circle, let center = shape.parts.first?.first?.first {
            (place, outline) = (center, nil)
        } else {
            (place, outline) = (Coordinate(shape.center), shape)
        }
    }

    /// Says what a sight is whose shape is not known.
    mutating func setKind(_ kind: Shape.Kind) {
        self.kind = kind
        if kind == .polygon { radius = .zero }
    }

    /// The geofence of the sight.
    public var geofence: Geofence {
        let identity = Geofence.Identity(kind: .sight, id: id)
        var geofence =
            outline.map { Geofence(identity: identity, title: title, shape: $0) }
            ?? Geofence(identity: identity, title: title, center: place, radius: radius)
        (geofence.speedLimit, geofence.isAlarm, geofence.watch) = (rules.speedLimit, rules.isAlarm, rules.watch)
        return geofence
    }

    /// A rule that a sight breaks, and the field that breaks it.
    public struct Flaw: Error, Hashable, Sendable {
        /// The name of the field.
        public let field: String
        /// The reason, as a clause without a full stop.
        public let reason: String
    }

    /// Throws a ``Flaw`` if the sight breaks a rule.
    public func check() throws(Flaw) {
        do {
            _ = try Identifier(id)
        } catch {
            throw Flaw(field: "id", reason: error.reason)
        }
        try Self.check("title", title, atMost: Self.longestTitle)
        if let category, category.utf8.count > Self.longestCategory {
            throw Flaw(field: "category", reason: "longer than \(Self.longestCategory) bytes")
        }
        if let information, information.utf8.count > Self.longestInformation {
            throw Flaw(field: "description", reason: "longer than \(Self.longestInformation) bytes")
        }
        for (field, text) in [("title", title), ("category", category), ("description", information)] {
            // SQLite would end the text at this character.
            if let text, text.unicodeScalars.contains("\0") {
                throw Flaw(field: field, reason: "a text that contains U+0000")
            }
        }
        // The radius of a corridor was checked with its lines.
        guard kind != .circle || radius > .zero && radius <= Self.greatestRadius else {
            throw Flaw(
                field: "radius",
                reason: "\(radius.meters) m; the radius must be above 0 and at most \(Self.greatestRadius.meters) m")
        }
    }

    /// Throws a ``Flaw`` if the sight breaks a rule for what people write.
    ///
    /// These rules are stricter than those for imports: title and category have no control characters, and a sight that
    /// a person adds for others has a description. A title, category or missing description that is the same as in
    /// `old` passes these stricter rules.
    func checkWritten(insteadOf old: Sight? = nil) throws(Flaw) {
        try check()
        for (field, text, before) in [("title", title, old?.title), ("category", category ?? "", old?.category)] {
            let hasControls = text.unicodeScalars.contains { $0.properties.generalCategory == .control }
            if hasControls, text != before { throw Flaw(field: field, reason: "not one line of text") }
        }
        if information == nil, owner != nil, old == nil || old?.information != nil {
            throw Flaw(field: "description", reason: "empty")
        }
    }

    private static func check(_ field: String, _ value: String, atMost limit: Int) throws(Flaw) {
        guard value.contains(where: { !$0.isWhitespace }) else { throw Flaw(field: field, reason: "empty") }
        guard value.utf8.count <= limit else { throw Flaw(field: field, reason: "longer than \(limit) bytes") }
    }
}
