import Foundation
import GRDB
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOPosix
import Store
import TextCoding

/// A file of map tiles that are pictures.
protocol TileSource: Sendable {
    /// The media type of the tiles.
    var type: String { get }
    /// The zoom levels in the file.
    var zooms: ClosedRange<Int> { get }
    /// The attribution of the map, as the file states it.
    var attribution: String? { get }
    /// Returns the bytes of a tile; `nil` if the file does not have it.
    func tile(_ place: TilePlace) throws -> [UInt8]?
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

/// The map tiles that the administrator has configured: those of a file, and those of a provider.
struct Tiles: Sendable {
    private let source: (any TileSource)?
    private let settings: WebSettings
    /// The part of the entity tags that identifies the file: its size and the time of its last change.
    private let tag: String

    /// The largest tile that is sent, in bytes; a picture of 512 × 512 pixels is smaller.
    static let largest = 4 << 20

    /// Opens the configured file.
    ///
    /// - Throws: ``WebError`` with the reason if the file cannot be used.
    init(_ settings: WebSettings) throws {
        self.settings = settings
        guard let path = settings.tiles else {
            (source, tag) = (nil, "")
            return
        }
        do {
            let calls = FileCalls()
            let beginning = try calls.read(try calls.open(path, links: .followed), from: 0, count: 16)
            let status = try calls.status(path, links: .followed)
            tag = "\(status.size)-\(status.modified.seconds)-\(status.modified.nanoseconds)"
            if beginning.starts(with: "PMTiles".utf8) {
                source = try PMTilesFile(path)
            } else if beginning.starts(with: "SQLite format 3\0".utf8) {
                source = try MBTilesFile(path)
            } else {
                throw WebError("it is neither PMTiles nor MBTiles")
            }
        } catch {
            throw WebError("map.tiles: \(path) cannot be used: \(error).")
        }
    }

    /// Returns a tile, or 404.
    ///
    /// The file is read on a thread that may block on the disk.
    func answer(_ path: RequestPath, to request: HTTPRequest) async -> Answer {
        guard let place = TilePlace(path.parts.dropFirst()), let source else { return Self.none }
        let tag = "\"\(tag)-\(place.zoom)-\(place.column)-\(place.row)\""
        var fields: HTTPFields = [.eTag: tag, .cacheControl: "public, max-age=86400"]
        guard let bytes = try? await NIOThreadPool.singleton.runIfActive({ try source.tile(place) }) else {
            return Self.none
        }
        if let known = request.headerFields[.ifNoneMatch], ServedFile.matches(known, tag) {
            return Answer(.notModified, fields)
        }
        fields[.contentType] = source.type
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
            if let words = settings.attribution ?? source?.attribution { json.string(words) } else { json.null() }
            json.member("min_zoom", source?.zooms.lowerBound)
            json.member("max_zoom", source?.zooms.upperBound)
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

/// Tiles in an SQLite file (MBTiles specification, 1.3).
struct MBTilesFile: TileSource {
    let type: String
    let zooms: ClosedRange<Int>
    let attribution: String?
    private let queue: DatabaseQueue

    init(_ path: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        let queue: DatabaseQueue
        let (metadata, lowest, highest): ([String: String], Int?, Int?)
        do {
            queue = try DatabaseQueue(path: path, configuration: configuration)
            (metadata, lowest, highest) = try queue.read { db in
                var metadata: [String: String] = [:]
                for row in try Row.fetchAll(db, sql: "SELECT name, value FROM metadata LIMIT 1000") {
                    if let name: String = row["name"] { metadata[name] = row["value"] }
                }
                return (
                    metadata, try Int.fetchOne(db, sql: "SELECT min(zoom_level) FROM tiles"),
                    try Int.fetchOne(db, sql: "SELECT max(zoom_level) FROM tiles")
                )
            }
        } catch let error as DatabaseError {
            throw WebError("it is not an MBTiles file: \(error.message ?? "\(error)")")
        }
        self.queue = queue
        switch metadata["format"] {
        case "png": type = "image/png"
        case "jpg", "jpeg": type = "image/jpeg"
        case "webp": type = "image/webp"
        case let format:
            throw WebError(
                "the format of its tiles is \(format ?? "missing"); only png, jpg and webp are supported")
        }
        guard let lowest, let highest, lowest <= highest, (0...TilePlace.deepest).contains(lowest) else {
            throw WebError("it contains no tiles")
        }
        zooms = lowest...highest
        attribution = metadata["attribution"]
    }

    func tile(_ place: TilePlace) throws -> [UInt8]? {
        // MBTiles counts rows from the south.
        let row = (1 << place.zoom) - 1 - place.row
        return try queue.read { db in
            let data = try Data.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT tile_data FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?
                            AND length(tile_data) <= ?
                        """), arguments: [place.zoom, place.column, row, Tiles.largest])
            return data.map { Array($0) }
        }
    }
}
