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
    /// The greatest number of machines, and of ports of each machine.
    ///
    /// The one heard of longest ago goes.
    static let maximumCount = 64
    /// The greatest length of a sentence that waits for its end.
    fileprivate static let longestRest = 1024

    fileprivate struct Sender {
        var feed: NMEAFeed
        /// The unfinished sentences, by port, in the order in which the ports were last heard of.
        var rests: [(port: Int, bytes: [UInt8])] = []
    }

    private let rollover: WeekRollover
    private var feed: NMEAFeed
    /// The machines, in the order in which they were last heard of.
    private var senders: [(address: String, sender: Sender)] = []

    /// - Parameter rollover: The rules by which the dates of each sender are corrected.
    init(_ rollover: WeekRollover) {
        self.rollover = rollover
        feed = NMEAFeed(rollover)
    }

    /// Processes the next input, and returns what it yields.
    mutating func take(_ input: ByteInput) -> [ReceiverInput] {
        switch input {
        case .bytes, .silence: return feed.take(input)
        case .pause:
            var inputs = feed.take(.pause)
            for index in senders.indices {
                inputs += Self.named(senders[index].sender.feed.take(.pause), senders[index])
            }
            return inputs
        case .datagram(let bytes, let sender): return take(bytes, from: sender)
        }
    }

    /// Processes the end of the connection, and returns what is left.
    mutating func finish() -> [ReceiverInput] {
        var inputs = feed.finish()
        for index in senders.indices { inputs += Self.named(senders[index].sender.feed.finish(), senders[index]) }
        return inputs
    }

    private mutating func take(_ bytes: [UInt8], from source: DatagramSender) -> [ReceiverInput] {
        var entry: (address: String, sender: Sender)
        if let index = senders.firstIndex(where: { $0.address == source.address }) {
            entry = senders.remove(at: index)
        } else {
            if senders.count >= Self.maximumCount { senders.removeFirst() }
            entry = (source.address, Sender(feed: NMEAFeed(rollover)))
        }
        let whole = entry.sender.lines(with: bytes, from: source.port)
        let inputs = whole.isEmpty ? [.noise] : Self.named(entry.sender.feed.take(.bytes(whole)), entry)
        senders.append(entry)
        return inputs
    }

    /// Names the sender of positions.
    ///
    /// One that sends only other sentences, such as depths, is no device of its own.
    private static func named(
        _ inputs: [ReceiverInput], _ entry: (address: String, sender: Sender)
    ) -> [ReceiverInput] {
        guard entry.sender.feed.givesPositions else { return inputs }
        return inputs.map { input in
            guard case .validData(let fixes, nil) = input else { return input }
            return .validData(fixes, from: entry.address)
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
        if rests.count >= SenderFeeds.maximumCount { rests.removeFirst() }
        rests.append((port, bytes))
        return []
    }
}
