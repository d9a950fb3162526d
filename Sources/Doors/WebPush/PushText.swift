import Crypto
import RPC
import Tracking

/// What is sent to a browser of a notification: what the notification centre shows of it.
struct PushText: Sendable {
    /// The JSON object that the service worker of the pages reads.
    let bytes: [UInt8]
    /// The topic, by which a push service replaces a message that the browser does not have yet (RFC 8030, section
    /// 5.4); `nil` for none.
    let topic: String?
    /// How urgent the message is (RFC 8030, section 5.3).
    let urgency: Urgency

    /// How urgent a message is: a browser that saves power may not be woken for what is not.
    enum Urgency: String, Sendable {
        /// It is of use only now, such as a sight that comes near.
        case high
        case normal
    }

    /// The members of a notification that are sent.
    private static let members = ["id", "kind", "time", "text", "destination", "people", "count", "about"]
    /// The members that are left out where there is too much.
    private static let dispensable = ["people", "about", "text"]

    /// Creates the text of a notification.
    ///
    /// - Parameters:
    ///   - notification: The notification as `notifications.get` answers.
    ///   - announcement: The notification as its event announced it.
    init(_ notification: JSONValue, announced announcement: JSONValue, by event: EventRecord) {
        var sent = JSONObject()
        for name in Self.members { if let value = notification[name] { sent[name] = value } }
        // The event names the subject, also where the notification leads to the people who did something with it.
        var key: String?
        if notification["count"] != nil, case .string(let kind)? = announcement["kind"],
            case .string(let subject)? = announcement["destination"]
        {
            key = String(Base64URL.text(SHA256.hash(data: Array("\(kind) \(subject)".utf8))).prefix(32))
            sent["tag"] = key.map { .string($0) }
        }
        topic = key
        urgency = event.device == nil ? .normal : .high
        bytes = Self.fitting(sent)
    }

    /// Creates the text with which a person tries whether notifications reach a browser.
    init(test time: String) {
        topic = nil
        urgency = .high
        bytes = JSONText(.object(["kind": "test", "time": .string(time), "tag": "test"])).bytes
    }

    private static func fitting(_ sent: JSONObject) -> [UInt8] {
        var sent = sent
        for name in dispensable {
            let bytes = JSONText(.object(sent)).bytes
            if bytes.count <= EncryptedContent.longestText { return bytes }
            sent[name] = nil
        }
        return JSONText(.object(sent)).bytes
    }
}
