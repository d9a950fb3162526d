import EventStream
import GRDB
import Positioning
import RPC
import Service
import Store
import Tracking

extension TripMethods {
    /// The methods that change recorded trips: merging, splitting, removing points, undoing and recomputing.
    var editing: [Method<Principal>] { joining + removing + [recomputing] }

    private var joining: [Method<Principal>] {
        [
            .stored(
                "trips.merge",
                "Makes one trip of two of a device that follow each other; the one that came first keeps its id.",
                .trip,
                .required("with", Self.idSchema, "The other trip's id."), answers: TripRevision.shape,
                errors: Self.refusals, right: .change
            ) { _, id, other in
                try await edit { try TripEditing.merge(id, with: other, now: $1, in: $0) }
            },
            .stored(
                "trips.split", "Makes two trips of one: it keeps its points up to a time, a new one has those after.",
                .trip, .requiredTime("at", "When."), answers: TripRevision.shape, errors: Self.refusals, right: .change
            ) { _, id, time in
                try await edit { try TripEditing.split(id, at: time, now: $1, in: $0) }
            },
        ]
    }

    private var removing: [Method<Principal>] {
        [
            .stored(
                "trips.edit",
                "Removes a wild point, or the points of a time, from what a trip shows; its trace is kept as it is.",
                .trip, .time("remove_point", "The time of a point; those beside it are joined."),
                .time("remove_from", "The first moment of a time, which becomes a gap."),
                .time("remove_until", "The last moment of that time."), answers: TripRevision.shape,
                errors: Self.refusals, right: .change, handler: removePoints),
            .stored(
                "trips.undo",
                "Undoes the latest change of a trip in all trips that it changed; of each trip the last "
                    + "\(TripEditing.mostUndone) are kept.",
                .trip, answers: TripRevision.shape, errors: Self.refusals, right: .change
            ) { _, id in
                try await edit { try TripEditing.undo(id, now: $1, in: $0) }
            },
        ]
    }

    private static let refusals: [Refusal.Kind] = [.notFound, .conflict, .invalidValue]

    /// Runs a change of trips in one transaction, which also appends the change's events to the log.
    private func edit(
        _ body: @escaping @Sendable (Database, _ now: Timestamp) throws -> TripRevision
    ) async throws -> TripRevision {
        let now = now()
        return try await Self.refusing {
            try await editor.change { db, consequences in
                let revision = try body(db, now)
                consequences.events += revision.events
                return revision
            }
        }
    }

    @Sendable private func removePoints(
        _ call: Call<Principal>, ofTrip id: String, at point: Timestamp?, from start: Timestamp?, until end: Timestamp?
    ) async throws -> TripRevision {
        if let point {
            guard start == nil, end == nil else {
                throw Refusal.invalid("remove_point", "must be left out where a time is given")
            }
            return try await edit { try TripEditing.removePoint(at: point, ofTrip: id, now: $1, in: $0) }
        }
        guard let start else { throw Refusal.invalid("remove_from", "is missing, and so is remove_point") }
        guard let end else { throw Refusal.invalid("remove_until", "is missing, for remove_from is given") }
        guard start <= end else { throw Refusal.invalid("remove_until", "must not be before remove_from") }
        return try await edit { try TripEditing.removeSpan(from: start, until: end, ofTrip: id, now: $1, in: $0) }
    }

    /// Runs `body` and converts a `TripEditError` that it throws to a `Refusal`.
    static func refusing<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as TripEditError {
            throw Refusal(error)
        }
    }
}

extension TripRevision {
    /// The JSON shape of a change.
    fileprivate static let shape = Shape<TripRevision>.object {
        Member("trips", .array(of: ShownTrip.shape), "The trips that were changed, as they are now.") { revision in
            revision.trips.map { ShownTrip($0) }
        }
        Member("gone", .array(of: .text), "The ids of those that are no longer there.") { $0.gone }
    }
}

extension Refusal {
    /// Creates a refusal from the reason why a trip cannot be changed.
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
