public import Time

extension NotificationDraft {
    /// The kind of a notification, by which people mute notifications.
    ///
    /// It is declared once, by the feature that sends it, which lists it in ``Feature/notifications``.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The name on the wire.
        public let rawValue: String
        /// What notifications of this kind say that gather what several people did; `nil` if each has its own text.
        public let sentence: Sentence?

        /// Creates the kind with a name, whose notifications have texts of their own.
        public init(rawValue: String) { (self.rawValue, sentence) = (rawValue, nil) }

        /// Creates a kind whose notifications gather the people who did the same with one subject.
        public init(_ name: String, _ sentence: Sentence) { (rawValue, self.sentence) = (name, sentence) }

        /// Whether two kinds have the same name.
        public static func == (one: Kind, other: Kind) -> Bool { one.rawValue == other.rawValue }

        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

        /// The person has come near a sight.
        public static let sight = Kind(rawValue: "sight")
        /// Somebody asks to be the person's friend, or has answered such a request.
        public static let friend = Kind(rawValue: "friend")
        /// Somebody suggests something to the person.
        public static let suggestion = Kind(rawValue: "suggestion")
        /// Something is wrong, or something that belongs to the person has changed.
        public static let notice = Kind(rawValue: "notice")
    }

    /// The sentence of notifications that gather people, such as that Cai and 3 others love something.
    public struct Sentence: Hashable, Sendable {
        /// The deed of one person, such as `loves`.
        public let one: String
        /// The deed of several people, such as `love`.
        public let several: String
        /// The words for the subject where its title must not be told, such as `something of yours`.
        public let other: String
        /// The text for the event log, where events remain after accounts are removed; it names nobody and nothing.
        public let logText: NotificationText
        /// Whether the title of the subject stands in the sentence.
        public let isTitled: Bool
        /// Whether the people are counted and not named.
        public let isAnonymous: Bool
        /// Whether it leads to the last of the people instead of the subject.
        public let leadsToPeople: Bool

        /// Creates a sentence.
        ///
        /// - Parameters:
        ///   - one: The deed of one person.
        ///   - several: The deed of several people.
        ///   - other: The words for the subject where its title is not told.
        ///   - logText: The text for the event log, which names nobody and nothing.
        ///   - isTitled: Whether the title of the subject is told to those who may see it.
        ///   - isAnonymous: Whether the people are counted and not named.
        ///   - leadsToPeople: Whether it leads to the last of the people.
        public init(
            one: String, several: String, _ other: String, logText: NotificationText, isTitled: Bool = true,
            isAnonymous: Bool = false, leadsToPeople: Bool = false
        ) {
            self.logText = logText
            (self.one, self.several, self.other) = (one, several, other)
            (self.isTitled, self.isAnonymous, self.leadsToPeople) = (isTitled, isAnonymous, leadsToPeople)
        }

        /// Returns the sentence about people.
        ///
        /// - Parameters:
        ///   - names: The names of the last people, the last first; two are enough.
        ///   - count: The number of all people.
        ///   - title: The title of the subject; `nil` if it must not be told.
        package func text(_ names: [String], count: Int, title: String?) -> NotificationText {
            let deed = count == 1 ? one : several
            guard isTitled, let title else { return "\(people(names, count: count)) \(deed) \(other)." }
            return "\(people(names, count: count)) \(deed) \(Self.emphasized(title))."
        }

        private func people(_ names: [String], count: Int) -> NotificationText {
            guard !isAnonymous, let first = names.first.map(Self.emphasized) else {
                return count == 1 ? "Somebody" : "\(count) people"
            }
            switch (count, names.dropFirst().first.map(Self.emphasized)) {
            case (...1, _): return first
            case (2, let second?): return "\(first) and \(second)"
            default: return "\(first) and \(count - 1) others"
            }
        }

        private static func emphasized(_ text: String) -> NotificationText { "\(bold: text)" }
    }
}

/// What a person did with a subject, of which another person is notified together with what others did with it.
///
/// Of one kind and subject, a person has one notification at a time that is not read: it gains people.
public struct Act: Hashable, Sendable {
    /// The kind of notification, which has a sentence.
    public var kind: NotificationDraft.Kind
    /// The number in the table `person` of who did it.
    public var person: Int64
    /// The id of the person to notify.
    public var recipient: String
    /// The subject, which the recipient must be able to see.
    public var subject: SubjectID
    /// When it was done.
    public var time: Timestamp
    /// Whether it was taken back, so that the notification loses the person.
    public var isUndone: Bool
    /// Whether the recipient is notified as an administrator, who also sees what is hidden.
    public var isForAdministrator: Bool

    /// Creates an act.
    public init(
        _ kind: NotificationDraft.Kind, by person: Int64, to recipient: String, of subject: SubjectID,
        at time: Timestamp, isUndone: Bool = false, isForAdministrator: Bool = false
    ) {
        (self.kind, self.person, self.recipient, self.subject) = (kind, person, recipient, subject)
        (self.time, self.isUndone, self.isForAdministrator) = (time, isUndone, isForAdministrator)
    }

    /// The beginning of the keys of the notifications about a subject.
    public static func keys(_ kind: NotificationDraft.Kind, of subject: SubjectID) -> String {
        "\(kind.rawValue)/\(subject)/"
    }
}
