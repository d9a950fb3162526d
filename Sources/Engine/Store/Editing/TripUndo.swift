import GRDB
import Time
import Tracking

/// A change of trips that is about to be undone.
struct TripUndo {
    private let db: Database
    private let edit: Int64
    private var states: [(trip: Int64, id: String, state: TripState?)] = []

    /// - Throws: ``TripEditError/changedLater(id:)`` unless it is the latest change of each of its trips.
    init(edit: Int64, in db: Database) throws {
        self.db = db
        self.edit = edit
        let rows = try StoredRow.fetchAll(
            db, sql: "SELECT number, id, state FROM trip_before JOIN trip ON number = trip WHERE edit = ? ORDER BY id",
            arguments: [edit])
        for row in rows {
            let id: String = row[1]
            guard try TripEditing.lastEdit(ofTrip: row[0], in: db) == edit else {
                throw TripEditError.changedLater(id: id)
            }
            var state = try (row[2] as String?).map { try StoredJSON.decode(TripState.self, from: $0) }
            // The trip may have received another id since.
            state?.summary.id = id
            states.append((row[0], id, state))
        }
    }

    func run(now: Timestamp) throws -> TripRevision {
        var trips: [RecordedTrip] = []
        var gone: [RecordedTrip] = []
        // A trip without a saved state was created by the change and is deleted: the others show its points again.
        for (number, id, state) in states {
            if let stop = state?.stop { try Travels.restore(stop, in: db) }
            guard let state else {
                if let trip = try Travels.trip(id: id, in: db) { gone.append(trip) }
                try db.execute(sql: "DELETE FROM trip WHERE number = ?", arguments: [number])
                continue
            }
            let parts = try TripPart.kept(ofTrip: number, edit: edit, in: db)
            try TripPart.keep(parts, ofTrip: number, in: db)
            let trip = RecordedTrip(
                summary: state.summary, algorithm: state.algorithm, revision: state.revision)
            try trip.update(number, in: db)
            trips.append(trip)
        }
        let heir = trips.first?.summary.id ?? ""
        try TripEditing.drop(edit, in: db)
        return TripRevision(.undo, trips: trips, gone: gone.map { ($0, heir) }, now: now)
    }
}

extension TripEditing {
    /// Returns the latest change of a trip that can be undone.
    static func lastEdit(ofTrip number: Int64, in db: Database) throws -> Int64? {
        try Int64.fetchOne(db, sql: "SELECT max(edit) FROM trip_before WHERE trip = ?", arguments: [number])
    }

    /// Deletes the saved states and parts of one change.
    static func drop(_ edit: Int64, in db: Database) throws {
        try db.execute(
            sql: """
                DELETE FROM trip_part
                WHERE trip IN (SELECT trip FROM trip_before WHERE trip_before.edit = :edit) AND edit = :edit
                """,
            arguments: ["edit": edit])
        try db.execute(sql: "DELETE FROM trip_edit WHERE number = ?", arguments: [edit])
    }

    /// Deletes a change and, transitively, all earlier changes of its trips, so that they can no longer be undone.
    static func forget(_ edit: Int64, in db: Database) throws {
        var edits: Set = [edit]
        while let edit = edits.popFirst() {
            edits.formUnion(
                try Int64.fetchAll(
                    db,
                    sql: """
                        SELECT edit FROM trip_before
                        WHERE trip IN (SELECT trip FROM trip_before WHERE edit = :edit) AND edit < :edit
                        """,
                    arguments: ["edit": edit]))
            try drop(edit, in: db)
        }
    }

    /// Deletes the oldest changes of a trip beyond ``maximumUndone``.
    static func forgetOldest(ofTrip number: Int64, in db: Database) throws {
        let newest = try Int64.fetchOne(
            db, sql: "SELECT edit FROM trip_before WHERE trip = ? ORDER BY edit DESC LIMIT 1 OFFSET ?",
            arguments: [number, maximumUndone])
        if let newest { try forget(newest, in: db) }
    }
}
