#if Fleet
internal import CRabbitMQ

/// Why a call of the broker failed.
///
/// After an error, a connection is used no more: what was not confirmed or acknowledged is open.
public struct BrokerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of the failure.
    public enum Kind: Hashable, Sendable {
        /// The broker cannot be reached, or is gone.
        case unreachable
        /// The broker has not answered in time.
        case timedOut
        /// The broker does not accept the account.
        case notPermitted
        /// There is no such queue.
        case noQueue
        /// The broker has refused the call, or a message.
        case refused
    }

    /// The kind of the failure.
    public let kind: Kind
    /// What was tried, and the reason in the words of the broker or the library.
    public let description: String

    /// The error of a program that has too much to publish already.
    public static let busy = BrokerError(.refused, "too much waits to be published")

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// Creates the error of a reply that is none of success.
    init(_ reply: RabbitReply, doing action: String) {
        let kind: Kind =
            switch (reply.status, reply.code) {
            case (1, 403): .notPermitted
            case (1, 404): .noQueue
            case (1, 320): .unreachable
            case (1, _): .refused
            case (AMQP_STATUS_TIMEOUT.rawValue, _), (AMQP_STATUS_HEARTBEAT_TIMEOUT.rawValue, _): .timedOut
            default: .unreachable
            }
        let words = Self.words(of: reply)
        self.init(kind, words.isEmpty ? action : "\(action): \(words)")
    }

    /// Returns the words of a reply.
    private static func words(of reply: RabbitReply) -> String {
        var text = reply.text
        // The closure reads the bytes of this copy, which end with a zero.
        return unsafe withUnsafeBytes(of: &text) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
#endif
