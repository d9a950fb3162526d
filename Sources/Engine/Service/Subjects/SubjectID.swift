public import Geodesy
import Store

/// The kind and the id of a subject that people can react to, written `KIND/ID`.
public struct SubjectID: Hashable, Sendable, CustomStringConvertible {
    /// The kind, such as `sight`, `plan` or `post`.
    public let kind: String
    /// The id, unique among subjects of the same kind.
    public let id: String

    /// Creates the id of a subject, with `id` normalised.
    public init(kind: String, id: String) {
        self.kind = kind
        self.id = Identifier.normal(id)
    }

    /// Parses `KIND/ID`; `nil` if the kind or the id is missing.
    public init?(_ text: String) {
        guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")), slash != text.startIndex else { return nil }
        self.init(kind: String(text[..<slash]), id: String(text[text.utf8.index(after: slash)...]))
        guard !id.isEmpty else { return nil }
    }

    /// The text `KIND/ID`.
    public var description: String { "\(kind)/\(id)" }

    /// The destination of a notification that opens the subject: `waymark://KIND/ID`.
    public var destination: String { "waymark://\(kind)/\(id)" }

    /// The maximum length in characters: a kind, a slash, and the longest id of any kind.
    static let longest = 256
}

/// A subject that people can react to, as a viewer sees it.
public struct Subject: Hashable, Sendable {
    /// The kind and the id.
    public var id: SubjectID
    /// The title that people see.
    public var title: String
    /// The id of the person who owns it; `nil` if nobody does.
    public var owner: String?
    /// The description.
    public var information: String?
    /// The id of its picture.
    public var image: String?
    /// The position; `nil` if the subject has none, or the viewer may not know it.
    public var place: Coordinate?
    /// Whether people rate it.
    public var isRated: Bool
    /// Whether the viewer may add photos although somebody else owns the subject.
    public var isOpen: Bool
    /// Whether people may flag it as inappropriate.
    ///
    /// The kind shows a hidden subject only to its owner and to those who decide about flags.
    public var canBeFlagged = false
    /// Whether the owner may suggest it to others.
    public var isSuggestedByOwner = true
    /// The title for the event log, if ``title`` must be removed with the owner's account; `nil` to use ``title``.
    public var logTitle: String?

    /// Creates a subject, by default one that people rate.
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
