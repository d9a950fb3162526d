import Glibc

/// A failure to listen or connect: a code for programs, and a sentence with the remedy.
public struct SocketError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure.
    public enum Code: Sendable, Equatable {
        /// The path does not fit into a socket address.
        case pathTooLong
        /// Another server listens at the path.
        case inUse
        /// A file at the path is not a socket.
        case notASocket
        /// No server listens at the path.
        case noServer
        /// The user does not have permission.
        case notPermitted
        /// The peer ended the connection, or uses another protocol.
        case disconnected
        /// Any other failure, with its `errno`.
        case system(Int32)
    }

    /// The kind of failure.
    public let code: Code
    /// The failure, the path, and the remedy.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    /// Returns the error for a failed system call on a path.
    static func system(_ number: Int32, _ action: String, _ path: String) -> SocketError {
        switch number {
        case EACCES, EPERM, EROFS:
            SocketError(
                .notPermitted,
                "Cannot \(action) \(path): permission denied. Check the owner and mode of the socket and its folder.")
        case ENOENT:
            SocketError(.system(number), "Cannot \(action) \(path): its folder does not exist. Create it first.")
        case EADDRINUSE:
            SocketError(.inUse, "Cannot \(action) \(path): another server has just taken it.")
        default:
            SocketError(.system(number), "Cannot \(action) \(path): \(Self.text(of: number)).")
        }
    }

    /// Returns the system's description of an `errno`.
    static func text(of number: Int32) -> String {
        // strerror returns a terminated string that stays valid until this thread's next call; it is copied at once.
        guard let words = unsafe strerror(number) else { return "error \(number)" }
        return unsafe String(cString: words)
    }
}
