import FeatureSupport
import Foundation
import GRDB
import RPC
import Store
import TestSupport
import Testing

@testable import Daemon
@testable import Photos
@testable import Service

/// Backups fetched through the socket.
@Suite struct BackupTests {
    /// Reads a file of a backup to its end.
    private func read(_ core: CoreFixture, _ parameters: JSONObject) async throws -> [UInt8] {
        var (bytes, parameters): ([UInt8], JSONObject) = ([], parameters)
        while true {
            let piece = try await core.call("backup.read", parameters)
            let data = try #require(Data(base64Encoded: piece["data"].text ?? ""))
            #expect(!data.isEmpty && data.count <= BackupMethods.longestPiece)
            bytes += data
            guard let next = piece["next"] else { return bytes }
            parameters["offset"] = next
        }
    }

    @Test func aFetchedBackupHasTheStoreAndPhotosAsOfItsBeginning() async throws {
        let core = try await MethodCase.world()
        let pictures = (1...3).map { TestPicture.png(width: $0) }
        for picture in pictures { try await core.photo(picture, as: "ada") }
        // Larger than one piece of `backup.read`.
        try await core.store.write { db in
            try db.execute(sql: "CREATE TABLE ballast (a BLOB); INSERT INTO ballast VALUES (randomblob(2000000))")
        }
        let begun = try await core.call("backup.begin")
        let backup = try #require(begun["backup"])
        try await core.store.write { try $0.execute(sql: "DELETE FROM ballast") }

        let folder = try TemporaryFolder()
        let path = folder.file("copy.db")
        let bytes = try await read(core, ["backup": backup])
        #expect(Double(bytes.count) == begun["size"].number)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let copy = try LocationDatabase.openForReading(at: path, migrations: FeatureList.standard.migrations)
        #expect(try await copy.read { try Int.fetchOne($0, sql: "SELECT length(a) FROM ballast") } == 2_000_000)
        #expect(try await copy.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") } == "ok")
        #expect(try copy.logExtent().name != core.store.logExtent().name)

        let missing = digest(pictures[1])
        let sum = try await PhotoFiles.fetch(for: copy) { digest in
            if digest == missing { return nil }
            return try await read(core, ["backup": backup, "photo": .string(digest)])
        }
        #expect(sum == Int64(pictures[0].count + pictures[2].count))
        let names = try FileManager.default.contentsOfDirectory(atPath: path + ".photos").sorted()
        #expect(names == ([digest(pictures[0]), digest(pictures[2])].sorted() + [StateFolder.mark]))
        await #expect(throws: Refusal.self) { try await PhotoFiles.fetch(for: copy) { _ in nil } }
        try copy.close()

        try await core.call("backup.end", ["backup": backup])
        #expect(core.features.media.photos.folder.names(in: StateFolder.scratch).isEmpty)
        try await core.call("backup.begin")
    }

    @Test func aBackupThatNobodyReadsIsDeleted() async throws {
        let core = try CoreFixture()
        let copies = BackupCopies(folder: core.features.media.photos.folder, idleTimeout: .zero)
        let first = try await copies.begin()
        // With an idle timeout of zero the copy is deleted as soon as its clean-up task runs.
        while (try? await copies.copy(first.id)) != nil { await Task.yield() }
        #expect(!core.features.media.photos.folder.has(first.name))
        _ = try await copies.begin()
    }

    @Test func onlyOneBackupIsMadeAtATime() async throws {
        let core = try CoreFixture()
        let copies = BackupCopies(folder: core.features.media.photos.folder)
        async let one = Result { try await copies.begin() }
        async let other = Result { try await copies.begin() }
        let outcomes = await [one, other]
        #expect(outcomes.count { (try? $0.get()) != nil } == 1)
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
