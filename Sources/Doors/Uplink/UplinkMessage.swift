import Compression
import MQTT
import RPC
import TextCoding
import WebClient

/// A batch of events or a part of a trace on its way over a broker: the seal of what follows in 64 hexadecimal digits, a
/// line end, and the body that HTTPS would carry, compressed by gzip if that is shorter.
struct UplinkMessage: Hashable, Sendable {
    /// The digits of the seal, which name the message in the answer.
    let seal: [UInt8]
    /// What follows, perhaps compressed.
    let content: ArraySlice<UInt8>

    /// The longest body, in bytes: a batch or a part of a trace.
    static let longestBody = 68 << 10
    /// The longest message, in bytes.
    static let longest = UplinkSeal.length + 1 + longestBody
    /// The longest event that is sent as its bytes; the centre tells no longer one.
    static let longestEvent = UplinkBatch.greatestSize

    /// Reads a message; `nil` if it is none.
    init?(_ payload: [UInt8]) {
        guard payload.count <= Self.longest, payload.count > UplinkSeal.length,
            payload.dropFirst(UplinkSeal.length).first == 0x0A,
            HexDigest.digest(String(decoding: payload.prefix(UplinkSeal.length), as: UTF8.self)) != nil
        else { return nil }
        seal = Array(payload.prefix(UplinkSeal.length))
        content = payload.dropFirst(UplinkSeal.length + 1)
    }

    /// Creates a message with a body.
    init(_ body: [UInt8], on lane: BoardLane, sealedBy seal: UplinkSeal) {
        var content = body
        if let small = Gzip.compressed(body), small.count < body.count { content = small }
        self.content = content[...]
        self.seal = Array(seal.text(of: content, for: .batch(lane)).utf8)
    }

    /// The message as it is sent.
    var payload: [UInt8] { seal + [0x0A] + content }

    /// Returns whether the seal is that of a board.
    func isSealed(by key: UplinkSeal, on lane: BoardLane) -> Bool { key.isRight(seal, of: content, for: .batch(lane)) }

    /// Returns the body.
    ///
    /// - Throws: ``WebFailure`` if it is damaged, or longer than ``longestBody``.
    func body() throws(WebFailure) -> [UInt8] {
        guard content.starts(with: [0x1F, 0x8B]) else { return Array(content) }
        do {
            return try Gzip.expanded(Array(content), atMost: Self.longestBody)
        } catch {
            throw WebFailure("is damaged, or longer than \(Self.longestBody) bytes")
        }
    }
}

/// What a centre answers over a broker, as a JSON object.
///
/// It has the members of ``UplinkAnswer``, or `status` and `text` if the centre has refused the message; then `of`, the seal
/// of the message that it answers, and `seal`, its own. A refusal by a centre that does not know the board has no seal.
struct UplinkReply: Hashable, Sendable {
    /// The status of HTTP that the same answer has there.
    var status: Int
    /// The body that HTTPS would carry, or the text of a refusal.
    var body: [UInt8]
    /// The seal of the message that it answers.
    var request: [UInt8]
    /// Whether it has a seal, and that of the board.
    private(set) var isSealed = false

    private static let mark = Array(#","seal":""#.utf8)
    private static let end = Array(#""}"#.utf8)

    /// Creates an answer from its parts.
    init(status: Int, body: [UInt8], to request: [UInt8]) {
        (self.status, self.body, self.request) = (status, body, request)
    }

    /// Reads an answer; `nil` if it is none.
    init?(_ payload: [UInt8], key: UplinkSeal) {
        guard payload.count <= UplinkMessage.longest, let json = try? JSONValue(parsing: payload.span),
            case .string(let request)? = json["of"]
        else { return nil }
        self.request = Array(request.utf8)
        let length = Self.mark.count + UplinkSeal.length + Self.end.count
        let (content, tail) = (payload.dropLast(length), payload.suffix(length))
        if tail.count == length, tail.starts(with: Self.mark), tail.suffix(Self.end.count).elementsEqual(Self.end) {
            isSealed = key.isRight(
                tail.dropFirst(Self.mark.count).prefix(UplinkSeal.length), of: content, for: .answer)
        }
        if case .integer(let number)? = json["status"] {
            guard (400...599).contains(number), case .string(let text)? = json["text"] else { return nil }
            (status, body) = (Int(number), Array(text.utf8.prefix(Self.longestText)))
        } else {
            (status, body) = (200, payload)
        }
    }

    /// The longest text of a refusal that is read, in bytes.
    private static let longestText = 500

    /// Returns the answer as it is sent, with a seal if there is a key for it.
    func payload(sealedBy key: UplinkSeal?) -> [UInt8] {
        var content: [UInt8]
        if status == 200 {
            content = Array(body.dropLast())
        } else {
            content = Array(
                JSONText.object { json in
                    json.member("status", status)
                    json.member("text", String(decoding: body, as: UTF8.self))
                }.bytes.dropLast())
        }
        content += Array(#","of":"\#(String(decoding: request, as: UTF8.self))""#.utf8)
        guard let key else { return content + Array("}".utf8) }
        return content + Self.mark + Array(key.text(of: content, for: .answer).utf8) + Self.end
    }
}
