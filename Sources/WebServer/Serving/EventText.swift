import EventStream
import NIOCore
import RPC
import TextCoding

/// Events as a browser reads them (HTML standard, section 9.2).
struct EventText {
    /// The text so far.
    private(set) var buffer = ByteBuffer()
    private let log: String

    /// How soon a reader that was cut off comes again, in milliseconds.
    private static let retry = 2_000

    /// Nothing yet, of this log.
    init(log: String) { self.log = log }

    /// The beginning: how soon to come again, and after which event what follows comes.
    ///
    /// - Parameter reset: why that is not where the reader had got.
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

    /// A word that says nothing.
    mutating func greet() { buffer.writeString(": hi\n\n") }

    /// What a subscription says.
    mutating func add(_ message: SubscriptionState.Message) {
        switch message {
        case .event(let line):
            let heading = EventHeading(line)
            if let seq = heading.seq { buffer.writeString("id: \(log):\(seq)\n") }
            buffer.writeString("event: \(heading.type)\ndata: ")
            buffer.writeBytes(line)
            buffer.writeString("\n\n")
        // Without data it is no event, and the browser keeps the number.
        case .cursor(let seq): buffer.writeString("id: \(log):\(seq)\n\n")
        }
    }
}

/// What stands first in the text of an event: its number, if it is kept, and its type.
struct EventHeading: Equatable {
    private(set) var seq: Int64?
    private(set) var type = "message"

    /// Reads the beginning of an event as it is written, `{"seq":42,"type":"trip.start",…`, without parsing the rest.
    init(_ line: [UInt8]) {
        var rest = line[...]
        guard Self.take("{", from: &rest) else { return }
        if Self.take("\"seq\":", from: &rest) {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            seq = Int64(String(decoding: digits, as: UTF8.self))
            rest = rest.dropFirst(digits.count)
            guard Self.take(",", from: &rest) else { return }
        }
        guard Self.take("\"type\":\"", from: &rest) else { return }
        let name = rest.prefix { $0 != UInt8(ascii: "\"") }
        guard !name.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\\") }) else { return }
        type = String(decoding: name, as: UTF8.self)
    }

    private static func take(_ text: StaticString, from rest: inout ArraySlice<UInt8>) -> Bool {
        let wanted = text.description.utf8
        guard rest.starts(with: wanted) else { return false }
        rest = rest.dropFirst(wanted.count)
        return true
    }
}

extension EventFilter {
    /// What a query asks for: `types`, `device`, `geofences` and `kinds` with commas between, `bbox`, `to`.
    init(query path: RequestPath) throws(Refusal) {
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
