import Callers
import RPC
import Service
import Store
import Time
import Tracking

extension TripMethods {
    /// The largest number of trips that one call recomputes: some seconds of work for long trips.
    private static let maximumRecomputed = 100

    /// The method `trips.recompute`.
    var recomputing: Method<Principal> {
        .stored(
            "trips.recompute",
            "Recomputes the numbers of trips from their points by the current rules, in pages, and returns the trips "
                + "that differ. Stores them only if `apply` is true.",
            Parameter<[String]?>.optional(
                "ids", .array(of: Self.idSchema, count: 1...Self.maximumRecomputed),
                "The trips; by default all trips of a period, newest first."), Self.device, Self.since, Self.until,
            Parameter<Bool>.optional(
                "apply", .boolean, default: false, "Whether to store the trips that differ; false by default."),
            .page(of: Self.listName, upTo: Self.maximumRecomputed, default: Self.maximumRecomputed),
            answers: Recomputation.shape, errors: [.notFound, .conflict, .invalidValue], right: .change,
            handler: recompute)
    }

    /// The result of recomputing a page of trips.
    struct Recomputation: Answerable, Sendable {
        /// The trips whose recomputed numbers differ from the stored ones.
        var differing: [TripRecomputation] = []
        var same = 0
        var skipped = 0
        let isApplied: Bool
        let next: String?

        static let shape = AnswerShape<Recomputation>.object {
            Member("trips", .array(of: difference), "The trips that differ.") { $0.differing }
            Member("same", .integer, "The number of trips that do not differ.") { $0.same }
            Member(
                "skipped", .integer,
                "The number of trips that have not ended, whose points are no longer kept, or that were removed meanwhile."
            ) { $0.skipped }
            Member("applied", .boolean, "Whether the trips that differ were stored.") { $0.isApplied }
            Member.next { $0.next }
        }

        private static let difference = AnswerShape<TripRecomputation>.object {
            Member("id", .text, "The trip's id.") { $0.found.id }
            Member("stored", .object(TripSummary.members), "The numbers as they were stored.") { $0.stored.summary }
            Member("found", .object(TripSummary.members), "The numbers by the current rules.") { $0.found }
            Member("algorithm", .integer, "The version of the rules behind the stored numbers.") { $0.stored.algorithm }
        }
    }

    @Sendable private func recompute(
        _ call: Call<Principal>, ids: [String]?, device: String?, since: Timestamp?, until: Timestamp?, applies: Bool,
        asked: PageRequest<TripQuery.Mark>
    ) async throws -> Recomputation {
        var query = try await query(device, since, until, for: call.viewer)
        query.before = asked.after
        guard ids == nil || query == TripQuery() else {
            throw Refusal.invalid("ids", "must be omitted if device, from, to or after is given")
        }
        let page = ids == nil ? try await trips(query, asked) : (ids: ids ?? [], next: nil)
        var answer = Recomputation(isApplied: applies, next: page.next)
        for id in page.ids {
            do {
                let found = try await Self.refusing { try await recompute(id, applies: applies) }
                if found.differs { answer.differing.append(found) } else { answer.same += 1 }
            } catch let error as Refusal where [.conflict, .notFound].contains(error.kind) {
                // A trip that the caller named and that cannot be recomputed is an error of the caller. A trip of the
                // page may have been removed meanwhile.
                guard ids == nil else { throw error }
                answer.skipped += 1
            }
        }
        return answer
    }

    private func recompute(_ id: String, applies: Bool) async throws -> TripRecomputation {
        guard applies else { return try await store.read { try TripEditing.recomputation(of: id, in: $0) } }
        let now = now()
        // Each trip has a transaction of its own, so that fixes can be written in between.
        return try await editor.change { db, consequences in
            let (found, revision) = try TripEditing.recompute(id, now: now, in: db)
            consequences.events += revision?.events ?? []
            return found
        }
    }

    /// Returns the ids of a page of trips, and the cursor of the next page.
    private func trips(
        _ query: TripQuery, _ asked: PageRequest<TripQuery.Mark>
    ) async throws -> (ids: [String], next: String?) {
        var query = query
        query.limit = asked.limit + 1
        let trips = try await store.read { [query] in try Travels.trips(query, in: $0) }.reversed().map(\.summary)
        let page = trips.prefix(asked.limit)
        let next = trips.count > asked.limit ? page.last.map { asked.next(after: TripQuery.Mark($0)) } : nil
        return (page.map(\.id), next)
    }
}
