import Glibc

/// The system calls for communication with a service manager, with safe interfaces.
///
/// Every `unsafe` of this file passes a Swift string, a local variable or an array to a C function that reads or fills
/// it during the call only, with its true length.
enum ServiceCalls {
    static var processID: Int32 { getpid() }

    /// The time of the clock that `MONOTONIC_USEC` uses.
    static var monotonicTime: Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    static func removeVariable(_ name: String) { _ = unsafe unsetenv(name) }

    /// Whether a descriptor is a listening Unix stream socket.
    static func isListeningStream(_ descriptor: Int32) -> Bool {
        option(SO_DOMAIN, of: descriptor) == AF_UNIX
            && option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue)
            && option(SO_ACCEPTCONN, of: descriptor) == 1
    }

    /// Makes a descriptor close when this process starts a program; `false` if it is not open.
    static func closeOnExec(_ descriptor: Int32) -> Bool {
        let flags = fcntl(descriptor, F_GETFD)
        return flags >= 0 && fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) == 0
    }

    private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return unsafe getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }

    /// Accepts the connections that wait at a listening stream socket, sends each the same message and closes it.
    ///
    /// It does nothing if the descriptor is no such socket. Received bytes are read before a connection is closed,
    /// because the client would otherwise see an error before the message. It waits for nobody.
    static func rejectConnections(waitingAt descriptor: Int32, sending message: [UInt8]) {
        guard isListeningStream(descriptor), fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { return }
        var input = [UInt8](repeating: 0, count: 65_536)
        // More than can wait at once; the limit ends the loop if clients reconnect again and again.
        for _ in 0..<8_192 {
            let connection = accept(descriptor, nil, nil)
            guard connection >= 0 else {
                if errno == EINTR || errno == ECONNABORTED { continue }
                return
            }
            _ = unsafe Glibc.send(connection, message, message.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
            shutdown(connection, Int32(SHUT_WR))
            // The buffer of a socket holds at most a few of these.
            for _ in 0..<16 where unsafe recv(connection, &input, input.count, Int32(MSG_DONTWAIT)) <= 0 { break }
            close(connection)
        }
    }

    /// Sends a datagram to a Unix socket, at a path or, after `@`, at an abstract name; `false` if it is not accepted.
    ///
    /// It waits at most a second while the receiver's queue is full.
    static func send(_ message: [UInt8], to name: String) -> Bool {
        guard case (var address, let length)? = address(name) else { return false }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var limit = timeval(tv_sec: 1, tv_usec: 0)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let sent = unsafe withUnsafePointer(to: &address) { pointer in
            // A sockaddr_un begins like every sockaddr, and its length is given.
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe sendto(descriptor, message, message.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
        return sent == message.count
    }

    /// Returns the address of a path or of an abstract name.
    ///
    /// An abstract name begins with a zero byte, and the length says where it ends (unix(7)).
    static func address(_ name: String) -> (sockaddr_un, socklen_t)? {
        var bytes = Array(name.utf8)
        let isAbstract = name.hasPrefix("@")
        guard bytes.count > 1, !bytes.contains(0) else { return nil }
        if isAbstract { bytes[0] = 0 } else { bytes.append(0) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = unsafe withUnsafeMutableBytes(of: &address.sun_path) { field in
            guard bytes.count <= field.count else { return false }
            unsafe field.copyBytes(from: bytes)
            return true
        }
        let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? MemoryLayout<sa_family_t>.size
        return fits ? (address, socklen_t(start + bytes.count)) : nil
    }
}
