import Foundation
import Testing

/// The lines of the pages' own code are short enough to be read side by side.
@Suite struct LineLengthTests {
    private static let pages = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/Doors/WebServer/Pages").standardizedFileURL
    private static let longest = 120

    @Test func noLineOfThePagesIsLongerThan120Characters() throws {
        let found = try #require(FileManager.default.enumerator(atPath: Self.pages.path))
        var read = 0
        for case let path as String in found where path.hasSuffix(".js") || path.hasSuffix(".css") {
            guard !path.hasPrefix("lib/") else { continue }
            read += 1
            let text = try String(contentsOf: Self.pages.appending(path: path), encoding: .utf8)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            let wide = lines.filter { $0.element.count > Self.longest }.map { $0.offset + 1 }
            #expect(wide.isEmpty, "\(path) has long lines: \(wide)")
        }
        #expect(read > 100)
    }
}
