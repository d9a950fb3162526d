import Foundation
import FuzzTargets
import Testing

/// Files that once ended the process, or that were misread.
@Suite struct DamagedFileTests {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "fixtures/damaged")

    private static let files =
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0 != "README.md" }.sorted()) ?? []

    @Test(arguments: files) func everyDamagedFileIsReadWithoutACrash(_ file: String) throws {
        let target = try #require(FuzzTarget.named(String(file.prefix { $0 != "-" && $0 != "." })))
        target.run([UInt8](try Data(contentsOf: Self.folder.appending(path: file))))
    }

    @Test(arguments: FuzzTarget.all.map(\.name)) func theSeedsOfTheFuzzersAreReadWithoutACrash(_ name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        for seed in target.seeds + [""] { target.run(Array(seed.utf8)) }
    }

    @Test func thereAreDamagedFiles() { #expect(!Self.files.isEmpty) }
}
