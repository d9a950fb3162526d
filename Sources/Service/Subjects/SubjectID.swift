public import Geodesy
import Store

/// What people react to, by kind and id; as text `KIND/ID`.
public struct SubjectID: Hashable, Sendable, CustomStringConvertible {
    /// What kind of thing it is: `sight`, later `plan`, `post` and others.
    public let kind: String
    /// Its id among those of its kind.
    public let id: String

    /// The thing of a kind and an id.
    public init(kind: String, id: String) {
        self.kind = kind
        self.id = Identifier.normal(id)
    }

    /// Reads `KIND/ID`; nil where there is no kind or no id.
    public init?(_ text: String) {
        guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")), slash != text.startIndex else { return nil }
        self.init(kind: String(text[..<slash]), id: String(text[text.utf8.index(after: slash)...]))
        guard !id.isEmpty else { return nil }
    }

    /// `KIND/ID`.
    public var description: String { "\(kind)/\(id)" }

    /// Where a notification of it leads: `waymark://KIND/ID`.
    public var destination: String { "waymark://\(kind)/\(id)" }

    /// The longest in characters: a kind, a slash, and the longest id that any kind has.
    static let longest = 256
}

/// What is known of a thing that people react to.
public struct Subject: Hashable, Sendable {
    /// Which it is.
    public var id: SubjectID
    /// What people call it.
    public var title: String
    /// The id of the person whose it is; nil where it is nobody's.
    public var owner: String?
    /// What there is to know about it.
    public var information: String?
    /// The id of its picture.
    public var image: String?
    /// Where it is; nil where it has no place, or the viewer may not know it.
    public var place: Coordinate?
    /// Whether people rate it.
    public var isRated: Bool
    /// Whether the viewer may add photos to it though it is another's.
    public var isOpen: Bool
    /// Whether people may say that it should not be there; what is hidden then, its kind shows only to whose it is and to
    /// those who decide.
    public var canBeFlagged = false
    /// Whether whose it is may suggest it to others.
    public var isSuggestedByOwner = true
    /// What the event log calls it, where what people call it must go with the account of whose it is; nil where the
    /// title will do.
    public var lastingTitle: String?

    /// A thing that people react to.
    public init(
        id: SubjectID, title: String, owner: String?, information: String? = nil, image: String? = nil,
        place: Coordinate? = nil, isRated: Bool = true, isOpen: Bool = false
    ) {
        self.id = id
        self.title = title
        self.owner = owner
        self.information = information
        self.image = image
        self.place = place
        self.isRated = isRated
        self.isOpen = isOpen
    }
}
