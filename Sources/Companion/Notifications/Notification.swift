import GRDB
package import RPC
import Service
import TextCoding
package import Time

/// A stored notification of a person.
package struct Notification: Sendable {
    /// Whether the person has seen the notification.
    package enum State: String, CaseIterable, Sendable {
        /// It was never listed.
        ///
        /// Only new notifications count for the badge.
        case new
        /// It was listed, and not opened.
        case unread
        /// It was opened.
        case read
    }

    /// A button of a notification.
    struct Button: Sendable {
        var title: String
        var action: NotificationDraft.Action
        /// Whether the button's method was called.
        var isDone: Bool
    }

    var number: Int64
    package var kind: String
    package var time: Timestamp
    package var text: String
    var destination: String
    var state: State
    /// Whether the notification was made during quiet hours.
    var isSilent: Bool
    var button: Button?
    /// The people whom it gathers; `nil` if it gathers none.
    var group: Group?

    /// The people whom a notification gathers, and what they did it with.
    struct Group: Sendable {
        /// A person whom the notification names.
        struct Person: Sendable {
            var id: String
            var name: String
        }

        var subject: SubjectID
        /// The last two people, the last first; empty if people are only counted.
        var last: [Person]
        /// The number of all people.
        var count: Int
        /// The title of the subject; `nil` if the sentence has none or the reader may not see the subject.
        var title: String?
    }

    package var id: String { String(number) }

    static let columns = """
        notification.number, notification.kind, notification.time, notification.text, notification.destination,
        notification.state, notification.silent, notification.button, notification.target, notification.parameters,
        notification.done, notification.subject, notification.people,
        CASE WHEN notification.grouping IS NOT NULL THEN (
            SELECT json_group_array(json_array(CAST(latest.id AS TEXT), latest.name)) FROM (
                SELECT person.id, trim(person.first_name || ' ' || person.last_name) AS name
                FROM notification_person JOIN person ON person.number = notification_person.person
                WHERE notification_person.grouping = notification.grouping
                ORDER BY notification_person.number DESC LIMIT 2) AS latest)
        END AS latest
        """

    /// Reads ``columns`` from a row.
    init(_ row: NamedRow) {
        number = row["number"]
        kind = row["kind"]
        time = Timestamp(milliseconds: row["time"])
        text = row["text"]
        destination = row["destination"]
        state = State(rawValue: row["state"]) ?? .new
        isSilent = row["silent"]
        let latest: String? = row["latest"]
        if let latest, let subject = (row["subject"] as String?).flatMap(SubjectID.init) {
            group = Group(subject: subject, last: Group.people(latest), count: row["people"])
        }
        guard let title: String = row["button"], let target: String = row["target"] else { return }
        let parameters: String? = row["parameters"]
        let action = parameters.map { NotificationDraft.Action.call(method: target, parameters: $0) } ?? .open(target)
        button = Button(title: title, action: action, isDone: (row["done"] as Int64?) != nil)
    }
}

extension Notification: Answerable {
    package static let shape = AnswerShape<Notification>.object(members)

    static let members: [Member<Notification>] = [
        Member("id", .text, "The notification's id.") { $0.id },
        Member("kind", .text, "The kind, such as sight, friend, suggestion or notice.") { $0.kind },
        Member("time", .time, "The time at which it happened.") { $0.time },
        Member(
            "text", .text,
            "The text; the parts between <b> and </b> are emphasised, and &, < and > are written as entities."
        ) { $0.text },
        Member("destination", .text, "The destination: waymark://KIND/ID, or a link.") { $0.destination },
        Member("state", .choice, "The state: new, unread once it was listed, or read once it was opened.") { $0.state },
        .flag("silent", "Whether it came in quiet hours, or late from a phone, and was not announced; absent if not.") {
            $0.isSilent
        },
        .optional("action", Button.shape, "The button; absent if there is none.") { $0.button },
        .optional(
            "people",
            .array(
                of: AnswerShape<Group.Person>.object {
                    Member("id", .text, "The username.") { $0.id }
                    Member("name", .text, "The first and last name.") { $0.name }
                }),
            "The last two of the people whom it tells of, the last first; absent if it names nobody."
        ) { $0.group.flatMap { $0.last.isEmpty ? nil : $0.last } },
        .optional("count", .integer, "The number of people whom it tells of; absent if it does not gather people.") {
            $0.group?.count
        },
        .optional("about", .text, "The title of what they did it with; absent if the text has none.") {
            $0.group?.title
        },
    ]
}

extension Notification.Group {
    /// Reads a JSON array of pairs of a username and a name.
    static func people(_ text: String) -> [Person] {
        guard case .array(let pairs)? = try? JSONValue(parsing: Array(text.utf8).span) else { return [] }
        return pairs.compactMap { pair in
            guard let pair = [String](json: pair), pair.count == 2 else { return nil }
            return Person(id: pair[0], name: pair[1])
        }
    }
}

extension Notification {
    /// Writes the text of a notification that gathers people, with the title of its subject if the viewer may see it.
    mutating func write(
        for viewer: Viewer, of kinds: [NotificationDraft.Kind], among subjects: Subjects, in db: Database
    ) throws {
        guard var group, let sentence = kinds.first(where: { $0.rawValue == kind })?.sentence else { return }
        if sentence.isTitled { group.title = try subjects.find(group.subject, for: viewer, in: db)?.title }
        let names = group.last.map(\.name)
        text = sentence.text(names, count: group.count, title: group.title).markup
        if sentence.leadsToPeople, let first = group.last.first {
            destination = SubjectID(kind: "person", id: first.id).destination
        }
        if sentence.isAnonymous { group.last = [] }
        self.group = group
    }
}

extension Notification.Button: Answerable {
    static let shape = AnswerShape<Notification.Button>.object {
        Member("title", .text, "The title of the button.") { $0.title }
        Member.optional("url", .text, "The link that the button opens; absent if it calls a method.") { $0.url }
        Member.optional("method", .text, "The method that the button calls; absent if it opens a link.") { $0.method }
        Member.flag("done", "Whether the method was called, which happens only once; absent if not.") {
            $0.method != nil && $0.isDone
        }
    }

    private var url: String? {
        guard case .open(let url) = action else { return nil }
        return url
    }

    private var method: String? {
        guard case .call(let method, _) = action else { return nil }
        return method
    }
}
