import Callers
import Compression
import Foundation
import GRDB
import NIOCore
import Tracking

@testable import EventStream
@testable import WebServer

extension FuzzTarget {
    /// The parts of a request, one per line: path, `Range`, `Host`, `Cookie`, `Origin` and `Sec-Fetch-Site`.
    static let web = FuzzTarget(
        "web",
        seeds: [
            "/trips/a%20b/?q=%C3%A9+1&x=#f\nbytes=0-99\nvan.local:8080\na=b; waymark=abc_-9\nhttp://van.local:8080\nnone",
            "/photos/12/whole\nbytes=-5\n[::1]:80\nwaymark=\nhttps://[::1]:80\nsame-origin",
            "/tiles/26/67108863/0\nbytes=7-\n192.168.1.20\n\nnull\ncross-site",
            "/..%2f\nbytes=9-1,2-3\n[fe80::1%25a]:x",
        ]
    ) { bytes in
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        func line(_ number: Int) -> String? {
            lines.indices.contains(number) ? String(decoding: lines[number], as: UTF8.self) : nil
        }
        if let path = line(0).flatMap(RequestPath.init) {
            for part in path.parts {
                demand(part != ".." && part != "." && !part.isEmpty, "a path that leaves its folder")
                demand(!part.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") }, "a part that is two")
            }
            _ = path.parameters
            if let tile = TilePlace(path.parts.dropFirst()) {
                demand(PMTilesEntry.id(of: tile) < 1 << 54, "a tile beyond the last")
            }
        }
        let size = Int(bytes.first ?? 0)
        if case .part(let part) = ByteRange(line(1), of: size) {
            demand(!part.isEmpty && part.lowerBound >= 0 && part.upperBound <= size, "a part that there is not")
        }
        let host = line(2)
        let isAllowed = hosts.allows(host)
        demand(!isAllowed || host.flatMap(Authority.init) != nil, "a host that is none")
        if let token = SessionCookie.token(in: line(3)) {
            demand(SessionCookie.token(in: "waymark=\(token)") == token, "a token that is not read again")
        }
        if OriginRule.source(origin: line(4), site: line(5), host: host) == .same {
            demand(host.flatMap(Authority.init) != nil, "a page of no host")
        }
        for text in lines.prefix(8).map({ String(decoding: $0, as: UTF8.self) }) {
            _ = IPAddress(text)
            if let address = WebAddress(text) {
                demand(WebAddress(address.description) == address, "an address that is not read again")
            }
        }
    }

    /// How a reader of events continues, one part per line: `Last-Event-ID` or `after`, the target with its filter, and
    /// the bytes of an event.
    static let resumption = FuzzTarget(
        "resumption",
        seeds: [
            "log:7\n/events?types=trip.*&bbox=4,52,5,53\n{\"seq\":7,\"type\":\"geofence.enter\",\"time\":0}",
            "log:9223372036854775807\n/events?device=a,b&kinds=sight&to=ada&after=log:4\n{\"type\":\"position\"}",
            "a:b:-1\n/events?bbox=1e999,nan,,0\n{\"seq\":99999999999999999999,\"type\":\"\\n\"}", "\n\n",
        ]
    ) { bytes in
        let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
        func line(_ number: Int) -> String? {
            lines.indices.contains(number) ? String(decoding: lines[number], as: UTF8.self) : nil
        }
        let bounds = JournalBounds(log: "log", first: 5, last: 9)
        let start = EventCursor.start(line(0), in: bounds)
        if let after = start.after {
            demand((bounds.first - 1...bounds.last).contains(after), "a position that the log does not have")
            demand(EventCursor.start("log:\(after)", in: bounds) == start, "a position that is not read again")
        }
        var text = EventText(log: bounds.log)
        text.begin(after: start.after ?? bounds.last, reset: start.reason, bounds)
        let opening = Array(text.buffer.readableBytesView)
        demand(opening.suffix(2) == Array("\n\n".utf8)[...], "a message without an end")
        demand(opening.dropLast().firstRange(of: Array("\n\n".utf8)) == nil, "two messages in one")
        if let path = line(1).flatMap(RequestPath.init) { _ = try? EventFilter(query: path) }
        if lines.count > 2 {
            let heading = EventHeading(Array(lines[2]))
            demand(!heading.type.contains { $0 == 10 || $0 == 13 }, "a type that ends its line")
        }
    }

    private static let hosts = HostRule(configured: ["van.example"], machine: "van.home")

    /// The header of a PMTiles file, its directories, and their compressed content.
    static let tiles = FuzzTarget(
        "tiles",
        seeds: [
            "PMTiles\u{3}" + String(repeating: "\0", count: 89) + "\u{1}\u{1}\u{2}\0\u{4}"
                + String(repeating: "\0", count: 25),
            "\u{2}\0\u{5}\u{1}\u{1}\u{9}\u{9}\u{1}\0",
        ]
    ) { bytes in
        if let header = try? PMTilesHeader(Array(bytes.prefix(PMTilesHeader.length))) {
            demand(header.root.lowerBound >= 0 && header.zooms.upperBound <= TilePlace.deepest, "a header of no file")
        }
        let plain = try? Gzip.expanded(bytes, atMost: 1 << 16)
        demand((plain ?? []).count <= 1 << 16, "more than was allowed")
        for text in [bytes, plain ?? []] {
            guard let entries = try? PMTilesEntry.read(text) else { continue }
            for (entry, next) in zip(entries, entries.dropFirst()) {
                demand(entry.id <= next.id, "tiles out of order")
            }
            for id in [0, 1, 1 << 40, entries.last?.id ?? 0] as [UInt64] {
                if let entry = PMTilesEntry.find(id, in: entries) {
                    demand(entry.id <= id && entry.offset >= 0 && entry.length >= 0, "an entry of other tiles")
                }
            }
        }
    }

    /// Whole files of tiles, opened as the daemon does: an MBTiles file and a PMTiles file with some bytes changed.
    ///
    /// The first byte chooses the file. Each further three bytes are a place, counted from both ends, and its new value.
    static let maps = FuzzTarget(
        "maps", seeds: ["\0", "\u{1}", "\0\0\u{10}\u{2}", "\0\u{7F}\u{7F}\u{7F}\0\0\0", "\u{1}\0\u{7F}\u{5}"]
    ) { bytes in
        guard let folder = mapFolder, let first = bytes.first else { return }
        let isDatabase = first & 1 == 0
        var file = isDatabase ? databaseFile : archiveFile
        var rest = bytes.dropFirst()
        while rest.count >= 3, !file.isEmpty {
            let place = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
            file[place % file.count] = rest[rest.startIndex + 2]
            rest = rest.dropFirst(3)
        }
        let path = "\(folder)/map"
        // The same file is overwritten each time, which needs no new directory entry.
        guard (try? Data(file).write(to: URL(fileURLWithPath: path))) != nil else { return }
        let source: (any TileSource)? = isDatabase ? try? MBTilesFile(path) : try? PMTilesFile(path)
        guard let source else { return }
        demand(source.zooms.lowerBound >= 0 && source.zooms.upperBound <= TilePlace.deepest, "zoom levels of no map")
        demand(source.metadata.attribution?.utf8.count ?? 0 <= 4096 * 3, "an attribution without bounds")
        for parts in [["0", "0", "0"], ["1", "1", "1"], ["1", "0", "0"]] {
            guard let place = TilePlace(parts[...]), let tile = try? source.tile(place) else { continue }
            demand(tile.count <= Tiles.largest, "a tile without bounds")
        }
    }

    /// A folder for the files of this process; `nil` if it cannot be created.
    private static let mapFolder: String? = {
        let folder = FileManager.default.temporaryDirectory.appending(path: "waymark-fuzz-\(getpid())").path
        return (try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)).map {
            folder
        }
    }()

    /// A small MBTiles file, whose tiles are in two tables and, by a view, in one.
    private static let databaseFile: [UInt8] = {
        guard let folder = mapFolder else { return [] }
        let path = "\(folder)/database"
        try? FileManager.default.removeItem(atPath: path)
        let sql = """
            PRAGMA page_size = 512;
            CREATE TABLE metadata (name TEXT, value TEXT);
            INSERT INTO metadata VALUES ('format', 'png'), ('attribution', 'us');
            CREATE TABLE map (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_id TEXT);
            CREATE TABLE images (tile_data BLOB, tile_id TEXT);
            CREATE UNIQUE INDEX map_index ON map (zoom_level, tile_column, tile_row);
            CREATE UNIQUE INDEX images_id ON images (tile_id);
            CREATE VIEW tiles AS SELECT zoom_level, tile_column, tile_row, tile_data FROM map NATURAL JOIN images;
            INSERT INTO map VALUES (0, 0, 0, 'a'), (1, 1, 0, 'a'), (1, 0, 1, 'b');
            INSERT INTO images VALUES (zeroblob(700), 'a'), (x'0102', 'b');
            """
        guard let queue = try? DatabaseQueue(path: path),
            (try? queue.writeWithoutTransaction({ try $0.execute(sql: sql) })) != nil
        else { return [] }
        try? queue.close()
        return (try? Data(contentsOf: URL(fileURLWithPath: path))).map { Array($0) } ?? []
    }()

    /// A small PMTiles file with a root directory, a leaf and three tiles.
    private static let archiveFile: [UInt8] = {
        func number(_ value: Int) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        let leaf: [UInt8] = [3, 0, 1, 2, 1, 1, 1, 4, 4, 4, 1, 5, 9]
        let root: [UInt8] = [1, 0, 0, UInt8(leaf.count), 1]
        let leaves = PMTilesHeader.length + root.count
        let header =
            Array("PMTiles".utf8) + [3] + number(PMTilesHeader.length) + number(root.count) + number(0) + number(0)
            + number(leaves) + number(leaf.count) + number(leaves + leaf.count) + number(12) + number(0) + number(0)
            + number(0) + [1, 1, 1, 2, 0, 12] + [UInt8](repeating: 0, count: 25)
        return header + root + leaf + Array("worldeastwest".utf8)
    }()
}
