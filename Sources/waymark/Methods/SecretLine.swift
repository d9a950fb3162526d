import Foundation
import Glibc

/// A line that may be a password.
///
/// Each `unsafe` hands a local termios to a call that fills or reads it before it returns and keeps no pointer.
enum SecretLine {
    /// A line of standard input without its end; typed at a terminal, it is not shown.
    ///
    /// Nil at the end of the input.
    static func read(prompt: String) -> String? {
        var before = termios()
        guard unsafe tcgetattr(STDIN_FILENO, &before) == 0 else { return readLine() }
        var hidden = before
        hidden.c_lflag &= ~tcflag_t(ECHO)
        _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &hidden)
        // Only now, as somebody may answer at once.
        try? FileHandle.standardError.write(contentsOf: Data(prompt.utf8))
        defer {
            _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &before)
            try? FileHandle.standardError.write(contentsOf: Data("\n".utf8))
        }
        return readLine()
    }
}
