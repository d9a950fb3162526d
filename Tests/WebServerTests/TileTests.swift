import Compression
import Foundation
import GRDB
import HTTPTypes
import Store
import TestSupport
import Testing

@testable import WebServer

/// Map tiles from a file.
@Suite struct TileTests {
    /// Returns a PMTiles file with these tiles in its root directory, or in one leaf below it.
    static func archive(
        _ tiles: [(UInt64, String)], type: UInt8 = 2, compression: UInt8 = 2, hasLeaf: Bool = false
    ) throws -> [UInt8] {
        func varint(_ number: UInt64) -> [UInt8] {
            number < 128 ? [UInt8(number)] : [UInt8(number & 0x7F) | 0x80] + varint(number >> 7)
        }
        func directory(_ entries: [(id: UInt64, run: UInt64, length: UInt64, offset: UInt64)]) throws -> [UInt8] {
            var bytes = varint(UInt64(entries.count))
            var last: UInt64 = 0
            for entry in entries {
                bytes += varint(entry.id - last)
                last = entry.id
            }
            for entry in entries { bytes += varint(entry.run) }
            for entry in entries { bytes += varint(entry.length) }
            for entry in entries { bytes += varint(entry.offset + 1) }
            return compression == 2 ? try #require(Gzip.compressed(bytes)) : bytes
        }
        var data: [UInt8] = []
        var entries: [(id: UInt64, run: UInt64, length: UInt64, offset: UInt64)] = []
        for (id, text) in tiles {
            entries.append((id, 1, UInt64(text.utf8.count), UInt64(data.count)))
            data += Array(text.utf8)
        }
        let leaf = try hasLeaf ? directory(entries) : []
        let root = try hasLeaf ? directory([(entries[0].id, 0, UInt64(leaf.count), 0)]) : directory(entries)
        func number(_ value: Int) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        var header = Array("PMTiles".utf8) + [3]
        let (rootPlace, leafPlace) = (127, 127 + root.count)
        header +=
            number(rootPlace) + number(root.count) + number(0) + number(0) + number(leafPlace) + number(leaf.count)
        header += number(leafPlace + leaf.count) + number(data.count) + number(0) + number(0) + number(0)
        header += [1, compression, 1, type, 0, 12] + [UInt8](repeating: 0, count: 25)
        return header + root + leaf + data
    }

    @Test func tilesAreNumberedAlongTheHilbertCurve() throws {
        for (parts, id) in [
            (["0", "0", "0"], 0), (["1", "0", "0"], 1), (["1", "0", "1"], 2), (["1", "1", "1"], 3),
            (["1", "1", "0"], 4),
            (["2", "0", "0"], 5), (["12", "3423", "1763"], 19_078_479 as UInt64),
        ] {
            let place = try #require(TilePlace(parts[...]))
            #expect(PMTilesEntry.id(of: place) == id)
        }
        for parts in [
            ["0", "1", "0"], ["27", "0", "0"], ["a", "0", "0"], ["-1", "0", "0"], ["1", "0"], ["1", "0", "2"],
        ] {
            #expect(TilePlace(parts[...]) == nil)
        }
    }

    @Test(arguments: [(false, UInt8(1)), (false, 2), (true, 2), (true, 1)])
    func tilesOfAPMTilesFileAreServed(_ hasLeaf: Bool, _ compression: UInt8) async throws {
        let bytes = try Self.archive(
            [(0, "world"), (3, "south-east"), (19_078_479, "deep")], compression: compression, hasLeaf: hasLeaf)
        try await RunningDoor.run(settings: { settings, folder in
            settings.tiles = try folder.file("map.pmtiles", bytes)
            settings.attribution = "us"
        }) { door in
            for (path, text) in [("0/0/0", "world"), ("1/1/1", "south-east"), ("12/3423/1763", "deep")] {
                let tile = try await door.ask("GET /tiles/\(path)")
                #expect(tile.status == 200)
                #expect(tile.text == text)
                #expect(tile.fields["content-type"] == "image/png")
            }
            for path in ["1/0/0", "5/1/1", "0/0/1", "x/y/z", "0/0"] {
                let none = try await door.ask("GET /tiles/\(path)")
                #expect(none.status == 404)
            }
            let description = try await door.ask("GET /tiles.json")
            #expect(
                description.text
                    == #"{"tiles":"/tiles/{z}/{x}/{y}","attribution":"us","min_zoom":0,"max_zoom":12,"provider":null,"#
                    + #""files":[{"tiles":"/tiles/-/{z}/{x}/{y}","attribution":"us","min_zoom":0,"max_zoom":12}]}"#)
            #expect(try await door.ask("GET /tiles/-/1/1/1").text == "south-east")
        }
    }

    @Test func aTileOfAReplacedFileHasAnotherTag() async throws {
        let folder = try TemporaryFolder()
        var settings = WebSettings(listen: try #require(WebAddress("127.0.0.1:0")))
        func answer(_ text: String, at time: Double, known: String? = nil) async throws -> Answer {
            let file = try folder.file("map", Self.archive([(0, text)], compression: 1))
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: time)], ofItemAtPath: file)
            settings.tiles = file
            var request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/tiles/0/0/0")
            request.headerFields[.ifNoneMatch] = known
            let path = try #require(RequestPath("/tiles/0/0/0"))
            let tiles = Tiles(settings)
            return await tiles.answer(path, to: request)
        }
        let old = try await answer("world", at: 1_000_000)
        let tag = try #require(old.fields[.eTag])
        #expect(try await answer("world", at: 1_000_000, known: tag).status == .notModified)
        let new = try await answer("earth", at: 1_000_001, known: tag)
        #expect(new.status == .ok)
        #expect(new.fields[.eTag] != tag)
    }

    @Test func aLeafDirectoryIsExpandedOnceForAllItsTiles() throws {
        let tiles = (0..<40).map { (UInt64($0), "tile \($0)") }
        let folder = try TemporaryFolder()
        let file = try PMTilesFile(folder.file("map", Self.archive(tiles, hasLeaf: true)))
        for _ in 0..<3 {
            for zoom in 0...3 {
                for column in 0..<1 << zoom {
                    let place = try #require(TilePlace(["\(zoom)", "\(column)", "0"]))
                    let id = PMTilesEntry.id(of: place)
                    let text = try file.tile(place).map { String(decoding: $0, as: UTF8.self) }
                    #expect(text == (id < 40 ? "tile \(id)" : nil))
                }
            }
        }
        #expect(file.expansions == 1)
    }

    @Test func tilesOfAnMBTilesFileAreServed() async throws {
        try await RunningDoor.run(settings: { settings, folder in
            settings.tiles = folder.file("map.mbtiles")
            settings.provider = "https://tile.example/{z}/{x}/{y}.png"
            let queue = try DatabaseQueue(path: folder.file("map.mbtiles"))
            try queue.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE metadata (name TEXT, value TEXT);
                        INSERT INTO metadata VALUES ('format', 'jpg'), ('attribution', 'them');
                        CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB);
                        INSERT INTO tiles VALUES (2, 1, 0, CAST('south' AS BLOB)), (3, 0, 0, CAST('x' AS BLOB));
                        """)
            }
            try queue.close()
        }) { door in
            let south = try await door.ask("GET /tiles/2/1/3")
            #expect(south.text == "south")
            #expect(south.fields["content-type"] == "image/jpeg")
            let none = try await door.ask("GET /tiles/2/1/0")
            #expect(none.status == 404)
            let description = try await door.ask("GET /tiles.json").text
            #expect(description.contains(#""attribution":"them","min_zoom":2,"max_zoom":3,"#))
            let policy = try await door.ask("GET /").fields["content-security-policy"] ?? ""
            #expect(policy.contains("img-src 'self' data: blob: https://tile.example;"))
        }
    }

    @Test func anUnreadableTileFileIsLeftOutWithTheReason() async throws {
        let good = try Self.archive([(0, "world")])
        var old = good
        old[7] = 2
        var damaged = good
        damaged[127] ^= 0xFF
        var late = good
        late[10] = 1
        for (bytes, reason) in [
            (Array("nonsense".utf8), "it is neither PMTiles nor MBTiles"), (old, "it has PMTiles version 2"),
            (try Self.archive([(0, "world")], type: 6), "its tiles are neither images nor vectors (type 6)"),
            (Array(good.prefix(100)), "it is truncated"),
            (Array(good.prefix(130)), "it is truncated"), (damaged, "a directory in it is damaged"),
            (late, "its root directory does not end within the first 16384 bytes"),
            (Array("SQLite format 3\0nonsense".utf8), "it is not an MBTiles file that can be read"),
        ] {
            try await Self.expectLeftOut(reason) { try $0.file("map", bytes) }
        }
        try await Self.expectLeftOut("No such file") { $0.file("none") }
        try await Self.expectLeftOut("it is not a file") { $0.file("") }
    }

    /// Expects that a door starts without a file, says why, and answers as without a map.
    private static func expectLeftOut(_ reason: String, _ make: (TemporaryFolder) throws -> String) async throws {
        try await RunningDoor.run(settings: { $0.tiles = try make($1) }) { door in
            let refused = try #require(door.door.refusedMap)
            #expect(refused.reason.contains(reason), "\(refused)")
            let (tile, page) = (try await door.ask("GET /tiles/0/0/0"), try await door.ask("GET /"))
            #expect((tile.status, page.status) == (404, 200))
            #expect(try await door.ask("GET /tiles.json").text.hasPrefix(#"{"tiles":null,"#))
        }
    }

    /// Returns the path of an SQLite file with a schema and rows.
    private static func database(_ sql: String, in folder: TemporaryFolder) throws -> String {
        let path = folder.file("map.mbtiles")
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
        return path
    }

    private static let metadata = """
        CREATE TABLE metadata (name, value); INSERT INTO metadata VALUES ('format', 'png');
        """
    private static let plain = "CREATE TABLE tiles (zoom_level, tile_column, tile_row, tile_data);"
    private static let one = "INSERT INTO tiles VALUES (0, 0, 0, x'00');"
    private static let endless = "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n)"

    private static func view(_ columns: String, from source: String = "") -> String {
        "CREATE VIEW tiles AS \(source.isEmpty ? "" : endless) SELECT \(columns)\(source)"
    }

    private static let hostile: [(sql: String, reason: String)] = [
        (
            "CREATE TABLE metadata (name, value); INSERT INTO metadata VALUES ('format', 7); \(plain)",
            "a number, not a text"
        ),
        (metadata + plain + one + "INSERT INTO metadata VALUES ('attribution', x'00')", "binary data, not a text"),
        (metadata + plain + one + "INSERT INTO metadata VALUES ('attribution', hex(zeroblob(3000)))", "longer than"),
        (metadata + plain + one + "UPDATE metadata SET value = hex(zeroblob(9000000))", "too large"),
        ("CREATE VIEW metadata AS SELECT 'format' AS name, 'png' AS value; \(plain)", "no table \"metadata\""),
        (
            metadata + view("i AS zoom_level, i AS tile_column, i AS tile_row, x'00' AS tile_data", from: " FROM n"),
            "a view"
        ),
        (
            metadata + view("0 AS zoom_level, 0 AS tile_column, 0 AS tile_row, randomblob(1000000000) AS tile_data"),
            "a view"
        ),
        (metadata + "CREATE VIRTUAL TABLE tiles USING fts5 (zoom_level, tile_column, tile_row, tile_data)", "no table"),
        (metadata + plain.replacing("tile_data", with: "tile_data AS (zeroblob(1000000000))"), "no table \"tiles\""),
        (metadata + plain, "contains no tiles"),
        (metadata + plain + one + "UPDATE tiles SET zoom_level = 'a'", "not a whole number"),
        (metadata + plain + one + "UPDATE tiles SET zoom_level = 0.5", "not a whole number"),
        (metadata + plain + one + "UPDATE tiles SET zoom_level = 9223372036854775807", "levels are not within"),
        (metadata + plain + one + "UPDATE tiles SET zoom_level = -9223372036854775808", "levels are not within"),
    ]

    @Test(arguments: hostile)
    func anMBTilesFileIsReadAsAHostileOne(_ sql: String, _ reason: String) throws {
        let folder = try TemporaryFolder()
        let path = try Self.database(sql, in: folder)
        let error = #expect(throws: WebError.self) { try MBTilesFile(path) }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }

    /// The view of many writers, whose two tables are read in its place: what the view says is not run.
    @Test func tilesThatAreStoredOnceAreJoined() throws {
        let folder = try TemporaryFolder()
        let path = try Self.database(
            Self.metadata + """
                CREATE TABLE map (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_id TEXT);
                CREATE TABLE images (tile_data BLOB, tile_id TEXT);
                \(Self.view("i AS zoom_level, i AS tile_column, i AS tile_row, x'00' AS tile_data", from: " FROM n"));
                INSERT INTO map VALUES (1, 0, 1, 'sea'), (1, 1, 1, 'sea'), (1, 0, 0, 'text'), (1, 1, 0, 'none');
                INSERT INTO images VALUES (x'616263', 'sea'), ('abc', 'text');
                """, in: folder)
        let file = try MBTilesFile(path)
        #expect(file.zooms == 1...1)
        for (place, bytes) in [
            (["1", "0", "0"], Array("abc".utf8)), (["1", "1", "0"], Array("abc".utf8)), (["1", "0", "1"], nil),
            (["1", "1", "1"], nil),
        ] {
            #expect(try file.tile(try #require(TilePlace(place[...]))) == bytes)
        }
    }

    @Test func aTileThatIsTooLargeIsNotRead() throws {
        let folder = try TemporaryFolder()
        let path = try Self.database(
            Self.metadata + Self.plain
                + "INSERT INTO tiles VALUES (0, 0, 0, zeroblob(100000000)), (1, 0, 0, zeroblob(\(Tiles.largest)));",
            in: folder)
        let file = try MBTilesFile(path)
        #expect((try? file.tile(try #require(TilePlace(["0", "0", "0"])))) == nil)
        #expect(try file.tile(try #require(TilePlace(["1", "0", "1"])))?.count == Tiles.largest)
    }

    /// A query has a deadline, whatever the file makes SQLite do.
    @Test func aQueryEndsAtItsDeadline() throws {
        let folder = try TemporaryFolder()
        let database = try ForeignDatabase(Self.database(Self.metadata, in: folder), longest: 1 << 20)
        let error = #expect(throws: ForeignDatabase.Failure.self) {
            try database.firstRow("\(Self.endless) SELECT max(i) FROM n", within: .milliseconds(1))
        }
        #expect(error?.description == "reading it takes too long")
        #expect(try database.firstRow("SELECT value FROM metadata") == [.text("png")])
    }

    @Test func aDirectoryOfMillionsOfEntriesIsRefused() throws {
        // One byte for each number, and the last of an entry's four.
        let count = 8_000_000
        let bytes: [UInt8] = [0x80, 0xA4, 0xE8, 0x03] + [UInt8](repeating: 1, count: 4 * count)
        let error = #expect(throws: WebError.self) { try PMTilesEntry.read(bytes) }
        #expect(error?.description.contains("more than 131072 entries") == true)
        let most = PMTilesEntry.most
        let fitting: [UInt8] = [0x80, 0x80, 0x08] + [UInt8](repeating: 1, count: 4 * most)
        #expect(try PMTilesEntry.read(fitting).count == most)
    }

    @Test func damagedTileFilesDoNotCrashTheReader() throws {
        let good = try Self.archive([(0, "world"), (3, "south-east")], compression: 1, hasLeaf: true)
        let folder = try TemporaryFolder()
        let place = try #require(TilePlace(["1", "1", "1"]))
        for index in good.indices {
            for value in [0, 0x7F, 0xFF] as [UInt8] {
                var damaged = good
                damaged[index] = value
                let path = try folder.file("map", damaged)
                // The tile may be wrong, but reading it must not crash.
                _ = try? PMTilesFile(path).tile(place)
            }
        }
    }
}
