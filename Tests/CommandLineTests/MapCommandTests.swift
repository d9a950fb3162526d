#if Companion
import Foundation
import GRDB
import TestSupport
import Testing

/// The files of maps that the tests use.
enum TestMap {
    /// A PMTiles file with one tile, which is no picture.
    static let pmtiles: Data = {
        func number(_ value: UInt8) -> [UInt8] { [value] + [UInt8](repeating: 0, count: 7) }
        // One entry: the first tile, of five bytes at the beginning.
        let directory: [UInt8] = [1, 0, 1, 5, 1]
        var bytes = Array("PMTiles".utf8) + [3]
        for value: UInt8 in [127, 5, 0, 0, 132, 0, 132, 5, 1, 1, 1] { bytes += number(value) }
        bytes += [1, 1, 1, 2, 0, 0] + [UInt8](repeating: 0, count: 25)
        return Data(bytes + directory + Array("world".utf8))
    }()

    /// Makes an MBTiles file with one vector tile, as tilemaker does.
    static func mbtiles() throws -> Data {
        let folder = try TemporaryFolder()
        let queue = try DatabaseQueue(path: folder.file("map"))
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE metadata (name, value);
                    INSERT INTO metadata VALUES ('format', 'pbf'), ('bounds', '9.4,47,9.7,47.3'),
                        ('attribution', '© OpenStreetMap contributors');
                    CREATE TABLE tiles (zoom_level, tile_column, tile_row, tile_data);
                    INSERT INTO tiles VALUES (0, 0, 0, x'1a00'), (14, 0, 0, x'1a00');
                    """)
        }
        try queue.close()
        return try Data(contentsOf: URL(fileURLWithPath: folder.file("map")))
    }

    /// An extract of OpenStreetMap with a village, a street and a bakery.
    static let extract = Data(
        TestExtract(
            [
                .init(1, 47.1, 9.5, ["place": "village", "name": "Vaduz"]), .init(2, 47.15, 9.55), .init(3, 47.2, 9.6),
                .init(4, 47.16, 9.56, ["shop": "bakery", "name": "Landbäcker"]),
            ], [.init([1, 2, 3], ["highway": "residential", "name": "Landstrasse"])]
        ).bytes)
}

/// `map import`, `map use`, `map list` and `map remove`.
@Suite(.slow) struct MapCommandTests {
    /// Runs a script in a folder with a store, maps and an extract, and returns what it prints.
    ///
    /// - Parameter maker: The script that stands for tilemaker: `$output` is the file that it should write.
    private func play(_ script: String, tilemaker maker: String = "exit 9") async throws -> [String] {
        let setUp = """
            cat >bin/tilemaker <<'END'
            #!/bin/sh
            while [ $# -gt 0 ]; do
              case $1 in --output) output=$2 ;; --config) config=$2 ;; --process) profile=$2 ;; --input) input=$2 ;; --bbox) box=$2 ;; esac
              shift
            done
            \(maker)
            END
            chmod +x bin/tilemaker
            waymark sight import fixtures/amsterdam.sights.csv --store van.sqlite >out
            tell() { "$@" 2>&1 || echo "status $?"; }

            """
        let told = try await ShellPlay.output(
            of: setUp + script,
            beside: [
                "region.pmtiles": TestMap.pmtiles, "made.mbtiles": try TestMap.mbtiles(),
                "liechtenstein-latest.osm.pbf": TestMap.extract, "empty.osm.pbf": Data(),
                "cut.osm.pbf": TestMap.extract.dropLast(20),
                "notes.txt": Data("Not a map at all, and not an extract either.".utf8),
            ])
        return told.split(separator: "\n").map(String.init)
    }

    @Test func aFileIsUsedListedAndRemoved() async throws {
        let told = try await play(
            """
            waymark map use region.pmtiles --store van.sqlite 2>notes
            waymark map use made.mbtiles --name Alps --link --store van.sqlite
            waymark map list --store van.sqlite --json
            ls -A van.sqlite.maps
            waymark map list --store van.sqlite | tr '\\t' ' '
            waymark map remove region --store van.sqlite --json
            waymark map remove Alps --store van.sqlite
            tell waymark map remove Alps --store van.sqlite
            ls -A van.sqlite.maps
            """)
        let size = try TestMap.mbtiles().count
        #expect(
            told.filter { !$0.hasPrefix("Alps ") && !$0.hasPrefix("region ") } == [
                "map region: \(TestMap.pmtiles.count) bytes, zoom 0",
                "map Alps: \(size / 1000) kB, zoom 0-14, 47,9.4 to 47.3,9.7",
                #"{"name":"Alps","size":\#(size),"vector":true,"min_zoom":0,"max_zoom":14,"#
                    + #""bounds":[9.4,47,9.7,47.3],"attribution":"© OpenStreetMap contributors"}"#,
                #"{"name":"region","size":\#(TestMap.pmtiles.count),"min_zoom":0,"max_zoom":0}"#,
                "Alps.mbtiles", "region.pmtiles", #"{"name":"region"}"#, "map Alps removed",
                "waymark: There is no map Alps.", "status 1",
            ], "\(told)")
        #expect(told.contains { $0.hasPrefix("Alps ") && $0.hasSuffix("© OpenStreetMap contributors") })
    }

    @Test func aFileThatIsNoMapIsRefusedAndNothingIsLeft() async throws {
        let told = try await play(
            """
            tell waymark map use notes.txt --store van.sqlite
            tell waymark map use none.pmtiles --store van.sqlite
            tell waymark map use region.pmtiles --name ../x --store van.sqlite
            tell waymark map import notes.txt --store van.sqlite
            tell waymark map import empty.osm.pbf --store van.sqlite
            tell waymark map import cut.osm.pbf --store van.sqlite
            tell waymark map import none.osm.pbf --store van.sqlite
            ls -A . | grep maps || echo "no folder"
            """)
        #expect(
            told.filter { !$0.contains("Usage") && !$0.contains("--help") } == [
                "waymark: notes.txt: it is neither PMTiles nor MBTiles", "status 1",
                "waymark: none.pmtiles: No such file or directory", "status 1",
                "waymark: --name takes up to 64 letters, digits, hyphens and underscores; the first is a letter or digit.",
                "status 64",
                "waymark: notes.txt: it is not an extract of OpenStreetMap in the format .osm.pbf", "status 1",
                "waymark: empty.osm.pbf: it is empty", "status 1",
                "waymark: cut.osm.pbf: a block is cut off at its end; download it again", "status 1",
                "waymark: none.osm.pbf: it cannot be read: No such file or directory", "status 1", "no folder",
            ], "\(told)")
    }

    @Test func anExtractBecomesAMap() async throws {
        let told = try await play(
            """
            waymark map import liechtenstein-latest.osm.pbf --store van.sqlite
            waymark place search land --near 47.1,9.5 --store van.sqlite --json | grep -o '"name":"[^"]*"'
            waymark map import liechtenstein-latest.osm.pbf --name home --json --store van.sqlite
            waymark map remove liechtenstein --store van.sqlite
            waymark map remove home --store van.sqlite
            waymark place search land --store van.sqlite --json
            ls -A van.sqlite.maps
            """,
            tilemaker: """
                grep -q '"transportation"' "$config" && grep -q way_function "$profile" && [ -s "$input" ] || exit 8
                [ "$box" = 9.5,47.1,9.6,47.2 ] || exit 7
                cp "${0%/*}/../made.mbtiles" "$output"
                """)
        #expect(told.first?.hasPrefix("map liechtenstein: ") == true, "\(told)")
        #expect(told.filter { $0.hasPrefix(#"{"name":"home","#) }.count == 1, "\(told)")
        #expect(
            told.dropFirst().filter { !$0.hasPrefix("{") } == [
                "3 names added to the search", #""name":"Landstrasse""#, #""name":"Landbäcker""#,
                "map liechtenstein removed", "map home removed",
            ], "\(told)")
    }

    @Test(arguments: [
        ("echo 'it is broken' >&2; exit 3", "tilemaker has failed: "),
        ("echo half >\"$output\"; kill -9 $$", "tilemaker"),
        ("exit 0", "no map could be made of it: No such file or directory"),
        (": >\"$output\"", "no map could be made of it: it is neither PMTiles nor MBTiles"),
    ]) func nothingIsLeftOfAMapThatIsNotMade(_ maker: String, _ reason: String) async throws {
        let told = try await play(
            """
            waymark map use made.mbtiles --name liechtenstein --store van.sqlite >out
            tell waymark map import liechtenstein-latest.osm.pbf --store van.sqlite
            ls -A van.sqlite.maps
            """, tilemaker: maker)
        #expect(told.first?.hasPrefix("waymark: ") == true && told.first?.contains(reason) == true, "\(told)")
        #expect(told.dropFirst() == ["status 1", "liechtenstein.mbtiles"], "\(told)")
    }

    @Test func withoutTilemakerTheCommandSaysWhichPackageHasIt() async throws {
        let told = try await play(
            """
            rm bin/tilemaker
            PATH=$PWD/bin tell waymark map import liechtenstein-latest.osm.pbf --store van.sqlite
            ls -A . | grep maps || echo "no folder"
            """)
        #expect(told.first?.contains("sudo apt install tilemaker") == true, "\(told)")
        #expect(told.dropFirst() == ["status 1", "no folder"], "\(told)")
    }

    @Test func aSignalEndsAnImportThatLeavesNothingBehind() async throws {
        let told = try await play(
            """
            waymark map import liechtenstein-latest.osm.pbf --store van.sqlite 2>told &
            until [ -e started ]; do sleep 0.1; done
            kill -TERM $!
            wait $! || echo "status $?"
            cat told
            ls -A van.sqlite.maps
            kill -0 "$(cat started)" 2>out || echo "no tilemaker"
            """,
            tilemaker: """
                echo half >"$output"
                echo $$ >new && mv new started
                exec sleep 100
                """)
        #expect(told == ["status 130", "waymark: interrupted; nothing was changed", "no tilemaker"], "\(told)")
    }

    /// A daemon answers from a map that a command has added meanwhile.
    @Test func aRunningDaemonTakesUpAMap() async throws {
        let told = try await play(
            """
            waymark daemon --source van=fixtures/city-drive.nmea --store van.sqlite --socket $PWD/s \\
              --web 127.0.0.1:0 2>log &
            until waymark map list --socket $PWD/s >out 2>&1; do sleep 0.1; done
            waymark map use made.mbtiles --name alps --socket $PWD/s
            waymark map list --socket $PWD/s --json
            waymark map remove alps --socket $PWD/s
            ls -A van.sqlite.maps
            """)
        #expect(told.count == 3, "\(told)")
        #expect(told.dropFirst().first?.hasPrefix(#"{"name":"alps","#) == true, "\(told)")
        #expect(told.last == "map alps removed")
    }
}
#endif
