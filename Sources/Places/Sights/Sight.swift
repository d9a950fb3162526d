public import Geodesy
public import Positioning
import Service
import Store
public import Tracking

/// A point of interest: a place people may want to be told of when they come near.
public struct Sight: Hashable, Sendable {
    /// What it is known by, in the normal form of an ``Store/Identifier``; an imported id is kept.
    public let id: String
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
    /// When they added it; nil where it came otherwise.
    public var added: Timestamp?

    /// The radius where none is given.
    public static let defaultRadius = Distance.meters(100)
    /// The largest radius: a region, not a place, lies beyond it.
    public static let greatestRadius = Distance.kilometers(100)
    /// The longest id, in bytes of UTF-8.
    public static let longestID = Identifier.longest
    /// The longest title, in bytes of UTF-8; it stands in every event.
    public static let longestTitle = 1000
    /// The longest category, in bytes of UTF-8; it stands in every list.
    public static let longestCategory = 1000
    /// The longest information, in bytes of UTF-8: a long article.
    public static let longestInformation = 100_000

    /// A sight.
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
            // There SQLite would end it.
            if let text, text.unicodeScalars.contains("\0") { throw Flaw(field: field, reason: "a text with U+0000") }
        }
        guard radius > .zero, radius <= Self.greatestRadius else {
            throw Flaw(
                field: "radius",
                reason: "\(radius.meters) m; a radius lies above 0 and up to \(Self.greatestRadius.meters) m")
        }
    }

    /// Refuses a sight that breaks a rule for what people write.
    ///
    /// They are more than those for imports: title and category have no control characters, and there is a
    /// description. What is as it was before is not looked at.
    func checkWritten(insteadOf old: Sight? = nil) throws(Flaw) {
        try check()
        for (field, text, before) in [("title", title, old?.title), ("category", category ?? "", old?.category)] {
            let hasControls = text.unicodeScalars.contains { $0.properties.generalCategory == .control }
            if hasControls, text != before { throw Flaw(field: field, reason: "not one line of text") }
        }
        if information == nil, old == nil || old?.information != nil {
            throw Flaw(field: "description", reason: "empty")
        }
    }

    private static func check(_ field: String, _ value: String, atMost limit: Int) throws(Flaw) {
        guard value.contains(where: { !$0.isWhitespace }) else { throw Flaw(field: field, reason: "empty") }
        guard value.utf8.count <= limit else { throw Flaw(field: field, reason: "longer than \(limit) bytes") }
    }
}
