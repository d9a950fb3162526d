import Accounts
import EventStream
import GRDB
import Positioning
import RPC
import Service
import Store
import TextCoding

/// The methods about reactions: hearts and likes, which all may see, and saves, which are one's own.
struct ReactionMethods: Sendable {
    private let context: ServiceContext

    /// The most elements in one page.
    private static let largestPage = 500

    /// The methods of a companion.
    init(_ context: ServiceContext) { self.context = context }

    /// The methods.
    var all: [Method<Principal>] {
        [
            .stored(
                "reactions.set", "Marks something, or takes the mark back.",
                parameters: [
                    Subjects.field, .required("kind", Self.kind(Reactions.Kind.allCases), "How."),
                    .required("on", .boolean, "False takes it back."),
                ],
                result: Self.marks, errors: [.notFound, .invalidValue], right: .person, handler: set),
            .stored(
                "reactions.get", "How many people have marked something, and how you have.",
                parameters: [Subjects.field],
                result: Self.marks, errors: [.notFound, .invalidValue], right: .read, handler: get),
            .stored(
                "reactions.list", "Who has marked something, the last first; who has saved it is shown to nobody.",
                parameters: [
                    Subjects.field, .required("kind", Self.kind([.heart, .like]), "How."),
                    Field.limit(upTo: Self.largestPage, usually: 100), Field.after,
                ],
                result: .object([
                    .required(
                        "people",
                        .array(
                            of: .object([
                                .required("person", .object(Person.row), "Who."),
                                .required("time", Schema.time, "When."),
                            ])), "Who, and when."),
                    Field.next,
                ]),
                errors: [.notFound, .invalidValue], right: .read, handler: list),
            .stored(
                "reactions.mine", "What you have marked, the last first.",
                parameters: [
                    .required("kind", Self.kind(Reactions.Kind.allCases), "How."),
                    Field.limit(upTo: Self.largestPage, usually: 100), Field.after,
                ],
                result: .object([
                    .required(
                        "subjects",
                        .array(
                            of: .object([
                                .required("subject", .string, "What, as KIND/ID."),
                                .required("title", .string, "What people call it."),
                                .required("time", Schema.time, "When one marked it."),
                            ])), "What one may still see of it."),
                    Field.next,
                ]),
                errors: [.invalidValue], right: .person, handler: mine),
        ]
    }

    private static func kind(_ kinds: [Reactions.Kind]) -> Schema { .choice(kinds.map(\.rawValue)) }

    private static let marks = Schema.object([
        .required("hearts", .integer, "How many love it."),
        .required("likes", .integer, "How many like it."),
        .optional("saves", .integer, "How many have saved it; only for whose it is."),
        .required("own", .array(of: kind(Reactions.Kind.allCases)), "How you have marked it."),
    ])

    @Sendable private func set(_ call: Call<Principal>) async throws -> JSONText {
        let (name, kind, person): (String, Reactions.Kind, String) = (
            try call.value("subject"), try call.kind(), try call.person()
        )
        let (isOn, viewer): (Bool, Viewer) = (try call.value("on"), call.viewer)
        return try await context.editor.change { [context] db, _ in
            let subject = try context.subjects.find(name, for: viewer, in: db)
            let number = try People.get(person, in: db).number
            try Reactions.set(kind, of: subject.id, by: number, to: isOn, at: context.now(), in: db)
            return try Self.answer(subject, for: viewer, in: db)
        }
    }

    @Sendable private func get(_ call: Call<Principal>) async throws -> JSONText {
        let (name, viewer): (String, Viewer) = (try call.value("subject"), call.viewer)
        return try await context.store.read { [context] db in
            try Self.answer(try context.subjects.find(name, for: viewer, in: db), for: viewer, in: db)
        }
    }

    @Sendable private func list(_ call: Call<Principal>) async throws -> JSONText {
        let (name, kind, viewer): (String, Reactions.Kind, Viewer) = (
            try call.value("subject"), try call.kind(), call.viewer
        )
        let (limit, after) = (try call.limit(usually: 100), try PageKey.number(call))
        return try await context.store.read { [context] db in
            let subject = try context.subjects.find(name, for: viewer, in: db)
            var page = KeyedPage(limit: limit)
            try Reactions.forEach(kind, of: subject.id, before: after, in: db) { number, time, person in
                let person = try People.row(of: person, for: viewer, in: db)
                return page.take(number) { json in
                    json.object("person") { PersonRow.members.write(person, to: &$0) }
                    json.member("time", time.description)
                }
            }
            return page.answer("people")
        }
    }

    @Sendable private func mine(_ call: Call<Principal>) async throws -> JSONText {
        let (kind, person, viewer) = (try call.kind(), try call.person(), call.viewer)
        let (limit, after) = (try call.limit(usually: 100), try PageKey.number(call))
        return try await context.store.read { [context] db in
            let me = try People.get(person, in: db).number
            var page = KeyedPage(limit: limit)
            try Reactions.forEach(kind, by: me, before: after, in: db) { number, time, id in
                guard let subject = try context.subjects.find(id, for: viewer, in: db) else { return true }
                return page.take(number) { json in
                    json.member("subject", id.description)
                    json.member("title", subject.title)
                    json.member("time", time.description)
                }
            }
            return page.answer("subjects")
        }
    }

    /// What someone may know of how a subject is marked.
    private static func answer(_ subject: Subject, for viewer: Viewer, in db: Database) throws -> JSONText {
        let marks = try Reactions.marks(of: subject.id, for: try People.number(of: viewer, in: db), in: db)
        let isOwner = subject.owner != nil && subject.owner == viewer.person
        return .object { json in
            json.member("hearts", marks.hearts)
            json.member("likes", marks.likes)
            json.member("saves", isOwner ? marks.saves : nil)
            json.array("own") { json in
                for kind in Reactions.Kind.allCases where marks.own.contains(kind) { json.string(kind.rawValue) }
            }
        }
    }
}

extension Call {
    /// How something is marked, of which the declaration knows that it is one of the kinds.
    fileprivate func kind() throws(RPCError) -> Reactions.Kind {
        guard let kind = Reactions.Kind(rawValue: try value("kind")) else {
            throw RPCError.invalid("kind", "must be heart, like or save")
        }
        return kind
    }
}
