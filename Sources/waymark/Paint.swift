import Foundation
import Glibc

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

    func bold(_ text: String) -> String { wrap(text, 1) }
    func dim(_ text: String) -> String { wrap(text, 2) }
    func red(_ text: String) -> String { wrap(text, 31) }
    func green(_ text: String) -> String { wrap(text, 32) }
    func yellow(_ text: String) -> String { wrap(text, 33) }
    func blue(_ text: String) -> String { wrap(text, 34) }

    private func wrap(_ text: String, _ code: Int) -> String { isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
}
