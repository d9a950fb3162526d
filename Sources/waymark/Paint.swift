import Foundation
import Glibc
import TextCoding

/// Colours, where a terminal shows them.
struct Paint {
    private let isOn: Bool

    /// Colours for standard output: on a terminal, unless `NO_COLOR` is set (no-color.org) or it is a dumb one.
    static let standardOutput = Paint(
        isOn: isTerminal(STDOUT_FILENO) && ProcessInfo.processInfo.environment["NO_COLOR", default: ""].isEmpty
            && ProcessInfo.processInfo.environment["TERM"] != "dumb")

    /// Whether standard error is a terminal.
    static var standardErrorIsTerminal: Bool { isTerminal(STDERR_FILENO) }

    /// Whether a descriptor leads to a terminal.
    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// How many columns a terminal has; nil where a descriptor leads to none.
    static func columns(ofTerminal descriptor: Int32) -> Int? {
        guard isTerminal(descriptor) else { return nil }
        var size = winsize()
        // The call fills a local structure and keeps no pointer.
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(clamping: size.ws_col)
    }

    func bold(_ text: String) -> String { wrap(text, .bold) }
    func dim(_ text: String) -> String { wrap(text, .dim) }
    func red(_ text: String) -> String { wrap(text, .red) }
    func green(_ text: String) -> String { wrap(text, .green) }
    func yellow(_ text: String) -> String { wrap(text, .yellow) }
    func blue(_ text: String) -> String { wrap(text, .blue) }

    /// The text without what would steer a terminal, but with the colours given here.
    func harmless(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: ControlCharacters.contains) else { return EventLines.printable(text) }
        let pieces = text.split(separator: Self.escape, omittingEmptySubsequences: false)
        return pieces.dropFirst().reduce(into: EventLines.printable(String(pieces.first ?? ""))) { whole, piece in
            if isOn, Code.allCases.contains(where: { piece.hasPrefix($0.rawValue) }) { whole += Self.escape }
            whole += EventLines.printable(String(piece))
        }
    }

    /// What follows the escape character (ECMA-48, section 8.3.117).
    private enum Code: String, CaseIterable {
        case plain = "[0m"
        case bold = "[1m"
        case dim = "[2m"
        case red = "[31m"
        case green = "[32m"
        case yellow = "[33m"
        case blue = "[34m"
    }

    private static let escape = "\u{1B}"

    private func wrap(_ text: String, _ code: Code) -> String {
        isOn ? "\(Self.escape)\(code.rawValue)\(text)\(Self.escape)\(Code.plain.rawValue)" : text
    }
}
