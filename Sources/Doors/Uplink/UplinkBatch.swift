import RPC
import TextCoding
public import WebClient

/// Events of a board on their way to the centre, consecutive and with the chain that they lead to.
///
/// It is a JSON object on several lines, `{"log":…,"first":…,"last":…,"chain":…,"events":[`, then one line for each event,
/// then `]}`. The lines of the events are the bytes that the log has stored; they have no line ends. An event that must not
/// leave the board is `{"seq":…,"digest":…}`, and events that the board has no longer are `{"seq":…,"missing":…}` with their
/// number.
public struct UplinkBatch: Hashable, Sendable {
    /// What is sent of one event, or of several that are missing.
    public enum Item: Hashable, Sendable {
        /// The bytes of an event.
        case event([UInt8])
        /// The SHA-256 of an event that stays on the board.
        case digest([UInt8])
        /// A number of events that the board has no longer.
        case missing(Int64)

        /// The number of events.
        var count: Int64 { if case .missing(let count) = self { count } else { 1 } }
    }

    /// The number of the first event; one more than the last if there is none.
    public private(set) var first: Int64
    /// The items in order.
    public private(set) var items: [Item] = []
    /// The chain up to the last event.
    public private(set) var chain: EventChain
    /// The bytes of the items on their way.
    private var size = 0

    /// The most items in a batch, and the most bytes of them, unless one event alone has more.
    package static let (longest, greatestSize) = (200, 65_536)
    /// The most missing events in a batch, for which the centre computes as many digests.
    static let mostMissing: Int64 = 100_000
    /// The longest body, in bytes: one event fits in a line of the socket's protocol, which has at most a mebibyte.
    public static let longestBody = 2 << 20

    /// Creates a batch without events.
    package init(after chain: EventChain) {
        self.chain = chain
        first = chain.seq + 1
    }

    /// The number of the last event.
    public var last: Int64 { chain.seq }

    /// The number of events that the board has no longer.
    public var missing: Int64 {
        items.reduce(0) { sum, item in if case .missing(let count) = item { sum + count } else { sum } }
    }

    /// Adds an item; returns `false` if there is no room for it.
    package mutating func add(_ item: Item) -> Bool {
        let length =
            switch item {
            case .event(let bytes): bytes.count
            case .digest: 96
            // One item of this kind ends a batch.
            case .missing: Self.greatestSize
            }
        guard items.isEmpty || items.count < Self.longest && size + length <= Self.greatestSize else { return false }
        size += length
        items.append(item)
        item.extend(&chain)
        return true
    }

    /// The batch as it is sent.
    public var bytes: [UInt8] {
        var bytes = Array(
            #"{"log":"\#(chain.log)","first":\#(first),"last":\#(last),"chain":"\#(chain.text)","events":["#.utf8)
        var seq = first
        for (index, item) in items.enumerated() {
            bytes += index == 0 ? [0x0A] : [UInt8(ascii: ","), 0x0A]
            switch item {
            case .event(let line): bytes += line
            case .digest(let digest): bytes += #"{"seq":\#(seq),"digest":"\#(HexDigest.text(of: digest))"}"#.utf8
            case .missing(let count): bytes += #"{"seq":\#(seq),"missing":\#(count)}"#.utf8
            }
            seq += item.count
        }
        return bytes + [0x0A] + Array("]}".utf8)
    }

    /// Reads a batch.
    ///
    /// The chain is that of the sender; only the centre can judge it.
    ///
    /// - Throws: ``WebFailure`` if it is no batch, or its numbers contradict each other.
    public init(_ bytes: [UInt8]) throws(WebFailure) {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        guard let head = lines.first, lines.count >= 2, lines.last.map({ Array($0) == Array("]}".utf8) }) == true,
            lines.count - 2 <= Self.longest, case .object(let object)? = Self.value(head + Array("]}".utf8)),
            case .string(let log)? = object["log"], log.utf8.count == 32,
            log.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
            case .string(let text)? = object["chain"], let digest = HexDigest.digest(text),
            case .integer(let first)? = object["first"], (1...EventChain.greatest).contains(first),
            case .integer(let last)? = object["last"], (first - 1...EventChain.greatest).contains(last)
        else { throw WebFailure("is no batch of events") }
        self.first = first
        chain = EventChain(log: log, seq: last, digest: digest)
        var seq = first
        for (index, line) in lines.dropFirst().dropLast().enumerated() {
            let isLast = index == lines.count - 3
            guard isLast || line.last == UInt8(ascii: ","),
                let item = Self.item(isLast ? line : line.dropLast(), seq)
            else { throw WebFailure("has no event \(seq) where it should be") }
            items.append(item)
            seq += item.count
        }
        guard missing <= Self.mostMissing else { throw WebFailure("has too many missing events") }
        guard seq == last + 1 else { throw WebFailure("does not end with event \(last)") }
    }

    private static func item(_ line: ArraySlice<UInt8>, _ seq: Int64) -> Item? {
        guard case .object(let object)? = value(line), case .integer(seq)? = object["seq"] else { return nil }
        guard object.count == 2 else { return .event(Array(line)) }
        switch (object["digest"], object["missing"]) {
        case (.string(let text)?, nil): return HexDigest.digest(text).map(Item.digest)
        case (nil, .integer(let count)?) where (1...mostMissing).contains(count): return .missing(count)
        default: return nil
        }
    }

    private static func value(_ bytes: ArraySlice<UInt8>) -> JSONValue? {
        let bytes = Array(bytes)
        return try? JSONValue(parsing: bytes.span)
    }
}

extension UplinkBatch.Item {
    /// Appends the item's events to a chain.
    package func extend(_ chain: inout EventChain) {
        switch self {
        case .event(let bytes): chain.append(bytes)
        case .digest(let digest): chain.append(digest: digest)
        case .missing(let count): chain.skip(count)
        }
    }
}
