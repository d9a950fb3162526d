import Foundation
import GRDB
import TestSupport
import Testing

/// A store on a card that has gone read-only: everything can be read and saved elsewhere, and nothing else changes.
@Suite(.slow, .enabled(if: Command.mayMount, "mounting a folder takes root")) struct ReadOnlyStoreTests {
    /// Makes a store with a sight in a folder of its own, and returns its path.
    private static func store(in folder: TemporaryFolder) async throws -> String {
        let card = folder.file("card")
        try FileManager.default.createDirectory(atPath: card, withIntermediateDirectories: true)
        let list = try folder.file("sights.csv", "id,title,lat,lon,radius_m\nbench,Bench,52,4,100\n")
        #expect(try await Command.run("sight", "import", list, "--store", card + "/store").status == 0)
        return card + "/store"
    }

    private static func run(_ words: String..., on store: String) async throws -> Command.Outcome {
        try await Command.run(words, readOnly: String(store.dropLast("/store".count)))
    }

    @Test func everyCommandThatReadsWorks() async throws {
        let folder = try TemporaryFolder()
        let store = try await Self.store(in: folder)
        for words in [
            ["sight", "list"], ["nearest", "--at", "52,4"], ["sight", "export", "-o", folder.file("sights.geojson")],
            ["trip", "list"], ["backup", folder.file("copy")],
        ] {
            let result = try await Command.run(words + ["--store", store], readOnly: folder.file("card"))
            #expect(result.status == 0, "\(words): \(result.errors)")
        }
        let recovered = try await Self.run("recover", store, folder.file("recovered"), on: store)
        #expect(recovered.status == 0, "\(recovered.errors)")
        for copy in ["copy", "recovered"] {
            #expect(try await Command.run("sight", "list", "--store", folder.file(copy)).text.contains("Bench"))
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("card"))
        #expect(names.sorted() == ["store", "store.lock"])
    }

    /// Adds a device to a store, and leaves it in the write-ahead log alone.
    private static func leaveLog(beside made: String, in folder: TemporaryFolder) throws {
        let queue = try DatabaseQueue(path: made)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
            try db.execute(sql: "INSERT INTO device (name) VALUES ('from the log')")
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: made + suffix, toPath: folder.file("kept" + suffix))
            }
        }
        try queue.close()
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: made + suffix) }
        for suffix in ["", "-wal"] {
            try? FileManager.default.removeItem(atPath: made + suffix)
            try FileManager.default.copyItem(atPath: folder.file("kept" + suffix), toPath: made + suffix)
        }
    }

    /// The log of a daemon that was cut off may hold commits that are not in the file yet.
    @Test func whatIsOnlyInTheLogIsReadToo() async throws {
        let folder = try TemporaryFolder()
        let made = try await Self.store(in: folder)
        let card = folder.file("card")
        try Self.leaveLog(beside: made, in: folder)
        let backup = try await Command.run(["backup", folder.file("copy"), "--store", made], readOnly: card)
        #expect(backup.status == 0, "\(backup.errors)")
        let recovery = try await Command.run(["recover", made, folder.file("recovered")], readOnly: card)
        #expect(recovery.status == 0, "\(recovery.errors)")
        for copy in ["copy", "recovered"] {
            let queue = try DatabaseQueue(path: folder.file(copy))
            let names = try await queue.read { try String.fetchAll($0, sql: "SELECT name FROM device") }
            #expect(names == ["from the log"])
        }
    }

    @Test func whatWritesSaysWhyItCannotAndWhatStillWorks() async throws {
        let folder = try TemporaryFolder()
        let store = try await Self.store(in: folder)
        let list = try folder.file("more.csv", "id,title,lat,lon,radius_m\nmill,Mill,52,4,100\n")
        for words in [
            ["sight", "import", list, "--store", store],
            ["daemon", "--store", store, "--socket", folder.file("socket"), "--source", "van=\(list)"],
        ] {
            let result = try await Command.run(words, readOnly: folder.file("card"))
            #expect(result.status == 1)
            #expect(result.errors.contains("it cannot be written (Read-only file system)"), "\(result.errors)")
            #expect(result.errors.contains("waymark backup FILE --store \(store)"), "\(result.errors)")
        }
        // The new store would be beside the old one.
        let recovery = try await Self.run("recover", store, on: store)
        #expect(recovery.status == 1)
        #expect(recovery.errors.contains("Read-only file system"), "\(recovery.errors)")
    }
}
