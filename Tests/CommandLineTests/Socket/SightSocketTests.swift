import Foundation
import TestSupport
import Testing

/// `sight`, `nearest` and `trip`, with a daemon and with a store.
@Suite(.slow) struct SightSocketTests {
    private let folder: TemporaryFolder
    private static let walk = "canal-walk@2026-05-02T13:20:00.000Z"

    init() throws { folder = try TemporaryFolder() }

    /// Starts a daemon with sights and trips.
    private func filledDaemon() async throws -> RunningDaemon {
        let replay = try await Command.run(
            "replay", "fixtures/canal-walk.gpx", "fixtures/pass-by.gpx", "--sights", Fixture.sights, "--json",
            "--store", folder.store)
        #expect(replay.status == 0)
        return try await RunningDaemon(in: folder)
    }

    /// Returns the path of a copy of a daemon's store, which no process has open.
    private func copy(of daemon: RunningDaemon) async throws -> String {
        let path = folder.file("copy-\(UUID().uuidString).db")
        #expect(try await daemon.ask("backup", path).status == 0)
        return path
    }

    @Test func aStoreAnswersLikeItsDaemon() async throws {
        let daemon = try await filledDaemon()
        let store = try await copy(of: daemon)
        for line in [
            "sight list", "sight list --json", "sight list --text RIJKS", "sight list --category museum --limit 3",
            "sight show artis", "sight show artis --json", "sight show nope", "sight export",
            "sight export --format gpx",
            "sight export --format geojson", "trip list", "trip list --json", "trip list --limit 1",
            "trip list --device canal-walk --json", "trip list --device nobody", "trip show \(Self.walk)",
            "trip show \(Self.walk) --json", "trip show nope", "trip export \(Self.walk)",
            "trip export \(Self.walk) --format kml", "nearest --at 52.37,4.89", "nearest --at -52.37,-4.89 -k 3 --json",
            "nearest -k 2", "nearest --device canal-walk --json", "nearest --device nobody",
        ] {
            let words = line.split(separator: " ").map(String.init)
            let asked = try await daemon.ask(words)
            let read = try await Command.run(words + ["--store", store])
            #expect(asked.output == read.output, "\(line)")
            #expect(asked.errors == read.errors, "\(line)")
            #expect(asked.status == read.status, "\(line)")
            #expect(asked.output.isEmpty == (asked.status != 0), "\(line)")
        }
    }

    @Test func changesAreTheSameThroughADaemonAndAStore() async throws {
        let daemon = try await filledDaemon()
        let store = try await copy(of: daemon)
        for words in [
            ["sight", "add", "Old Mill", "--description", "Old.", "--at", "-52.1,4.9", "--radius", "80.5", "--yes"],
            [
                "sight", "add", "Old Mill", "--description", "Old.", "--at", "52,4", "--category", "mill", "--yes",
                "--json",
            ],
            ["sight", "add", "Here", "--description", "Here.", "--device", "canal-walk", "--json"],
            ["sight", "add", "Mine", "--description", "Mine.", "--at", "1,2", "--id", "artis", "--yes"],
            ["sight", "edit", "old-mill", "--title", "Older", "--at", "-1,-2", "--description", "Round.", "--json"],
            ["sight", "edit", "old-mill", "--category", "", "--json"],
            ["sight", "edit", "nope", "--title", "x"],
            ["sight", "remove", "old-mill-2", "artis", "--yes"],
            ["sight", "remove", "artis", "--yes"],
            ["sight", "import", "fixtures/pass-by.sights.csv", "--json"],
            ["sight", "import", "fixtures/pass-by.sights.csv"],
            ["sight", "list", "--json"],
            ["trip", "remove", Self.walk, "--yes", "--json"],
            ["trip", "remove", Self.walk, "--yes"],
            ["trip", "list"],
        ] {
            let asked = try await daemon.ask(words)
            let written = try await Command.run(words + ["--store", store])
            #expect(asked.output == written.output, "\(words)")
            #expect(asked.errors == written.errors, "\(words)")
            #expect(asked.status == written.status, "\(words)")
        }
        let left = try await daemon.ask("sight", "list", "--json").text
        #expect(
            left.contains(#"{"id":"old-mill","title":"Older","lat":-1,"lon":-2,"radius":80.5,"description":"Round."}"#))
        #expect(!left.contains("\"id\":\"artis\""))
        #expect(try await daemon.ask("trip", "list").lines.count == 1)
    }

    @Test func anAddedSightIsWatchedAtOnce() async throws {
        let daemon = try await RunningDaemon(in: folder)
        let added = try await daemon.ask(
            "sight", "add", "Nearby", "--description", "Near.", "--at", "52,4", "--yes", "--json")
        #expect(
            added.text == #"{"id":"nearby","title":"Nearby","lat":52,"lon":4,"radius":100,"description":"Near."}"#
                + "\n")
        let nearest = try await daemon.ask("nearest", "--at", "52,4", "--json")
        #expect(nearest.text.contains(#"{"id":"nearby","title":"Nearby","distance":0,"bearing":0}"#))
    }

    @Test func manySightsAreImportedInSeveralCalls() async throws {
        let daemon = try await RunningDaemon(in: folder)
        var rows = "id,title,lat,lon,description\n"
        for number in 0..<4_300 { rows += "s\(number),Sight \(number),\(number % 90),\(number % 180),\n" }
        // Two of these are too long for one call, and the last sight updates one of the first.
        for number in 0..<9 { rows += "l\(number),Long,1,2,\(String(repeating: "ü", count: 49_000))\n" }
        let first = try folder.file("first.csv", rows)
        let second = try folder.file("second.csv", "id,title,lat,lon\ns1,Later,1,1\n")
        let imported = try await daemon.ask("sight", "import", first, second, "--json")
        #expect(imported.text == "{\"added\":4309,\"updated\":1}\n")
        let list = try await daemon.ask("sight", "list", "--json")
        #expect(list.lines.count == 4_309)
        #expect(list.lines[1].hasPrefix(#"{"id":"s1","title":"Later","#))
        #expect(try await daemon.ask("nearest", "--at", "1,2", "-k", "1000", "--json").status == 0)
    }

    @Test func anExportIsImportedUnchanged() async throws {
        let odd =
            "id,title,lat,lon,radius_m,category,description\n"
            + "a b,\"Quote \"\" comma, and\nline\",-0.0000001,-180,12.5,,\nü,Ü,90,179.9999999,100000,\"x,y\", said \n"
        let file = try folder.file("odd.csv", odd)
        let daemon = try await RunningDaemon(in: folder)
        #expect(try await daemon.ask("sight", "import", Fixture.sights, file).status == 0)
        let before = try await daemon.ask("sight", "list", "--json")
        for format in ["csv", "geojson"] {
            let exported = folder.file("sights.\(format)")
            #expect(try await daemon.ask("sight", "export", "--format", format, "-o", exported).status == 0)
            let store = folder.file("\(format).db")
            #expect(try await Command.run("sight", "import", exported, "--store", store).status == 0)
            #expect(try await Command.run("sight", "list", "--json", "--store", store).text == before.text)
        }
        let csv = try await daemon.ask("sight", "export")
        #expect(csv.text.hasSuffix(String(odd.drop { $0 != "\n" }.dropFirst())))
    }

    @Test func theDaemonAnswersPositionsFromStandardInput() async throws {
        let daemon = try await filledDaemon()
        let asked = try await daemon.ask(
            "nearest", "--at", "-", "-k", "1", "--json", input: Data("52.3661,4.9133\n-1,-2\nhere\n".utf8))
        #expect(asked.status == 1)
        #expect(asked.lines.count == 2)
        #expect(asked.lines[0].contains("\"id\":\"artis\""))
        #expect(asked.errors.hasPrefix("waymark: standard input, line 3: \"here\" is not a position"))
    }

    @Test func nothingIsRemovedOrAddedWithoutConfirmation() async throws {
        let daemon = try await filledDaemon()
        for words in [
            ["sight", "remove", "artis"], ["trip", "remove", Self.walk],
            ["sight", "add", "X", "--description", "X.", "--at", "1,2"],
        ] {
            let refused = try await daemon.ask(words)
            #expect(refused.status == 64)
            #expect(refused.errors.contains("--yes"))
        }
        #expect(try await daemon.ask("sight", "show", "artis").status == 0)
        #expect(try await daemon.ask("sight", "show", "x").status == 1)
        #expect(try await daemon.ask("trip", "show", Self.walk).status == 0)
    }

    @Test func aStoreInUseByADaemonIsChangedOnlyThroughItsSocket() async throws {
        let daemon = try await filledDaemon()
        for words in [
            ["sight", "add", "X", "--description", "X.", "--at", "1,2", "--yes"],
            ["trip", "remove", Self.walk, "--yes"],
        ] {
            let refused = try await Command.run(words + ["--store", daemon.store])
            #expect(refused.status == 1)
            #expect(refused.errors.contains("use its socket, \(daemon.socket)"))
        }
        // Reading is allowed.
        #expect(try await Command.run("sight", "show", "artis", "--store", daemon.store).status == 0)
        let both = try await Command.run("sight", "list", "--store", daemon.store, "--socket", daemon.socket)
        #expect(both.status == 64)
    }

    @Test func onlyAddingCreatesAMissingStore() async throws {
        for words in [
            ["sight", "edit", "x", "--title", "y"], ["sight", "remove", "x", "--yes"],
            ["trip", "remove", "x", "--yes"],
        ] {
            let refused = try await Command.run(words + ["--store", folder.store])
            #expect(refused.errors == "waymark: \(folder.store): no such store\n")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.store))
        let added = ["sight", "add", "X", "--description", "X.", "--at", "1,2", "--yes", "--store", folder.store]
        #expect(try await Command.run(added).status == 0)
        #expect(try await Command.run("sight", "list", "--store", folder.store).lines.count == 1)
    }
}
