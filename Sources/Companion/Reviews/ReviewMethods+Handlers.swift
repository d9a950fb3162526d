import Callers
package import GRDB
import People
import RPC
package import Service
import Store
import Subjects

extension ReviewMethods {
    @Sendable func summary(_ call: Call<Principal>, of name: String) async throws -> Summary {
        let viewer = call.viewer
        return try await context.store.read { [context] db in
            let subject = try context.subjects.find(name, for: viewer, in: db)
            return Summary(
                rating: try Subjects.rating(of: subject.id, in: db),
                own: try viewer.person.flatMap { try Reviews.id(of: subject.id, by: $0, in: db) })
        }
    }

    @Sendable func list(
        _ call: Call<Principal>, of name: String, order: Reviews.Order, asked: PageRequest<PageKey>
    ) async throws -> Page<Review> {
        let viewer = call.viewer
        return try await context.store.read { [context] db in
            let subject = try context.subjects.find(name, for: viewer, in: db)
            var page = asked.page(of: Review.self)
            try ReviewReader(viewer, of: context.subjects, in: db)
                .forEach(of: subject.id, order: order, after: asked.after, in: db) { page.append($0, at: $1) }
            return page
        }
    }

    @Sendable func get(_ call: Call<Principal>, id: String) async throws -> Review {
        let viewer = call.viewer
        return try await context.store.read { [context] db in
            try ReviewReader(viewer, of: context.subjects, in: db).review(id, in: db)
        }
    }

    @Sendable func put(_ call: Call<Principal>, on name: String, rating: Int, text: String?) async throws -> Review {
        let (person, viewer) = (try call.person(), call.viewer)
        return try await context.editor.change { [context] db, consequences in
            let subject = try context.subjects.find(name, for: viewer, in: db)
            guard subject.isRated else { throw Refusal.invalid("subject", "must be something that people can rate") }
            guard subject.owner != person else { throw Refusal.notAllowed("You cannot rate what you have added.") }
            let author = try People.getNumber(of: person, in: db)
            let now = context.now()
            try Budget.spend(context.limits.ofReviews, texts: [text], by: viewer, at: now, in: db)
            let id = try Reviews.put(subject.id, by: author, rating: rating, text: text, at: now, in: db)
            consequences.changed(subject.id, at: now)
            let review = try ReviewReader(viewer, of: context.subjects, in: db).review(id, in: db)
            // An author cannot tell anybody of a review that was hidden.
            if let owner = subject.owner, !review.isHidden {
                consequences.acts.append(Act(.review, by: author, to: owner, of: subject.id, at: now))
            }
            return review
        }
    }

    @Sendable func remove(_ call: Call<Principal>, id: String) async throws -> String {
        let viewer = call.viewer
        return try await change(call, id) { [context] review, person, db, consequences in
            guard review.authorNumber == person || viewer.isAdmin else {
                throw Refusal.notAllowed("The review \(review.id) is not yours. You can remove only your own reviews.")
            }
            try Reviews.remove(review, in: db)
            let now = context.now()
            consequences.changed(review.subject, at: now)
            guard let owner = try context.subjects.find(review.subject, for: viewer, in: db)?.owner else { return }
            consequences.acts.append(
                Act(.review, by: review.authorNumber, to: owner, of: review.subject, at: now, isUndone: true))
        }.id
    }

    @Sendable func agree(_ call: Call<Principal>, id: String, agree: Bool) async throws -> Review {
        try await change(call, id) { [context] review, person, db, consequences in
            let person = try Self.other(than: review, person)
            try Reviews.setAgree(agree, with: review, by: person, in: db)
            consequences.changed(review.subject, at: context.now())
        }
    }

    @Sendable func flag(_ call: Call<Principal>, id: String) async throws -> String {
        try await change(call, id) { [context] review, person, db, consequences in
            let person = try Self.other(than: review, person)
            guard try Reviews.flag(review, by: person, in: db) else { return }
            try consequences.flagged(review.subject, by: person, at: context.now(), in: db)
            if try Reviews.isHidden(review, in: db) { consequences.changed(review.subject, at: context.now()) }
        }.id
    }

    @Sendable func flagged(
        _ call: Call<Principal>, isHidden: Bool, asked: PageRequest<Int64>
    ) async throws -> Page<Review> {
        let viewer = call.viewer
        return try await context.store.read { [context] db in
            var page = asked.page(of: Review.self)
            try ReviewReader(viewer, of: context.subjects, in: db)
                .forEachToDecide(isHidden: isHidden, after: asked.after, in: db) { page.append($0, at: $0.number) }
            return page
        }
    }

    func decide(_ call: Call<Principal>, _ id: String, isHidden: Bool) async throws -> Review {
        try await change(call, id) { [context] review, _, db, consequences in
            try Reviews.decide(review, isHidden: isHidden, in: db)
            try consequences.decided(review.subject, at: context.now(), in: db)
            consequences.changed(review.subject, at: context.now())
        }
    }

    /// Runs a change of a review in one transaction.
    ///
    /// - Returns: The review after the change, or before it if the caller may no longer see it.
    private func change(
        _ call: Call<Principal>, _ id: String,
        _ body: @escaping @Sendable (Review, Int64?, Database, inout Consequences) throws -> Void
    ) async throws -> Review {
        let viewer = call.viewer
        return try await context.editor.change { [context] db, consequences in
            let reader = try ReviewReader(viewer, of: context.subjects, in: db)
            let review = try reader.review(id, in: db)
            try body(review, reader.number, db, &consequences)
            do {
                return try reader.review(id, in: db)
            } catch let error as Refusal where error.kind == .notFound {
                return review
            }
        }
    }

    /// Returns the caller's row number in the table `person`.
    ///
    /// - Throws: `Refusal.notAllowed` if nobody is signed in, or the caller is the author of the review.
    private static func other(than review: Review, _ person: Int64?) throws(Refusal) -> Int64 {
        guard let person, person != review.authorNumber else {
            throw Refusal.notAllowed("The review \(review.id) is yours. You can neither agree with it nor flag it.")
        }
        return person
    }
}

extension Reviews {
    /// Returns the id of a person's review of a subject; `nil` if there is none.
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
