package import Glibc

/// The address of a Unix socket.
package struct UnixAddress {
    /// The maximum length of a path in bytes: `sun_path` has 108, of which the last is zero (unix(7)).
    static let maximumPathLength = 107

    private let address: sockaddr_un

    /// Creates the address of a path.
    ///
    /// - Throws: ``SocketError`` if the path is too long, empty, or contains a zero byte.
    package init(path: String) throws(SocketError) {
        let bytes = Array(path.utf8)
        guard bytes.count <= Self.maximumPathLength else {
            throw SocketError(
                .pathTooLong,
                "The socket path has \(bytes.count) bytes, but at most \(Self.maximumPathLength) are allowed: \(path). "
                    + "Choose a shorter one.")
        }
        guard !bytes.isEmpty, !bytes.contains(0) else {
            throw SocketError(.system(EINVAL), "The socket path is empty or contains a zero byte. Choose another path.")
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // The field has 108 zero bytes, and at most 107 are written.
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        self.address = address
    }

    /// Passes the address to a system call, which must not keep the pointer after it returns.
    package func withPointer<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
        // A sockaddr_un begins like every sockaddr, and its length is passed.
        unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
