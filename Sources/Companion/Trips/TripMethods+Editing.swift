import Callers
import GRDB
import RPC
import Service
import Store
import Time
import Tracking

extension TripMethods {
    /// The methods that change recorded trips: merging, splitting, removing points and stops, undoing and recomputing.
    var editing: [Method<Principal>] { joining + removing + [recomputing] }

    private var joining: [Method<Principal>] {
        [
            .stored(
                "trips.merge",
                "Merges two consecutive trips of a device into one, which keeps the id of the earlier trip.",
                .trip,
                .required("with", Self.idSchema, "The id of the other trip."), answers: TripRevision.shape,
                errors: Self.refusals, right: .change
            ) { _, id, other in
                try await edit { try TripEditing.merge(id, with: other, now: $1, in: $0) }
            },
            .stored(
                "trips.split",
                "Splits a trip in two: it keeps its points up to a time, and a new trip gets the later ones.",
                .trip, .requiredTime("at", "The time of the split."), answers: TripRevision.shape,
                errors: Self.refusals, right: .change
            ) { _, id, time in
                try await edit { try TripEditing.split(id, at: time, now: $1, in: $0) }
            },
        ]
    }

    private var removing: [Method<Principal>] {
        [
            .stored(
                "trips.edit",
                "Removes a wrong point, or the points of a period, from what a trip shows; its stored trace is kept.",
                .trip, .time("remove_point", "The time of the point; its neighbours are connected."),
                .time("remove_from", "The first moment of the period, which becomes a gap."),
                .time("remove_until", "The last moment of the period."), answers: TripRevision.shape,
                errors: Self.refusals, right: .change, handler: removePoints),
            .stored(
                "stops.remove",
                "Removes a stop that never was, such as one between a wrong date and the right one. The numbers of the "
                    + "trips that count it are computed again.",
                Parameter<String>.required("id", Self.idSchema, "The stop's id."), answers: TripRevision.shape,
                errors: [.notFound, .conflict], right: .change
            ) { _, id in
                try await edit { try TripEditing.removeStop(id, now: $1, in: $0) }
            },
            .stored(
                "trips.undo",
                "Undoes the latest change of a trip in all trips that it changed. The last "
                    + "\(TripEditing.maximumUndone) changes of each trip are kept.",
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
                throw Refusal.invalid("remove_point", "must be omitted if remove_from or remove_until is given")
            }
            return try await edit { try TripEditing.removePoint(at: point, ofTrip: id, now: $1, in: $0) }
        }
        guard let start else {
            throw Refusal.invalid(
                "remove_from", "is missing; give either remove_point, or remove_from and remove_until")
        }
        guard let end else { throw Refusal.invalid("remove_until", "is missing; it is required with remove_from") }
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
    fileprivate static let shape = AnswerShape<TripRevision>.object {
        Member("trips", .array(of: ShownTrip.shape), "The trips that were changed, in their new state.") { revision in
            revision.trips.map { ShownTrip($0) }
        }
        Member("gone", .array(of: .text), "The ids of the trips that no longer exist.") { $0.gone }
    }
}

extension Refusal {
    /// Creates a refusal from the reason why a trip cannot be changed.
    fileprivate init(_ error: TripEditError) {
        switch error {
        case .unknown, .unknownStop: self = .notFound("\(error)")
        case .same: self = .invalid("with", "must be another trip")
        case .differentDevices: self = .invalid("with", "must be a trip of the same device")
        case .notWithin: self = .invalid("at", "must have points of the trip before and after it")
        case .nothingThere: self = .notFound("\(error)")
        case .notEnded, .stopNotEnded, .noPoints, .overlapping, .between, .nothingLeft, .nothingToUndo, .changedLater,
            .tooManyParts:
            self = .conflict("\(error)")
        }
    }
}
