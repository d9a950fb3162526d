import Foundation
import Glibc

/// A connection of HTTP/1.1 to a daemon on this machine, for one request at a time.
final class WebLane {
    /// The socket's descriptor, for `poll`.
    var descriptor: Int32 { socket.descriptor }
    /// The time at which the answer that is awaited was due to be asked for; `nil` if none is awaited.
    private(set) var asked: ContinuousClock.Instant?
    /// The method and path of the last request.
    private(set) var question = ""

    private var socket: LocalSocket
    private let port: UInt16
    private var unread: [UInt8] = []
    /// The last whole answer.
    private var answer: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    /// Connects to a port.
    init(to port: UInt16) throws {
        self.port = port
        socket = try LocalSocket.stream(to: port)
    }

    /// Sends a request.
    ///
    /// - Parameter due: When it was due, from which its time counts.
    func send(
        _ method: String, _ path: String, _ fields: [String] = [], body: String = "", due: ContinuousClock.Instant
    ) throws {
        let head = ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Content-Length: \(body.utf8.count)"]
        try socket.send(Array(((head + fields).joined(separator: "\r\n") + "\r\n\r\n" + body).utf8))
        asked = due
        question = "\(method) \(path)"
    }

    /// Returns the answer to a GET request with its head, which has a length.
    func text(of path: String) throws -> String {
        try send("GET", path, due: .now)
        while try receive() == nil {}
        return String(decoding: answer, as: UTF8.self)
    }

    /// Receives what has come, of which there must be something.
    ///
    /// A connection that the daemon has closed because nothing was asked for a minute is made anew.
    ///
    /// - Returns: The status of the answer, once it is whole.
    func receive() throws -> Int? {
        let count: Int
        do {
            count = try socket.receive(into: &buffer)
        } catch is ConnectionClosed where asked == nil && unread.isEmpty {
            try reopen()
            return nil
        }
        unread += buffer[..<count]
        guard let end = unread.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: unread[..<end.lowerBound], as: UTF8.self).lowercased().split(separator: "\r\n")
        guard let status = head.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw Workload.Damage(description: "no HTTP: \(head.first ?? "")")
        }
        func field(_ name: String) -> Substring? {
            head.first { $0.hasPrefix(name + ":") }?.dropFirst(name.utf8.count + 1)
        }
        if let length = field("content-length").flatMap({ Int($0.filter { $0 != " " }) }) {
            guard unread.count - end.upperBound >= length else { return nil }
        } else if field("transfer-encoding") != nil {
            guard unread.suffix(5).elementsEqual("0\r\n\r\n".utf8) else { return nil }
        }
        swap(&answer, &unread)
        unread.removeAll(keepingCapacity: true)
        asked = nil
        return status
    }

    /// Connects anew.
    func reopen() throws {
        socket = try LocalSocket.stream(to: port)
        unread.removeAll(keepingCapacity: true)
        asked = nil
    }

    /// Receives a part of a stream that never ends.
    ///
    /// - Returns: The number of lines that end in it.
    /// - Throws: ``ConnectionClosed`` if the daemon has ended the stream, because this end read it too slowly.
    func receiveLines() throws -> Int {
        let count = try socket.receive(into: &buffer)
        return buffer[..<count].count { $0 == 0x0A }
    }
}
