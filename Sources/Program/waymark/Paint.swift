import Foundation
import Glibc
import TextCoding

/// Colours for a terminal.
struct Paint {
    private let isOn: Bool

    /// The colours for standard output.
    ///
    /// They are on if it is a terminal that is not dumb, and `NO_COLOR` is not set (no-color.org).
    static let standardOutput = Paint(
        isOn: isTerminal(STDOUT_FILENO) && ProcessInfo.processInfo.environment["NO_COLOR", default: ""].isEmpty
            && ProcessInfo.processInfo.environment["TERM"] != "dumb")

    /// Whether standard error is a terminal.
    static var standardErrorIsTerminal: Bool { isTerminal(STDERR_FILENO) }

    /// Whether a descriptor is a terminal.
    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Returns the width of a terminal in columns, 80 if it is unknown; `nil` if the descriptor is no terminal.
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

    /// Returns the text without control characters, except for the colours of this type.
    func harmless(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: ControlCharacters.contains) else {
            return EventFormatter.printable(text)
        }
        let pieces = text.split(separator: Self.escape, omittingEmptySubsequences: false)
        return pieces.dropFirst().reduce(into: EventFormatter.printable(String(pieces.first ?? ""))) { whole, piece in
            if isOn, Code.allCases.contains(where: { piece.hasPrefix($0.rawValue) }) { whole += Self.escape }
            whole += EventFormatter.printable(String(piece))
        }
    }

    /// The codes after the escape character (ECMA-48, section 8.3.117).
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
