import Foundation
import FuzzTargets
import Testing

/// What ended the process once, or was read as something else.
@Suite struct DamagedFileTests {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "fixtures/damaged")

    private static let files =
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0 != "README.md" }.sorted()) ?? []

    @Test(arguments: files) func everyDamagedFileIsReadToItsEnd(_ file: String) throws {
        let target = try #require(FuzzTarget.named(String(file.prefix { $0 != "-" && $0 != "." })))
        target.run([UInt8](try Data(contentsOf: Self.folder.appending(path: file))))
    }

    @Test(arguments: FuzzTarget.all.map(\.name)) func whatFuzzersBeginWithIsRead(_ name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        for seed in target.seeds + [""] { target.run(Array(seed.utf8)) }
    }

    @Test func thereAreDamagedFiles() { #expect(!Self.files.isEmpty) }
}
