import EventStream
import NIOCore
import TextCoding

/// Encodes the messages for subscribers as lines.
///
/// A value keeps the last line, because most subscribers of an event get the same bytes.
struct EventLines {
    private var last: (line: [UInt8], subscription: String, buffer: ByteBuffer)?

    /// Returns the line of one event; a copy of the last one if that is the same.
    ///
    /// - Complexity: O(1) if it is the last line's array, otherwise O(bytes).
    mutating func buffer(_ line: [UInt8], of subscription: String) -> ByteBuffer {
        if let last, last.subscription == subscription, last.line == line { return last.buffer }
        let buffer = Self.buffer([.event(line)], of: subscription)
        last = (line, subscription, buffer)
        return buffer
    }

    /// Returns the messages of a subscription in one buffer.
    ///
    /// The text of an event was encoded once, when it was committed. Therefore a line costs little more than a copy.
    static func buffer(_ messages: [SubscriptionState.Message], of subscription: String) -> ByteBuffer {
        let opening = #"{"jsonrpc":"2.0","method":"event","params":{"subscription":"\#(subscription)","event":"#
        let closing = StaticString("}}\n")
        let size = messages.reduce(0) { size, message in
            if case .event(let text) = message {
                size + opening.utf8.count + text.count + closing.utf8CodeUnitCount
            } else {
                size + 128
            }
        }
        var buffer = ByteBuffer()
        buffer.reserveCapacity(size)
        for message in messages {
            switch message {
            case .event(let text):
                buffer.writeString(opening)
                buffer.writeBytes(text)
                buffer.writeStaticString(closing)
            case .cursor(let seq):
                var json = JSONWriter()
                json.object { json in
                    json.member("jsonrpc", "2.0")
                    json.member("method", "cursor")
                    json.object("params") { json in
                        json.member("subscription", subscription)
                        json.member("seq", seq)
                    }
                }
                buffer.writeBytes(json.bytes)
                buffer.writeInteger(UInt8(ascii: "\n"))
            }
        }
        return buffer
    }
}
