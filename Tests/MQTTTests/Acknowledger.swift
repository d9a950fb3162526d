/// A broker of MQTT 3.1.1 for one client: it acknowledges what the client publishes, and sends nothing of its own.
struct Acknowledger {
    /// Receives the topic and the payload of each message.
    let take: (_ topic: String, _ payload: [UInt8]) -> Void

    func serve(_ connection: Int32) {
        var unread: [UInt8] = []
        while case let bytes = Listener.read(connection), !bytes.isEmpty {
            unread += bytes
            while let (kind, body, length) = Self.packet(unread) {
                unread.removeFirst(length)
                Listener.write(answer(to: kind, body), to: connection)
            }
        }
    }

    /// Returns the first packet, if it is complete: its first byte, what follows its length, and how long all of it is.
    private static func packet(_ bytes: [UInt8]) -> (kind: UInt8, body: ArraySlice<UInt8>, length: Int)? {
        var length = 0
        for (index, byte) in bytes.dropFirst().prefix(4).enumerated() {
            length |= Int(byte & 0x7F) << (7 * index)
            guard byte < 0x80 else { continue }
            let (start, end) = (index + 2, index + 2 + length)
            return end <= bytes.count ? (bytes[0], bytes[start..<end], end) : nil
        }
        return nil
    }

    private func answer(to kind: UInt8, _ body: ArraySlice<UInt8>) -> [UInt8] {
        switch kind >> 4 {
        case 1: return [0x20, 0x02, 0x00, 0x00]
        case 3:
            let topic = Int(body[body.startIndex]) << 8 | Int(body[body.startIndex + 1])
            let rest = body.dropFirst(2 + topic)
            let isAcknowledged = kind & 0x06 != 0
            take(
                String(decoding: body.dropFirst(2).prefix(topic), as: UTF8.self),
                Array(rest.dropFirst(isAcknowledged ? 2 : 0)))
            return isAcknowledged ? [0x40, 0x02] + rest.prefix(2) : []
        case 8: return [0x90, 0x03] + body.prefix(2) + [0x00]
        case 10: return [0xB0, 0x02] + body.prefix(2)
        case 12: return [0xD0, 0x00]
        default: return []
        }
    }
}
