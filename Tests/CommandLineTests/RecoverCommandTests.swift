import Foundation
import TestSupport
import Testing

@Suite(.slow) struct RecoverCommandTests {
    @Test func anIntactStoreIsRecoveredCompletelyAndNotChanged() async throws {
        let folder = try TemporaryFolder()
        let store = folder.file("store")
        let list = try folder.file("sights.csv", "id,title,lat,lon,radius_m\nbench,Bench,52,4,100\n")
        #expect(try await Command.run("sight", "import", list, "--store", store).status == 0)
        let before = try Data(contentsOf: URL(fileURLWithPath: store))
        let result = try await Command.run("recover", store)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.lines.contains("sight: 1 row"), "\(result.text)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
        let shown = try await Command.run("sight", "list", "--store", store + ".recovered")
        #expect(shown.text.contains("Bench"))
        let again = try await Command.run("recover", store)
        #expect(again.status == 1)
        #expect(again.errors.contains("\(store).recovered: it already exists, and nothing is overwritten"))
    }

    @Test func lostRowsAreListedAndGiveAnExitStatusOf2() async throws {
        let folder = try TemporaryFolder()
        let store = folder.file("store")
        let rows = (0..<2000).map { "s\($0),Sight \($0),52,4,100\n" }.joined()
        let list = try folder.file("sights.csv", "id,title,lat,lon,radius_m\n" + rows)
        #expect(try await Command.run("sight", "import", list, "--store", store).status == 0)
        let whole = try Data(contentsOf: URL(fileURLWithPath: store))
        // The page with a sight from the middle.
        let place = try #require(whole.range(of: Data("Sight 1000".utf8)))
        let size = Int(whole[16]) << 8 | Int(whole[17])
        let page = place.lowerBound / size * size
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: store))
        try file.seek(toOffset: UInt64(page))
        try file.write(contentsOf: Data(repeating: 0xA5, count: size))
        try file.close()

        let doctor = try await Command.run(
            "doctor", "--config", folder.file("waymark.yaml", "store: \(store)\nsocket: \(folder.file("none"))\n"))
        #expect(doctor.status == 1)
        #expect(doctor.text.contains("waymark recover \(store)"), "\(doctor.text)")
        #expect(doctor.text.contains("of sights") && !doctor.text.contains("btreeInitPage"), "\(doctor.text)")
        let result = try await Command.run("recover", store, folder.file("new"))
        #expect(result.status == 2, "\(result.errors)")
        // Sights are named, although their rows cannot be read.
        #expect(result.lines.contains("  lost: s1000"), "\(result.text)")
        #expect(!result.text.contains("rowid"), "\(result.text)")
    }

    @Test func lostTripsAndPointsAreNamed() async throws {
        let folder = try TemporaryFolder()
        let store = folder.file("store")
        let replay = try await Command.run(
            "replay", "fixtures/city-drive.nmea", "fixtures/canal-walk.gpx", "--device", "van", "--store", store)
        #expect(replay.status == 0)
        let list = try await Command.run("trip", "list", "--json", "--store", store)
        let ids = list.text.matches(of: /"id":"([^"]+)"/).map { String($0.1) }
        #expect(!ids.isEmpty)
        let whole = try Data(contentsOf: URL(fileURLWithPath: store))
        // The page that has the row of the first trip, which ends with its settings.
        let id = try #require(ids.last)
        let place = try #require(
            whole.ranges(of: Data(id.utf8)).map(\.lowerBound).first { at in
                whole[at..<min(at + 400, whole.endIndex)].contains(UInt8(ascii: "{"))
            })
        let size = 1024
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: store))
        try file.seek(toOffset: UInt64(place / size * size))
        try file.write(contentsOf: Data(repeating: 0xA5, count: size))
        try file.close()
        let result = try await Command.run("recover", store, folder.file("new"))
        #expect(result.status == 2, "\(result.errors)")
        #expect(result.text.contains("\(id)") || result.text.contains("the events"), "\(result.text)")
        #expect(!result.text.contains("rowid"), "\(result.text)")
    }

    @Test func filesThatCommandsWriteAreReadableByTheirOwnerOnly() async throws {
        let folder = try TemporaryFolder()
        let store = folder.file("store")
        let list = try folder.file("sights.csv", "id,title,lat,lon,radius_m\nbench,Bench,52,4,100\n")
        #expect(try await Command.run("sight", "import", list, "--store", store).status == 0)
        let exported = try folder.file("exported", "older, and readable for all")
        #expect(try await Command.run("sight", "export", "-o", exported, "--store", store).status == 0)
        #expect(try await Command.run("backup", folder.file("copy"), "--store", store).status == 0)
        #expect(try await Command.run("recover", store, folder.file("recovered")).status == 0)
        for name in ["exported", "copy", "recovered"] {
            let facts = try FileManager.default.attributesOfItem(atPath: folder.file(name))
            #expect(facts[.posixPermissions] as? Int == 0o600, "\(name)")
        }
    }
}
