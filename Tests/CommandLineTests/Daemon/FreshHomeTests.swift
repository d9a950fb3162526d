#if Companion
import Foundation
import Glibc
import TestSupport
import Testing

/// First starts: the files that a daemon creates, and folders in place of files.
@Suite(.slow) struct FreshHomeTests {
    @Test func theDefaultStoreIsCreatedWithItsFolder() async throws {
        let folder = try TemporaryFolder()
        let home = folder.file("home")
        let manager = try NotifySocket(at: folder.file("notify"))
        let log = try folder.file("log", "")
        let words = [Command.executable.path, "daemon", "--socket", folder.file("socket")]
        let process = try ChildProcess(
            words, environment: ChildProcess.environment.merging(["HOME": home, "NOTIFY_SOCKET": manager.path]) { $1 },
            output: manager.life.fileHandleForWriting,
            errors: try #require(FileHandle(forWritingAtPath: log)))
        try manager.life.fileHandleForWriting.close()
        var arrival = await manager.next(until: .now + RunningDaemon.deadline)
        while case .message(let text) = arrival {
            if text.contains("READY=1") { process.send(SIGTERM) }
            arrival = await manager.next(until: .now + RunningDaemon.deadline)
        }
        #expect(arrival == .ended)
        let ending = await offThePool { process.wait() }
        let said = try String(contentsOfFile: log, encoding: .utf8)
        #expect(ending == .exit(0), "\(said)")
        let made = try FileManager.default.attributesOfItem(atPath: "\(home)/.local/state/waymark")
        #expect(made[.posixPermissions] as? Int == 0o700)
        #expect(FileManager.default.fileExists(atPath: "\(home)/.local/state/waymark/waymark.sqlite"))
    }

    @Test func aFolderInPlaceOfAFileIsReportedAsAFolder() async throws {
        let folder = try TemporaryFolder()
        _ = try await Command.run(
            "sight", "add", "Mill", "--at", "52,5", "--description", "Old.", "--yes", "--store", folder.file("store"))
        for words in [
            ["photo", "add", folder.path, "--subject", "sight/mill"],
            ["trip", "export", "--all", "-o", folder.path], ["sight", "import", folder.path],
        ] {
            let outcome = try await Command.run(words + ["--store", folder.file("store")])
            #expect(outcome.status != 0)
            #expect(outcome.errors.contains("\(folder.path): this is a folder; name a file in it"), "\(outcome.errors)")
            #expect(!outcome.errors.contains("NSCocoaErrorDomain"))
        }
    }
}
#endif
