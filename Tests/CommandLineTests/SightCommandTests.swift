import Foundation
import TestSupport
import Testing

/// `sight` and `nearest`.
@Suite(.slow) struct SightCommandTests {
    private let folder: TemporaryFolder
    private let store: String

    init() throws {
        folder = try TemporaryFolder()
        store = folder.file("waymark.db")
    }

    private func importAmsterdam() async throws {
        let imported = try await Command.run("sight", "import", Fixture.sights, "--store", store)
        #expect(imported.status == 0)
        #expect(imported.text.contains(" sights imported: "))
    }

    private func ids(_ options: String...) async throws -> [String] {
        struct Sight: Decodable { var id: String }
        let list = try await Command.run(["sight", "list", "--store", store, "--json"] + options)
        #expect(list.status == 0)
        return try list.decoded(as: Sight.self).map(\.id)
    }

    @Test func importingTwiceAddsOnce() async throws {
        for expected in ["{\"added\":6,\"updated\":0}\n", "{\"added\":0,\"updated\":6}\n"] {
            let imported = try await Command.run(
                "sight", "import", "fixtures/pass-by.sights.csv", "--store", store, "--json")
            #expect(imported.text == expected)
        }
        let input = Data("id,title,lat,lon\nhome,Home,1,2\n".utf8)
        let imported = try await Command.run("sight", "import", "-", "--store", store, "--json", input: input)
        #expect(imported.text == "{\"added\":1,\"updated\":0}\n")
        #expect(try await ids().count == 7)
    }

    @Test func oneInvalidRowRefusesAllFiles() async throws {
        let bad = try folder.file("bad.csv", "id,title,lat,lon,radius_m\na,A,52,4,5\nb,B,52,400,5\n")
        let imported = try await Command.run(
            "sight", "import", "fixtures/pass-by.sights.csv", bad, "--store", store)
        #expect(imported.status == 1)
        #expect(imported.errors.hasPrefix("waymark: \(bad): line 3: column lon: 400"))
        #expect(try folder.names == ["bad.csv"])
    }

    @Test func theListIsFiltered() async throws {
        try await importAmsterdam()
        #expect(try await ids("--limit", "2") == ["amsterdam-centraal", "sint-nicolaasbasiliek"])
        #expect(try await ids("--text", "RIJKS") == ["rijksmuseum"])
        #expect(try await ids("--category", "zoo") == ["artis"])
        #expect(try await ids("--category", "museum", "--text", "house", "--limit", "1") == ["rembrandthuis"])
        #expect(try await ids("--text", "100%").isEmpty)
        let refused = try await Command.run("sight", "list", "--store", store, "--limit", "0")
        #expect(refused.status == 64)
        #expect(refused.errors.contains("--limit must be above 0."))
    }

    @Test func aListedSightHasAllItsFields() async throws {
        try await importAmsterdam()
        let list = try await Command.run("sight", "list", "--store", store, "--text", "Artis", "--json")
        #expect(
            list.text == """
                {"id":"artis","title":"Artis","lat":52.3661,"lon":4.9133,"radius":120,"category":"zoo",\
                "description":"The zoo of Amsterdam, founded in 1838, the oldest of the Netherlands."}

                """)
    }

    @Test func nearestTakesNegativeCoordinates() async throws {
        _ = try await Command.run("sight", "import", "fixtures/antimeridian-sail.sights.csv", "--store", store)
        let nearest = try await Command.run(
            "nearest", "--at", "-16.7405,-179.9999", "-k", "2", "--store", store, "--json")
        #expect(nearest.status == 0)
        #expect(
            nearest.text == """
                {"lat":-16.7405,"lon":-179.9999,"nearest":[{"id":"on-the-line","title":"On the line","distance":10.6,\
                "bearing":270},{"id":"across-the-line","title":"Across the line","distance":226.4,"bearing":169.2}]}

                """)
    }

    @Test func nearestAnswersPositionsOnStandardInputLineByLine() async throws {
        try await importAmsterdam()
        let nearest = try await Command.run(
            "nearest", "--at", "-", "-k", "1", "--store", store, "--json",
            input: Data("52.3661,4.9133\n-1,-2\r\n52.3661,4.9133".utf8))
        #expect(nearest.status == 0)
        #expect(nearest.lines.count == 3)
        #expect(
            nearest.lines.first
                == "{\"lat\":52.3661,\"lon\":4.9133,\"nearest\":[{\"id\":\"artis\",\"title\":\"Artis\",\"distance\":0,\"bearing\":0}]}"
        )
        #expect(nearest.lines[1].hasPrefix("{\"lat\":-1,\"lon\":-2,"))
        #expect(nearest.lines.first == nearest.lines.last)
    }

    @Test func anInvalidPositionOnStandardInputIsReportedWithItsLine() async throws {
        try await importAmsterdam()
        let nearest = try await Command.run(
            "nearest", "--at", "-", "--store", store, "--json", input: Data("1,2\nhere\n3,4\n".utf8))
        #expect(nearest.status == 1)
        #expect(nearest.lines.count == 1)
        #expect(nearest.errors.hasPrefix("waymark: standard input, line 2: \"here\" is not a position"))
    }

    @Test(arguments: [["--at", "here"], ["--at", "91,0"], ["--at", "1,2", "-k", "0"], ["--at", "1,2,3"]])
    func wrongUsageOfNearestExitsWith64(options: [String]) async throws {
        let nearest = try await Command.run(["nearest", "--store", store] + options)
        #expect(nearest.status == 64)
        #expect(nearest.errors.hasPrefix("waymark: "))
    }

    @Test func aNegativeLimitIsWrongUsage() async throws {
        let list = try await Command.run("sight", "list", "--store", store, "--limit", "-1")
        #expect(list.status == 64)
        #expect(list.errors.hasPrefix("waymark: --limit must be above 0."), "\(list.errors)")
    }

    @Test func readingCommandsCreateNoStore() async throws {
        for arguments in [["sight", "list"], ["trip", "list"], ["nearest", "--at", "1,2"]] {
            let outcome = try await Command.run(arguments + ["--store", store])
            #expect(outcome.status == 1)
            #expect(outcome.errors == "waymark: \(store): no such store\n")
        }
        #expect(try folder.names.isEmpty)
    }
}
