public import Geodesy
package import RPC
public import Time

/// A notification for one person that is not stored yet.
public struct NotificationDraft: Hashable, Sendable {
    /// The action of the notification's button.
    public enum Action: Hashable, Sendable {
        /// Opens a link.
        case open(String)
        /// Calls a method once, with parameters given as a JSON object.
        case call(method: String, parameters: String)
    }

    /// The device that caused a notification, and its position.
    public struct Origin: Hashable, Sendable {
        /// The name of the device.
        public var device: String
        /// The position of the device.
        public var place: Coordinate

        /// Creates the origin of a notification from a device's name and position.
        public init(device: String, place: Coordinate) {
            self.device = device
            self.place = place
        }
    }

    /// The person whose act the notification reports.
    public struct Author: Hashable, Sendable {
        /// The number in the table `person`.
        ///
        /// The notification is removed with that person's account.
        public var person: Int64
        /// The text for the event log, where events remain after an account is removed.
        ///
        /// It contains the author's username but not their name, and nothing that they wrote.
        public var logText: NotificationText

        /// Creates an author from a number in the table `person` and the text for the event log.
        public init(_ person: Int64, logText: NotificationText) {
            self.person = person
            self.logText = logText
        }
    }

    /// The id of the recipient.
    public var person: String
    /// The kind, by which the recipient can mute it.
    public var kind: Kind
    /// The time of the event that the notification reports.
    public var time: Timestamp
    /// The key that identifies the notification.
    ///
    /// A person never receives two notifications with the same key.
    public var key: String
    /// The text that the recipient sees.
    public var text: NotificationText
    /// The target: `waymark://KIND/ID`, or a link.
    public var destination: String
    /// The device that caused the notification; `nil` if no device did.
    public var origin: Origin?
    /// Whether it is an alarm, which is announced in quiet hours too, and also if its kind is muted.
    public var isAlarm = false
    /// The person whose act the notification reports; `nil` if it reports no person's act.
    public var author: Author?
    /// The title and the action of the button; `nil` if there is no button.
    public var action: (title: String, action: Action)? {
        get { actionTitle.flatMap { title in actionBody.map { (title, $0) } } }
        set { (actionTitle, actionBody) = (newValue?.title, newValue?.action) }
    }

    private var actionTitle: String?
    private var actionBody: Action?

    /// The maximum length of a key in bytes: two ids and a few words.
    static let longestKey = 1024
    /// The maximum length of a button's title in bytes.
    package static let longestTitle = 200
    /// The maximum length of a call's parameters in bytes: a few ids.
    static let longestParameters = 4096

    /// Creates a notification without a button.
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

    /// Checks that the notification can be shown, followed and acted on.
    ///
    /// - Throws: Error 4 (invalid value) naming the field that is at fault.
    package func check() throws(Refusal) {
        guard (1...Self.longestKey).contains(key.utf8.count) else {
            throw Refusal.invalid("key", "must have 1 to \(Self.longestKey) bytes")
        }
        guard NotificationDestination(destination) != nil else {
            throw Refusal.invalid("destination", "must be waymark://KIND/ID, or begin with http:// or https://")
        }
        guard let action else { return }
        guard (1...Self.longestTitle).contains(action.title.utf8.count) else {
            throw Refusal.invalid("action.title", "must have 1 to \(Self.longestTitle) bytes")
        }
        switch action.action {
        case .open(let url):
            guard NotificationDestination(url) != nil else {
                throw Refusal.invalid("action.url", "must be waymark://KIND/ID, or begin with http:// or https://")
            }
        case .call(_, let parameters):
            guard parameters.utf8.count <= Self.longestParameters,
                case .object? = try? JSONValue(parsing: Array(parameters.utf8).span)
            else {
                throw Refusal.invalid(
                    "action.parameters", "must be a JSON object of at most \(Self.longestParameters) bytes")
            }
        }
    }
}
