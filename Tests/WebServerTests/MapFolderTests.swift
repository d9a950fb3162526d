import EventStream
import Foundation
import GRDB
import RPC
import TestSupport
import Testing

@testable import WebServer

/// The maps beside the store.
@Suite struct MapFolderTests {
    private let folder: TemporaryFolder
    private let maps: MapFolder

    init() throws {
        folder = try TemporaryFolder()
        maps = MapFolder(ofStore: folder.file("van.sqlite"))
    }

    /// Adds a map of one tile, the only one of the zoom level 0.
    @discardableResult
    private func add(_ name: String, _ text: String, id: UInt64 = 0) throws -> MapFolder.Map {
        let draft = try maps.draft()
        try Data(TileTests.archive([(id, text)])).write(to: URL(fileURLWithPath: draft.path))
        return try maps.keep(draft, as: name)
    }

    private var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: maps.path)) ?? []).sorted()
    }

    private func services() async throws -> WebServer.Services {
        var services = WebServer.Services(
            methods: MethodTable(title: "Test", version: "1"), hub: try await EventHub(journal: NoJournal()),
            sessions: nil)
        services.maps = maps
        return services
    }

    @Test func severalMapsAreServedSideBySide() async throws {
        try add("alps", "mountains")
        try add("coast", "sea", id: 1)
        try await RunningDoor.run(services: try await services()) { door in
            let description = try await door.ask("GET /tiles.json").text
            #expect(
                description.hasPrefix(
                    #"{"tiles":"/tiles/{z}/{x}/{y}","attribution":null,"min_zoom":0,"max_zoom":12,"provider":null,"#))
            for name in ["alps", "coast"] {
                #expect(description.contains(#"{"name":"\#(name)","tiles":"/tiles/\#(name)/{z}/{x}/{y}","#))
            }
            for (path, text) in [
                ("alps/0/0/0", "mountains"), ("coast/1/0/0", "sea"), ("0/0/0", "mountains"), ("1/0/0", "sea"),
            ] {
                #expect(try await door.ask("GET /tiles/\(path)").text == text, "\(path)")
            }
            for path in ["alps/1/0/0", "coast/0/0/0", "-/0/0/0", "dales/0/0/0", "alps/0/0", "2/0/0", "alps/alps/0/0/0"]
            {
                #expect(try await door.ask("GET /tiles/\(path)").status == 404, "\(path)")
            }
        }
    }

    @Test func theConfiguredFileComesFirstAndKeepsItsAttribution() async throws {
        try add("alps", "mountains")
        try await RunningDoor.run(
            services: try await services(),
            settings: { settings, folder in
                settings.tiles = try folder.file("map", TileTests.archive([(0, "world")]))
                settings.attribution = "us"
                settings.provider = "https://tile.example/{z}/{x}/{y}.png"
            }
        ) { door in
            #expect(try await door.ask("GET /tiles/0/0/0").text == "world")
            #expect(try await door.ask("GET /tiles/alps/0/0/0").text == "mountains")
            let description = try await door.ask("GET /tiles.json").text
            #expect(
                description.hasSuffix(
                    #""files":[{"provider":{"url":"https://tile.example/{z}/{x}/{y}.png","attribution":"us"}},"#
                        + #"{"tiles":"/tiles/-/{z}/{x}/{y}","attribution":"us","min_zoom":0,"max_zoom":12},"#
                        + #"{"name":"alps","tiles":"/tiles/alps/{z}/{x}/{y}","attribution":null,"min_zoom":0,"max_zoom":12}]}"#
                ), "\(description)")
        }
    }

    @Test func aRunningServerTakesUpNewAndRemovedFiles() async throws {
        try await RunningDoor.run(services: try await services()) { door in
            func answer() async throws -> [String?] {
                let description = try await door.ask("GET /tiles.json").text
                let tile = try await door.ask("GET /tiles/alps/0/0/0")
                return [description.contains(#""name":"alps""#) ? "listed" : nil, tile.status == 200 ? tile.text : nil]
            }
            #expect(try await answer() == [nil, nil])
            // As another process does it.
            try FileManager.default.createDirectory(atPath: maps.path, withIntermediateDirectories: false)
            let file = maps.path + "/alps.pmtiles"
            try Data(TileTests.archive([(0, "mountains")])).write(to: URL(fileURLWithPath: file))
            #expect(try await answer() == ["listed", "mountains"])
            try Data(TileTests.archive([(0, "high mountains")])).write(to: URL(fileURLWithPath: file))
            #expect(try await answer() == ["listed", "high mountains"])
            try FileManager.default.removeItem(atPath: file)
            #expect(try await answer() == [nil, nil])
        }
    }

    @Test func aFileThatCannotBeUsedIsListedWithItsReason() async throws {
        try add("alps", "mountains")
        for (name, text) in [
            ("bad.pmtiles", "PMTiles\u{2}"), ("empty.mbtiles", ""), ("other.txt", "x"), (".a.pmtiles", "x"),
        ] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: maps.path + "/" + name))
        }
        try FileManager.default.createSymbolicLink(
            atPath: maps.path + "/gone.pmtiles", withDestinationPath: folder.file("none"))
        let listed = await maps.maps()
        #expect(listed.map(\.name) == ["alps", "bad", "empty", "gone"])
        let problems = listed.map { $0.problem ?? "" }
        for (problem, part) in zip(problems, ["", "truncated", "neither PMTiles nor MBTiles", "No such file"]) {
            #expect(part.isEmpty ? problem.isEmpty : problem.contains(part), "\(problem)")
        }
        try await RunningDoor.run(services: try await services()) { door in
            let (alps, bad) = (try await door.ask("GET /tiles/alps/0/0/0"), try await door.ask("GET /tiles/bad/0/0/0"))
            #expect((alps.status, bad.status) == (200, 404))
        }
    }

    @Test func aMapReplacesTheOneOfItsNameInAnotherFormat() async throws {
        try add("alps", "mountains")
        let draft = try maps.draft()
        let queue = try DatabaseQueue(path: draft.path)
        try await queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE metadata (name, value);
                    INSERT INTO metadata VALUES ('format', 'png'), ('bounds', '9.4,47,9.7,47.3');
                    CREATE TABLE tiles (zoom_level, tile_column, tile_row, tile_data);
                    INSERT INTO tiles VALUES (3, 0, 0, x'00');
                    """)
        }
        try queue.close()
        let map = try maps.keep(draft, as: "alps")
        #expect(map.bounds == [9.4, 47, 9.7, 47.3])
        #expect(map.zooms == 3...3)
        #expect(files == ["alps.mbtiles"])
        #expect(try maps.remove("alps"))
        #expect(try !maps.remove("alps"))
        #expect(files.isEmpty)
    }

    @Test func nothingIsLeftOfADraftThatIsRefusedOrGivenUp() throws {
        try add("alps", "mountains")
        let drafts: [(String, String?)] = [
            ("alps", "nonsense"), ("alps", ""), ("../alps", nil), ("", nil), (".a", nil), ("a/b", nil),
        ]
        for (name, text) in drafts {
            let draft = try maps.draft()
            let bytes = try text.map { Array($0.utf8) } ?? TileTests.archive([(0, "x")])
            try Data(bytes).write(to: URL(fileURLWithPath: draft.path))
            #expect(throws: MapFolder.Failure.self) { try maps.keep(draft, as: name) }
        }
        do {
            let draft = try maps.draft()
            try Data("half".utf8).write(to: URL(fileURLWithPath: draft.path + "-journal"))
        }
        #expect(files == ["alps.pmtiles"])
    }

    @Test func draftsOfProcessesThatWereKilledAreRemoved() throws {
        let own = try maps.draft()
        try Data("half".utf8).write(to: URL(fileURLWithPath: own.path))
        // The largest number of a process is smaller.
        try Data("half".utf8).write(to: URL(fileURLWithPath: maps.path + "/.2000000000-A.mbtiles"))
        try Data("kept".utf8).write(to: URL(fileURLWithPath: maps.path + "/.notes"))
        _ = try maps.draft()
        #expect(Set(files) == [".notes", String(own.path.dropFirst(maps.path.count + 1))])
    }

    @Test func thereIsALimitToTheNumberOfMaps() throws {
        for number in 0..<MapFolder.most { try add("map\(number)", "x") }
        let error = #expect(throws: MapFolder.Failure.self) { try add("more", "x") }
        #expect(error?.reason.contains("64 maps already") == true)
        try add("map7", "y")
        #expect(files.count == MapFolder.most)
    }

    @Test(arguments: [
        ("alps", true), ("Alps_2-b", true), ("7", true), (String(repeating: "a", count: 64), true),
        (String(repeating: "a", count: 65), false), ("-", false), ("_a", false), ("", false), ("a.b", false),
        ("ä", false), ("a b", false), ("..", false),
    ]) func namesAreThoseOfFiles(_ name: String, _ isName: Bool) {
        #expect(MapFolder.isName(name) == isName)
    }
}
