import EventStream
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
            Places whose name begins so, in any spelling that is known: those within 50 km of a place first, the nearest \
            before the others, then the largest. Where the gazetteer has none, your sights and the locations of your plans.
            """,
            Parameter<String>.required(
                "text", .string(length: 1...Self.longestText), "How the name begins, in any case and without accents."),
            .place("Degrees north of the place that near is about.", "Degrees east of it."),
            Parameter<PageRequest<GazetteerSearch.Key>>.page(
                of: "places.search", upTo: Self.largestPage, usually: 20),
            answers: .page("places", "The places."), errors: [.invalidValue], right: .read
        ) { call, text, center, asked in
            let viewer = call.viewer
            return try await context.store.read { [sources = context.places] db in
                var page = asked.page(of: FoundRow.self)
                let search = GazetteerSearch(text, near: center)
                let matches = try search.matches(after: asked.after, limit: asked.limit + 1, in: db)
                for match in matches {
                    let row = FoundRow(found: match.place.found, distance: match.distance)
                    guard page.take(row, at: match.key) else { break }
                }
                guard matches.isEmpty, asked.after == nil else { return page }
                var rows: [FoundRow] = []
                for source in sources {
                    rows += try source.places(named: text, for: viewer, limit: asked.limit, in: db).map { found in
                        FoundRow(
                            found: found, distance: center.map { Sphere.distance(from: $0, to: found.place) })
                    }
                }
                rows.sort { one, other in
                    let key = { (row: FoundRow) in (row.distance?.meters ?? 0, row.found.name, row.found.id) }
                    return key(one) < key(other)
                }
                // These are few, so there is no second page.
                for row in rows.prefix(asked.limit) { _ = page.take(row, at: GazetteerSearch.Key(number: 0)) }
                return page
            }
        }
    }

    private var at: Method<Principal> {
        .stored(
            "places.at", "What a place is called, and its time zone, by the nearest town that is known.",
            Parameter<Coordinate?>.place("Degrees north.", "Degrees east.").map { place throws(Refusal) in
                guard let place else { throw Refusal.invalid("lat", "is missing") }
                return place
            }, answers: PlaceThere.shape, errors: [.invalidValue], right: .read
        ) { call, place in
            try await context.store.read { db in
                let town = try PlaceNames.town(at: place, in: db)
                return PlaceThere(
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
            Takes a part of GeoNames' tables, such as cities500.txt; with the last part they take the place of the \
            gazetteer that there was.
            """,
            Parameter<String>.required(
                "text", .string(length: 0...Self.longestPart), "The lines of the part, of 19 columns parted by tabs."),
            Parameter<Int64>.optional(
                "part", .integer(in: 1...1_000_000), default: 1,
                "The number of the part, from 1; 1 if left out, which starts a new import."),
            Parameter<Bool>.optional("last", .boolean, default: true, "Whether it is the last; true if left out."),
            answers: .object {
                Member("lines", .integer, "How many lines came so far.") { $0.lines }
                Member("places", .integer, "How many populated places they have, which alone are kept.") { $0.places }
                Member("done", .boolean, "Whether they are the gazetteer now.") { $0.isDone }
            }, errors: [.conflict, .invalidValue], right: .change
        ) { call, text, part, isLast in
            try await context.editor.change { db, _ in
                try GazetteerImport.take(text, part: part, isLast: isLast, in: db)
            }
        }
    }
}

/// A found place with its distance from the given centre.
struct FoundRow: Answerable, Sendable {
    var found: FoundPlace
    var distance: Distance?

    static let members: [Member<FoundRow>] =
        [
            Member("id", .text, "What it is known by among those of its kind.") { $0.found.id },
            Member("kind", .text, "place for one of the gazetteer, else sight or location.") { $0.found.kind },
            Member("name", .text, "What it is called.") { $0.found.name },
        ] + Member.place("Degrees north.", "Degrees east.") { $0.found.place } + [
            .optional("country", .text, "The country by its two letters of ISO 3166.") { $0.found.country },
            .optional("population", .integer, "How many live there.") { $0.found.population },
            .optional("zone", .text, "The time zone, such as Europe/Amsterdam.") { $0.found.zone },
            .optional("distance", .number(decimals: 1), "How far it is from the place given, in metres.") {
                $0.distance?.meters
            },
        ]

    static let shape = Shape<FoundRow>.object(members)
}

/// The answer of `places.at`: the town and time zone of a place.
private struct PlaceThere: Answerable, Sendable {
    var place: Coordinate
    var town: FoundRow?
    var zone: String?

    static let shape = Shape<PlaceThere>.object {
        Member.place("Degrees north, as given.", "Degrees east, as given.") { $0.place }
        Member.optional("town", FoundRow.shape, "The town it is in or near to; left out beyond 50 km of any.") {
            $0.town
        }
        Member.optional("zone", .text, "The time zone; left out beyond 500 km of any town.") { $0.zone }
    }
}
