#if Companion
public import Callers
import Gazetteer
public import RPC
public import Service
public import WebServer

/// The methods for the maps beside the store: `maps.list`, `maps.remove` and `maps.addNames`.
public struct MapMethods: Sendable {
    private let folder: MapFolder?
    private let context: ServiceContext

    /// The most bytes in one part of the names; with JSON's escapes it still fits in one line of the socket protocol.
    private static let longestPart = 700_000

    /// Creates the methods for a folder; without one, there are no maps.
    public init(_ folder: MapFolder?, _ context: ServiceContext) {
        self.folder = folder
        self.context = context
    }

    /// All methods.
    public var all: [Method<Principal>] { [list, remove, addNames] }

    private var list: Method<Principal> {
        Method(
            "maps.list",
            "Returns the maps beside the store. The server takes up new files in their folder, and forgets removed ones.",
            answers: AnswerShape<[MapFolder.Map]>.object {
                Member("maps", .array(of: Self.map), "The maps, sorted by name.") { $0 }
            }, right: .read
        ) { [folder] _ in await folder?.maps() ?? [] }
    }

    private var remove: Method<Principal> {
        .stored(
            "maps.remove", "Removes a map: its file, and the names that came with it.",
            Parameter<String>.required("name", .string(length: 1...MapFolder.longestName), "The name of the map."),
            answers: AnswerShape<String>.object { Member("name", .text, "The name of the removed map.") { $0 } },
            errors: [.notFound], right: .change
        ) { [folder, context] _, name in
            do {
                let hadFile = try folder?.remove(name) ?? false
                let names = try await context.editor.change { db, _ in try MapNames.remove(name, in: db) }
                guard hadFile || names > 0 else { throw Refusal.absent("map", id: name) }
                return name
            } catch let failure as MapFolder.Failure {
                throw Refusal.unavailable("The map is not removed: \(failure)")
            }
        }
    }

    private var addNames: Method<Principal> {
        .stored(
            "maps.addNames",
            """
            Adds one part of the names in the extract of which a map was made, so that places.search finds them. After \
            the last part, they replace the previous names of the map.
            """,
            Parameter<String>.required("name", .string(length: 1...MapFolder.longestName), "The name of the map.").map {
                name throws(Refusal) in
                guard MapFolder.isName(name) else {
                    throw Refusal.invalid("name", "must have letters, digits, hyphens and underscores only")
                }
                return name
            },
            Parameter<String>.required(
                "text", .string(length: 0...Self.longestPart),
                "Lines with columns separated by tabs: settlement, street or point; OpenStreetMap's word for it; degrees "
                    + "north and east; the population or 0; the name; and any other names."),
            Parameter<Int64>.optional(
                "part", .integer(in: 1...1_000_000), default: 1,
                "The number of the part, counted from 1. By default 1, which starts a new import."),
            Parameter<Bool>.optional("last", .boolean, default: true, "Whether it is the last part, true by default."),
            answers: AnswerShape<MapNames.Progress>.object {
                Member("lines", .integer, "The number of lines so far.") { $0.lines }
                Member("names", .integer, "The number of names in them that can be searched for.") { $0.names }
                Member("done", .boolean, "Whether the import is complete, and the names are found.") { $0.isDone }
            }, errors: [.conflict, .invalidValue], right: .change
        ) { [context] _, name, text, part, isLast in
            try await context.editor.change { db, _ in
                try MapNames.importPart(text, of: name, part: part, isLast: isLast, in: db)
            }
        }
    }

    /// The answer about one map.
    public static let map = AnswerShape<MapFolder.Map>.object {
        Member("name", .text, "The name.") { $0.name }
        Member("size", .integer, "The size of the file in bytes.") { $0.size }
        Member.flag("vector", "Whether it has vector tiles, which have streets and names; otherwise it has pictures.") {
            $0.isVector
        }
        Member.optional("min_zoom", .integer, "The lowest zoom level; absent if the map cannot be used.") {
            $0.zooms?.lowerBound
        }
        Member.optional("max_zoom", .integer, "The highest zoom level; absent if the map cannot be used.") {
            $0.zooms?.upperBound
        }
        Member.optional(
            "bounds", .array(of: .number(decimals: 7), count: 4...4),
            "The area as west, south, east and north in degrees; absent if the file does not say it."
        ) { $0.bounds }
        Member.optional("attribution", .text, "The attribution, as text or HTML; absent if the file has none.") {
            $0.attribution
        }
        Member.optional("problem", .text, "The reason why the map is not drawn, as a clause; absent if it is.") {
            $0.problem
        }
    }
}
#endif
