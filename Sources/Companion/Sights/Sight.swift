public import Geodesy
public import Tracking

/// A point of interest: a place people may want to be told of when they come near.
public struct Sight: Hashable, Sendable {
    /// What it is known by; an imported id is kept.
    public var id: String
    /// What people call it.
    public var title: String
    /// Where.
    public var place: Coordinate
    /// How near is near.
    public var radius: Distance
    /// What kind of place it is.
    public var category: String?
    /// What there is to know about it.
    public var information: String?
    /// The id of the person who added it; nil where it came otherwise, as by an import.
    public var owner: String?

    /// The radius where none is given.
    public static let defaultRadius = Distance.meters(100)
    /// The largest radius: a region, not a place, lies beyond it.
    public static let greatestRadius = Distance.kilometers(100)
    /// The longest id, in bytes of UTF-8; it stands in every event.
    public static let longestID = 200
    /// The longest title, in bytes of UTF-8; it stands in every event.
    public static let longestTitle = 1000
    /// The longest category, in bytes of UTF-8; it stands in every list.
    public static let longestCategory = 1000
    /// The longest information, in bytes of UTF-8: a long article.
    public static let longestInformation = 100_000

    /// A sight.
    public init(
        id: String, title: String, place: Coordinate, radius: Distance = Sight.defaultRadius,
        category: String? = nil, information: String? = nil, owner: String? = nil
    ) {
        self.id = id
        self.title = title
        self.place = place
        self.radius = radius
        self.category = category
        self.information = information
        self.owner = owner
    }

    /// What the geofence engine watches of it.
    public var geofence: Geofence {
        Geofence(identity: .init(kind: .sight, id: id), title: title, center: place, radius: radius)
    }

    /// What is wrong with a sight, by the field it is wrong in.
    public struct Flaw: Error, Hashable, Sendable {
        /// The field.
        public let field: String
        /// What is wrong, as a clause without a full stop.
        public let reason: String
    }

    /// Refuses a sight that breaks a rule.
    public func check() throws(Flaw) {
        try Self.check("id", id, atMost: Self.longestID)
        try Self.check("title", title, atMost: Self.longestTitle)
        if let category, category.utf8.count > Self.longestCategory {
            throw Flaw(field: "category", reason: "longer than \(Self.longestCategory) bytes")
        }
        if let information, information.utf8.count > Self.longestInformation {
            throw Flaw(field: "description", reason: "longer than \(Self.longestInformation) bytes")
        }
        guard radius > .zero, radius <= Self.greatestRadius else {
            throw Flaw(
                field: "radius",
                reason: "\(radius.meters) m; a radius lies above 0 and up to \(Self.greatestRadius.meters) m")
        }
    }

    private static func check(_ field: String, _ value: String, atMost limit: Int) throws(Flaw) {
        guard value.contains(where: { !$0.isWhitespace }) else { throw Flaw(field: field, reason: "empty") }
        guard value.utf8.count <= limit else { throw Flaw(field: field, reason: "longer than \(limit) bytes") }
    }
}
