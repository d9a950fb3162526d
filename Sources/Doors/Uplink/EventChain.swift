import Crypto

/// The chain of digests of an event log up to a number: two logs with equal chains at an equal number have the same
/// events up to there, none lost, doubled, changed or in another order.
///
/// chain(0) is the SHA-256 of the log's name, and chain(n) that of chain(n−1) followed by the SHA-256 of the event's bytes.
/// An event that is missing counts as one without bytes.
public struct EventChain: Hashable, Sendable {
    /// The name of the log.
    public let log: String
    /// The number of the last event.
    public private(set) var seq: Int64
    /// The 32 bytes of the chain.
    public private(set) var digest: [UInt8]

    /// The greatest number of an event, and of events; sums of a few of them do not overflow.
    static let greatest: Int64 = 1 << 53

    /// Creates the chain before the first event of a log.
    public init(log: String) { self.init(log: log, seq: 0, digest: Self.digest(of: Array(log.utf8))) }

    /// Creates a chain from its parts.
    package init(log: String, seq: Int64, digest: [UInt8]) {
        self.log = log
        self.seq = seq
        self.digest = digest
    }

    /// Appends the next event.
    public mutating func append(_ bytes: [UInt8]) { append(digest: Self.digest(of: bytes)) }

    /// Appends the next event, of which only the digest is known.
    mutating func append(digest other: [UInt8]) {
        var hash = SHA256()
        hash.update(data: digest)
        hash.update(data: other)
        digest = Array(hash.finalize())
        seq += 1
    }

    /// Appends events that are missing.
    ///
    /// - Complexity: O(*n*) for *n* events.
    mutating func skip(_ count: Int64) {
        guard count > 0 else { return }
        let none = Self.digest(of: [])
        for _ in 0..<count { append(digest: none) }
    }

    /// The chain in 64 hexadecimal digits.
    public var text: String { HexDigest.text(of: digest) }

    /// Returns the SHA-256 of bytes.
    static func digest(of bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }
}

/// Bytes as hexadecimal digits in lower case.
enum HexDigest {
    static func text(of bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Returns the 32 bytes of a digest; `nil` for any other text.
    static func digest(_ text: String) -> [UInt8]? {
        let digits = text.utf8.map { digit -> UInt8? in
            switch digit {
            case 0x30...0x39: digit &- 0x30
            case 0x61...0x66: digit &- 0x57
            default: nil
            }
        }
        guard digits.count == 64 else { return nil }
        var bytes: [UInt8] = []
        for index in 0..<32 {
            guard let high = digits[2 * index], let low = digits[2 * index + 1] else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}
