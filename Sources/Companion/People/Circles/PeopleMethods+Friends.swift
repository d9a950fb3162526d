#if Companion
import Callers
import GRDB
import Positioning
import RPC
import Service
import Store

extension PeopleMethods {
    var friends: [Method<Principal>] {
        let answer = Self.named("person", "The username of the other person.")
        return [
            .stored(
                "friends.list", "Lists your friends or those of a friend, by name, in pages.", Self.ofPerson,
                Self.text, Self.page(of: "friends.list"), answers: CountedPage.shape,
                errors: [.notFound, .invalidValue],
                right: .person
            ) { call, id, text, asked in
                try await counted(call, id, text, asked) { person, db in
                    guard try person.visibility(for: call.viewer, in: db).hasFriends else {
                        throw Refusal.notFound("You must be a friend of \(person.id) to see their friends.")
                    }
                    return .friends(person.number)
                }
            },
            .stored(
                "friends.requests", "Lists the unanswered friend requests that you have received or sent, by name.",
                .optional(
                    "direction", default: Direction.asking,
                    "The direction: `in` for requests that you have received, the default, or `out` for your own."
                ),
                Self.page(of: "friends.requests"), answers: CountedPage.shape, errors: [.invalidValue], right: .person
            ) { call, direction, asked in
                try await counted(call, nil, nil, asked) { person, _ in
                    switch direction {
                    case .asking: .asking(person.number)
                    case .asked: .asked(person.number)
                    }
                }
            },
            .stored(
                "friends.request", "Sends a friend request to a person, who is notified.", Self.person, answers: answer,
                errors: [.notFound, .conflict, .invalidValue, .unavailable], right: .person, handler: request),
            .stored(
                "friends.cancel", "Withdraws your friend request to a person.", Self.person, answers: answer,
                errors: [.notFound],
                right: .person, handler: cancel),
            .stored(
                "friends.confirm", "Confirms the friend request of a person, which makes you friends.", Self.person,
                answers: answer,
                errors: [.notFound], right: .person, handler: confirm),
            .stored(
                "friends.decline", "Declines the friend request of a person, who is not notified.", Self.person,
                answers: answer, errors: [.notFound], right: .person, handler: decline),
            .stored(
                "friends.remove", "Ends your friendship with a person.", Self.person, answers: answer,
                errors: [.notFound], right: .person, handler: removeFriend),
        ]
    }

    /// The direction of the requests to list.
    private enum Direction: String, CaseIterable, Sendable {
        /// Requests that others have sent to the caller.
        case asking = "in"
        /// Requests that the caller has sent to others.
        case asked = "out"
    }

    @Sendable private func request(_ call: Call<Principal>, _ id: String) async throws -> String {
        let (viewer, now) = (call.viewer, context.now())
        return try await change(call, id) { [context] db, consequences, person, other in
            try Friends.request(other, by: person, at: now, in: db, &consequences)
            try Budget.count(context.limits.ofRequests, by: viewer, at: now, in: db)
        }
    }

    @Sendable private func cancel(_ call: Call<Principal>, _ id: String) async throws -> String {
        try await change(call, id) { db, consequences, person, other in
            try Friends.cancel(other, by: person, in: db, &consequences)
        }
    }

    @Sendable private func confirm(_ call: Call<Principal>, _ id: String) async throws -> String {
        let now = context.now()
        return try await change(call, id) { db, consequences, person, other in
            try Friends.confirm(other, by: person, at: now, in: db, &consequences)
        }
    }

    @Sendable private func decline(_ call: Call<Principal>, _ id: String) async throws -> String {
        try await change(call, id) { db, consequences, person, other in
            try Friends.decline(other, by: person, in: db, &consequences)
        }
    }

    @Sendable private func removeFriend(_ call: Call<Principal>, _ id: String) async throws -> String {
        try await change(call, id) { db, _, person, other in
            guard try Friends.remove(person.number, other.number, in: db) else {
                throw Refusal.notFound("\(other.id) is not your friend. friends.list lists your friends.")
            }
        }
    }

    private func change(
        _ call: Call<Principal>, _ id: String,
        _ body: @escaping @Sendable (Database, inout Consequences, Person, Person) throws -> Void
    ) async throws -> String {
        try await editor.change { db, consequences in
            let other = try People.get(id, in: db)
            try body(db, &consequences, try caller(call, in: db), other)
            return other.id
        }
    }
}
#endif
