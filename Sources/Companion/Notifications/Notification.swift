import GRDB
package import RPC
import Service
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

    package var id: String { String(number) }

    static let columns =
        "number, kind, time, text, destination, state, silent, button, target, parameters, done"

    /// Reads ``columns`` from a row.
    init(_ row: NamedRow) {
        number = row["number"]
        kind = row["kind"]
        time = Timestamp(milliseconds: row["time"])
        text = row["text"]
        destination = row["destination"]
        state = State(rawValue: row["state"]) ?? .new
        isSilent = row["silent"]
        guard let title: String = row["button"], let target: String = row["target"] else { return }
        let parameters: String? = row["parameters"]
        let action = parameters.map { NotificationDraft.Action.call(method: target, parameters: $0) } ?? .open(target)
        button = Button(title: title, action: action, isDone: (row["done"] as Int64?) != nil)
    }
}

extension Notification: Answerable {
    package static let shape = Shape<Notification>.object(members)

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
    ]
}

extension Notification.Button: Answerable {
    static let shape = Shape<Notification.Button>.object {
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
