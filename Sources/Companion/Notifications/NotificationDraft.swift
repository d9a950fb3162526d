public import Positioning

/// Something to be told to one person.
public struct NotificationDraft: Hashable, Sendable {
    /// What it is about, which people choose by.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// They have come near a sight.
        case sight
        /// Someone asks to be their friend, or has answered them.
        case friend
        /// Someone suggests something to them.
        case suggestion
        /// Something is wrong, or has become of something of theirs.
        case notice
    }

    /// What pressing its button does.
    public enum Action: Hashable, Sendable {
        /// Opens a link.
        case open(String)
        /// Calls a method once, with parameters as a JSON object.
        case call(method: String, parameters: String)
    }

    /// Whom it is for, by id.
    public var person: String
    /// What it is about.
    public var kind: Kind
    /// When that happened.
    public var time: Timestamp
    /// What makes it that one: the same key is told a person only once.
    public var key: String
    /// The text; what stands between `<b>` and `</b>` is emphasised, all else is text as it is, `&`, `<` and `>` written
    /// as entities.
    public var text: String
    /// Where it leads: `waymark://KIND/ID`, or a link.
    public var destination: String
    /// What its button says and does; nil for none.
    public var action: (title: String, action: Action)? {
        get { actionTitle.flatMap { title in actionBody.map { (title, $0) } } }
        set { (actionTitle, actionBody) = (newValue?.title, newValue?.action) }
    }

    private var actionTitle: String?
    private var actionBody: Action?

    /// A notification without a button.
    public init(
        to person: String, _ kind: Kind, at time: Timestamp, key: String, text: String, destination: String
    ) {
        self.person = person
        self.kind = kind
        self.time = time
        self.key = key
        self.text = text
        self.destination = destination
    }
}
