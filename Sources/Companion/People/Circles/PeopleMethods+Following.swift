#if Companion
import Callers
import GRDB
import Positioning
import RPC
import Service
import Store

extension PeopleMethods {
    /// The maximum number of people in one call, as many as fit into a line of the socket.
    private static let largestChoice = 1000

    var following: [Method<Principal>] {
        [
            .stored(
                "people.follow", "Follows a person; has no effect if you already follow them.", Self.person,
                answers: FollowState.shape, errors: [.notFound, .invalidValue], right: .person, handler: follow),
            .stored(
                "people.unfollow", "Stops following a person.", Self.person, answers: FollowState.shape,
                errors: [.notFound], right: .person, handler: unfollow),
            .stored(
                "people.followMany", "Follows several people, or none of them if one does not exist.",
                Parameter<[String]>.required("people", Self.ids, "The usernames; an empty list follows nobody."),
                answers: .object {
                    Member("count", .integer, "The number of people in the list, each counted once.") { $0 }
                }, errors: [.notFound, .invalidValue], right: .person, handler: followMany),
            .stored(
                "people.following", "Lists the people whom a person follows, by name, in pages.", Self.ofPerson,
                Self.text,
                Self.page(of: "people.following"), answers: CountedPage.shape,
                errors: [.notFound, .notAllowed, .invalidValue], right: .read
            ) { call, id, text, asked in
                try await counted(call, id, text, asked) { person, _ in .following(person.number) }
            },
            .stored(
                "people.followers", "Lists a person's followers, by name, in pages.", Self.ofPerson, Self.text,
                Self.page(of: "people.followers"), answers: CountedPage.shape,
                errors: [.notFound, .notAllowed, .invalidValue], right: .read
            ) { call, id, text, asked in
                try await counted(call, id, text, asked) { person, _ in .followers(person.number) }
            },
            .stored(
                "people.suggested",
                "Suggests people to follow: friends of friends first, then the people with the most followers.",
                .optional(
                    "not", Self.ids, default: [], "The usernames of people to exclude, such as those already suggested."
                ),
                Parameter<Int>([.limit(upTo: 100, default: 10)]) { members throws(Refusal) in
                    try members.value("limit") ?? 10
                },
                answers: .object {
                    Member("people", .array(of: PersonRow.shape), "The people; empty if there are no others.") { $0 }
                }, right: .person, handler: suggested),
        ]
    }

    private static let ids = Schema.array(
        of: .string(length: 1...PersonalText.longestUsername), count: 0...largestChoice)

    /// Returns the parameters that ask for a page of a list of people.
    static func page(of list: String) -> Parameter<PageRequest<PeopleList.Place>> {
        .page(of: list, upTo: largestPage, default: 50)
    }

    /// An answer with one page of a list of people, and the number of people on all pages.
    struct CountedPage: Answerable, Sendable {
        var count: Int
        var people: Page<PersonRow>

        static let shape = AnswerShape<CountedPage>.object {
            Member("count", .integer, "The number of people on all pages.") { $0.count }
            Page<PersonRow>.members("people", "The people, by name.").of { $0.people }
        }
    }

    /// Returns a page of a list that belongs to a person, such as their followers.
    ///
    /// - Parameters:
    ///   - id: The id of the person whose list it is, or `nil` for the caller.
    ///   - scope: Returns the scope of the list for that person. It may throw a `Refusal`.
    func counted(
        _ call: Call<Principal>, _ id: String?, _ text: String?, _ asked: PageRequest<PeopleList.Place>,
        scope: @escaping @Sendable (Person, Database) throws -> PeopleList.Scope
    ) async throws -> CountedPage {
        try await store.read { db in
            let person = try personOrCaller(call, id, in: db)
            let list = PeopleList(
                try scope(person, db), text: text, for: try People.number(of: call.viewer, in: db))
            return CountedPage(count: try list.count(in: db), people: try list.page(asked, in: db))
        }
    }

    /// The answer to following or unfollowing a person.
    private struct FollowState: Answerable, Sendable {
        var person: String
        var isFollowed: Bool
        var followers: Int

        static let shape = AnswerShape<FollowState>.object {
            Member("person", .text, "The person's username.") { $0.person }
            Member("following", .boolean, "Whether you follow them now.") { $0.isFollowed }
            Member("followers", .integer, "The number of their followers now.") { $0.followers }
        }
    }

    @Sendable private func follow(_ call: Call<Principal>, _ id: String) async throws -> FollowState {
        let now = context.now()
        return try await change(call, id, isFollowed: true) { db, person, other, consequences in
            try Follows.add(person, other, field: "person", at: now, in: db, &consequences)
        }
    }

    @Sendable private func unfollow(_ call: Call<Principal>, _ id: String) async throws -> FollowState {
        let now = context.now()
        return try await change(call, id, isFollowed: false) { db, person, other, consequences in
            try Follows.remove(person, other, at: now, in: db, &consequences)
        }
    }

    private func change(
        _ call: Call<Principal>, _ id: String, isFollowed: Bool,
        _ body: @escaping @Sendable (Database, Person, Person, inout Consequences) throws -> Void
    ) async throws -> FollowState {
        try await editor.change { db, consequences in
            let other = try People.get(id, in: db)
            try body(db, try caller(call, in: db), other, &consequences)
            return FollowState(
                person: other.id, isFollowed: isFollowed, followers: try Follows.followers(of: other.number, in: db))
        }
    }

    @Sendable private func followMany(_ call: Call<Principal>, _ ids: [String]) async throws -> Int {
        let now = context.now()
        return try await editor.change { db, consequences in
            let person = try caller(call, in: db)
            var followed: Set<Int64> = []
            for id in ids {
                let other = try People.get(id, in: db)
                try Follows.add(person, other, field: "people", at: now, in: db, &consequences)
                followed.insert(other.number)
            }
            return followed.count
        }
    }

    @Sendable private func suggested(
        _ call: Call<Principal>, not others: [String], limit: Int
    ) async throws -> [PersonRow] {
        try await store.read { db in
            try Follows.suggested(to: try caller(call, in: db).number, not: others, limit: limit, in: db)
        }
    }
}
#endif
