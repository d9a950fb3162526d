import Accounts
import EventStream
package import GRDB
import RPC
package import Service
import Store
import TextCoding

extension ReviewMethods {
    @Sendable func summary(_ call: Call<Principal>) async throws -> JSONText {
        let (name, viewer): (String, Viewer) = (try call.value("subject"), call.viewer)
        let (summary, own) = try await context.store.read { [context] db in
            let subject = try context.subjects.find(name, for: viewer, in: db)
            return (
                try Subjects.rating(of: subject.id, in: db),
                try viewer.person.flatMap { try Reviews.id(of: subject.id, by: $0, in: db) }
            )
        }
        return .object { json in
            summary.writeMembers(to: &json)
            json.member("own", own)
        }
    }

    @Sendable func list(_ call: Call<Principal>) async throws -> JSONText {
        let (name, viewer): (String, Viewer) = (try call.value("subject"), call.viewer)
        let order = try call.optional("order").flatMap(Reviews.Order.init) ?? .newest
        let (limit, key) = (try call.limit(usually: 50), try PageKey(call))
        return try await context.store.read { [context] db in
            let subject = try context.subjects.find(name, for: viewer, in: db)
            var list = KeyedPage(limit: limit)
            try ReviewReader(viewer, of: context.subjects, in: db)
                .forEach(of: subject.id, order: order, after: key, in: db) { review, key in
                    list.take(key) { review.writeMembers(to: &$0) }
                }
            return list.answer("reviews")
        }
    }

    @Sendable func get(_ call: Call<Principal>) async throws -> JSONText {
        let (id, viewer): (String, Viewer) = (try call.value("review"), call.viewer)
        let review = try await context.store.read { [context] db in
            try ReviewReader(viewer, of: context.subjects, in: db).review(id, in: db)
        }
        return .object { review.writeMembers(to: &$0) }
    }

    @Sendable func put(_ call: Call<Principal>) async throws -> JSONText {
        let (name, person, viewer): (String, String, Viewer) = (
            try call.value("subject"), try call.person(), call.viewer
        )
        let rating: Int = try call.value("rating")
        let text = try call.prose("text", atMost: Review.longestText)
        let review = try await context.editor.change { [context] db, _ in
            let subject = try context.subjects.find(name, for: viewer, in: db)
            guard subject.isRated else { throw RPCError.invalid("subject", "must be something that people rate") }
            guard subject.owner != person else { throw RPCError.notAllowed("You cannot rate what you have added.") }
            let author = try People.get(person, in: db).number
            let now = context.now()
            try Budget.spend(.reviews, texts: [text], by: viewer, at: now, in: db)
            let id = try Reviews.put(subject.id, by: author, rating: rating, text: text, at: now, in: db)
            return try ReviewReader(viewer, of: context.subjects, in: db).review(id, in: db)
        }
        return .object { review.writeMembers(to: &$0) }
    }

    @Sendable func remove(_ call: Call<Principal>) async throws -> JSONText {
        let review = try await change(call) { review, person, db in
            guard review.authorNumber == person || call.viewer.isAdmin else {
                throw RPCError.notAllowed("The review \(review.id) is someone else's.")
            }
            try Reviews.remove(review, in: db)
        }
        return .object { $0.member("id", review.id) }
    }

    @Sendable func agree(_ call: Call<Principal>) async throws -> JSONText {
        let agree: Bool = try call.value("agree")
        let review = try await change(call) { review, person, db in
            let person = try Self.other(than: review, person)
            try Reviews.setAgree(agree, with: review, by: person, in: db)
        }
        return .object { review.writeMembers(to: &$0) }
    }

    @Sendable func flag(_ call: Call<Principal>) async throws -> JSONText {
        let review = try await change(call) { review, person, db in
            let person = try Self.other(than: review, person)
            try Reviews.flag(review, by: person, in: db)
        }
        return .object { json in
            json.member("id", review.id)
            json.member("flagged", true)
        }
    }

    @Sendable func flagged(_ call: Call<Principal>) async throws -> JSONText {
        let (isHidden, viewer) = (try call.optional("hidden") ?? false, call.viewer)
        let (limit, after) = (try call.limit(usually: 50), try PageKey.number(call))
        return try await context.store.read { [context] db in
            var list = KeyedPage(limit: limit)
            try ReviewReader(viewer, of: context.subjects, in: db)
                .forEachToDecide(isHidden: isHidden, after: after, in: db) { review in
                    list.take(review.number) { review.writeMembers(to: &$0) }
                }
            return list.answer("reviews")
        }
    }

    func decide(_ call: Call<Principal>, isHidden: Bool) async throws -> JSONText {
        let review = try await change(call) { review, _, db in
            try Reviews.decide(review, isHidden: isHidden, in: db)
        }
        return .object { review.writeMembers(to: &$0) }
    }

    /// Changes something about the review that a call names.
    ///
    /// - Returns: the review as it is then, or as it was where who asks does not see it any more.
    private func change(
        _ call: Call<Principal>, _ body: @escaping @Sendable (Review, Int64?, Database) throws -> Void
    ) async throws -> Review {
        let (id, viewer): (String, Viewer) = (try call.value("review"), call.viewer)
        return try await context.editor.change { [context] db, _ in
            let reader = try ReviewReader(viewer, of: context.subjects, in: db)
            let review = try reader.review(id, in: db)
            try body(review, reader.number, db)
            do {
                return try reader.review(id, in: db)
            } catch let error as RPCError where error.code == .notFound {
                return review
            }
        }
    }

    /// Who asks, who must be another than the author.
    private static func other(than review: Review, _ person: Int64?) throws(RPCError) -> Int64 {
        guard let person, person != review.authorNumber else {
            throw RPCError.notAllowed("The review \(review.id) is yours.")
        }
        return person
    }
}

extension Reviews {
    /// The id of someone's review of a subject; nil where there is none.
    package static func id(of subject: SubjectID, by person: String, in db: Database) throws -> String? {
        try Int64.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT number FROM review WHERE subject = (SELECT number FROM subject WHERE id = ?)
                        AND author = (SELECT number FROM person WHERE id = ?)
                    """), arguments: [subject.description, person]
        ).map(String.init)
    }
}
