import Foundation
import GRDB
import TestSupport
import Testing

/// Replays that write to a store.
@Suite(.slow) struct ReplayStoreTests {
    private let folder: TemporaryFolder
    private let store: String

    init() throws {
        folder = try TemporaryFolder()
        store = folder.file("waymark.db")
    }

    private func keep(_ recording: String, _ options: String..., fileLimit: Int? = nil) async throws -> Command.Outcome
    {
        let all = try Fixture.options(of: Fixture.name(of: recording)) + ["--json", "--store", store] + options
        return try await Command.run(["replay", "fixtures/\(recording)"] + all, fileLimit: fileLimit)
    }

    @Test func aSecondReplayIsRejectedAsLateAndAddsNothing() async throws {
        let first = try await keep("city-drive.nmea")
        #expect(first.output == (try Fixture.golden("city-drive")))
        // The GPX file has the same fixes of the same device.
        for recording in ["city-drive.nmea", "city-drive.gpx"] {
            let again = try await keep(recording, "--summary")
            #expect(again.status == 0)
            #expect(again.lines.count == 1)
            let summary = try #require(try again.decoded(as: Summary.self).first)
            #expect(summary.accepted == 0)
            #expect(summary.rejected == ["late": 1973])
            #expect(summary.distance == 0)
        }
        let trips = try await Command.run("trip", "list", "--store", store, "--json")
        #expect(trips.lines.count == 1)

        let walk = try await keep("canal-walk.gpx").decoded(as: EventLine.self)
        #expect(walk.first?.seq == first.lines.count + 1)
        #expect(walk.map(\.seq) == walk.indices.map { first.lines.count + 1 + $0 })
    }

    @Test func sightsInTheStoreAreWatchedWithoutAnOption() async throws {
        let path = store
        _ = try await Command.run("sight", "import", "fixtures/pass-by.sights.csv", "--store", path)
        let replay = try await Command.run("replay", "fixtures/pass-by.gpx", "--store", path, "--json")
        #expect(replay.output == (try Fixture.golden("pass-by")))
    }

    @Test func aSightsFileWithAnInvalidRowLeavesNoStoreBehind() async throws {
        let sights = try folder.file("sights.csv", "id,title,lat,lon\na,A,52,4\nb,B,north,4\n")
        let replay = try await Command.run(
            "replay", "fixtures/pass-by.gpx", "--sights", sights, "--store", store, "--json")
        #expect(replay.status == 1)
        #expect(replay.errors == "waymark: \(sights): line 3: column lat: \"north\" is not a number\n")
        #expect(replay.output.isEmpty)
        #expect(try folder.names == ["sights.csv"])
    }

    @Test func afterTheDiskFillsUpAnotherReplayWritesTheRest() async throws {
        // The limit has room for the schema, but not for the events and the trace of the journey.
        let full = try await keep("city-drive.gpx", fileLimit: 300)
        #expect(full.status == 1)
        #expect(full.errors.hasPrefix("waymark: \(store): "))
        let rest = try await keep("city-drive.gpx")
        #expect(rest.status == 0)
        #expect(full.output + rest.output == (try Fixture.golden("city-drive")))
    }

    @Test func aNewerStoreIsRefusedAndLeftAlone() async throws {
        _ = try await keep("pass-by.gpx")
        let database = try DatabaseQueue(path: store)
        try await database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA user_version = 1000") }
        try database.close()
        let before = try Data(contentsOf: URL(fileURLWithPath: store))
        for arguments in [["replay", "fixtures/canal-walk.gpx"], ["trip", "list"], ["sight", "list"]] {
            let refused = try await Command.run(arguments + ["--store", store])
            #expect(refused.status == 1)
            #expect(refused.errors.contains("\(store): written by a newer Waymark (schema 1000;"))
            #expect(refused.errors.contains("upgrade Waymark"))
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
    }

    @Test func aFileThatIsNotADatabaseIsRefusedAndLeftAlone() async throws {
        let text = "These are the notes of a journey, and no database.\n"
        let notes = try folder.file("notes.txt", String(repeating: text, count: 100))
        let refused = try await Command.run("replay", "fixtures/pass-by.gpx", "--store", notes)
        #expect(refused.status == 1)
        #expect(refused.errors == "waymark: \(notes): not a Waymark store, and not an SQLite database\n")
        #expect(try String(contentsOfFile: notes, encoding: .utf8) == String(repeating: text, count: 100))
    }

    @Test func anotherProgramsDatabaseIsRefusedAndLeftAlone() async throws {
        let path = folder.file("other.db")
        let other = try DatabaseQueue(path: path)
        try await other.write { try $0.execute(sql: "CREATE TABLE recipe (name TEXT)") }
        try other.close()
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let refused = try await Command.run("replay", "fixtures/pass-by.gpx", "--store", path)
        #expect(refused.status == 1)
        #expect(refused.errors.contains("not a Waymark store, but another application's database"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test func aStoreThatCannotBeCreatedIsReportedWithItsPath() async throws {
        let file = try folder.file("file", "")
        for path in ["\(file)/waymark.db", folder.file("nowhere/waymark.db"), folder.path, "/proc/waymark.db"] {
            let refused = try await Command.run("replay", "fixtures/pass-by.gpx", "--store", path, "--json")
            #expect(refused.status == 1, "\(path)")
            #expect(refused.errors.hasPrefix("waymark: \(path)"), "\(path)")
            #expect(refused.output.isEmpty, "\(path)")
        }
    }

    /// Run by root, the command becomes the owner of the store's folder, who has no write permission here.
    @Test func aFolderWithoutWritePermissionIsReported() async throws {
        let closed = folder.file("closed")
        try FileManager.default.createDirectory(atPath: closed, withIntermediateDirectories: false)
        try? FileManager.default.setAttributes([.ownerAccountID: 65_534], ofItemAtPath: closed)
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: closed)
        let refused = try await Command.run("replay", "fixtures/pass-by.gpx", "--store", "\(closed)/waymark.db")
        #expect(refused.status == 1)
        #expect(refused.errors.hasPrefix("waymark: \(closed)/waymark.db"))
        #expect(refused.errors.contains("Permission denied"))
    }

    @Test func aStoreInUseIsReportedWithItsProcessAndCanStillBeRead() async throws {
        let writer = try RunningCommand("replay", "fixtures/pass-by.gpx", "-", "--store", store, "--json")
        // The command prints a line after its commit, so the store is open now.
        #expect(writer.line()?.contains("trip.start") == true)
        let second = try await Command.run("replay", "fixtures/canal-walk.gpx", "--store", store)
        #expect(second.status == 1)
        #expect(second.errors.hasPrefix("waymark: \(store): in use by process \(writer.processID): "))
        let trips = try await Command.run("trip", "list", "--store", store, "--json")
        #expect(trips.status == 0)
        #expect(trips.lines.count == 1)
        try writer.send(try Fixture.data("canal-walk.gpx"))
        #expect(try writer.finish().status == 0)
        #expect(try await Command.run("trip", "list", "--store", store, "--json").lines.count == 2)
    }
}
