import Glibc

// Each `unsafe` in this file passes an array or a local variable, with its true length, to a call that reads or fills
// it before it returns. A sockaddr_in begins like every sockaddr.

/// Ports that the system has just reported as free.
enum FreePort {
    static func tcp() throws -> UInt16 { try free(SOCK_STREAM) }

    static func udp() throws -> UInt16 { try free(SOCK_DGRAM) }

    private static func free(_ type: __socket_type) throws -> UInt16 {
        let socket = try Descriptor(AF_INET, type)
        try socket.bind(port: 0)
        return socket.port
    }
}

/// A socket that `deinit` closes.
final class Descriptor: Sendable {
    let number: Int32

    /// The error of a system call.
    struct Failure: Error {
        let call: String
        let number = errno
    }

    init(_ family: Int32, _ type: __socket_type) throws {
        number = socket(family, Int32(type.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw Failure(call: "socket") }
        setDeadline()
    }

    init(owning number: Int32) throws {
        guard number >= 0 else { throw Failure(call: "accept") }
        self.number = number
        setDeadline()
    }

    deinit { close(number) }

    /// How many seconds a call may wait: far more than a test needs, so that a hang becomes a failure.
    static let deadline: Int32 = 20

    private func setDeadline() {
        var deadline = timeval(tv_sec: Int(Self.deadline), tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            unsafe setsockopt(number, SOL_SOCKET, option, &deadline, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// Sends all bytes on a stream and waits until the reader takes them.
    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(call: "send") }
            rest = rest.dropFirst(count)
        }
    }

    /// The local port to which the socket is bound.
    var port: UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = unsafe getsockname(number, $0, &length)
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    func bind(port: UInt16) throws {
        guard unsafe Self.withLocalAddress(port, { unsafe Glibc.bind(number, $0, $1) }) == 0 else {
            throw Failure(call: "bind")
        }
    }

    func connect(port: UInt16) throws {
        guard unsafe Self.withLocalAddress(port, { unsafe Glibc.connect(number, $0, $1) }) == 0 else {
            throw Failure(call: "connect")
        }
    }

    private static func withLocalAddress(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32
    {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}

/// Sends datagrams to a local port, whether anyone listens or not.
struct Datagrams: Sendable {
    let port: UInt16
    private let socket: Descriptor

    init(to port: UInt16) throws {
        self.port = port
        socket = try Descriptor(AF_INET, SOCK_DGRAM)
        try socket.connect(port: port)
    }

    func send(_ bytes: [UInt8]) { _ = unsafe Glibc.send(socket.number, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
}

/// A stream that one thread writes and reads line by line.
final class LineStream {
    private let socket: Descriptor
    private var unread: [UInt8] = []

    init(tcpPort port: UInt16) throws {
        socket = try Descriptor(AF_INET, SOCK_STREAM)
        try socket.connect(port: port)
    }

    func send(_ bytes: [UInt8]) throws { try socket.send(bytes) }

    /// Returns the next line without its end.
    func line() throws -> String {
        while true {
            if let end = unread.firstIndex(of: 0x0A) {
                defer { unread.removeFirst(end + 1) }
                return String(decoding: unread[..<end].filter { $0 != 0x0D }, as: UTF8.self)
            }
            var bytes = [UInt8](repeating: 0, count: 16_384)
            let count = unsafe recv(socket.number, &bytes, bytes.count, 0)
            guard count > 0 else { throw Descriptor.Failure(call: "recv") }
            unread += bytes[..<count]
        }
    }

    /// Returns all that comes until the other side closes the connection.
    func rest() -> String {
        while true {
            var bytes = [UInt8](repeating: 0, count: 16_384)
            // The array is filled during the call.
            let count = unsafe recv(socket.number, &bytes, bytes.count, 0)
            guard count > 0 else { return String(decoding: unread, as: UTF8.self) }
            unread += bytes[..<count]
        }
    }
}

/// A TCP server.
struct StreamServer: Sendable {
    var port: UInt16 { socket.port }
    private let socket: Descriptor

    init() throws {
        socket = try Descriptor(AF_INET, SOCK_STREAM)
        try socket.bind(port: 0)
        guard listen(socket.number, 8) == 0 else { throw Descriptor.Failure(call: "listen") }
    }

    /// Waits for the next client.
    func accept() async throws -> Descriptor {
        let socket = socket
        return try await offThePool {
            var request = pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&request, 1, Descriptor.deadline * 1000) == 1 else {
                throw Descriptor.Failure(call: "poll")
            }
            return try Descriptor(owning: Glibc.accept(socket.number, nil, nil))
        }
    }
}
