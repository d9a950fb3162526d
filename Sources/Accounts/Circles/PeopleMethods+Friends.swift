package import EventStream
import GRDB
import Positioning
package import RPC
import Service
import Store
import TextCoding

extension PeopleMethods {
    package var friends: [Method<Principal>] {
        let answer = Schema.object([.required("person", .string, "The other's username.")])
        return [
            .stored(
                "friends.list", "One's friends, or those of a friend, by name, a page at a time.",
                parameters: [
                    Self.ofPerson, Self.text, Field.limit(upTo: Self.largestPage, usually: 50), Field.after,
                ],
                result: Self.list, errors: [.notFound, .invalidValue], right: .person
            ) { call in
                try await self.answer(call) { person, db in
                    guard try person.visibility(for: call.viewer, in: db).hasFriends else {
                        throw RPCError.notFound("There are no friends of \(person.id) to be seen.")
                    }
                    return .friends(person.number)
                }
            },
            .stored(
                "friends.requests", "Who has asked to be one's friend, or whom one has asked, by name.",
                parameters: [
                    .optional("direction", .choice(["in", "out"]), "Who has asked, or who was; in if left out."),
                    Field.limit(upTo: Self.largestPage, usually: 50), Field.after,
                ],
                result: Self.list, errors: [.invalidValue], right: .person, handler: requests),
            .stored(
                "friends.request", "Asks a person to be one's friend, who is notified.", parameters: [Self.person],
                result: answer, errors: [.notFound, .conflict, .invalidValue, .unavailable], right: .person,
                handler: request),
            .stored(
                "friends.cancel", "Takes your request back.", parameters: [Self.person], result: answer,
                errors: [.notFound], right: .person, handler: cancel),
            .stored(
                "friends.confirm", "Becomes the friend of a person who has asked.", parameters: [Self.person],
                result: answer, errors: [.notFound], right: .person, handler: confirm),
            .stored(
                "friends.decline", "Takes away the request of a person, who is not told.", parameters: [Self.person],
                result: answer, errors: [.notFound], right: .person, handler: decline),
            .stored(
                "friends.remove", "Ends your friendship with a person.", parameters: [Self.person],
                result: answer, errors: [.notFound], right: .person, handler: removeFriend),
        ]
    }

    @Sendable private func requests(_ call: Call<Principal>) async throws -> JSONText {
        let isOut = try call.optional("direction") == "out"
        return try await answer(call) { person, _ in isOut ? .asked(person.number) : .asking(person.number) }
    }

    @Sendable private func request(_ call: Call<Principal>) async throws -> JSONText {
        let now = context.now()
        return try await change(call) { db, consequences, person, other in
            try Friends.request(other, by: person, at: now, in: db, &consequences)
        }
    }

    @Sendable private func cancel(_ call: Call<Principal>) async throws -> JSONText {
        try await change(call) { db, _, person, other in
            guard try Friends.removeRequest(of: person.number, to: other.number, in: db) else {
                throw Friends.noRequest(to: other)
            }
        }
    }

    @Sendable private func confirm(_ call: Call<Principal>) async throws -> JSONText {
        let now = context.now()
        return try await change(call) { db, consequences, person, other in
            try Friends.confirm(other, by: person, at: now, in: db, &consequences)
        }
    }

    @Sendable private func decline(_ call: Call<Principal>) async throws -> JSONText {
        try await change(call) { db, _, person, other in
            guard try Friends.removeRequest(of: other.number, to: person.number, in: db) else {
                throw Friends.noRequest(of: other)
            }
        }
    }

    @Sendable private func removeFriend(_ call: Call<Principal>) async throws -> JSONText {
        try await change(call) { db, _, person, other in
            guard try Friends.remove(person.number, other.number, in: db) else {
                throw RPCError.notFound("\(other.id) is no friend; friends.list lists them.")
            }
        }
    }

    private func change(
        _ call: Call<Principal>,
        _ body: @escaping @Sendable (Database, inout Consequences, Person, Person) throws -> Void
    ) async throws -> JSONText {
        let id: String = try call.value("person")
        let other = try await editor.change { db, consequences in
            let other = try People.get(id, in: db)
            try body(db, &consequences, try caller(call, in: db), other)
            return other.id
        }
        return .object { $0.member("person", other) }
    }
}
