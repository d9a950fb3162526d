#if Companion
import Foundation
import TestSupport
import Testing

/// The documentation of event types and commands against the program.
@Suite(.slow) struct InterfacesPageTests {
    private static func page(_ path: String) throws -> String {
        try String(contentsOf: Command.repository.appending(path: path), encoding: .utf8)
    }

    @Test func everyEventTypeOfTheGoldenFilesIsOnThePage() throws {
        let page = try Self.page("Sources/Program/Daemon/Daemon.docc/Interfaces.md")
        let fixtures = Command.repository.appending(path: "fixtures")
        let files = try FileManager.default.contentsOfDirectory(atPath: fixtures.path)
            .filter { $0.hasSuffix(".events.jsonl") }
        #expect(files.count > 5)
        var types: Set<String> = ["trip.revised", "source.online", "source.offline", "notification"]
        for file in files {
            let text = try String(contentsOf: fixtures.appending(path: file), encoding: .utf8)
            types.formUnion(text.matches(of: /"type":"([a-z.]+)"/).map { String($0.1) })
        }
        types.remove("summary")
        #expect(types.count > 10)
        for type in types { #expect(page.contains("`\(type)`"), "\(type)") }
    }

    /// Checks the commands that pages, help texts and messages mention.
    @Test func everyCommandThatIsMentionedExists() async throws {
        var texts = try [Self.page("README.md"), Self.page("systemd/waymark.yaml")]
        for folder in ["Sources/Program/waymark", "Sources/Program/Daemon/Daemon.docc"] {
            let root = Command.repository.appending(path: folder)
            let files = FileManager.default.enumerator(atPath: root.path)
            while let file = files?.nextObject() as? String {
                guard file.hasSuffix(".swift") || file.hasSuffix(".md") else { continue }
                texts.append(try String(contentsOf: root.appending(path: file), encoding: .utf8))
            }
        }
        var named: Set<[String]> = []
        for text in texts {
            for match in text.matches(of: /["`]waymark ([a-z]+)(?: ([a-z][a-z-]*))?(?![A-Za-z])/) {
                named.insert([match.1, match.2].compactMap { $0.map(String.init) })
            }
        }
        #if !Fleet
        // Only a build with the trait has the commands of a fleet.
        named = named.filter { $0.first != "fleet" }
        #endif
        #expect(named.count > 40)
        // The parser's description lacks the verbs that are methods of the socket.
        let parser = try await ParserDump.read()
        for words in named.sorted(by: { $0.joined() < $1.joined() }) where !parser.has(words) {
            let help = try await Command.run(words + ["--help"])
            #expect(help.status == 0, "waymark \(words.joined(separator: " ")): \(help.errors)")
        }
    }

    @Test func methodsThatHandwrittenCommandsReplaceAreCommandsToo() async throws {
        for words in ["plan get", "plans explore", "plan itinerary", "trips trace", "posts feed", "posts here"] {
            let help = try await Command.run(words.split(separator: " ").map(String.init) + ["--help"])
            #expect(help.status == 0 && help.text.contains("PARAMETERS"), "\(words): \(help.errors)")
        }
    }

    @Test func theOutputShownInTheReadmeIsWhatTheCommandPrints() async throws {
        let readme = try Self.page("README.md")
        let picture = try #require(readme.firstMatch(of: /```\n\$ waymark (.*)\n([^`]*)```/))
        let words = picture.1.split(separator: " ").map(String.init)
        let printed = try await Command.run(words)
        // "…" stands for omitted lines.
        let parts = picture.2.split(separator: "   …\n")
        #expect(parts.count > 1)
        var rest = printed.text[...]
        for (index, part) in parts.enumerated() {
            let place = try #require(rest.range(of: part), "not printed, or not in this order:\n\(part)")
            #expect(index > 0 || place.lowerBound == rest.startIndex)
            rest = rest[place.upperBound...]
        }
        #expect(rest.isEmpty)
    }
}
#endif
