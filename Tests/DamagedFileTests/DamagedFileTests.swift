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

    /// Files of map tiles with bytes changed at random; `WAYMARK_TESTS=soak` tries 100,000 of them.
    @Test func changedMapsAreReadWithoutACrash() throws {
        let target = try #require(FuzzTarget.named("maps"))
        var state: UInt64 = ProcessInfo.processInfo.environment["WAYMARK_SEED"].flatMap(UInt64.init) ?? 1
        func next() -> UInt8 {
            // Knuth's linear congruential generator, of which the high bits are good.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
        let count = ProcessInfo.processInfo.environment["WAYMARK_TESTS"] == "soak" ? 100_000 : 300
        for _ in 0..<count {
            let changes = Int(next() % 12)
            target.run([next()] + (0..<3 * changes).map { _ in next() })
        }
    }

    @Test func thereAreDamagedFiles() { #expect(!Self.files.isEmpty) }
}
