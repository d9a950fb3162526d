/// The keys of OpenStreetMap that make something findable by its name.
///
/// - SeeAlso: https://wiki.openstreetmap.org/wiki/Map_features
enum OSMKey: String, CaseIterable {
    case name
    case shortName = "short_name"
    case alternative = "alt_name"
    case international = "int_name"
    case official = "official_name"
    case english = "name:en"
    case german = "name:de"
    case place, population, highway
    case tourism, historic, amenity, shop, leisure, natural, railway, office, craft, aeroway

    /// The length of the longest in bytes.
    static let longest = allCases.map(\.rawValue.utf8.count).max() ?? 0

    /// The keys of other names than the local one.
    static let otherNames: [OSMKey] = [.shortName, .alternative, .international, .official, .english, .german]
    /// The keys that make something a point, of which the first decides what it is.
    static let points: [OSMKey] = [
        .tourism, .historic, .amenity, .shop, .leisure, .natural, .railway, .office, .craft, .aeroway,
    ]
    /// The kinds of settlements, and of other places that have a name of their own.
    static let settlements: Set = [
        "city", "town", "village", "hamlet", "isolated_dwelling", "suburb", "borough", "quarter", "neighbourhood",
        "locality", "farm", "island", "islet",
    ]
}
