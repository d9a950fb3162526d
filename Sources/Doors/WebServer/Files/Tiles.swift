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

/// The map tiles that the administrator has configured: those of a file, and those of a provider.
///
/// A file that cannot be used is left out. The map then has the provider's tiles, if there is one.
struct Tiles: Sendable {
    private let source: (any TileSource)?
    private let settings: WebSettings
    /// The part of the entity tags that identifies the file: its size and the time of its last change.
    private let tag: String
    /// The reason why the configured file is not used; `nil` if it is used, or none is configured.
    let refused: RefusedMap?

    /// The largest tile that is sent, in bytes; a picture of 512 × 512 pixels is smaller.
    static let largest = 4 << 20

    /// Opens the configured file.
    init(_ settings: WebSettings) {
        self.settings = settings
        guard let path = settings.tiles else {
            (source, tag, refused) = (nil, "", nil)
            return
        }
        do {
            let file = try Self.open(path)
            (source, tag, refused) = (file.source, file.tag, nil)
        } catch {
            (source, tag, refused) = (nil, "", RefusedMap(file: path, reason: "\(error)"))
        }
    }

    private static func open(_ path: String) throws -> (source: any TileSource, tag: String) {
        let calls = FileCalls()
        let status = try calls.status(path, links: .followed)
        guard status.isRegular else { throw WebError("it is not a file") }
        let beginning = try calls.read(try calls.open(path, links: .followed), from: 0, count: 16)
        let tag = "\(status.size)-\(status.modified.seconds)-\(status.modified.nanoseconds)"
        if beginning.starts(with: "PMTiles".utf8) { return (try PMTilesFile(path), tag) }
        if beginning.starts(with: "SQLite format 3\0".utf8) { return (try MBTilesFile(path), tag) }
        throw WebError("it is neither PMTiles nor MBTiles")
    }

    /// Returns a tile, or 404.
    ///
    /// The file is read on a thread that may block on the disk.
    func answer(_ path: RequestPath, to request: HTTPRequest) async -> Answer {
        guard let place = TilePlace(path.parts.dropFirst()), let source else { return Self.none }
        let tag = "\"\(tag)-\(place.zoom)-\(place.column)-\(place.row)\""
        var fields: HTTPFields = [.eTag: tag, .cacheControl: "public, max-age=86400"]
        guard let bytes = try? await NIOThreadPool.singleton.runIfActive({ try source.tile(place) }) else {
            // Where a vector map has no tile there is nothing to draw, which is no fault.
            return source.type == TileMetadata.vectorType ? Answer(.noContent, fields) : Self.none
        }
        if let known = request.headerFields[.ifNoneMatch], ServedFile.matches(known, tag) {
            return Answer(.notModified, fields)
        }
        fields[.contentType] = source.type
        if source.type == TileMetadata.vectorType, bytes.starts(with: [0x1F, 0x8B]) {
            fields[.contentEncoding] = "gzip"
        }
        return Answer(.ok, fields, ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    private static var none: Answer { .text(.notFound, "There is no such tile.") }

    /// The description of the available tiles: `/tiles.json`.
    var description: Answer {
        var json = JSONWriter()
        json.object { json in
            json.key("tiles")
            if source == nil { json.null() } else { json.string("/tiles/{z}/{x}/{y}") }
            json.key("attribution")
            if let words = settings.attribution ?? source?.metadata.attribution {
                json.string(words)
            } else {
                json.null()
            }
            json.member("min_zoom", source?.zooms.lowerBound)
            json.member("max_zoom", source?.zooms.upperBound)
            if let bounds = source?.metadata.bounds {
                json.array("bounds") { json in
                    for degrees in bounds { json.number(degrees, decimals: 7) }
                }
            }
            if let layers = source?.metadata.layers, !layers.isEmpty {
                json.array("vector_layers") { json in
                    for layer in layers { json.object { json in json.member("id", layer) } }
                }
            }
            guard let provider = settings.provider else {
                json.key("provider")
                return json.null()
            }
            json.object("provider") { json in
                json.member("url", provider)
                json.member("attribution", settings.attribution)
            }
        }
        return .json(.ok, json.bytes)
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
