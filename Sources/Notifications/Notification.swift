import GRDB
package import Positioning
import RPC
import Service
import TextCoding

/// A notification that was made for a person.
package struct Notification: Sendable {
    /// Whether its person has seen it.
    package enum State: String, CaseIterable {
        /// Never shown; only these are counted.
        case new
        /// Shown in a list, and not opened.
        case unread
        /// Opened.
        case read
    }

    /// What its button says and does.
    struct Button {
        var title: String
        var action: NotificationDraft.Action
        /// Whether its method was called.
        var isDone: Bool
    }

    var number: Int64
    package var kind: String
    package var time: Timestamp
    package var text: String
    var destination: String
    var state: State
    /// Whether it came in quiet hours.
    var isSilent: Bool
    var button: Button?

    package var id: String { String(number) }

    static let columns =
        "number, kind, time, text, destination, state, silent, button, target, parameters, done"

    /// A row of the columns.
    init(_ row: Row) {
        number = row[0]
        kind = row[1]
        time = Timestamp(milliseconds: row[2])
        text = row[3]
        destination = row[4]
        state = State(rawValue: row[5]) ?? .new
        isSilent = row[6]
        guard let title: String = row[7], let target: String = row[8] else { return }
        let parameters: String? = row[9]
        let action = parameters.map { NotificationDraft.Action.call(method: target, parameters: $0) } ?? .open(target)
        button = Button(title: title, action: action, isDone: (row[10] as Int64?) != nil)
    }

    /// The fields of it on the wire.
    static let fields: [Field] = [
        .required("id", .string, "Its id."),
        .required("kind", .string, "What it is about: sight, friend, suggestion, notice."),
        .required("time", Schema.time, "When that happened."),
        .required(
            "text", .string, "The text; what stands between <b> and </b> is emphasised, &, < and > are entities."),
        .required("destination", .string, "Where it leads: waymark://KIND/ID, or a link."),
        .required("state", .choice(State.allCases.map(\.rawValue)), "Whether it was shown, and opened."),
        .optional("silent", .boolean, "True where it came in quiet hours, and was not announced."),
        .optional(
            "action",
            .object([
                .required("title", .string, "What the button says."),
                .optional("url", .string, "What it opens."), .optional("method", .string, "What it calls."),
                .optional("done", .boolean, "True where it was called; it is called but once."),
            ]), "The button; left out where it has none."),
    ]

    func writeMembers(to json: inout JSONWriter) {
        json.member("id", id)
        json.member("kind", kind)
        json.member("time", time.description)
        json.member("text", text)
        json.member("destination", destination)
        json.member("state", state.rawValue)
        if isSilent { json.member("silent", true) }
        guard let button else { return }
        json.object("action") { json in
            json.member("title", button.title)
            switch button.action {
            case .open(let url): json.member("url", url)
            case .call(let method, _):
                json.member("method", method)
                if button.isDone { json.member("done", true) }
            }
        }
    }
}
