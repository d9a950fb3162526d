import TextCoding
public import Time
public import Tracking

extension EventRecord {
    /// The type of the event that a subject has changed, or what people say of it.
    ///
    /// It says that something is new and not what, so that it tells nobody more than a new look at the subject would.
    public static let subjectChanged = "subject.changed"
    /// The type of the event that a subject is gone, or hidden.
    public static let subjectRemoved = "subject.removed"
}

extension Consequences {
    /// Announces that a subject has changed, once in a transaction.
    ///
    /// Whoever may see the subject receives the event; pass the ids of people if only these may know.
    public mutating func changed(_ subject: SubjectID, at time: Timestamp) {
        announce(EventRecord(EventRecord.subjectChanged, subject, at: time, to: nil, isGone: false))
    }

    /// Announces to some people alone that a subject has changed.
    ///
    /// - Parameter people: Their ids.
    public mutating func changed(_ subject: SubjectID, at time: Timestamp, onlyFor people: some Sequence<String>) {
        for person in people {
            announce(EventRecord(EventRecord.subjectChanged, subject, at: time, to: person, isGone: false))
        }
    }

    /// Announces to everybody that some subject of a kind has changed, and not which.
    ///
    /// It is for lists of subjects that not everybody may know.
    public mutating func changedSome(_ kind: String, at time: Timestamp) {
        var json = JSONWriter()
        json.member("type", EventRecord.subjectChanged)
        json.member("time", time.description)
        json.member("kind", kind)
        announce(
            EventRecord(time: time, type: EventRecord.subjectChanged, device: nil, subject: nil, members: json.bytes))
    }

    /// Announces that a subject is gone, which everybody saw who sees events.
    public mutating func removed(_ subject: SubjectID, at time: Timestamp) {
        announce(EventRecord(EventRecord.subjectRemoved, subject, at: time, to: nil, isGone: true))
    }

    private mutating func announce(_ event: EventRecord) {
        guard !events.contains(event) else { return }
        events.append(event)
    }
}

extension EventRecord {
    /// - Parameter isGone: Whether the subject can no longer be looked at, so that the event itself must not depend on it.
    fileprivate init(_ type: String, _ subject: SubjectID, at time: Timestamp, to person: String?, isGone: Bool) {
        var json = JSONWriter()
        json.member("type", type)
        json.member("time", time.description)
        json.member("to", person)
        json.member("subject", subject.description)
        self.init(
            time: time, type: type, device: nil, subject: isGone || person != nil ? nil : subject.description,
            recipient: person, members: json.bytes)
    }
}
