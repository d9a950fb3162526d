import Foundation
import Glibc

/// The terminal as a page that is redrawn, with keys that are read at once.
///
/// Each `unsafe` passes a local value to a call that fills or reads it before it returns and keeps no pointer.
final class Terminal {
    private let before: termios

    /// Takes control of the terminal; `nil` unless standard input and output are both a terminal.
    init?() {
        var settings = termios()
        guard Paint.isTerminal(STDOUT_FILENO), unsafe tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
        before = settings
        settings.c_lflag &= ~tcflag_t(ECHO | ICANON)
        _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        Self.write(Self.otherScreen + Self.hiddenCursor)
    }

    /// Restores the settings and the screen.
    func restore() {
        var settings = before
        _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        Self.write(Self.shownCursor + Self.firstScreen)
    }

    /// The size in columns and rows; 80 by 24 if it is unknown.
    static var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Draws lines over the previous page; lines that do not fit are left out.
    func draw(_ lines: [String]) {
        let shown = lines.prefix(Self.size.rows).map { $0 + Self.restOfLine }
        Self.write(Self.home + shown.joined(separator: "\r\n") + Self.restOfPage)
    }

    /// Returns the key pressed within `milliseconds`; `nil` if there is none, and `q` at the end of the input.
    func key(within milliseconds: Int32) -> Character? {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&input, 1, milliseconds) > 0 else { return nil }
        var byte: UInt8 = 0
        guard unsafe read(STDIN_FILENO, &byte, 1) == 1 else { return "q" }
        return Character(Unicode.Scalar(byte))
    }

    private static func write(_ text: String) { try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) }

    // Control sequences of ECMA-48, and the private ones of xterm for its second screen and the cursor.
    private static let home = "\u{1B}[H"
    private static let restOfLine = "\u{1B}[K"
    private static let restOfPage = "\u{1B}[J"
    private static let otherScreen = "\u{1B}[?1049h"
    private static let firstScreen = "\u{1B}[?1049l"
    private static let hiddenCursor = "\u{1B}[?25l"
    private static let shownCursor = "\u{1B}[?25h"
}
