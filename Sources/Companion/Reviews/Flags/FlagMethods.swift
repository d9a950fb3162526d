import Callers
import GRDB
import People
import RPC
import Service
import Store
import Time

/// The RPC methods about flags on subjects that can be hidden, and about the decisions of administrators.
struct FlagMethods: Sendable {
    private let context: ServiceContext

    /// The largest page size, in subjects.
    private static let largestPage = 200

    init(_ context: ServiceContext) { self.context = context }

    /// All methods about flags.
    var all: [Method<Principal>] {
        [
            .stored(
                "subjects.flag",
                """
                Flags something of someone else that should not be there, such as a post. Flags of \
                \(Flags.flagsThatHide) people hide it until an administrator decides.
                """, .subject,
                answers: .object {
                    Member("subject", .text, "The subject, as KIND/ID.") { $0 }
                    Member("flagged", .boolean, "Always true: you have flagged it.") { _ in true }
                }, errors: [.notFound, .notAllowed, .invalidValue], right: .person, question: "Flag this?",
                handler: flag
            ),
            .stored(
                "subjects.flagged", "Lists what has flags that await a decision, in the order of the first flags.",
                .optional(
                    "hidden", .boolean, default: false,
                    "True lists what is hidden instead, with or without a decision."),
                .page(of: "subjects.flagged", by: Int64.self, upTo: Self.largestPage, default: 50),
                answers: .page("subjects", "The subjects with their flags."), errors: [.invalidValue], right: .change,
                handler: flagged),
            .stored(
                "subjects.clear", "Decides that something stays visible; its present flags do not hide it again.",
                .subject,
                answers: FlaggedSubject.shape, errors: [.notFound, .invalidValue], right: .change
            ) { try await decide($0, $1, isHidden: false) },
            .stored(
                "subjects.hide", "Hides something from all but its owner and administrators.", .subject,
                answers: FlaggedSubject.shape, errors: [.notFound, .invalidValue], right: .change
            ) { try await decide($0, $1, isHidden: true) },
        ]
    }

    @Sendable private func flag(_ call: Call<Principal>, _ name: String) async throws -> String {
        let (person, viewer) = (try call.person(), call.viewer)
        return try await context.editor.change { db, consequences in
            let subject = try flaggable(name, for: viewer, in: db)
            guard subject.owner != person else {
                throw Refusal.notAllowed("You cannot flag \(subject.id), because it is yours. Remove it instead.")
            }
            let (number, now) = (try People.getNumber(of: person, in: db), context.now())
            let (isNew, hides) = try Flags.add(subject.id, by: number, in: db)
            if isNew { try consequences.flagged(subject.id, by: number, at: now, in: db) }
            if hides { Self.announce(subject, isHidden: true, at: now, &consequences) }
            return subject.id.description
        }
    }

    @Sendable private func flagged(
        _ call: Call<Principal>, isHidden: Bool, asked: PageRequest<Int64>
    ) async throws -> Page<FlaggedSubject> {
        let viewer = call.viewer
        return try await context.store.read { [context] db in
            var page = asked.page(of: FlaggedSubject.self)
            var after = asked.after
            while true {
                let entries = try Flags.list(isHidden: isHidden, after: after, atMost: asked.limit + 1, in: db)
                let subjects = try context.subjects.find(entries.map(\.subject), for: viewer, in: db)
                for entry in entries {
                    guard let subject = subjects[entry.subject] else { continue }
                    guard page.append(FlaggedSubject(subject: subject, entry: entry), at: entry.number) else {
                        return page
                    }
                }
                // Subjects that the caller cannot see for other reasons are omitted, and the next ones fill the page.
                guard entries.count > asked.limit, let last = entries.last else { return page }
                after = last.number
            }
        }
    }

    private func decide(_ call: Call<Principal>, _ name: String, isHidden: Bool) async throws -> FlaggedSubject {
        let viewer = call.viewer
        return try await context.editor.change { db, consequences in
            let (subject, now) = (try flaggable(name, for: viewer, in: db), context.now())
            try Flags.decide(subject.id, isHidden: isHidden, in: db)
            try consequences.decided(subject.id, at: now, in: db)
            Self.announce(subject, isHidden: isHidden, at: now, &consequences)
            return FlaggedSubject(subject: subject, entry: try Flags.entry(of: subject.id, in: db))
        }
    }

    /// Announces that a subject is hidden or shown now.
    private static func announce(
        _ subject: Subject, isHidden: Bool, at now: Timestamp, _ consequences: inout Consequences
    ) {
        consequences.changed(subject.id, at: now)
        // Whoever may no longer see it would not receive that event.
        if isHidden { consequences.removed(subject.id, at: now) }
    }

    /// Returns the subject with a name.
    ///
    /// - Throws: `Refusal.invalid` if flags cannot hide subjects of its kind.
    private func flaggable(_ name: String, for viewer: Viewer, in db: Database) throws -> Subject {
        let subject = try context.subjects.find(name, for: viewer, in: db)
        guard subject.canBeFlagged else {
            throw Refusal.invalid("subject", "must be something that flags can hide, such as a post or a product")
        }
        return subject
    }
}

/// A subject with its flags, as administrators see it.
private struct FlaggedSubject: Answerable, Sendable {
    var subject: Subject
    var entry: Flags.Entry?

    static let shape = AnswerShape<FlaggedSubject>.object {
        Member("subject", .text, "The subject, as KIND/ID.") { $0.subject.id.description }
        Member("title", .text, "The title.") { $0.subject.title }
        Member.optional("owner", .text, "The owner's username; absent if it has no owner.") {
            $0.subject.owner
        }
        Member.optional("information", .text, "The text of the subject.") { $0.subject.information }
        Member("flags", .integer, "The number of flags that await a decision.") { $0.entry?.flags ?? 0 }
        Member.flag("hidden", "Whether only its owner and administrators see it.") {
            $0.entry?.isHidden ?? false
        }
    }
}
