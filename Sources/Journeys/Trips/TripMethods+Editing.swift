package import EventStream
import GRDB
import Positioning
package import RPC
import Service
import Store
import TextCoding
import Tracking

extension TripMethods {
    /// The methods that make other trips of recorded ones.
    var editing: [Method<Principal>] {
        [
            edit(
                "trips.merge",
                "Makes one trip of two of a device that follow each other; the one that came first keeps its id.",
                [Self.id, .required("with", Self.id.schema, "The other trip's id.")]
            ) { call, now in
                let (id, other): (String, String) = (try call.value("id"), try call.value("with"))
                return { try TripEditing.merge(id, with: other, now: now, in: $0) }
            },
            edit(
                "trips.split", "Makes two trips of one: it keeps its points up to a time, a new one has those after.",
                [Self.id, .required("at", Schema.time, "When.")]
            ) { call, now in
                let (id, time) = (try call.value("id") as String, try call.moment("at"))
                return { try TripEditing.split(id, at: time, now: now, in: $0) }
            },
            edit(
                "trips.edit",
                "Removes a wild point, or the points of a time, from what a trip shows; its trace is kept as it is.",
                [
                    Self.id,
                    .optional("remove_point", Schema.time, "The time of a point; those beside it are joined."),
                    .optional("remove_from", Schema.time, "The first moment of a time, which becomes a gap."),
                    .optional("remove_until", Schema.time, "The last moment of that time."),
                ], handler: Self.removal),
            edit(
                "trips.undo",
                "Undoes the latest change of a trip in all trips that it changed; of each trip the last "
                    + "\(TripEditing.mostUndone) are kept.",
                [Self.id]
            ) { call, now in
                let id: String = try call.value("id")
                return { try TripEditing.undo(id, now: now, in: $0) }
            },
            .stored(
                "trips.recompute",
                "Finds the numbers of trips anew from their points, by the present rules, a page at a time, and says "
                    + "which differ; stores them where that is asked for.",
                parameters: [
                    .optional(
                        "ids", .array(of: Self.id.schema, count: 1...Self.mostRecomputed),
                        "The trips; all of a time, newest first, if left out.")
                ] + Self.filter + [
                    .optional("apply", .boolean, "Whether those that differ are stored; false if left out."),
                    Field.limit(upTo: Self.mostRecomputed, usually: Self.mostRecomputed), Field.after,
                ],
                result: .object([
                    .required(
                        "trips",
                        .array(
                            of: .object([
                                .required("id", .string, "The trip's id."),
                                .required("stored", .object(TripSummary.row), "As it was stored."),
                                .required("found", .object(TripSummary.row), "By the present rules."),
                                .required("algorithm", .integer, "The version of the rules it was stored by."),
                            ])), "Those that differ."),
                    .required("same", .integer, "How many trips do not differ."),
                    .required("skipped", .integer, "How many go on, or have no points any more."),
                    .required("applied", .boolean, "Whether those that differ are stored now."),
                    Field.next,
                ]), errors: [.notFound, .conflict, .invalidValue], right: .change, handler: recompute),
        ]
    }

    /// The most trips that one call recomputes: some seconds of work for long ones.
    private static let mostRecomputed = 100

    private typealias Edit = @Sendable (Database) throws -> TripRevision

    /// A method that changes trips in one transaction, and tells of it.
    private func edit(
        _ name: String, _ summary: String, _ parameters: [Field],
        handler: @escaping @Sendable (Call<Principal>, Timestamp) throws -> Edit
    ) -> Method<Principal> {
        .stored(
            name, summary, parameters: parameters, result: Self.revision,
            errors: [.notFound, .conflict, .invalidValue], right: .change
        ) { call in
            let edit = try handler(call, now())
            let revision = try await Self.refusing { try await store.write(edit) }
            await present.tell(revision.events)
            return .object { json in
                json.array("trips") { json in
                    for trip in revision.trips { json.object { trip.writeMembers(to: &$0) } }
                }
                json.array("gone") { json in
                    for id in revision.gone { json.string(id) }
                }
            }
        }
    }

    private static let revision = Schema.object([
        .required("trips", .array(of: .object(RecordedTrip.row)), "The trips that were changed, as they are now."),
        .required("gone", .array(of: .string), "The ids of those that are no longer there."),
    ])

    @Sendable private static func removal(_ call: Call<Principal>, now: Timestamp) throws -> Edit {
        let id: String = try call.value("id")
        let point = try call.time("remove_point")
        let (start, end) = (try call.time("remove_from"), try call.time("remove_until"))
        if let point {
            guard start == nil, end == nil else {
                throw RPCError.invalid("remove_point", "must be left out where a time is given")
            }
            return { try TripEditing.removePoint(at: point, ofTrip: id, now: now, in: $0) }
        }
        guard let start else { throw RPCError.invalid("remove_from", "is missing, and so is remove_point") }
        guard let end else { throw RPCError.invalid("remove_until", "is missing, for remove_from is given") }
        guard start <= end else { throw RPCError.invalid("remove_until", "must not be before remove_from") }
        return { try TripEditing.removeSpan(from: start, until: end, ofTrip: id, now: now, in: $0) }
    }

    @Sendable package func recompute(_ call: Call<Principal>) async throws -> JSONText {
        let applies = try call.optional("apply") ?? false
        let (ids, next) = try await tripsToRecompute(call)
        var same = 0
        var skipped = 0
        var page = TextPage(limit: ids.count + 1)
        for id in ids {
            let found: TripRecomputation
            do {
                found = try await Self.refusing { try await recompute(id, applies: applies) }
            } catch let error as RPCError where error.code == .conflict {
                // Of those named, one that cannot be recomputed was named wrongly.
                guard call.parameters["ids"] == nil else { throw error }
                skipped += 1
                continue
            }
            guard found.differs else {
                same += 1
                continue
            }
            _ = page.take(.object { found.writeMembers(to: &$0) })
        }
        return .object { [page, same, skipped] json in
            page.write("trips", to: &json)
            json.member("same", same)
            json.member("skipped", skipped)
            json.member("applied", applies)
            json.member("next", next)
        }
    }

    private func recompute(_ id: String, applies: Bool) async throws -> TripRecomputation {
        guard applies else { return try await store.read { try TripEditing.recomputation(of: id, in: $0) } }
        let now = now()
        // Each in a transaction of its own, so that fixes are written in between.
        let (found, revision) = try await store.write { try TripEditing.recompute(id, now: now, in: $0) }
        if let revision { await present.tell(revision.events) }
        return found
    }

    /// Which trips a call asks for, and where the next page begins.
    private func tripsToRecompute(_ call: Call<Principal>) async throws -> (ids: [String], next: String?) {
        var query = try await query(call)
        let mark = try Self.mark(call)
        if let ids: [String] = try call.optional("ids") {
            guard query == TripQuery(), mark == nil else {
                throw RPCError.invalid("ids", "must be left out where device, from, to or after is given")
            }
            return (ids, nil)
        }
        let limit = try call.limit(usually: Self.mostRecomputed)
        query.limit = limit + 1
        query.before = mark
        let trips = try await store.read { [query] in try Travels.trips(query, in: $0) }.reversed().map(\.summary)
        let page = trips.prefix(limit)
        let next = trips.count > limit ? page.last.map { Self.cursor(after: $0).text } : nil
        return (page.map(\.id), next)
    }

    /// Answers a change that cannot be with the error that it is.
    private static func refusing<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as TripEditError {
            throw RPCError(error)
        }
    }
}

extension RPCError {
    /// A change of a trip that cannot be.
    fileprivate init(_ error: TripEditError) {
        switch error {
        case .unknown: self = .notFound("\(error)")
        case .same: self = .invalid("with", "must be another trip")
        case .differentDevices: self = .invalid("with", "must be a trip of the same device")
        case .notWithin: self = .invalid("at", "must have points of the trip before and after it")
        case .nothingThere: self = .notFound("\(error)")
        case .goesOn, .noPoints, .overlapping, .between, .nothingLeft, .nothingToUndo, .changedLater, .tooManyParts:
            self = .conflict("\(error)")
        }
    }
}

extension TripRecomputation {
    fileprivate func writeMembers(to json: inout JSONWriter) {
        json.member("id", found.id)
        for (key, trip) in [("stored", stored.summary), ("found", found)] {
            json.object(key) { json in
                trip.writeMembers(to: &json)
                trip.writeDetails(to: &json)
            }
        }
        json.member("algorithm", stored.algorithm)
    }
}

extension Call {
    /// A time that must be given.
    fileprivate func moment(_ name: String) throws(RPCError) -> Timestamp {
        guard let time = try time(name) else { throw RPCError.invalid(name, "is missing") }
        return time
    }
}
