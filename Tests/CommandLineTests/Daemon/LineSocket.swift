import Foundation
import Glibc
import RPC
import SocketServer

/// A client of the daemon's socket that sees the raw bytes.
///
/// It blocks, so a test uses it on a separate thread. Each `unsafe` passes an array or a local variable to a call that
/// reads or fills it before it returns.
final class LineSocket {
    let descriptor: Int32
    private var bytes: [UInt8] = []
    private var start = 0
    private var lastID = 0

    /// The error for a refused call or for data that did not come.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    init(to path: String) throws {
        let address = try UnixAddress(path: path)
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard unsafe address.withPointer({ unsafe connect(descriptor, $0, $1) }) == 0 else {
            let number = errno
            close(descriptor)
            throw Failure(description: "no connection to \(path): errno \(number)")
        }
    }

    deinit { close(descriptor) }

    /// Sends all bytes.
    ///
    /// - Throws: ``Failure`` if the other side has closed the connection or takes nothing until the deadline.
    func send(_ text: some Sequence<UInt8>) throws {
        let text = Array(text)
        var sent = 0
        while sent < text.count {
            let count = unsafe text.withUnsafeBytes { bytes in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[sent...])
                return unsafe Glibc.send(
                    descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
            if count >= 0 {
                sent += count
            } else if errno == EAGAIN {
                try wait(for: POLLOUT)
            } else {
                throw Failure(description: "sending: errno \(errno)")
            }
        }
    }

    func send(_ text: String) throws { try send(text.utf8) }

    /// Returns the next line without its end, or `nil` if the other side has closed the connection.
    ///
    /// - Throws: ``Failure`` if none comes until the deadline.
    func line() throws -> [UInt8]? {
        while true {
            if let end = bytes[start...].firstIndex(of: 0x0A) {
                defer { start = end + 1 }
                return Array(bytes[start..<end])
            }
            bytes.removeSubrange(..<start)
            start = 0
            guard let more = try piece() else { return nil }
            bytes += more
        }
    }

    /// Receives at least one byte, or returns `nil` if the other side has closed the connection.
    func piece() throws -> ArraySlice<UInt8>? {
        try wait(for: POLLIN)
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe recv(descriptor, &piece, piece.count, 0)
        return count > 0 ? piece[..<count] : nil
    }

    private func wait(for event: Int32) throws {
        var request = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        let limit = Int32(RunningDaemon.deadline / .milliseconds(1))
        guard unsafe poll(&request, 1, limit) != 0 else { throw Failure(description: "nothing comes any more") }
    }
}

extension LineSocket {
    /// Calls a method and waits for its answer, discarding notifications before it.
    ///
    /// - Returns: The whole answer, with `result` or `error`.
    @discardableResult
    func call(_ method: String, _ parameters: String = "{}") throws -> JSONValue {
        lastID += 1
        try send(#"{"jsonrpc":"2.0","id":\#(lastID),"method":"\#(method)","params":\#(parameters)}"# + "\n")
        while let line = try line() {
            let answer = try JSONValue(parsing: line.span)
            if answer["id"] == .integer(Int64(lastID)) { return answer }
        }
        throw Failure(description: "the connection ended before \(method) was answered")
    }

    /// Returns the bytes of the next event, or `nil` if the other side has closed the connection.
    ///
    /// In a notification, `event` is the last parameter, so its bytes can be found without parsing.
    func event() throws -> [UInt8]? {
        let key = Array(#","event":"#.utf8)
        while let line = try line() {
            guard line.starts(with: #"{"jsonrpc":"2.0","method":"event","#.utf8) else { continue }
            var place = 0
            while !line[place...].starts(with: key) { place += 1 }
            return Array(line[(place + key.count)..<(line.count - 2)])
        }
        return nil
    }
}

extension LineSocket {
    /// Subscribes to all events and reads them until one of the given type has come or the daemon has ended.
    ///
    /// - Parameter heard: Called after each event with the number of events so far.
    func allEvents(until type: String? = nil, heard: (Int) -> Void = { _ in }) throws -> [[UInt8]] {
        try call("events.subscribe", #"{"after":0}"#)
        var events: [[UInt8]] = []
        while let event = try event() {
            events.append(event)
            heard(events.count)
            if let type, event.contains(#""type":"\#(type)""#) { break }
        }
        return events
    }
}

extension JSONValue {
    /// The text, or `nil` if this is not a string.
    var text: String? { if case .string(let text) = self { text } else { nil } }

    /// The integer, or `nil` if this is not an integer.
    var whole: Int64? { if case .integer(let number) = self { number } else { nil } }

    /// The elements, or `nil` if this is not an array.
    var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
}

extension [UInt8] {
    /// Returns whether a text occurs in these bytes.
    func contains(_ text: String) -> Bool { String(decoding: self, as: UTF8.self).contains(text) }
}
