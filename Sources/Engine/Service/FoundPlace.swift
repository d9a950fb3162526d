public import GRDB
public import Geodesy

/// A place found by its name.
public struct FoundPlace: Hashable, Sendable {
    /// The id, unique among places of the same ``kind``.
    public var id: String
    /// The kind: `place`, `street` or `point` for a place of the gazetteer, otherwise the kind of a subject.
    public var kind: String
    /// The name that people see.
    public var name: String
    /// The position.
    public var place: Coordinate
    /// The country's two-letter code of ISO 3166, if known.
    public var country: String?
    /// The number of inhabitants, if known.
    public var population: Int64?
    /// The time zone's name in the tz database, if known.
    public var zone: String?
    /// OpenStreetMap's word for what it is, such as `village` or `restaurant`, if known.
    public var word: String?

    /// Creates a place; facts that are unknown stay `nil`.
    public init(
        id: String, kind: String, name: String, place: Coordinate, country: String? = nil, population: Int64? = nil,
        zone: String? = nil, word: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.name = name
        self.place = place
        self.country = country
        self.population = population
        self.zone = zone
        self.word = word
    }
}

/// A feature's places that people can find by name and that are missing from the gazetteer.
public protocol FoundPlaceSource: Sendable {
    /// Returns the places that `viewer` may see whose name, or a word of it, begins with `text`.
    ///
    /// The comparison ignores case and accents.
    ///
    /// - Parameters:
    ///   - center: The place to which nearness refers; `nil` if there is none.
    ///   - limit: The maximum number of places. If more match, the source returns those nearest to the centre. Without
    ///     a centre, it chooses which ones to return.
    func places(
        named text: String, near center: Coordinate?, for viewer: Viewer, limit: Int, in db: Database
    ) throws -> [FoundPlace]
}
