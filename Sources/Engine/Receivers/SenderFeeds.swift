import NMEA
import Positioning

/// The sender of a datagram.
struct DatagramSender: Hashable, Sendable {
    /// The address of its machine, which stays the same when a program is restarted there.
    let address: String
    /// The port, which tells apart several programs of one machine.
    let port: Int
}

/// Decodes the bytes of one connection, which for datagrams has several senders.
///
/// A sentence may go on in the next datagram of the same sender. The sentences of one machine make up one stream,
/// whatever ports they come from, because some programs use another port each time.
struct SenderFeeds {
    /// The greatest number of machines; the one heard of longest ago goes.
    static let maximumCount = 10_000
    /// The greatest number of ports of each machine; the one heard of longest ago goes.
    static let maximumPorts = 64
    /// The greatest length of a sentence that waits for its end.
    fileprivate static let longestRest = 1024

    fileprivate struct Sender {
        var feed: NMEAFeed
        /// The unfinished sentences, by port, in the order in which the ports were last heard of.
        var rests: [(port: Int, bytes: [UInt8])] = []
    }

    private let rollover: WeekRollover
    private var feed: NMEAFeed
    /// The machines by their addresses.
    private var senders = RecentValues<String, Sender>()

    /// - Parameter rollover: The rules by which the dates of each sender are corrected.
    init(_ rollover: WeekRollover) {
        self.rollover = rollover
        feed = NMEAFeed(rollover)
    }

    /// Processes the next input, and returns what it yields.
    mutating func process(_ input: ByteInput) -> [ReceiverInput] {
        switch input {
        case .bytes, .silence: return feed.process(input)
        case .pause:
            var inputs = feed.process(.pause)
            senders.changeAll { inputs += Self.named($1.feed.process(.pause), $1, at: $0) }
            return inputs
        case .datagram(let bytes, let sender): return process(bytes, from: sender)
        }
    }

    /// Processes the end of the connection, and returns what is left.
    mutating func finish() -> [ReceiverInput] {
        var inputs = feed.finish()
        senders.changeAll { inputs += Self.named($1.feed.finish(), $1, at: $0) }
        return inputs
    }

    private mutating func process(_ bytes: [UInt8], from source: DatagramSender) -> [ReceiverInput] {
        if senders.count >= Self.maximumCount, senders.peek(source.address) == nil, let first = senders.first {
            senders.remove(first.key)
        }
        return senders.use(source.address, or: Sender(feed: NMEAFeed(rollover))) { sender in
            let whole = sender.lines(with: bytes, from: source.port)
            return whole.isEmpty ? [.noise] : Self.named(sender.feed.process(.bytes(whole)), sender, at: source.address)
        }
    }

    /// Names the sender of positions.
    ///
    /// One that sends only other sentences, such as depths, is no device of its own.
    private static func named(
        _ inputs: [ReceiverInput], _ sender: borrowing Sender, at address: String
    ) -> [ReceiverInput] {
        guard sender.feed.givesPositions else { return inputs }
        return inputs.map { input in
            guard case .validData(let fixes, nil) = input else { return input }
            return .validData(fixes, from: address)
        }
    }
}

extension SenderFeeds.Sender {
    /// Returns the whole lines that a datagram completes, and keeps what follows them.
    fileprivate mutating func lines(with bytes: [UInt8], from port: Int) -> [UInt8] {
        var bytes = bytes
        if let index = rests.firstIndex(where: { $0.port == port }) { bytes = rests.remove(at: index).bytes + bytes }
        // Some senders omit the line end of a datagram's last sentence. After an incomplete one it would do harm.
        if DatagramHandler.endsWithChecksum(bytes) { bytes.append(UInt8(ascii: "\n")) }
        guard let end = bytes.lastIndex(where: { $0 == 10 || $0 == 13 }) else {
            return keep(bytes, of: port)
        }
        let rest = Array(bytes.dropFirst(end + 1))
        return Array(bytes.prefix(end + 1)) + (rest.isEmpty ? [] : keep(rest, of: port))
    }

    /// Keeps an unfinished sentence; returns it if it is too long to be one.
    private mutating func keep(_ bytes: [UInt8], of port: Int) -> [UInt8] {
        guard bytes.count <= SenderFeeds.longestRest else { return bytes }
        if rests.count >= SenderFeeds.maximumPorts { rests.removeFirst() }
        rests.append((port, bytes))
        return []
    }
}
