import Callers
import GRDB
import People
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
                "Suggests something to a friend or someone you follow, who is notified now and when near it.",
                .subject, Parameter<String>.required("to", .deviceName, "The username of the recipient."),
                .prose(
                    "text", atMost: Suggestion.longestText,
                    "Your words about it, at most \(Suggestion.longestText) bytes."),
                answers: .object(SuggestionAnswer.common + [SuggestionAnswer.to]),
                errors: [.notFound, .notAllowed, .conflict, .invalidValue, .unavailable], right: .person,
                question: "Send this suggestion?", handler: send),
            .stored(
                "suggestions.list", "Lists the suggestions that you have received or sent, latest first.",
                .optional(
                    "box", default: Box.received, "The suggestions to list: received or sent; received by default."),
                .page(of: "suggestions.list", upTo: Self.largestPage, default: 50),
                answers: .page("suggestions", "The suggestions."), errors: [.invalidValue], right: .person,
                handler: list),
            .stored(
                "suggestions.remove",
                "Withdraws a suggestion that you have sent, or dismisses one that you have received.",
                Parameter<String>.required("suggestion", .string(length: 1...64), "The id of the suggestion."),
                answers: .object { Member("id", .text, "The id of the suggestion.") { $0 } }, errors: [.notFound],
                right: .person,
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
                throw Refusal.notAllowed("You cannot suggest \(subject.id), because it is yours.")
            }
            let isClose =
                try Follows.contains(sender.number, recipient.number, in: db)
                || Friends.areFriends(sender.number, recipient.number, in: db)
            guard isClose else {
                throw Refusal.notAllowed(
                    "You can suggest something only to friends and people you follow; \(recipient.id) is neither.")
            }
            // A subject that the recipient may not see counts as unknown. The sender must not learn that it is hidden
            // from them.
            _ = try context.subjects.find(name, for: Viewer(person: recipient.id), in: db)
            let now = context.now()
            try Budget.spend(context.limits.ofSuggestions, texts: [text], by: viewer, at: now, in: db)
            let id = try Suggestions.send(
                subject, from: sender, to: recipient, text: text, at: now, in: db, &consequences)
            return SuggestionAnswer(
                entry: try Suggestions.sent(id, by: sender.number, in: db), title: subject.title)
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
                let entries = try Suggestions.list(
                    of: me, isReceived: box == .received, before: before, atMost: asked.limit + 1, in: db)
                let subjects = try context.subjects.find(entries.map(\.suggestion.subject), for: viewer, in: db)
                for entry in entries {
                    guard let subject = subjects[entry.suggestion.subject] else { continue }
                    let answer = SuggestionAnswer(entry: entry, title: subject.title)
                    guard page.append(answer, at: entry.suggestion.number) else { return page }
                }
                // Suggestions whose subject the person may no longer see are omitted, and the next ones fill the page.
                guard entries.count > asked.limit, let last = entries.last else { return page }
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
    var entry: SuggestionWithPerson
    /// The title of the suggested subject.
    var title: String

    static let shape = AnswerShape<SuggestionAnswer>.object {
        common
        Member.optional("from", PersonRow.shape, "The sender; only of what you have received.") {
            $0.entry.isReceived ? $0.entry.other : nil
        }
        Member.optional("to", PersonRow.shape, "The recipient; only of what you have sent.") {
            $0.entry.isReceived ? nil : $0.entry.other
        }
        // Only the recipient may see when they were near the subject.
        Member.optional(
            "near", .time, "The time at which you were notified near it; only of what you have received."
        ) { $0.entry.isReceived ? $0.entry.suggestion.near : nil }
    }

    static let common: [Member<SuggestionAnswer>] = [
        Member("id", .text, "The id.") { $0.entry.suggestion.id },
        Member("subject", .text, "The suggested subject, as KIND/ID.") { $0.entry.suggestion.subject.description },
        Member("title", .text, "The title of the subject.") { $0.title },
        .optional("text", .text, "The sender's words.") { $0.entry.suggestion.text },
        Member("time", .time, "The time at which it was sent.") { $0.entry.suggestion.time },
    ]
    static let to = Member<SuggestionAnswer>("to", PersonRow.shape, "The recipient.") { $0.entry.other }
}
