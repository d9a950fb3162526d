package import GRDB
import People
import RPC
package import Service
import Store
import TextCoding
package import Time

extension Suggestions {
    /// Stores a suggestion to a person and notifies them.
    ///
    /// - Throws: `Refusal.conflict` if the sender has suggested the subject to them before, `Refusal.unavailable` if
    ///   the sender has sent them too many suggestions within a day.
    /// - Returns: The suggestion's id.
    static func send(
        _ subject: Subject, from sender: Person, to recipient: Person, text: String?, at time: Timestamp,
        in db: Database, _ consequences: inout Consequences
    ) throws -> String {
        try RateLimits.count(.suggestion, by: sender.number, at: recipient.id, now: time, in: db)
        try db.cachedStatement(
            sql: """
                INSERT INTO suggestion (sender, recipient, subject, text, time) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT DO NOTHING
                """
        ).execute(arguments: [
            sender.number, recipient.number, try Subjects.makeNumber(of: subject.id, in: db), text, time.milliseconds,
        ])
        guard db.changesCount > 0 else {
            throw Refusal.conflict("You have already suggested \(subject.id) to \(recipient.id).")
        }
        let id = String(db.lastInsertedRowID)
        let words: NotificationText =
            if let text {
                "\(sender.name) suggests \(bold: subject.title): “\(text)”"
            } else {
                "\(sender.name) suggests \(bold: subject.title)."
            }
        var draft = NotificationDraft(
            to: recipient.id, .suggestion, at: time, key: "suggestion/\(id)", text: words,
            destination: subject.id.destination)
        draft.author = .init(
            sender.number, logText: "\(sender.id) suggests \(bold: subject.logTitle ?? subject.title).")
        consequences.notifications.append(draft)
        return id
    }

    /// Returns the open suggestions of a subject to a person, oldest first, except those that reached the person as a
    /// notification near the subject.
    static func open(for person: Int64, _ subject: SubjectID, in db: Database) throws -> [Suggestion] {
        try NamedRow.list(
            db.cachedStatement(
                sql: """
                    SELECT \(Suggestion.columns) FROM \(Suggestion.tables)
                    WHERE suggestion.subject = (SELECT number FROM subject WHERE id = ?) AND recipient = ?
                        AND near IS NULL AND state = 'open'
                    ORDER BY suggestion.number
                    """), arguments: [subject.description, person],
            Suggestion.init)
    }

    /// Records that a person was notified near the subject of these suggestions.
    ///
    /// This happens once per suggestion.
    package static func markNear(_ suggestions: [Suggestion], at time: Timestamp, in db: Database) throws {
        let statement = try db.cachedStatement(sql: "UPDATE suggestion SET near = ? WHERE number = ?")
        for suggestion in suggestions {
            try statement.execute(arguments: [time.milliseconds, suggestion.number])
        }
    }

    /// Returns a notification for a person who has come near a suggested subject, and the suggestions it covers; `nil`
    /// if there are none.
    ///
    /// Suggestions that the person was notified of before are omitted; call ``markNear(_:at:in:)`` once a notification
    /// was sent. If the person does not want it now, the suggestions stay open for the next time they come near.
    ///
    /// - Parameter subject: A subject that the person may see.
    package static func near(
        _ person: String, _ subject: Subject, at time: Timestamp, from origin: NotificationDraft.Origin? = nil,
        in db: Database
    ) throws -> (draft: NotificationDraft, suggestions: [Suggestion])? {
        guard let number = try People.number(of: person, in: db) else { return nil }
        let suggestions = try open(for: number, subject.id, in: db)
        guard let first = suggestions.first else { return nil }
        guard let sender = try People.find(number: first.sender, in: db) else { return nil }
        func text(_ name: String) -> NotificationText {
            switch suggestions.count {
            case 1: "You are near \(bold: subject.title), which \(name) suggested."
            case 2: "You are near \(bold: subject.title), which \(name) and another suggested."
            default: "You are near \(bold: subject.title), which \(name) and \(suggestions.count - 1) others suggested."
            }
        }
        var draft = NotificationDraft(
            to: person, .suggestion, at: time, key: "suggestion/\(first.id)/near", text: text(sender.name),
            destination: subject.id.destination)
        draft.author = .init(sender.number, logText: text(sender.id))
        draft.origin = origin
        return (draft, suggestions)
    }

    /// Returns the suggestion with an id that a person has sent or received, and has not removed.
    ///
    /// - Throws: `Refusal.notFound` if there is none.
    static func get(_ id: String, of person: Int64, in db: Database) throws -> Suggestion {
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(Suggestion.columns) FROM \(Suggestion.tables) WHERE suggestion.number = :number
                    AND (sender = :me OR recipient = :me AND state = 'open')
                """)
        guard let number = Int64(id), String(number) == id,
            let row = try NamedRow.fetchOne(statement, arguments: ["number": number, "me": person])
        else {
            throw Refusal.notFound("There is no suggestion \(id).")
        }
        return try Suggestion(row)
    }

    /// Deletes a suggestion that the person has sent, or dismisses one that they have received.
    static func remove(_ suggestion: Suggestion, by person: Int64, in db: Database) throws {
        let isOwn = suggestion.sender == person
        try db.cachedStatement(
            sql: isOwn
                ? "DELETE FROM suggestion WHERE number = ?"
                : "UPDATE suggestion SET state = 'dismissed' WHERE number = ?"
        ).execute(arguments: [suggestion.number])
    }

    /// Returns the suggestions that a person has sent or received, and has not removed, newest first.
    static func list(
        of person: Int64, isReceived: Bool, before number: Int64?, atMost limit: Int, in db: Database
    ) throws -> [SuggestionWithPerson] {
        // No row has the state `withdrawn`. The condition lets SQLite use the index `suggestion_sent`.
        let (whose, other) =
            isReceived
            ? ("recipient = :me AND state = 'open'", "sender") : ("sender = :me AND state <> 'withdrawn'", "recipient")
        let statement = try db.cachedStatement(
            sql: """
                \(SuggestionWithPerson.select(other)) WHERE \(whose) AND suggestion.number < :before
                ORDER BY suggestion.number DESC LIMIT :limit
                """)
        return try NamedRow.soundList(
            statement, arguments: ["me": person, "before": number ?? .max, "limit": StoreDamage.widened(limit)]
        ) {
            try SuggestionWithPerson($0, isReceived: isReceived)
        }
    }

    /// Returns a suggestion in the form that its sender sees.
    static func sent(_ id: String, by person: Int64, in db: Database) throws -> SuggestionWithPerson {
        let suggestion = try get(id, of: person, in: db)
        let statement = try db.cachedStatement(
            sql: "\(SuggestionWithPerson.select("recipient")) WHERE suggestion.number = :number")
        guard let row = try NamedRow.fetchOne(statement, arguments: ["me": person, "number": suggestion.number]) else {
            throw Refusal.notFound("There is no suggestion \(id).")
        }
        return try SuggestionWithPerson(row, isReceived: false)
    }
}

/// A suggestion as seen by the sender or the recipient, and the other person.
struct SuggestionWithPerson: Sendable {
    var suggestion: Suggestion
    var other: PersonRow
    /// Whether the viewer is the recipient; otherwise, the viewer is the sender.
    var isReceived: Bool

    fileprivate init(_ row: NamedRow, isReceived: Bool) throws {
        suggestion = try Suggestion(row)
        other = PersonRow(row, "other")
        self.isReceived = isReceived
    }

    fileprivate static func select(_ other: String) -> String {
        """
        SELECT \(Suggestion.columns), \(PersonRow.columns(of: "other", as: "other"))
        FROM \(Suggestion.tables) JOIN person AS other ON other.number = suggestion.\(other)
        """
    }
}
