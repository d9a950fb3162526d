import Foundation
import Glibc

/// A reader of lines that may contain a password.
///
/// Each `unsafe` passes a local termios to a call that fills or reads it before it returns and keeps no pointer.
enum SecretLine {
    /// Reads a line of standard input, without its line end and without echo at a terminal.
    ///
    /// Returns `nil` at the end of the input.
    static func read(prompt: String) -> String? {
        var before = termios()
        guard unsafe tcgetattr(STDIN_FILENO, &before) == 0 else { return readLine() }
        var hidden = before
        hidden.c_lflag &= ~tcflag_t(ECHO)
        _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &hidden)
        // The prompt comes after that, because the answer may arrive at once.
        try? FileHandle.standardError.write(contentsOf: Data(prompt.utf8))
        defer {
            _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &before)
            try? FileHandle.standardError.write(contentsOf: Data("\n".utf8))
        }
        return readLine()
    }
}
