import Glibc

/// Why a socket cannot be served or reached: a code for programs, and a sentence that says what to do.
public struct SocketError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure.
    public enum Code: Sendable, Equatable {
        /// The path does not fit into a socket address.
        case pathTooLong
        /// Another server listens there.
        case inUse
        /// Something stands there that is no socket.
        case notASocket
        /// No server listens there.
        case noServer
        /// The system does not let this user.
        case notPermitted
        /// The other side ended the connection, or speaks another protocol.
        case disconnected
        /// The system refused for another reason, this `errno`.
        case system(Int32)
    }

    /// What kind of failure.
    public let code: Code
    /// What failed, where, and what to do.
    public let description: String

    /// A failure.
    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    /// The failure that a system call on a path reported.
    static func system(_ number: Int32, _ action: String, _ path: String) -> SocketError {
        switch number {
        case EACCES, EPERM, EROFS:
            SocketError(
                .notPermitted,
                "Cannot \(action) \(path): permission denied. Check the owner and mode of the socket and its folder.")
        case ENOENT:
            SocketError(.system(number), "Cannot \(action) \(path): its folder does not exist. Create it first.")
        case EADDRINUSE:
            SocketError(.inUse, "Cannot \(action) \(path): another server took it at this moment.")
        default:
            SocketError(.system(number), "Cannot \(action) \(path): \(Self.text(of: number)).")
        }
    }

    /// The system's words for an `errno`.
    static func text(of number: Int32) -> String {
        // strerror returns a terminated string that stays valid until this thread's next call; it is copied at once.
        guard let words = unsafe strerror(number) else { return "error \(number)" }
        return unsafe String(cString: words)
    }
}
