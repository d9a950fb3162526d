import Callers
import GRDB
import Geodesy
import RPC
import Service
import Store

/// The methods for finding and importing places by name.
struct GazetteerMethods: Sendable {
    let context: ServiceContext

    /// The most places in one page.
    private static let largestPage = 200
    /// The most bytes in one part of an import; with JSON's escapes it still fits in one line of the socket protocol.
    private static let longestPart = 700_000
    /// The longest search text, in characters.
    private static let longestText = 200

    var all: [Method<Principal>] { [search, at, importing] }

    private var search: Method<Principal> {
        .stored(
            "places.search",
            """
            Finds sights, locations of your plans, places, streets and points whose name begins with a text, in any known \
            spelling. A town comes first if the text is its whole name. What is within 50 km of a given position \
            follows, nearest first, whatever it is. Then come your other sights and locations, other places of GeoNames, \
            largest first, and names of OpenStreetMap that came with maps.
            """,
            Parameter<String>.required(
                "text", .string(length: 1...Self.longestText), "The beginning of the name, ignoring case and accents."),
            .place("The latitude to search near, in degrees north.", "The longitude to search near, in degrees east."),
            Parameter<PageRequest<GazetteerSearch.Key>>.page(
                of: "places.search", upTo: Self.largestPage, default: 20),
            answers: FoundPlaces.shape, errors: [.invalidValue], right: .read
        ) { call, text, center, asked in
            let viewer = call.viewer
            return try await context.store.read { [sources = context.places] db in
                var page = asked.page(of: FoundRow.self)
                let search = GazetteerSearch(text, near: center)
                let matches = try search.matches(after: asked.after, limit: asked.limit + 1, in: db)
                var others: [FoundRow] = []
                for source in sources {
                    others += try source.places(
                        named: text, near: center, for: viewer, limit: GazetteerSearch.maximumOthers, in: db
                    ).map { found in
                        FoundRow(
                            found: found, distance: center.map { Sphere.distance(from: $0, to: found.place) })
                    }
                }
                others = search.sorted(others) { ($0.distance, $0.found.name, $0.found.id) }
                let rows = search.merging(others, after: asked.after, distance: \.distance, into: matches) { match in
                    FoundRow(found: match.place.found, distance: match.distance)
                }
                for (row, key) in rows {
                    guard page.append(row, at: key) else { break }
                }
                return FoundPlaces(page: page, isEmpty: try GazetteerPlace.isEmpty(in: db))
            }
        }
    }

    private var at: Method<Principal> {
        .stored(
            "places.at", "Returns the town at or near a position, and the time zone there.",
            Parameter<Coordinate?>.place("Degrees north.", "Degrees east.").map { place throws(Refusal) in
                guard let place else { throw Refusal.invalid("lat", "is missing") }
                return place
            }, answers: PlaceDescription.shape, errors: [.invalidValue], right: .read
        ) { call, place in
            try await context.store.read { db in
                let town = try PlaceNames.town(at: place, in: db)
                return PlaceDescription(
                    place: place,
                    town: town.map {
                        FoundRow(found: $0.found, distance: Sphere.distance(from: place, to: $0.place))
                    }, zone: try PlaceNames.zone(at: place, in: db))
            }
        }
    }

    private var importing: Method<Principal> {
        .stored(
            "places.import",
            """
            Imports one part of GeoNames' tables, such as cities500.txt. After the last part, they replace the \
            previous gazetteer.
            """,
            Parameter<String>.required(
                "text", .string(length: 0...Self.longestPart),
                "The lines of the part, each with 19 columns separated by tabs."),
            Parameter<Int64>.optional(
                "part", .integer(in: 1...1_000_000), default: 1,
                "The number of the part, counted from 1. By default 1, which starts a new import."),
            Parameter<Bool>.optional("last", .boolean, default: true, "Whether it is the last part, true by default."),
            answers: .object {
                Member("lines", .integer, "The number of lines so far.") { $0.lines }
                Member("places", .integer, "The number of populated places in them; only these are kept.") { $0.places }
                Member("done", .boolean, "Whether the import is complete and has replaced the gazetteer.") { $0.isDone }
            }, errors: [.conflict, .invalidValue], right: .change
        ) { call, text, part, isLast in
            try await context.editor.change { db, _ in
                try GazetteerImport.importPart(text, part: part, isLast: isLast, in: db)
            }
        }
    }
}

/// The answer of `places.search`: a page of places, and whether the gazetteer has any.
private struct FoundPlaces: Answerable, Sendable {
    var page: Page<FoundRow>
    var isEmpty: Bool

    static let shape = AnswerShape<FoundPlaces>.object {
        Page<FoundRow>.members("places", "The places.").of { $0.page }
        Member.flag(
            "empty",
            "Present, and true, if neither GeoNames' tables nor the names of a map have been imported. Then only sights "
                + "and locations are found."
        ) { $0.isEmpty }
    }
}

/// A found place with its distance from the given centre.
struct FoundRow: Answerable, Sendable {
    var found: FoundPlace
    var distance: Distance?

    static let members: [Member<FoundRow>] =
        [
            Member("id", .text, "The id, which is unique among places of its kind.") { $0.found.id },
            Member(
                "kind", .text,
                "The kind: place, street or point if it is from the gazetteer, otherwise sight or location."
            ) {
                $0.found.kind
            },
            Member("name", .text, "The name.") { $0.found.name },
        ] + Member.place("Degrees north.", "Degrees east.") { $0.found.place } + [
            .optional("country", .text, "The country, as its two letters in ISO 3166.") { $0.found.country },
            .optional("population", .integer, "The number of inhabitants.") { $0.found.population },
            .optional("zone", .text, "The time zone, such as Europe/Amsterdam.") { $0.found.zone },
            .optional("type", .text, "OpenStreetMap's word for what it is, such as restaurant.") { $0.found.word },
            .optional("distance", .number(decimals: 1), "The distance from the given position, in metres.") {
                $0.distance?.meters
            },
        ]

    static let shape = AnswerShape<FoundRow>.object(members)
}

/// The answer of `places.at`: the town and time zone of a place.
private struct PlaceDescription: Answerable, Sendable {
    var place: Coordinate
    var town: FoundRow?
    var zone: String?

    static let shape = AnswerShape<PlaceDescription>.object {
        Member.place("Degrees north, as given.", "Degrees east, as given.") { $0.place }
        Member.optional("town", FoundRow.shape, "The town at or near the position; absent if no town is within 50 km.")
        {
            $0.town
        }
        Member.optional("zone", .text, "The time zone; absent if no town is within 500 km.") { $0.zone }
    }
}
