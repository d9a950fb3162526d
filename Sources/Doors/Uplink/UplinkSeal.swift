import Crypto
import MQTT

/// The seal of messages between a board and its centre that a broker carries.
///
/// It is an HMAC with SHA-256 (RFC 2104). Its key is the SHA-256 of the board's secret, of which the centre has no more. So
/// neither the broker nor whoever listens there learns the secret, or can change a message. A message that somebody repeats
/// has no effect, because batches and answers may come twice.
struct UplinkSeal {
    /// What a seal is for, so that a message of one kind is none of another.
    enum Use {
        case batch(BoardLane)
        case answer

        fileprivate var word: String {
            switch self {
            case .batch(let lane): lane.rawValue
            case .answer: "ack"
            }
        }
    }

    private let key: SymmetricKey

    /// The digits of a seal.
    static let length = 64

    /// Creates the seal of a board from its secret.
    init(secret: [UInt8]) { self.init(digest: EventChain.digest(of: secret)) }

    /// Creates the seal of a board from the SHA-256 of its secret.
    init(digest: some Sequence<UInt8>) { key = SymmetricKey(data: Array(digest)) }

    /// Returns the seal of bytes, as hexadecimal digits.
    func text(of bytes: some Sequence<UInt8>, for use: Use) -> String {
        HexDigest.text(of: Array(HMAC<SHA256>.authenticationCode(for: Self.data(bytes, use), using: key)))
    }

    /// Returns whether digits are the seal of bytes, in a time that does not depend on where they differ.
    func isRight(_ text: some Sequence<UInt8>, of bytes: some Sequence<UInt8>, for use: Use) -> Bool {
        guard let code = HexDigest.digest(String(decoding: Array(text), as: UTF8.self)) else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: Self.data(bytes, use), using: key)
    }

    private static func data(_ bytes: some Sequence<UInt8>, _ use: Use) -> [UInt8] {
        Array("waymark \(use.word)\n".utf8) + bytes
    }
}
