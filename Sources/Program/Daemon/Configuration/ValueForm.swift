import TextCoding

#if Companion
import EventHooks
import WebClient
import WebServer
#endif

/// The form that the value of a key must have.
enum ValueForm {
    /// An absolute path of at most `longest` bytes; if it is optional, an empty one means none.
    case path(longest: Int, isOptional: Bool = false)
    /// An address to listen on, or `off`.
    case listening
    /// Host names, separated by commas or spaces.
    case hosts
    /// The name of a user group.
    case groupName
    /// One of these words.
    case word([String])
    /// A number within a range, or a word that means none.
    case number(ClosedRange<Double>, unit: String, or: String? = nil)
    /// An integer within a range, or a word that means none.
    case count(ClosedRange<Int>, unit: String, or: String? = nil)
    /// A line of text of at most `longest` bytes; an empty one means none.
    case text(longest: Int)
    /// The address of a centre; an empty one means none.
    case centre
    /// A list of `NAME=URL`.
    case sources
    /// A list of hooks for events, each a group of keys.
    case hooks

    /// The longest name of a group on Linux (useradd(8)).
    private static let longestGroupName = 32

    /// A description of the allowed values, to follow "is not".
    var allowed: String {
        switch self {
        case .path(let longest, _): "an absolute path of at most \(longest) bytes"
        case .listening: "ADDRESS, ADDRESS:PORT, [ADDRESS]:PORT, or off"
        case .hosts: "a list of host names, separated by commas"
        case .groupName: "the name of a group: 1 to \(Self.longestGroupName) letters, digits, '.', '-', '_'"
        case .word(let words): "one of \(words.joined(separator: ", "))"
        case .number(let range, let unit, let word):
            "a number of \(unit) from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))\(Self.or(word))"
        case .count(let range, let unit, let word):
            "a whole number of \(unit) from \(range.lowerBound) to \(range.upperBound)\(Self.or(word))"
        case .text(let longest): "one line of at most \(longest) bytes"
        case .centre: "an address that begins with https://, or with http:// if it is on this machine"
        case .hooks: "a list of hooks, each with a command or a url"
        case .sources:
            "NAME=URL with a NAME of 1 to \(DaemonConfiguration.Source.longestName) letters, digits, '.', '-', '_'"
        }
    }

    /// Whether a text is an allowed value; for a list, whether it is an allowed element.
    func accepts(_ text: String) -> Bool {
        switch self {
        case .path(let longest, let isOptional):
            isOptional && text.isEmpty
                || text.hasPrefix("/") && text.utf8.count <= longest && !Self.hasControls(text)
        case .groupName: Self.isName(text, longest: Self.longestGroupName)
        case .word(let words): words.contains(text)
        case .number(let range, _, let word):
            text == word || DecimalText.parse(text).map(range.contains) ?? false
        case .count(let range, _, let word): text == word || Int(text).map(range.contains) ?? false
        case .text(let longest): text.utf8.count <= longest && !Self.hasControls(text)
        case .sources: DaemonConfiguration.Source(text) != nil
        #if Companion
        case .listening: text == "off" || WebAddress(text) != nil
        case .hosts: Self.hosts(text).allSatisfy { WebSettings.isHostName($0) }
        case .centre: text.isEmpty || (try? WebURL(text)) != nil
        case .hooks: (try? EventHookSettings(text)) != nil
        #else
        case .listening, .hosts, .centre, .hooks: false
        #endif
        }
    }

    /// Whether a text is a name of ASCII letters, digits, `.`, `-` and `_`.
    static func isName(_ text: some StringProtocol, longest: Int) -> Bool {
        (1...longest).contains(text.utf8.count)
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".-_".contains($0)) }
    }

    /// Returns the host names in a list.
    static func hosts(_ text: String) -> [String] {
        text.split { $0 == "," || $0.isWhitespace }.map { String($0) }
    }

    private static func hasControls(_ text: String) -> Bool {
        text.unicodeScalars.contains(where: ControlCharacters.contains)
    }

    private static func text(_ value: Double) -> String { DecimalText.string(value, decimals: 0) }
    private static func or(_ word: String?) -> String { word.map { ", or \($0)" } ?? "" }
}
