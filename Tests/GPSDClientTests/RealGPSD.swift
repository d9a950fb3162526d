import Foundation

/// Debian's gpsd, fed over UDP, which runs as long as this object lives.
///
/// Each `unsafe` passes a local variable or an array to a call that reads or fills it before it returns.
final class RealGPSD: Sendable {
    static let path = "/usr/sbin/gpsd"
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// The TCP port at which it listens.
    let port: UInt16
    /// The name that it gives its receiver.
    let device: String
    private let feedPort: UInt16
    private let process = Process()

    /// Starts gpsd and waits until it listens and has opened its receiver.
    init() throws {
        port = Self.freePort(SOCK_STREAM)
        feedPort = Self.freePort(SOCK_DGRAM)
        device = "udp://127.0.0.1:\(feedPort)"
        let messages = Pipe()
        process.executableURL = URL(fileURLWithPath: Self.path)
        process.arguments = ["-N", "-n", "-D", "3", "-S", String(port), device]
        process.standardError = messages
        try process.run()
        // After that message gpsd drops from root to another user and logs it.
        var seen = ""
        while !seen.contains("startup at") {
            let more = messages.fileHandleForReading.availableData
            guard !more.isEmpty else { throw Failure(messages: seen) }
            seen += String(decoding: more, as: UTF8.self)
        }
    }

    struct Failure: Error {
        let messages: String
    }

    deinit {
        // gpsd has inherited the signal mask of one of Dispatch's threads, which blocks all other signals.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Sends a sentence as the receiver would, and adds its checksum.
    func feed(_ sentence: String) {
        let checksum = String(sentence.utf8.dropFirst().reduce(0, ^), radix: 16, uppercase: true)
        let bytes = Array("\(sentence)*\(checksum.count < 2 ? "0" : "")\(checksum)\r\n".utf8)
        let socket = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(socket) }
        var address = Self.address(port: feedPort)
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = unsafe sendto(socket, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func freePort(_ type: __socket_type) -> UInt16 {
        let descriptor = socket(AF_INET, Int32(type.rawValue), 0)
        defer { close(descriptor) }
        var address = address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = unsafe bind(descriptor, $0, length)
                _ = unsafe getsockname(descriptor, $0, &length)
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        return address
    }
}
