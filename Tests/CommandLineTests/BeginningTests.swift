import Foundation
import TestSupport
import Testing

/// `waymark demo` and `waymark init`: what somebody tries first.
@Suite struct BeginningTests {
    @Test func theDemonstrationPlaysToItsEnd() async throws {
        let demo = try await Command.run("demo", "--speed", "1000")
        #expect(demo.status == 0, "\(demo.errors)")
        let lines = demo.lines
        #expect(lines.contains { $0.contains("● enter    Rijksmuseum") }, "\(demo.text)")
        // At this speed the first location may lie behind before Ada is on board.
        #expect(lines.contains { $0.contains("Meet Bob before the Van Gogh Museum of A day in Amsterdam was passed.") })
        #expect(lines.contains { $0.contains("▼ stop") })
        #expect(lines.last?.hasPrefix("The drive is over.") == true)
        // Its folder is gone.
        let socket = try #require(demo.text.firstMatch(of: /WAYMARK_SOCKET=(\S+)\/van.sock/)).1
        #expect(!FileManager.default.fileExists(atPath: String(socket)))
    }

    @Test func aFirstConfigurationIsWrittenOnceAndIsInOrder() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("etc/waymark.yaml")
        let unasked = try await Command.run("init", "--config", file)
        #expect(unasked.status == 64 && unasked.errors == "Nothing changed: add --yes to confirm.\n")
        let made = try await Command.run("init", "--config", file, "--yes")
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.lines.contains("wrote  \(file)"))
        #expect(made.text.contains("waymark daemon --config \(file)"))
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains("\nsources: ["))
        let check = try await Command.run("daemon", "--check", "--config", file)
        #expect(check.status == 0, "\(check.errors)")
        let again = try await Command.run("init", "--config", file, "--yes")
        #expect(again.lines.contains("\(file) is there already, and stays as it is."))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
    }

    @Test func whatCannotBeWrittenIsSaid() async throws {
        let folder = try TemporaryFolder()
        try Data().write(to: URL(fileURLWithPath: folder.file("etc")))
        let refused = try await Command.run("init", "--config", folder.file("etc/waymark.yaml"), "--yes")
        #expect(refused.status == 1)
        #expect(refused.errors.contains("it cannot be written"), "\(refused.errors)")
    }
}
