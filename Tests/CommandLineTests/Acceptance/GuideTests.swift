import Foundation
import TestSupport
import Testing

/// The guide page of a day runs as it is written.
@Suite struct GuideTests {
    private static let page = Command.repository.appending(path: "Sources/Daemon/Daemon.docc/ADay.md")

    /// The commands of the page, one block after another.
    private static func commands() throws -> String {
        let text = try String(contentsOf: page, encoding: .utf8)
        return text.matches(of: /```sh\n((?s).*?)```/).map { String($0.1) }.joined()
    }

    @Test func aDayIsAsItIsTold() async throws {
        let folder = try TemporaryFolder()
        let files = FileManager.default
        try files.createSymbolicLink(
            atPath: folder.file("fixtures"), withDestinationPath: Command.repository.appending(path: "fixtures").path)
        try files.createDirectory(atPath: folder.file("bin"), withIntermediateDirectories: true)
        try files.createSymbolicLink(
            atPath: folder.file("bin/waymark"), withDestinationPath: Command.executable.path)
        let script = try folder.file(
            "script",
            "set -euo pipefail\ncd \(folder.path)\nexport PATH=\(folder.file("bin")):$PATH\n" + Self.commands())
        // What it waits for comes within a second each; a hang becomes a failure.
        let told = try await Command.shell("timeout 120 bash \(script)")
        #expect(told.status == 0, "\(told.text)")
        for said in [
            "person: ada", "text: Bob Hope asks to be your friend.", "✉ told     bob asks to be your friend.",
            "title: Bob's bench",
            "destination: waymark://sight/bobs-bench", "text: Worth every step.", "histogram: 0, 0, 0, 0, 1", "rank: 1",
        ] {
            #expect(told.text.contains(said), "\(said)")
        }
    }
}
