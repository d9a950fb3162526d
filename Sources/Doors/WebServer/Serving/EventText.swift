import EventStream
import NIOCore
import RPC
import TextCoding
import Tracking

/// Events in the text format of server-sent events (HTML standard, section 9.2).
struct EventText {
    /// The text so far.
    private(set) var buffer = ByteBuffer()
    private let log: String

    /// The delay before a disconnected reader reconnects, in milliseconds.
    private static let retry = 2_000

    /// Creates an empty text for the events of a log.
    init(log: String) { self.log = log }

    /// Writes the beginning of a stream: the delay before reconnecting, and the position from which the stream
    /// continues.
    ///
    /// - Parameter reset: The reason why that is not the position that the reader asked for.
    mutating func begin(after seq: Int64, reset: String?, _ bounds: JournalBounds) {
        buffer.writeString("retry: \(Self.retry)\nid: \(log):\(seq)\n")
        if let reset {
            var json = JSONWriter()
            json.object { json in
                json.member("reason", reset)
                json.member("log", bounds.log)
                json.member("first", bounds.first)
                json.member("last", bounds.last)
            }
            buffer.writeString("event: reset\ndata: ")
            buffer.writeBytes(json.bytes)
            buffer.writeString("\n")
        }
        buffer.writeString("\n")
    }

    /// Writes a comment that only keeps the connection alive.
    mutating func greet() { buffer.writeString(": hi\n\n") }

    /// Writes a message of a subscription.
    mutating func add(_ message: SubscriptionState.Message) {
        switch message {
        case .event(let line):
            let heading = EventHeading(line)
            if let seq = heading.seq { buffer.writeString("id: \(log):\(seq)\n") }
            buffer.writeStaticString("event: ")
            buffer.writeBytes(heading.type)
            buffer.writeStaticString("\ndata: ")
            buffer.writeBytes(line)
            buffer.writeStaticString("\n\n")
        // Without data it is not an event, and the browser only remembers the id.
        case .cursor(let seq): buffer.writeString("id: \(log):\(seq)\n\n")
        }
    }
}

/// The first members of an event: its number, if it is durable, and its type.
struct EventHeading: Equatable {
    private(set) var seq: Int64?
    /// The type, in UTF-8.
    private(set) var type = Self.unknown

    private static let unknown = Array("message".utf8)[...]
    private static let opening = Array("{".utf8)
    private static let number = Array("\"seq\":".utf8)
    private static let comma = Array(",".utf8)
    private static let name = Array("\"type\":\"".utf8)

    /// Parses the beginning of an event, `{"seq":42,"type":"trip.start",…`, and ignores the rest.
    ///
    /// It makes no text, because every event is parsed for every reader.
    init(_ line: [UInt8]) {
        var rest = line[...]
        guard Self.consume(Self.opening, from: &rest) else { return }
        if Self.consume(Self.number, from: &rest) {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            seq = Int64(String(decoding: digits, as: UTF8.self))
            rest = rest.dropFirst(digits.count)
            guard Self.consume(Self.comma, from: &rest) else { return }
        }
        guard Self.consume(Self.name, from: &rest) else { return }
        let name = rest.prefix { $0 != UInt8(ascii: "\"") }
        guard !name.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\\") }) else { return }
        type = name
    }

    private static func consume(_ wanted: [UInt8], from rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.starts(with: wanted) else { return false }
        rest = rest.dropFirst(wanted.count)
        return true
    }
}

extension EventFilter {
    /// Parses the filter in a query: `types`, `device`, `devices`, `geofences` and `kinds` as comma-separated lists,
    /// `bbox`, and `to`.
    init(query path: RequestPath) throws(Refusal) {
        let known = ["types", "device", "devices", "geofences", "kinds", "bbox", "to", "after"]
        if let unknown = path.parameters.keys.filter({ !known.contains($0) }).min() {
            throw Refusal.invalid(unknown, "is unknown; the parameters are \(known.joined(separator: ", "))")
        }
        var members = JSONObject()
        func list(_ name: String, _ member: String) {
            guard let text = path[name], !text.isEmpty else { return }
            members[member] = .array(text.split(separator: ",").map { .string(String($0)) })
        }
        list("types", "types")
        list("device", "devices")
        list("devices", "devices")
        list("geofences", "geofences")
        list("kinds", "kinds")
        if let to = path["to"] { members["to"] = .string(to) }
        if let box = path["bbox"] {
            var sides: [JSONValue] = []
            for side in box.split(separator: ",", omittingEmptySubsequences: false) {
                guard let side = Double(side), side.isFinite else {
                    throw Refusal.invalid("bbox", "must be west,south,east,north in degrees")
                }
                sides.append(.number(side))
            }
            members["bbox"] = .array(sides)
        }
        try self.init(members)
    }
}
