import Accounts
import EventStream
import GRDB
import Positioning
import RPC
import Service
import Store

/// The RPC methods about suggestions that people send each other.
struct SuggestionMethods: Sendable {
    private let context: ServiceContext

    /// The largest page size, in suggestions.
    private static let largestPage = 200

    init(_ context: ServiceContext) { self.context = context }

    /// All methods about suggestions.
    var all: [Method<Principal>] {
        [
            .stored(
                "suggestions.send",
                "Suggests something to a friend or someone you follow, who is told now and when they come near it.",
                .subject, Parameter<String>.required("to", .deviceName, "The username of whom you suggest it to."),
                .prose(
                    "text", atMost: Suggestion.longestText,
                    "What you say of it, up to \(Suggestion.longestText) bytes."),
                answers: .object(SuggestionAnswer.common + [SuggestionAnswer.to]),
                errors: [.notFound, .notAllowed, .conflict, .invalidValue, .unavailable], right: .person,
                question: "Send this suggestion?", handler: send),
            .stored(
                "suggestions.list", "What was suggested to you, or what you have suggested, the last first.",
                .optional("box", default: Box.received, "Which: received or sent; received if left out."),
                .page(of: "suggestions.list", upTo: Self.largestPage, usually: 50),
                answers: .page("suggestions", "The suggestions."), errors: [.invalidValue], right: .person,
                handler: list),
            .stored(
                "suggestions.remove", "Takes back what you have suggested, or puts away what was suggested to you.",
                Parameter<String>.required("suggestion", .string(length: 1...64), "Its id."),
                answers: .object { Member("id", .text, "Its id.") { $0 } }, errors: [.notFound], right: .person,
                question: "Remove this suggestion?", handler: remove),
        ]
    }

    /// The choice between received and sent suggestions.
    enum Box: String, CaseIterable, Sendable {
        case received
        case sent
    }

    @Sendable private func send(
        _ call: Call<Principal>, _ name: String, to: String, text: String?
    ) async throws -> SuggestionAnswer {
        let (person, viewer) = (try call.person(), call.viewer)
        return try await context.editor.change { [context] db, consequences in
            let subject = try context.subjects.find(name, for: viewer, in: db)
            let (sender, recipient) = (try People.get(person, in: db), try People.get(to, in: db))
            guard recipient.number != sender.number else { throw Refusal.invalid("to", "must be someone else") }
            guard subject.isSuggestedByOwner || subject.owner != sender.id else {
                throw Refusal.notAllowed("\(subject.id) is yours; others suggest it.")
            }
            let isClose =
                try Follows.contains(sender.number, recipient.number, in: db)
                || Friends.areFriends(sender.number, recipient.number, in: db)
            guard isClose else {
                throw Refusal.notAllowed(
                    "You can suggest things to friends and to people you follow; \(recipient.id) is neither.")
            }
            // A subject that the recipient may not see counts as unknown. The sender must not learn that it is hidden
            // from them.
            _ = try context.subjects.find(name, for: Viewer(person: recipient.id), in: db)
            let now = context.now()
            try Budget.spend(context.limits.ofSuggestions, texts: [text], by: viewer, at: now, in: db)
            let id = try Suggestions.send(
                subject, from: sender, to: recipient, text: text, at: now, in: db, &consequences)
            return SuggestionAnswer(
                letter: try Suggestions.sent(id, by: sender.number, in: db), title: subject.title)
        }
    }

    @Sendable private func list(
        _ call: Call<Principal>, box: Box, asked: PageRequest<Int64>
    ) async throws -> Page<SuggestionAnswer> {
        let (person, viewer) = (try call.person(), call.viewer)
        return try await context.store.read { [context] db in
            let me = try People.getNumber(of: person, in: db)
            var page = asked.page(of: SuggestionAnswer.self)
            var before = asked.after
            while true {
                let letters = try Suggestions.list(
                    of: me, isReceived: box == .received, before: before, atMost: asked.limit + 1, in: db)
                let subjects = try context.subjects.find(letters.map(\.suggestion.subject), for: viewer, in: db)
                for letter in letters {
                    guard let subject = subjects[letter.suggestion.subject] else { continue }
                    let answer = SuggestionAnswer(letter: letter, title: subject.title)
                    guard page.take(answer, at: letter.suggestion.number) else { return page }
                }
                // Suggestions whose subject the person may no longer see are omitted, and the next ones fill the page.
                guard letters.count > asked.limit, let last = letters.last else { return page }
                before = last.suggestion.number
            }
        }
    }

    @Sendable private func remove(_ call: Call<Principal>, id: String) async throws -> String {
        let person = try call.person()
        try await context.editor.change { db, _ in
            let me = try People.getNumber(of: person, in: db)
            try Suggestions.remove(try Suggestions.get(id, of: me, in: db), by: me, in: db)
        }
        return id
    }
}

/// A suggestion and the title of its subject.
private struct SuggestionAnswer: Answerable, Sendable {
    var letter: Correspondence
    /// The title of the suggested subject.
    var title: String

    static let shape = Shape<SuggestionAnswer>.object {
        common
        Member.optional("from", PersonRow.shape, "Who suggests it to you.") {
            $0.letter.isReceived ? $0.letter.other : nil
        }
        Member.optional("to", PersonRow.shape, "Whom you suggest it to.") {
            $0.letter.isReceived ? nil : $0.letter.other
        }
        // Only the recipient may see when they were near the subject.
        Member.optional(
            "near", .time, "When you were told that you had come near it; only of what you received."
        ) { $0.letter.isReceived ? $0.letter.suggestion.near : nil }
    }

    static let common: [Member<SuggestionAnswer>] = [
        Member("id", .text, "What it is known by.") { $0.letter.suggestion.id },
        Member("subject", .text, "What is suggested, as KIND/ID.") { $0.letter.suggestion.subject.description },
        Member("title", .text, "What people call that.") { $0.title },
        .optional("text", .text, "What the sender says of it.") { $0.letter.suggestion.text },
        Member("time", .time, "When it was sent.") { $0.letter.suggestion.time },
    ]
    static let to = Member<SuggestionAnswer>("to", PersonRow.shape, "Whom it is suggested to.") { $0.letter.other }
}
