import Accounts
import EventStream
import GRDB
import Positioning
import RPC
import Service
import Store
import TextCoding

/// The methods about what people suggest to each other.
struct SuggestionMethods: Sendable {
    private let context: ServiceContext

    /// The most suggestions in one page.
    private static let largestPage = 200

    /// The methods of a companion.
    init(_ context: ServiceContext) { self.context = context }

    /// The methods.
    var all: [Method<Principal>] {
        [
            .stored(
                "suggestions.send",
                "Suggests something to a friend or someone one follows, who is told now and when they come near it.",
                parameters: [
                    Subjects.field,
                    .required("to", Schema.deviceName, "The username of whom it is suggested to."),
                    .optional(
                        "text", .string(length: 0...Suggestion.longestText),
                        "What one says of it, up to \(Suggestion.longestText) bytes."),
                ],
                result: Self.sent,
                errors: [.notFound, .notAllowed, .conflict, .invalidValue, .unavailable], right: .person,
                question: "Send this suggestion?", handler: send),
            .stored(
                "suggestions.list", "What was suggested to one, or what one has suggested, the last first.",
                parameters: [
                    .optional("box", .choice(["received", "sent"]), "received, as if left out, or sent."),
                    Field.limit(upTo: Self.largestPage, usually: 50), Field.after,
                ],
                result: .object([
                    .required("suggestions", .array(of: Self.row), "The suggestions."), Field.next,
                ]),
                errors: [.invalidValue], right: .person, handler: list),
            .stored(
                "suggestions.remove", "Takes back what one has suggested, or puts away what was suggested to one.",
                parameters: [.required("suggestion", .string(length: 1...64), "Its id.")],
                result: .object([.required("id", .string, "Its id.")]), errors: [.notFound], right: .person,
                question: "Remove this suggestion?", handler: remove),
        ]
    }

    private static let common: [Field] = [
        .required("id", .string, "What it is known by."),
        .required("subject", .string, "What is suggested, as KIND/ID."),
        .required("title", .string, "What people call that."),
        .optional("text", .string, "What the sender says of it."),
        .required("time", Schema.time, "When it was sent."),
    ]
    private static let sent = Schema.object(
        common + [.required("to", .object(Person.row), "Whom it is suggested to.")])
    private static let row = Schema.object(
        common + [
            .optional("from", .object(Person.row), "Who suggests it to one."),
            .optional("to", .object(Person.row), "Whom one suggests it to."),
            .optional(
                "near", Schema.time, "When one was told that one had come near it; only of what one received."),
        ])

    @Sendable private func send(_ call: Call<Principal>) async throws -> JSONText {
        let (name, to, person): (String, String, String) = (
            try call.value("subject"), try call.value("to"), try call.person()
        )
        let (text, viewer) = (try call.prose("text", atMost: Suggestion.longestText), call.viewer)
        return try await context.editor.change { [context] db, consequences in
            let subject = try context.subjects.find(name, for: viewer, in: db)
            let (sender, recipient) = (try People.get(person, in: db), try People.get(to, in: db))
            guard recipient.number != sender.number else { throw RPCError.invalid("to", "must be someone else") }
            let isClose =
                try Follows.contains(sender.number, recipient.number, in: db)
                || Friends.areFriends(sender.number, recipient.number, in: db)
            guard isClose else {
                throw RPCError.notAllowed(
                    "One suggests things to friends and to those one follows; \(recipient.id) is neither.")
            }
            // What the recipient may not see is not there; that they may not is nobody else's business.
            _ = try context.subjects.find(name, for: Viewer(person: recipient.id), in: db)
            let now = context.now()
            try Budget.spend(.suggestions, texts: [text], by: viewer, at: now, in: db)
            let id = try Suggestions.send(
                subject, from: sender, to: recipient, text: text, at: now, in: db, &consequences)
            let suggestion = try Suggestions.get(id, of: sender.number, in: db)
            return try Self.json(suggestion, subject, for: sender.number, viewer, in: db)
        }
    }

    @Sendable private func list(_ call: Call<Principal>) async throws -> JSONText {
        let (box, person, viewer): (String?, String, Viewer) = (
            try call.optional("box"), try call.person(), call.viewer
        )
        let (limit, after) = (try call.limit(usually: 50), try PageKey.number(call))
        return try await context.store.read { [context] db in
            let me = try People.get(person, in: db).number
            var page = KeyedPage(limit: limit)
            try Suggestions.forEach(of: me, isReceived: box != "sent", before: after, in: db) { suggestion in
                guard let subject = try context.subjects.find(suggestion.subject, for: viewer, in: db) else {
                    return true
                }
                return page.take(suggestion.number, try Self.json(suggestion, subject, for: me, viewer, in: db))
            }
            return page.answer("suggestions")
        }
    }

    @Sendable private func remove(_ call: Call<Principal>) async throws -> JSONText {
        let (id, person): (String, String) = (try call.value("suggestion"), try call.person())
        try await context.editor.change { db, _ in
            let me = try People.get(person, in: db).number
            try Suggestions.remove(try Suggestions.get(id, of: me, in: db), by: me, in: db)
        }
        return .object { $0.member("id", id) }
    }

    /// A suggestion as its sender or recipient sees it.
    private static func json(
        _ suggestion: Suggestion, _ subject: Subject, for me: Int64, _ viewer: Viewer, in db: Database
    ) throws -> JSONText {
        let isReceived = suggestion.recipient == me
        let other = try People.row(
            of: isReceived ? suggestion.sender : suggestion.recipient, for: viewer, in: db)
        return .object { json in
            json.member("id", suggestion.id)
            json.member("subject", suggestion.subject.description)
            json.member("title", subject.title)
            json.member("text", suggestion.text)
            json.member("time", suggestion.time.description)
            json.object(isReceived ? "from" : "to") { PersonRow.members.write(other, to: &$0) }
            // Where the recipient was, and when, is theirs to tell.
            if isReceived { json.member("near", suggestion.near?.description) }
        }
    }
}
