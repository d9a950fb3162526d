import Callers
import GRDB
import People
import RPC
import Service
import Store
import Time

/// The RPC methods about reactions.
///
/// Everybody sees hearts and likes; only the person who saved a subject sees that save.
struct ReactionMethods: Sendable {
    private let context: ServiceContext

    /// The largest page size, in elements.
    private static let largestPage = 500

    init(_ context: ServiceContext) { self.context = context }

    /// All methods about reactions.
    var all: [Method<Principal>] {
        [
            .stored(
                "reactions.set", "Marks something, or removes your mark.", .subject,
                Parameter<Reactions.Kind>.required("kind", "The kind of mark."),
                .required("on", .boolean, "Whether to set the mark; false removes it."), answers: Marks.shape,
                errors: [.notFound, .invalidValue], right: .person, handler: set),
            .stored(
                "reactions.get", "Returns how many people have marked something, and your own marks.", .subject,
                answers: Marks.shape, errors: [.notFound, .invalidValue], right: .read, handler: get),
            .stored(
                "reactions.list",
                "Lists the people who have marked something, latest first; saves are shown to nobody.",
                .subject, Parameter<PublicKind>.required("kind", "The kind of mark."),
                .page(of: "reactions.list", upTo: Self.largestPage, default: 100),
                answers: .page("people", "The people, and when they marked it."), errors: [.notFound, .invalidValue],
                right: .read,
                handler: list),
            .stored(
                "reactions.mine", "Lists what you have marked, latest first.",
                Parameter<Reactions.Kind>.required("kind", "The kind of mark."),
                .page(of: "reactions.mine", upTo: Self.largestPage, default: 100),
                answers: .page("subjects", "The subjects that you may still see."), errors: [.invalidValue],
                right: .person,
                handler: mine),
        ]
    }

    /// The kinds of marks that everybody sees.
    enum PublicKind: String, CaseIterable, Sendable {
        case heart
        case like
    }

    /// The marks on a subject, as the caller may see them.
    struct Marks: Answerable, Sendable {
        var marks: Reactions.Marks
        /// Whether the caller owns the subject.
        ///
        /// Only the owner sees the number of saves.
        var isOwner: Bool

        static let shape = AnswerShape<Marks>.object {
            Member("hearts", .integer, "The number of people who love it.") { $0.marks.hearts }
            Member("likes", .integer, "The number of people who like it.") { $0.marks.likes }
            Member.optional("saves", .integer, "The number of people who have saved it; only for its owner.") {
                $0.isOwner ? $0.marks.saves : nil
            }
            Member("own", .array(of: AnswerShape<Reactions.Kind>.choice), "Your own marks.") { answer in
                Reactions.Kind.allCases.filter(answer.marks.own.contains)
            }
        }
    }

    @Sendable private func set(
        _ call: Call<Principal>, on name: String, kind: Reactions.Kind, to isOn: Bool
    ) async throws -> Marks {
        let (person, viewer) = (try call.person(), call.viewer)
        return try await context.editor.change { [context] db, consequences in
            let subject = try context.subjects.find(name, for: viewer, in: db)
            let number = try People.getNumber(of: person, in: db)
            let now = context.now()
            if try Reactions.set(kind, of: subject.id, by: number, to: isOn, at: now, in: db) {
                Self.tell(kind, of: subject, by: number, isOn, at: now, &consequences)
            }
            return try Self.marks(of: subject, for: viewer, in: db)
        }
    }

    /// Tells the owner and all who see the subject of a mark; nobody but the person knows of a save.
    private static func tell(
        _ kind: Reactions.Kind, of subject: Subject, by person: Int64, _ isOn: Bool, at now: Timestamp,
        _ consequences: inout Consequences
    ) {
        guard kind != .save else { return }
        consequences.changed(subject.id, at: now)
        guard let owner = subject.owner else { return }
        consequences.acts.append(
            Act(.heart, by: person, to: owner, of: subject.id, at: now, isUndone: !isOn))
    }

    @Sendable private func get(_ call: Call<Principal>, on name: String) async throws -> Marks {
        let viewer = call.viewer
        return try await context.store.read { [context] db in
            try Self.marks(of: try context.subjects.find(name, for: viewer, in: db), for: viewer, in: db)
        }
    }

    @Sendable private func list(
        _ call: Call<Principal>, on name: String, kind: PublicKind, asked: PageRequest<Int64>
    ) async throws -> Page<Reaction> {
        let viewer = call.viewer
        return try await context.store.read { [context] db in
            let subject = try context.subjects.find(name, for: viewer, in: db)
            var page = asked.page(of: Reaction.self)
            let me = try People.number(of: viewer, in: db)
            let kind: Reactions.Kind = kind == .heart ? .heart : .like
            try Reactions.forEach(
                kind, of: subject.id, for: me, before: asked.after, atMost: asked.limit + 1, in: db
            ) { page.append($0, at: $0.number) }
            return page
        }
    }

    @Sendable private func mine(
        _ call: Call<Principal>, kind: Reactions.Kind, asked: PageRequest<Int64>
    ) async throws -> Page<MarkedSubject> {
        let (person, viewer) = (try call.person(), call.viewer)
        return try await context.store.read { [context] db in
            let me = try People.getNumber(of: person, in: db)
            var page = asked.page(of: MarkedSubject.self)
            var before = asked.after
            while true {
                let marks = try Reactions.marks(kind, by: me, before: before, atMost: asked.limit + 1, in: db)
                let subjects = try context.subjects.find(marks.map(\.subject), for: viewer, in: db)
                for mark in marks {
                    guard let subject = subjects[mark.subject] else { continue }
                    let marked = MarkedSubject(subject: mark.subject, title: subject.title, time: mark.time)
                    guard page.append(marked, at: mark.number) else { return page }
                }
                // Subjects that the person may no longer see are omitted, and the next ones fill the page.
                guard marks.count > asked.limit, let last = marks.last else { return page }
                before = last.number
            }
        }
    }

    private static func marks(of subject: Subject, for viewer: Viewer, in db: Database) throws -> Marks {
        let marks = try Reactions.marks(of: subject.id, for: try People.number(of: viewer, in: db), in: db)
        return Marks(marks: marks, isOwner: subject.owner != nil && subject.owner == viewer.person)
    }
}

/// A subject that the caller has marked.
private struct MarkedSubject: Answerable, Sendable {
    var subject: SubjectID
    var title: String
    var time: Timestamp

    static let shape = AnswerShape<MarkedSubject>.object {
        Member("subject", .text, "The subject, as KIND/ID.") { $0.subject.description }
        Member("title", .text, "The title.") { $0.title }
        Member("time", .time, "The time at which you marked it.") { $0.time }
    }
}
