import Foundation
import GRDB
import HTTPTypes
import TestSupport
import Testing

@testable import WebServer

/// Map tiles from a file.
@Suite struct TileTests {
    /// Returns a PMTiles file with these tiles in its root directory, or in one leaf below it.
    private static func archive(
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
                    == #"{"tiles":"/tiles/{z}/{x}/{y}","attribution":"us","min_zoom":0,"max_zoom":12,"provider":null}"#)
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
            let tiles = try Tiles(settings)
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

    @Test func anUnreadableTileFileIsRefusedWithTheReason() async throws {
        let good = try Self.archive([(0, "world")])
        var old = good
        old[7] = 2
        var damaged = good
        damaged[127] ^= 0xFF
        for (bytes, reason) in [
            (Array("nonsense".utf8), "it is neither PMTiles nor MBTiles"), (old, "it has PMTiles version 2"),
            (try Self.archive([(0, "world")], type: 1), "its tiles are not images"),
            (Array(good.prefix(100)), "it is truncated"),
            (Array(good.prefix(130)), "it is truncated"), (damaged, "a directory in it is damaged"),
            (Array("SQLite format 3\0nonsense".utf8), "it is not an MBTiles file"),
        ] {
            let error = await #expect(throws: WebError.self) {
                try await RunningDoor.run(settings: { $0.tiles = try $1.file("map", bytes) }) { _ in }
            }
            #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
        }
        let missing = await #expect(throws: WebError.self) {
            try await RunningDoor.run(settings: { $0.tiles = $1.file("none") }) { _ in }
        }
        #expect(missing?.description.contains("No such file") == true)
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
