public import Geodesy
public import Positioning
package import RPC

/// Something to be told to one person.
public struct NotificationDraft: Hashable, Sendable {
    /// What it is about, which people choose by; a feature that makes others names them in ``Feature/notifications``.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// What it is called on the wire.
        public let rawValue: String

        /// The kind of a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// They have come near a sight.
        public static let sight = Kind(rawValue: "sight")
        /// Someone asks to be their friend, or has answered them.
        public static let friend = Kind(rawValue: "friend")
        /// Someone suggests something to them.
        public static let suggestion = Kind(rawValue: "suggestion")
        /// Something is wrong, or has become of something of theirs.
        public static let notice = Kind(rawValue: "notice")
    }

    /// What pressing its button does.
    public enum Action: Hashable, Sendable {
        /// Opens a link.
        case open(String)
        /// Calls a method once, with parameters as a JSON object.
        case call(method: String, parameters: String)
    }

    /// Where it comes from, where that is a device's doing.
    public struct Origin: Hashable, Sendable {
        /// The device.
        public var device: String
        /// Where it was.
        public var place: Coordinate

        /// A device at a place.
        public init(device: String, place: Coordinate) {
            self.device = device
            self.place = place
        }
    }

    /// The person who did what it is about.
    public struct Author: Hashable, Sendable {
        /// Their number in the table `person`; the notification is removed with their account.
        public var person: Int64
        /// What the event log has instead of the text, as events stay when an account is removed: it has their username,
        /// not their name, and nothing that they wrote.
        public var lasting: NotificationText

        /// A person, and what the event log has of what they did.
        public init(_ person: Int64, lasting: NotificationText) {
            self.person = person
            self.lasting = lasting
        }
    }

    /// Whom it is for, by id.
    public var person: String
    /// What it is about.
    public var kind: Kind
    /// When that happened.
    public var time: Timestamp
    /// What makes it that one: the same key is told a person only once.
    public var key: String
    /// The text.
    public var text: NotificationText
    /// Where it leads: `waymark://KIND/ID`, or a link.
    public var destination: String
    /// Where it comes from; nil where that is no device's doing.
    public var origin: Origin?
    /// Who did what it is about; nil where that is no person.
    public var author: Author?
    /// What its button says and does; nil for none.
    public var action: (title: String, action: Action)? {
        get { actionTitle.flatMap { title in actionBody.map { (title, $0) } } }
        set { (actionTitle, actionBody) = (newValue?.title, newValue?.action) }
    }

    private var actionTitle: String?
    private var actionBody: Action?

    /// The longest key, in bytes: two ids and a few words.
    static let longestKey = 1024
    /// The longest title of a button, in bytes.
    package static let longestTitle = 200
    /// The longest parameters of a call, in bytes: a few ids.
    static let longestParameters = 4096

    /// A notification without a button.
    public init(
        to person: String, _ kind: Kind, at time: Timestamp, key: String, text: NotificationText, destination: String
    ) {
        self.person = person
        self.kind = kind
        self.time = time
        self.key = key
        self.text = text
        self.destination = destination
    }

    /// Refuses with error 4 what could not be shown, followed or done.
    package func check() throws(Refusal) {
        guard (1...Self.longestKey).contains(key.utf8.count) else {
            throw Refusal.invalid("key", "must be of 1 to \(Self.longestKey) bytes")
        }
        guard NotificationDestination(destination) != nil else {
            throw Refusal.invalid("destination", "must be waymark://KIND/ID, or begin with http:// or https://")
        }
        guard let action else { return }
        guard (1...Self.longestTitle).contains(action.title.utf8.count) else {
            throw Refusal.invalid("action.title", "must be of 1 to \(Self.longestTitle) bytes")
        }
        switch action.action {
        case .open(let url):
            guard NotificationDestination(url) != nil else {
                throw Refusal.invalid("action.url", "must be waymark://KIND/ID, or begin with http:// or https://")
            }
        case .call(_, let parameters):
            guard parameters.utf8.count <= Self.longestParameters,
                case .object? = try? JSONValue(parsing: Array(parameters.utf8).span)
            else { throw Refusal.invalid("action.parameters", "must be a short JSON object") }
        }
    }
}
