package import Glibc

/// The address of a Unix socket at a path.
package struct UnixAddress {
    /// The longest path in bytes: `sun_path` has 108, the last of them a zero (unix(7)).
    static let maximumPathLength = 107

    private let address: sockaddr_un

    /// The address of a path.
    ///
    /// - Throws: ``SocketError`` where the path is too long, empty, or holds a zero byte.
    package init(path: String) throws(SocketError) {
        let bytes = Array(path.utf8)
        guard bytes.count <= Self.maximumPathLength else {
            throw SocketError(
                .pathTooLong,
                "The socket path has \(bytes.count) bytes, and the system takes \(Self.maximumPathLength): \(path). "
                    + "Choose a shorter one.")
        }
        guard !bytes.isEmpty, !bytes.contains(0) else {
            throw SocketError(.system(EINVAL), "The socket path is empty or holds a zero byte. Name a file.")
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // The field has 108 zero bytes, and at most 107 are written.
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        self.address = address
    }

    /// Gives it to a call of the system that reads it before it returns.
    package func withPointer<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
        // A sockaddr_un begins like every sockaddr, and its length is given.
        unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
