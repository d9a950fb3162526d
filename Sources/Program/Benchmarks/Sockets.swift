import Foundation
import Glibc
import SocketServer

// Each `unsafe` in this file passes an array or a local variable to a call that reads or fills it before it returns,
// with its true length. A sockaddr_in begins like every sockaddr.

/// The error that a system call failed.
struct SystemFailure: Error, CustomStringConvertible {
    let call: String
    let number = errno

    var description: String { "\(call): errno \(number)" }
}

/// The error that the other end has closed a connection.
struct ConnectionClosed: Error, CustomStringConvertible {
    var description: String { "the other end has closed the connection" }
}

/// A socket of this process, closed when the object is released.
///
/// A receive that takes longer than a minute is an error.
final class LocalSocket: Sendable {
    let descriptor: Int32

    private static let deadline = 60

    private init(_ family: Int32, _ type: __socket_type) throws {
        descriptor = socket(family, Int32(type.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemFailure(call: "socket") }
        var deadline = timeval(tv_sec: Self.deadline, tv_usec: 0)
        unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &deadline, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Connects a stream to a Unix socket.
    static func stream(to path: String) throws -> LocalSocket {
        let socket = try LocalSocket(AF_UNIX, SOCK_STREAM)
        let address = try UnixAddress(path: path)
        guard unsafe address.withPointer({ unsafe connect(socket.descriptor, $0, $1) }) == 0 else {
            throw SystemFailure(call: "connect to \(path)")
        }
        return socket
    }

    /// Binds a datagram socket to a path.
    static func datagrams(at path: String) throws -> LocalSocket {
        let socket = try LocalSocket(AF_UNIX, SOCK_DGRAM)
        let address = try UnixAddress(path: path)
        guard unsafe address.withPointer({ unsafe bind(socket.descriptor, $0, $1) }) == 0 else {
            throw SystemFailure(call: "bind to \(path)")
        }
        return socket
    }

    /// Connects a datagram socket to a UDP port of this machine.
    static func datagrams(to port: UInt16) throws -> LocalSocket {
        let socket = try LocalSocket(AF_INET, SOCK_DGRAM)
        guard unsafe withLoopback(port, { unsafe connect(socket.descriptor, $0, $1) }) == 0 else {
            throw SystemFailure(call: "connect to port \(port)")
        }
        return socket
    }

    /// Connects a stream to a TCP port of this machine.
    static func stream(to port: UInt16) throws -> LocalSocket {
        let socket = try LocalSocket(AF_INET, SOCK_STREAM)
        guard unsafe withLoopback(port, { unsafe connect(socket.descriptor, $0, $1) }) == 0 else {
            throw SystemFailure(call: "connect to port \(port)")
        }
        return socket
    }

    /// Returns a TCP port that was free a moment ago.
    static func freeStreamPort() throws -> UInt16 { try freePort(SOCK_STREAM) }

    /// Returns a UDP port that was free a moment ago.
    static func freePort() throws -> UInt16 { try freePort(SOCK_DGRAM) }

    private static func freePort(_ type: __socket_type) throws -> UInt16 {
        let socket = try LocalSocket(AF_INET, type)
        guard unsafe withLoopback(0, { unsafe bind(socket.descriptor, $0, $1) }) == 0 else {
            throw SystemFailure(call: "bind")
        }
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(socket.descriptor, $0, &length)
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Sends all bytes.
    func send(_ bytes: [UInt8]) throws {
        let count = unsafe Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        guard count == bytes.count else { throw SystemFailure(call: "send") }
    }

    /// Receives at least one byte into a buffer.
    ///
    /// - Returns: The number of bytes received.
    /// - Throws: ``ConnectionClosed`` if there will be no more.
    func receive(into buffer: inout [UInt8]) throws -> Int {
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        guard count != 0 else { throw ConnectionClosed() }
        guard count > 0 else { throw SystemFailure(call: "recv") }
        return count
    }

    /// Whether a server accepts connections at a path.
    static func isAccepting(at path: String) -> Bool { (try? stream(to: path)) != nil }

    private static func withLoopback(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
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

/// A subscriber of the socket, for use by one thread.
final class SocketSubscriber {
    private let socket: LocalSocket
    private var unread: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 16_384)

    /// Connects and subscribes, and waits for the answer.
    ///
    /// - Parameter parameters: The parameters of `events.subscribe`, as JSON.
    init(to path: String, _ parameters: String = "{}") throws {
        socket = try LocalSocket.stream(to: path)
        let request = #"{"jsonrpc":"2.0","id":1,"method":"events.subscribe","params":\#(parameters)}"#
        try socket.send(Array("\(request)\n".utf8))
        let answer = String(decoding: try line(), as: UTF8.self)
        guard answer.contains("\"result\"") else { throw Workload.Damage(description: "no subscription: \(answer)") }
    }

    /// Returns the next line, without its line end.
    func line() throws -> ArraySlice<UInt8> {
        while true {
            if let end = unread.firstIndex(of: 0x0A) {
                let line = unread[..<end]
                unread.removeFirst(end + 1)
                return line
            }
            let count = try socket.receive(into: &buffer)
            unread += buffer[..<count]
        }
    }

    /// Waits for a line that contains a text.
    func wait(for text: [UInt8]) throws { while !(try line()).contains(text) {} }
}

/// A connection for calls of the protocol, one at a time, for use by one thread.
final class SocketCaller {
    private let socket: LocalSocket
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    /// Connects to the socket at a path.
    init(to path: String) throws { socket = try LocalSocket.stream(to: path) }

    /// Calls a method, and returns the line of the answer.
    ///
    /// - Parameter parameters: The parameters, as JSON.
    func call(_ method: String, _ parameters: String) throws -> String {
        try socket.send(Array(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(parameters)}"#.utf8) + [0x0A])
        var line: [UInt8] = []
        while line.last != 0x0A { line += buffer[..<(try socket.receive(into: &buffer))] }
        return String(decoding: line, as: UTF8.self)
    }
}
