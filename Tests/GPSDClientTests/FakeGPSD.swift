import Dispatch
import Glibc

/// A server on a local port that runs a test's script with its first client.
///
/// Each `unsafe` passes a local variable or an array to a call that reads or fills it before it returns.
final class FakeGPSD: Sendable {
    static let banner = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"# + "\r\n"

    /// The TCP port at which it listens.
    let port: UInt16
    private let descriptor: Int32

    /// Listens and runs the script with the first client on another thread.
    convenience init(_ script: @escaping @Sendable (Client) -> Void) {
        self.init(backlog: 16)
        let listening = descriptor
        DispatchQueue(label: "fake gpsd").async {
            let accepted = accept(listening, nil, nil)
            guard accepted >= 0 else { return }
            script(Client(descriptor: accepted))
            close(accepted)
        }
    }

    /// Listens without accepting anyone, with room for `backlog` waiting connections.
    init(backlog: Int32) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = unsafe bind(descriptor, $0, length)
                _ = unsafe getsockname(descriptor, $0, &length)
            }
        }
        listen(descriptor, backlog)
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit {
        // Wakes the thread if no client has come.
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    /// Fills the backlog, so that a further client never gets an answer.
    func fill() -> [Int32] {
        (0..<4).map { _ in
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
            var address = Self.address(port: port)
            unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    _ = unsafe connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            return client
        }
    }

    private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        return address
    }

    /// The server's side of the connection.
    struct Client: Sendable {
        let descriptor: Int32

        func send(_ text: String) { send(Array(text.utf8)) }

        func send(_ bytes: [UInt8]) {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes {
                    unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }

        /// Returns the next line, or what comes before the end.
        func line() -> String {
            var bytes: [UInt8] = []
            var byte: UInt8 = 0
            while unsafe recv(descriptor, &byte, 1, 0) == 1, byte != UInt8(ascii: "\n") { bytes.append(byte) }
            return String(decoding: bytes, as: UTF8.self)
        }

        /// Waits until the client closes the connection.
        func waitForEnd() { while !line().isEmpty {} }

        /// Closes the connection as a killed process with unread bytes does.
        func reset() {
            var linger = linger(l_onoff: 1, l_linger: 0)
            _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
        }
    }
}
