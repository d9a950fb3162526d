import Foundation
import Testing

/// The lines of the pages' own code are short enough to be read side by side.
@Suite struct LineLengthTests {
    private static let pages = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/Doors/WebServer/Pages").standardizedFileURL
    private static let longest = 120
    /// The files with longer lines, until somebody breaks them.
    private static let excepted: Set<String> = [
        "map.js", "pages/location.js", "pages/notifications.js", "player/camera.js", "service-worker.js",
    ]

    @Test func noLineOfThePagesIsLongerThan120Characters() throws {
        let found = try #require(FileManager.default.enumerator(atPath: Self.pages.path))
        var (read, long) = (0, Set<String>())
        for case let path as String in found where path.hasSuffix(".js") || path.hasSuffix(".css") {
            guard !path.hasPrefix("lib/") else { continue }
            read += 1
            let text = try String(contentsOf: Self.pages.appending(path: path), encoding: .utf8)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            let wide = lines.filter { $0.element.count > Self.longest }.map { $0.offset + 1 }
            guard !wide.isEmpty else { continue }
            long.insert(path)
            #expect(Self.excepted.contains(path), "\(path) has long lines: \(wide)")
        }
        #expect(read > 100)
        #expect(Self.excepted.subtracting(long) == [], "these have no long line any more; take them off the list")
    }
}
