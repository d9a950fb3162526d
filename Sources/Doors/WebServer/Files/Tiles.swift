import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOPosix
import RPC
import Store
import TextCoding

/// A file of map tiles: pictures, or vectors that the browser draws.
protocol TileSource: Sendable {
    /// The media type of the tiles.
    var type: String { get }
    /// The zoom levels in the file.
    var zooms: ClosedRange<Int> { get }
    /// What the file says about itself.
    var metadata: TileMetadata { get }
    /// Returns the bytes of a tile; `nil` if the file does not have it.
    func tile(_ place: TilePlace) throws -> [UInt8]?
}

/// What a file of map tiles says about itself.
struct TileMetadata: Hashable, Sendable {
    /// The attribution of the map.
    var attribution: String?
    /// The area with tiles, as west, south, east and north in degrees.
    var bounds: [Double]?
    /// The names of the layers of vector tiles, which tell their schema; empty for pictures.
    var layers: [String] = []

    /// The media type of vector tiles.
    static let vectorType = "application/vnd.mapbox-vector-tile"
    /// The largest metadata in bytes; those of OpenMapTiles take some 10 KB.
    static let largest = 1 << 20
    /// The most layers; the schemas that are known have some twenty.
    private static let mostLayers = 256
    /// The longest name of a layer and the longest attribution, in bytes.
    private static let (longestName, longestText) = (256, 4096)

    /// Adds what the JSON metadata of a file says: `vector_layers` and `attribution`.
    mutating func add(json bytes: [UInt8]) throws(WebError) {
        guard let json = try? JSONValue(parsing: bytes.span), case .object = json else {
            throw WebError("its metadata is not a JSON object")
        }
        if case .string(let text)? = json["attribution"], text.utf8.count <= Self.longestText, attribution == nil {
            attribution = text
        }
        guard case .array(let described)? = json["vector_layers"] else { return }
        guard described.count <= Self.mostLayers else { throw WebError("it has more than \(Self.mostLayers) layers") }
        layers = described.compactMap { layer in
            guard case .string(let id)? = layer["id"], id.utf8.count <= Self.longestName else { return nil }
            return id
        }
    }

    /// Sets the area from degrees, if they are those of an area.
    mutating func setBounds(_ degrees: [Double]) {
        guard degrees.count == 4, (-180...180).contains(degrees[0]), (-90...90).contains(degrees[1]),
            (-180...180).contains(degrees[2]), (-90...90).contains(degrees[3]), degrees[1] < degrees[3],
            degrees[0] != degrees[2]
        else { return }
        bounds = degrees
    }
}

/// The position of a tile: its zoom level, and its column and row counted from the north-west.
struct TilePlace: Hashable, Sendable {
    let zoom: Int
    let column: Int
    let row: Int

    /// The highest zoom level of any file.
    static let deepest = 26

    /// Parses zoom, column and row; `nil` if no tile can have that position.
    init?(_ parts: ArraySlice<String>) {
        let numbers = parts.compactMap { $0.utf8.count <= 9 ? Int($0) : nil }
        guard parts.count == 3, numbers.count == 3, (0...Self.deepest).contains(numbers[0]),
            (0..<1 << numbers[0]).contains(numbers[1]), (0..<1 << numbers[0]).contains(numbers[2])
        else { return nil }
        (zoom, column, row) = (numbers[0], numbers[1], numbers[2])
    }
}

/// The reason why a file of map tiles is not used.
public struct RefusedMap: Hashable, Sendable, CustomStringConvertible {
    /// The path of the file.
    public let file: String
    /// The reason, as a clause.
    public let reason: String

    /// The refusal in one sentence.
    public var description: String { "map.tiles: \(file) cannot be used: \(reason)." }
}

/// The map tiles that the administrator has configured, those of the maps beside the store, and those of a provider.
///
/// A file that cannot be used is left out. The map then has the other files and the provider's tiles.
struct Tiles: Sendable {
    private let configured: OpenMap?
    private let folder: MapFolder?
    private let settings: WebSettings
    /// The reason why the configured file is not used; `nil` if it is used, or none is configured.
    let refused: RefusedMap?

    /// The largest tile that is sent, in bytes; a picture of 512 × 512 pixels is smaller.
    static let largest = 4 << 20
    /// What stands for the configured file in place of a map's name, which never begins with a hyphen.
    private static let configuredName = "-"

    /// Opens the configured file.
    ///
    /// - Parameter folder: The maps beside the store; `nil` for none.
    init(_ settings: WebSettings, folder: MapFolder? = nil) {
        self.settings = settings
        self.folder = folder
        guard let path = settings.tiles else {
            (configured, refused) = (nil, nil)
            return
        }
        do {
            let file = try OpenMap(path)
            (configured, refused) = (file, nil)
        } catch {
            (configured, refused) = (nil, RefusedMap(file: path, reason: "\(error)"))
        }
    }

    /// A file with the name that stands for it in the addresses of its tiles.
    private typealias Named = (name: String, file: OpenMap)

    private static func named(_ maps: [MapFolder.Held]) -> [Named] {
        maps.compactMap { one in one.open.map { (name: one.map.name, file: $0) } }
    }

    /// The configured file, if it can be used.
    private var configuredFiles: [Named] {
        guard let configured else { return [] }
        return [(name: Self.configuredName, file: configured)]
    }

    /// Returns a tile, or 404.
    ///
    /// The address names the map, or none: then the first file that has the tile answers. The files are read on a thread
    /// that may block on the disk.
    func answer(_ path: RequestPath, to request: HTTPRequest) async -> Answer {
        let parts = path.parts.dropFirst()
        let name = parts.count == 4 ? parts.first : nil
        guard let place = TilePlace(name == nil ? parts : parts.dropFirst()) else { return Self.none }
        var files = configuredFiles
        if name != Self.configuredName, let folder { files += Self.named(await folder.known()) }
        if let name { files = files.filter { $0.name == name } }
        for (name, file) in files {
            guard let bytes = try? await NIOThreadPool.singleton.runIfActive({ try file.source.tile(place) }) else {
                continue
            }
            return Self.answer(bytes, of: file, fields(file, name, place), to: request)
        }
        // Where a vector map has no tile there is nothing to draw, which is no fault.
        guard let first = files.first(where: { $0.file.source.type == TileMetadata.vectorType }) else {
            return Self.none
        }
        return Answer(.noContent, fields(first.file, first.name, place))
    }

    private func fields(_ file: OpenMap, _ name: String, _ place: TilePlace) -> HTTPFields {
        let tag = "\"\(name)-\(file.tag)-\(place.zoom)-\(place.column)-\(place.row)\""
        return [.eTag: tag, .cacheControl: "public, max-age=86400"]
    }

    private static func answer(
        _ bytes: [UInt8], of file: OpenMap, _ fields: HTTPFields, to request: HTTPRequest
    ) -> Answer {
        var fields = fields
        if let known = request.headerFields[.ifNoneMatch], let tag = fields[.eTag], ServedFile.matches(known, tag) {
            return Answer(.notModified, fields)
        }
        fields[.contentType] = file.source.type
        if file.source.type == TileMetadata.vectorType, bytes.starts(with: [0x1F, 0x8B]) {
            fields[.contentEncoding] = "gzip"
        }
        return Answer(.ok, fields, ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    private static var none: Answer { .text(.notFound, "There is no such tile.") }

    /// Returns the description of the available tiles, `/tiles.json`, after reading the folder of maps.
    ///
    /// The members at the top describe the configured file, or else the first of the folder, for programs that know one
    /// file only. `files` has all of them, each with an address of its own, and the provider before them, because they
    /// are drawn over it.
    func description() async -> Answer {
        let maps = Self.named(await folder?.refreshed() ?? [])
        var json = JSONWriter()
        json.object { json in
            let first = (configuredFiles + maps).first
            describe(
                first?.file, at: "/tiles/{z}/{x}/{y}", attribution: attribution(first?.name ?? Self.configuredName),
                to: &json)
            if settings.provider == nil {
                json.key("provider")
                json.null()
            } else {
                describeProvider(to: &json)
            }
            json.array("files") { json in
                if settings.provider != nil { json.object { json in describeProvider(to: &json) } }
                for (name, file) in configuredFiles + maps {
                    json.object { json in
                        json.member("name", name == Self.configuredName ? nil : name)
                        describe(file, at: "/tiles/\(name)/{z}/{x}/{y}", attribution: attribution(name), to: &json)
                    }
                }
            }
        }
        return .json(.ok, json.bytes)
    }

    /// Returns the attribution in the configuration, which is that of the configured file and of the provider; `nil` for
    /// a map of the folder, which brings its own.
    private func attribution(_ name: String) -> String? { name == Self.configuredName ? settings.attribution : nil }

    private func describe(
        _ file: OpenMap?, at address: String, attribution: String?, to json: inout JSONWriter
    ) {
        json.key("tiles")
        if file == nil { json.null() } else { json.string(address) }
        json.key("attribution")
        if let words = attribution ?? file?.source.metadata.attribution {
            json.string(words)
        } else {
            json.null()
        }
        json.member("min_zoom", file?.source.zooms.lowerBound)
        json.member("max_zoom", file?.source.zooms.upperBound)
        if let bounds = file?.source.metadata.bounds {
            json.array("bounds") { json in
                for degrees in bounds { json.number(degrees, decimals: 7) }
            }
        }
        if let layers = file?.source.metadata.layers, !layers.isEmpty {
            json.array("vector_layers") { json in
                for layer in layers { json.object { json in json.member("id", layer) } }
            }
        }
    }

    private func describeProvider(to json: inout JSONWriter) {
        json.object("provider") { json in
            json.member("url", settings.provider)
            json.member("attribution", settings.attribution)
        }
    }
}

extension WebSettings {
    /// The reason why the configured file of map tiles cannot be used; `nil` if it can, or none is configured.
    public var refusedMap: RefusedMap? { Tiles(self).refused }
}

/// Tiles in an SQLite file (MBTiles specification, 1.3).
///
/// Its tables are read, and its views never are. The usual view `tiles` joins the tables `map` and `images`, in which
/// equal tiles are stored once; this reader joins them itself.
struct MBTilesFile: TileSource {
    let type: String
    let zooms: ClosedRange<Int>
    let metadata: TileMetadata
    private let database: ForeignDatabase
    private let layout: Layout

    /// The tables that hold the tiles.
    private enum Layout {
        case plain, joined

        /// The table of the tiles' places.
        var places: String { self == .plain ? "tiles" : "map" }
        /// The table or the join with both the places and the bytes.
        var whole: String { self == .plain ? "tiles" : "map JOIN images ON images.tile_id = map.tile_id" }
    }

    /// The most that looking for the zoom levels may take; without an index, SQLite reads all of the file.
    private static let longestSearch = Duration.seconds(5)
    /// The most bytes of an attribution.
    private static let longestText = 4096

    init(_ path: String) throws(WebError) {
        do {
            let database = try ForeignDatabase(path, longest: Tiles.largest + 1024)
            let layout = try Self.layout(of: database)
            self.database = database
            self.layout = layout
            type = try Self.type(of: Self.metadata("format", in: database))
            zooms = try Self.zooms(of: database, in: layout.places)
            var metadata = TileMetadata()
            metadata.attribution = try Self.metadata("attribution", in: database)
            if let bounds = try Self.metadata("bounds", in: database) {
                metadata.setBounds(bounds.split(separator: ",").compactMap { Double($0.filter { $0 != " " }) })
            }
            if let json = try Self.metadata("json", longest: TileMetadata.largest, in: database) {
                try metadata.add(json: Array(json.utf8))
            }
            self.metadata = metadata
        } catch let error as WebError {
            throw error
        } catch {
            throw WebError("it is not an MBTiles file that can be read: \(error)")
        }
    }

    private static func layout(of database: ForeignDatabase) throws -> Layout {
        guard try database.hasTable("metadata", columns: ["name", "value"]) else {
            throw WebError("it has no table \"metadata\" with the columns name and value")
        }
        let place = ["zoom_level", "tile_column", "tile_row"]
        switch try database.kind(of: "tiles") {
        case .table? where try database.hasTable("tiles", columns: place + ["tile_data"]): return .plain
        case .view?:
            if try database.hasTable("map", columns: place + ["tile_id"]),
                try database.hasTable("images", columns: ["tile_id", "tile_data"])
            {
                return .joined
            }
            throw WebError(
                "its \"tiles\" is a view, which is not run because it could do anything. If you trust the file, make a "
                    + "table of it: sqlite3 FILE \"CREATE TABLE t AS SELECT * FROM tiles; DROP VIEW tiles; ALTER TABLE t RENAME TO "
                    + "tiles; CREATE INDEX tile_index ON tiles (zoom_level, tile_column, tile_row)\"")
        default:
            throw WebError("it has no table \"tiles\" with the columns zoom_level, tile_column, tile_row and tile_data")
        }
    }

    /// Returns a text in the metadata; `nil` if there is none of that name.
    private static func metadata(
        _ name: String, longest: Int = longestText, in database: ForeignDatabase
    ) throws -> String? {
        switch try database.firstRow("SELECT value FROM metadata WHERE name = ?", [.text(name)])?.first {
        case nil, .null?: return nil
        case .text(let text)?:
            guard text.utf8.count <= longest else {
                throw WebError("the value of \"\(name)\" in its metadata is longer than \(longest) bytes")
            }
            return text
        case let other?: throw WebError("the value of \"\(name)\" in its metadata is \(other.type), not a text")
        }
    }

    private static func type(of format: String?) throws(WebError) -> String {
        switch format {
        case "png": return "image/png"
        case "jpg", "jpeg": return "image/jpeg"
        case "webp": return "image/webp"
        case "pbf", "mvt": return TileMetadata.vectorType
        case let format:
            throw WebError(
                "the format of its tiles is \(format?.prefix(40) ?? "missing"); only pbf, png, jpg and webp are supported"
            )
        }
    }

    private static func zooms(of database: ForeignDatabase, in table: String) throws -> ClosedRange<Int> {
        // Two queries, each of which needs one search of an index.
        let found = try ["min", "max"].map { function in
            try database.firstRow("SELECT \(function)(zoom_level) FROM \(table)", within: longestSearch)?.first
        }
        switch (found.first, found.last) {
        case (.null??, _), (nil, _): throw WebError("it contains no tiles")
        case (.integer(let lowest)??, .integer(let highest)??):
            guard let lowest = Int(exactly: lowest), let highest = Int(exactly: highest), lowest <= highest,
                lowest >= 0, highest <= TilePlace.deepest
            else { throw WebError("its zoom levels are not within 0 and \(TilePlace.deepest)") }
            return lowest...highest
        default: throw WebError("a zoom level in it is not a whole number")
        }
    }

    func tile(_ place: TilePlace) throws -> [UInt8]? {
        // MBTiles counts rows from the south.
        let row = (1 << place.zoom) - 1 - place.row
        let found = try database.firstRow(
            """
            SELECT tile_data FROM \(layout.whole) WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?
                AND typeof(tile_data) = 'blob' AND length(tile_data) <= ?
            """,
            [
                .integer(Int64(place.zoom)), .integer(Int64(place.column)), .integer(Int64(row)),
                .integer(Int64(Tiles.largest)),
            ])
        guard case .blob(let bytes)? = found?.first else { return nil }
        return bytes
    }
}
