public import GRDB
public import Geodesy

/// A place that was found by its name.
public struct FoundPlace: Hashable, Sendable {
    /// What it is known by among those of its kind.
    public var id: String
    /// What it is: `place` of the gazetteer, or the kind of a subject.
    public var kind: String
    /// What it is called.
    public var name: String
    /// Where it is.
    public var place: Coordinate
    /// The country by its two letters of ISO 3166, where it is known.
    public var country: String?
    /// How many live there, where it is known.
    public var population: Int64?
    /// The time zone by its name in the tz database, where it is known.
    public var zone: String?

    /// A place.
    public init(
        id: String, kind: String, name: String, place: Coordinate, country: String? = nil, population: Int64? = nil,
        zone: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.name = name
        self.place = place
        self.country = country
        self.population = population
        self.zone = zone
    }
}

/// Places of a feature that people find by name where the gazetteer knows none.
public protocol FoundPlaceSource: Sendable {
    /// The places that someone sees whose name begins with a text or has a word that does, in any case and without accents.
    ///
    /// - Parameter limit: at most so many; which ones is for the source to say.
    func places(named text: String, for viewer: Viewer, limit: Int, in db: Database) throws -> [FoundPlace]
}
