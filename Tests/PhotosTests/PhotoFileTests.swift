import FeatureSupport
import Foundation
import GRDB
import Geodesy
import Positioning
import RPC
import Store
import Synchronization
import TestSupport
import Testing

@testable import Daemon
@testable import Photos
@testable import Service
@testable import Sights
@testable import SocketServer

/// The folder of photos beside its store: no photo is lost, whatever happens to the store or the folder.
@Suite(.slow) struct PhotoFileTests {
    private let folder: TemporaryFolder
    private let faults = Faults()
    private let png = TestPicture.png()

    init() throws { folder = try TemporaryFolder() }

    /// The errors with which file calls fail.
    private final class Faults: Sendable {
        private struct Fault {
            var call: FileCalls.Call
            var number: Int32
            /// The number of calls of that kind that succeed first.
            var skipped: Int
            var isLasting: Bool
        }

        private let state = Mutex<(fault: Fault?, hits: Int)>((nil, 0))

        func set(_ call: FileCalls.Call, _ number: Int32, after skipped: Int = 0, isLasting: Bool = false) {
            state.withLock {
                $0 = (Fault(call: call, number: number, skipped: skipped, isLasting: isLasting), 0)
            }
        }

        /// Ends the faults and returns how many calls failed.
        @discardableResult
        func clear() -> Int {
            state.withLock { state in
                defer { state = (nil, 0) }
                return state.hits
            }
        }

        func next(_ call: FileCalls.Call) -> Int32? {
            state.withLock { state in
                guard let fault = state.fault, fault.call == call else { return nil }
                guard fault.skipped == 0 else {
                    state.fault?.skipped -= 1
                    return nil
                }
                guard fault.isLasting || state.hits == 0 else { return nil }
                state.hits += 1
                return fault.number
            }
        }
    }

    /// Opens a store beside the folder, and creates it with ada and her sight mill if it does not exist.
    private func open(_ name: String = "van.sqlite") throws -> CoreFixture {
        let store = try LocationDatabase.open(at: folder.file(name), migrations: FeatureList.standard.migrations)
        let core = try CoreFixture(store: store, calls: FileCalls(fault: { [faults] in faults.next($0) }))
        guard try store.read({ try Int.fetchOne($0, sql: "SELECT count(*) FROM person") }) == 0 else { return core }
        try core.people("ada")
        try store.write { db in
            _ = try SightStore.put([Sight(id: "mill", title: "Mill", place: fix(0).coordinate)], in: db)
            try db.execute(sql: "UPDATE sight SET owner = (SELECT number FROM person WHERE id = 'ada')")
        }
        return core
    }

    private func close(_ core: CoreFixture) throws { try core.store.close() }

    /// Returns the contents of all files below the folder of photos, by name.
    private func files() throws -> [String: [UInt8]] {
        let root = folder.file("van.sqlite.photos")
        var files: [String: [UInt8]] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: root) {
            var isFolder: ObjCBool = false
            _ = unsafe FileManager.default.fileExists(atPath: "\(root)/\(name)", isDirectory: &isFolder)
            if !isFolder.boolValue {
                files[name] = try Array(Data(contentsOf: URL(fileURLWithPath: "\(root)/\(name)")))
            }
        }
        return files
    }

    private func overwrite(_ name: String, _ bytes: [UInt8]) throws {
        _ = try folder.file("van.sqlite.photos/\(name)", bytes)
    }

    // MARK: Store and folder

    @Test func aNewStoreBesideAnotherStoresPhotosChangesNothing() async throws {
        let before = try open()
        try await before.photo(png, as: "ada")
        try close(before)
        let kept = try files()
        for ending in ["", "-wal", "-shm", ".lock"] {
            try? FileManager.default.removeItem(atPath: folder.file("van.sqlite" + ending))
        }
        let core = try open()
        let error = await #expect(throws: Refusal.self) { try await core.features.media.photos.checkFolder() }
        #expect(error?.kind == .unavailable)
        #expect(error?.message.contains("another store") == true)
        let begun = try await core.error(
            as: "ada", "uploads.begin", ["size": 3, "sha256": .string(digest([1, 2, 3]))])
        #expect(begun?.code == .unavailable)
        core.features.media.photos.emptyTrash(at: moment(1e9))
        await core.features.media.photos.removeLoose()
        #expect(try files() == kept)
    }

    @Test func aNewStoreBesidePhotosWithoutAMarkChangesNothing() async throws {
        let root = folder.file("van.sqlite.photos")
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        try overwrite(digest(png), png)
        let core = try open()
        await #expect(throws: Refusal.self) { try await core.features.media.photos.checkFolder() }
        #expect(try files() == [digest(png): png])
    }

    @Test func `a folder without a mark that has a photo of the store is marked`() async throws {
        let core = try open()
        let id = try #require(try await core.photo(png, as: "ada")["id"])
        try FileManager.default.removeItem(atPath: folder.file("van.sqlite.photos/store"))
        #expect(try await core.features.media.photos.checkFolder() == PhotoFiles.FolderReport())
        #expect(core.features.media.photos.folder.has("store"))
        #expect(try await core.read(id, as: "ada") == png)
    }

    @Test func anOlderStoreKeepsAndCountsNewerPhotos() async throws {
        var core = try open()
        try await core.photo(png, as: "ada")
        try core.store.backup(to: folder.file("older.sqlite"))
        let newer = TestPicture.png(width: 20)
        try await core.photo(newer, as: "ada")
        try close(core)
        for ending in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: folder.file("van.sqlite" + ending))
        }
        try FileManager.default.moveItem(atPath: folder.file("older.sqlite"), toPath: folder.file("van.sqlite"))
        core = try open()
        let stock = try await core.features.media.photos.checkFolder()
        #expect(stock.unknown == 1 && stock.damaged == 0)
        #expect(stock.unknownNames == [core.features.media.photos.folder.file(digest(newer))])
        #expect(stock.remarks.count == 1)
        #expect(try files()[digest(newer)] == newer)
        // Adding it again makes it known to the store.
        try await core.photo(newer, as: "ada")
        #expect(try await core.features.media.photos.checkFolder() == PhotoFiles.FolderReport())
    }

    @Test func `a store without its folder says which photos are missing`() async throws {
        let core = try open()
        let id = try #require(try await core.photo(png, as: "ada")["id"])
        try FileManager.default.removeItem(atPath: folder.file("van.sqlite.photos"))
        let stock = try await core.features.media.photos.checkFolder()
        #expect(stock.damaged == 1 && stock.damages[0].contains("is missing"))
        #expect(try await core.error(as: "ada", "photos.read", ["photo": id])?.code == .unavailable)
        #expect(!core.features.media.photos.folder.has(""))
        try await core.photo(png, as: "ada")
        #expect(try await core.read(id, as: "ada") == png)
    }

    @Test func aBackupContainsPhotosAndTheirMark() async throws {
        let core = try open()
        try await core.photo(png, as: "ada")
        let copy = folder.file("copy.sqlite")
        func backUp() throws -> Int64 {
            try PhotoFiles.backUp(store: folder.file("van.sqlite"), to: copy) { try core.store.backup(to: copy) }
        }
        #expect(try backUp() == Int64(png.count))
        let restored = try open("copy.sqlite")
        #expect(try await restored.features.media.photos.checkFolder() == PhotoFiles.FolderReport())
        // A backup does not overwrite existing photos.
        try FileManager.default.removeItem(atPath: copy)
        #expect(throws: Refusal.self) { try backUp() }
    }

    // MARK: Ledger and trash

    @Test func onlyFilesThatACrashLeftWithoutARowGoToTheTrash() async throws {
        let core = try open()
        let photos = core.features.media.photos
        let upload = String(json: try await core.upload(png, as: "ada")) ?? ""
        try await photos.put(.init(name: "uploads/\(upload)", digest: digest(png), size: png.count))
        try overwrite("somebody's.jpg", [1, 2, 3])
        try overwrite(digest([4]), [4])
        let stock = try await photos.checkFolder()
        #expect(stock.unknown == 2)
        let left = try files()
        #expect(left["trash/2026-05-01/\(digest(png))"] == png)
        #expect(left[digest(png)] == nil)
        #expect(left["somebody's.jpg"] == [1, 2, 3] && left[digest([4])] == [4])
        #expect(try await core.store.read { try PhotoFiles.hasLoose(in: $0) } == false)
    }

    @Test func `the trash is emptied after thirty days`() async throws {
        let core = try open()
        let id = try #require(try await core.photo(png, as: "ada")["id"])
        try await core.call(as: "ada", "photos.remove", ["photo": id])
        let name = "trash/2026-05-01/\(digest(png))"
        #expect(try files()[name] == png)
        try overwrite("trash/of-mine", [1])
        core.features.media.photos.emptyTrash(at: moment(30 * 86_400))
        core.features.media.photos.emptyTrash(at: nil)
        #expect(try files()[name] == png)
        core.features.media.photos.emptyTrash(at: moment(31 * 86_400))
        #expect(try files()[name] == nil)
        #expect(try files()["trash/of-mine"] == [1])
        #expect(!core.features.media.photos.folder.has("trash/2026-05-01"))
    }

    @Test func aTrashThatIsTooLargeLosesItsOldestFiles() async throws {
        let core = try open()
        let state = core.features.media.photos.folder
        try state.use()
        try state.make("trash")
        for day in ["2026-04-29", "2026-04-30"] {
            try state.make("trash/\(day)")
            try overwrite("trash/\(day)/\(digest([1]))", [1])
        }
        // A sparse file occupies no blocks, whatever its length.
        let large = state.file("trash/2026-04-30/\(digest([2]))")
        _ = FileManager.default.createFile(atPath: large, contents: nil)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: large))
        try handle.truncate(atOffset: UInt64(PhotoTrash.maximumBytes))
        try handle.close()
        core.features.media.photos.emptyTrash(at: nil)
        // The two files of one byte exceed the limit by two bytes.
        let left = state.names(in: "trash").flatMap { state.names(in: "trash/\($0)") }
        #expect(left.count <= 1)
        #expect(!left.contains { !state.names(in: "trash/2026-04-30").contains($0) })
    }

    // MARK: Damage

    @Test(arguments: ["short", "empty", "long", "missing", "a folder", "a pipe", "a link", "unreadable"])
    func aDamagedFileIsUnavailableWithTheReason(_ damage: String) async throws {
        let core = try open()
        let id = try #require(try await core.photo(png, as: "ada")["id"])
        let path = core.features.media.photos.folder.file(digest(png))
        try FileManager.default.moveItem(atPath: path, toPath: folder.file("whole"))
        switch damage {
        case "short": try overwrite(digest(png), Array(png.dropLast(7)))
        case "empty": try overwrite(digest(png), [])
        case "long": try overwrite(digest(png), png + [0])
        case "a folder": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        case "a pipe": #expect(unsafe mkfifo(path, 0o600) == 0)
        case "a link":
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.file("whole"))
        case "unreadable":
            try FileManager.default.copyItem(atPath: folder.file("whole"), toPath: path)
            faults.set(.read, EIO, isLasting: true)
        default: break
        }
        for size in ["whole", "square"] where size == "whole" || damage != "unreadable" {
            let error = try await core.error(as: "ada", "photos.read", ["photo": id, "size": .string(size)])
            #expect(error?.code == .unavailable)
            #expect(error?.message.contains("photo \(String(json: id) ?? "")") == true)
        }
        faults.clear()
        if damage != "unreadable" { #expect(try await core.features.media.photos.checkFolder().damaged == 1) }
        // Adding the same picture again repairs it.
        try await core.photo(png, as: "ada")
        #expect(try await core.read(id, as: "ada") == png)
        #expect(try await core.features.media.photos.checkFolder() == PhotoFiles.FolderReport())
    }

    /// Each file call fails with each error, at each position, once or permanently.
    ///
    /// No partial result remains.
    @Test(arguments: FileCalls.Call.allCases)
    func aFailedFileCallLeavesNoPartialStateAndTheNextTrySucceeds(_ call: FileCalls.Call) async throws {
        let core = try open()
        try await core.photo(TestPicture.png(width: 30), as: "ada")
        let numbers = [ENOSPC, EIO, EMFILE, EROFS, EDQUOT, ENOMEM, EACCES]
        for (round, number) in numbers.enumerated() {
            let bytes = TestPicture.png(width: 40 + round)
            var skipped = 0
            var hits = 1
            while hits > 0 {
                let photos = try await core.store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM photo") }
                faults.set(call, number, after: skipped, isLasting: skipped % 2 == 1)
                var failure: (any Error)?
                do {
                    try await core.photo(bytes, as: "ada")
                } catch {
                    failure = error
                }
                hits = faults.clear()
                if let failure { #expect((failure as? RPCError)?.code == .unavailable, "\(failure)") }
                let after = try await core.store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM photo") }
                #expect(after == (photos ?? 0) + (failure == nil ? 1 : 0))
                #expect(try await core.features.media.photos.checkFolder() == PhotoFiles.FolderReport())
                skipped += 1
            }
        }
        // `EINTR` is not a failure.
        faults.set(call, EINTR)
        try await core.photo(TestPicture.png(width: 100), as: "ada")
        faults.clear()
    }
}
