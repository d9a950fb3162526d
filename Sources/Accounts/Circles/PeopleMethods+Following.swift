package import EventStream
package import GRDB
import Positioning
package import RPC
import Service
import Store
import TextCoding

extension PeopleMethods {
    /// The most people in one choice: what a line of the socket can hold.
    private static let largestChoice = 1000

    /// The answer of a list of people.
    package static let list = Schema.object([
        .required("count", .integer, "How many there are on all pages."),
        .required("people", .array(of: .object(Person.row)), "The people, by name."),
        Field.next,
    ])

    var following: [Method<Principal>] {
        let page = [Self.ofPerson, Self.text, Field.limit(upTo: Self.largestPage, usually: 50), Field.after]
        let ids = Schema.array(
            of: .string(length: 1...PersonalText.longestUsername), count: 0...Self.largestChoice)
        let state = Schema.object([
            .required("person", .string, "The person's username."),
            .required("following", .boolean, "Whether one follows them now."),
            .required("followers", .integer, "How many follow them now."),
        ])
        return [
            .stored(
                "people.follow", "Follows a person; whom one follows already, one still follows.",
                parameters: [Self.person], result: state, errors: [.notFound, .invalidValue], right: .person,
                handler: follow),
            .stored(
                "people.unfollow", "Follows a person no longer.", parameters: [Self.person], result: state,
                errors: [.notFound], right: .person, handler: unfollow),
            .stored(
                "people.followMany", "Follows all of these people, or none where one of them is not there.",
                parameters: [.required("people", ids, "Their usernames; none follows nobody.")],
                result: .object([.required("count", .integer, "How many of them one follows now: each is one.")]),
                errors: [.notFound, .invalidValue], right: .person, handler: followMany),
            .stored(
                "people.following", "Those whom someone follows, by name, a page at a time.", parameters: page,
                result: Self.list, errors: [.notFound, .notAllowed, .invalidValue], right: .read
            ) { call in try await answer(call) { person, _ in .following(person.number) } },
            .stored(
                "people.followers", "Those who follow someone, by name, a page at a time.", parameters: page,
                result: Self.list, errors: [.notFound, .notAllowed, .invalidValue], right: .read
            ) { call in try await answer(call) { person, _ in .followers(person.number) } },
            .stored(
                "people.suggested",
                "People one might want to follow: friends of friends first, then those whom many follow.",
                parameters: [
                    .optional("not", ids, "The usernames of those suggested before, for a different set."),
                    Field.limit(upTo: 100, usually: 10),
                ],
                result: .object([
                    .required(
                        "people", .array(of: .object(Person.row)), "The people; empty where there are no others.")
                ]),
                right: .person, handler: suggested),
        ]
    }

    /// A page of a list that is someone's.
    ///
    /// - Parameter scope: who is in the list of that person; it may refuse.
    package func answer(
        _ call: Call<Principal>, scope: @escaping @Sendable (Person, Database) throws -> PeopleList.Scope
    ) async throws -> JSONText {
        let text = try Self.searched(call)
        let limit = try call.limit(usually: 50)
        let after = try Self.place(call)
        let (count, page, next) = try await store.read { db in
            let person = try personOrCaller(call, in: db)
            let list = PeopleList(scope: try scope(person, db), text: text, after: after)
            let (page, next) = try list.page(limit: limit, for: call.viewer, in: db)
            return (try list.count(in: db), page, next)
        }
        return .object { json in
            json.member("count", count)
            page.write("people", to: &json)
            json.member("next", next)
        }
    }

    @Sendable private func follow(_ call: Call<Principal>) async throws -> JSONText {
        let now = context.now()
        return try await change(call, isFollowed: true) { db, person, other in
            try Follows.add(person, other, field: "person", at: now, in: db)
        }
    }

    @Sendable private func unfollow(_ call: Call<Principal>) async throws -> JSONText {
        try await change(call, isFollowed: false) { db, person, other in
            try Follows.remove(person.number, other.number, in: db)
        }
    }

    private func change(
        _ call: Call<Principal>, isFollowed: Bool,
        _ body: @escaping @Sendable (Database, Person, Person) throws -> Void
    ) async throws -> JSONText {
        let id: String = try call.value("person")
        let (other, followers) = try await editor.change { db, _ in
            let other = try People.get(id, in: db)
            try body(db, try caller(call, in: db), other)
            return (other.id, try Follows.counts(of: other.number, in: db).followers)
        }
        return .object { json in
            json.member("person", other)
            json.member("following", isFollowed)
            json.member("followers", followers)
        }
    }

    @Sendable private func followMany(_ call: Call<Principal>) async throws -> JSONText {
        let ids: [String] = try call.value("people")
        let now = context.now()
        let count = try await editor.change { db, _ in
            let person = try caller(call, in: db)
            var followed: Set<Int64> = []
            for id in ids {
                let other = try People.get(id, in: db)
                try Follows.add(person, other, field: "people", at: now, in: db)
                followed.insert(other.number)
            }
            return followed.count
        }
        return .object { $0.member("count", count) }
    }

    @Sendable private func suggested(_ call: Call<Principal>) async throws -> JSONText {
        let others: [String] = try call.optional("not") ?? []
        let limit = try call.limit(usually: 10)
        let rows = try await store.read { db in
            let person = try caller(call, in: db)
            return try Follows.suggested(to: person.number, not: others, limit: limit, in: db)
                .map { try $0.row(for: call.viewer, in: db) }
        }
        return .object { json in
            json.array("people") { json in
                for row in rows { json.raw(row.bytes) }
            }
        }
    }
}
