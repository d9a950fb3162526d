import Foundation
import TestSupport
import Testing

/// The daemon's English sentences, compared with their German translations: `phrases` in `texts/de.js`.
///
/// The sentences are found as literals in the daemon's sources. Each interpolated value matches anything.
@Suite struct PhraseTests {
    private let phrases: [(english: String, german: String)]
    private let notifications: [Template]
    private let explanations: [Template]
    private let imports: [Template]

    init() throws {
        let catalogue = try String(
            contentsOf: Self.sources.appending(path: "Doors/WebServer/Pages/texts/de.js"), encoding: .utf8)
        // Long phrases take several lines. The description of the program itself is no such sentence.
        let joined = catalogue.replacing(/'\n    \+ '/, with: "")
        phrases = joined.matches(of: /(?m)^  \['(.+)',\s+'(.+)'\],$/).map { (String($0.1), String($0.2)) }
            .filter { !$0.0.hasPrefix("Waymark follows where its devices are") }
        notifications = try Self.swift(under: Self.sources).flatMap(Template.notifications)
        explanations = try Self.swift(under: Self.sources.appending(path: "Kit/Tracking/Explaining"))
            .flatMap(Template.explanations)
        imports = try ["Kit/Histories", "Program/Daemon"]
            .flatMap { try Self.swift(under: Self.sources.appending(path: $0)) }.flatMap(Template.literals(in:))
    }

    private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")

    private static func swift(under folder: URL) throws -> [String] {
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        return try files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
            .map { try String(contentsOf: $0, encoding: .utf8) }
    }

    @Test func everyNotificationHasAGermanPhrase() {
        #expect(notifications.count > 20)
        for template in notifications {
            #expect(phrases.contains { template.fits($0.english) }, "no phrase for \(template.text)")
        }
    }

    @Test func everyKindOfNotificationHasANameOnThePages() throws {
        let kinds = try Self.swift(under: Self.sources).filter { $0.contains("NotificationDraft") }
            .flatMap { $0.matches(of: /Kind\(\s*(?:rawValue: )?"([a-z]+)"/).map { String($0.1) } }
        #expect(Set(kinds).isSuperset(of: ["sight", "ballot", "verdict"]))
        let texts = Self.sources.appending(path: "Doors/WebServer/Pages/texts")
        for language in ["en", "de"] {
            let words = try ["\(language).js", "pages.\(language).js"]
                .map { try String(contentsOf: texts.appending(path: $0), encoding: .utf8) }.joined()
            for kind in kinds { #expect(words.contains("'news.kind.\(kind)':"), "\(kind) in \(language)") }
        }
    }

    @Test func everyPartOfAnExplanationHasAGermanPhrase() {
        let parts = explanations.filter { $0.text.contains(" ") && $0.text.contains(/[a-z]{3}/) }
        #expect(parts.count > 20)
        for template in parts {
            #expect(phrases.contains { template.fits($0.english) }, "no phrase for \(template.text)")
        }
    }

    @Test func everyGermanPhraseIsUsedByTheDaemon() {
        for phrase in phrases {
            #expect(
                (notifications + explanations + imports).contains { $0.fits(phrase.english) },
                "nothing says \(phrase.english)")
        }
    }

    @Test func aPhraseHasTheSameValuesInBothLanguages() {
        for (english, german) in phrases {
            func values(_ text: String) -> [String] {
                text.matches(of: /\{\d\}|<\/?b>/).map { String($0.output) }.sorted()
            }
            #expect(values(english) == values(german), "\(english)")
        }
    }
}

/// A literal of the sources, with `*` for each interpolated value.
private struct Template {
    /// A sentence or a part of one, with emphasis as `<b>*</b>`.
    var text: String

    /// Returns whether a phrase could be made from the template.
    func fits(_ phrase: String) -> Bool {
        var rest = phrase[...]
        let pieces = text.split(separator: "*", omittingEmptySubsequences: false)
        guard rest.hasPrefix(pieces[0]) else { return false }
        rest = rest.dropFirst(pieces[0].count)
        for (index, piece) in pieces.enumerated().dropFirst() {
            if index == pieces.count - 1 {
                return rest.count > piece.count && rest.hasSuffix(piece)
            }
            guard let found = rest.dropFirst().firstRange(of: piece) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.isEmpty
    }

    /// Returns the notification texts of a source: literals with emphasis, and those that are passed as a text.
    static func notifications(in source: String) -> [Template] {
        guard source.contains("NotificationDraft") || source.contains("NotificationText") else { return [] }
        return literals(of: source).filter { literal in
            (literal.text.contains("<b>*") && literal.text != "<b>*</b>") || literal.before.hasSuffix("text: ")
                || literal.before.hasSuffix("logText: ")
        }.map { Template(text: $0.text) }
    }

    /// Returns the parts of the explanations in a source, split as the pages split them.
    static func explanations(in source: String) -> [Template] {
        literals(of: source).flatMap { $0.text.split(separator: #/[;:,] /#) }.map { Template(text: String($0)) }
            // A part that is only a value would match any phrase.
            .filter { $0.text.contains(/[a-z]/) }
    }

    /// Returns the literals of a source that have letters: a part that is only a value would match any phrase.
    static func literals(in source: String) -> [Template] {
        literals(of: source).map { Template(text: $0.text) }.filter { $0.text.contains(/[a-z]/) }
    }

    private static func literals(of source: String) -> [(before: Substring, text: String)] {
        source.split(separator: "\n").filter { !$0.contains(/^\s*\/\/|"""/) }.flatMap { line in
            var found: [(Substring, String)] = []
            var rest = line[...]
            while let quote = rest.firstIndex(of: "\"") {
                let before = rest[..<quote]
                rest = rest[quote...].dropFirst()
                found.append((before, literal(&rest)))
            }
            return found
        }
    }

    /// Reads up to the quote that ends a literal.
    private static func literal(_ rest: inout Substring) -> String {
        var text = ""
        while let next = rest.popFirst(), next != "\"" {
            guard next == "\\", rest.first == "(" else {
                text.append(next)
                continue
            }
            text += rest.hasPrefix("(bold: ") ? "<b>*</b>" : "*"
            var depth = 0
            while let inner = rest.popFirst() {
                switch inner {
                case "(": depth += 1
                case ")": depth -= 1
                case "\"": _ = literal(&rest)
                default: break
                }
                if depth == 0 { break }
            }
        }
        return text
    }
}
