public import GRDB
public import Store
public import Tracking

/// The geofences of a feature, all of one kind.
///
/// The feature reports a change of its geofences in ``Consequences/geofences``, with a revision from
/// ``GeofenceRevision/next(in:)``, or returns it from ``changes(in:)``.
public protocol GeofenceSource: Sendable {
    /// The kind of the geofences, which is also the kind of their subjects.
    var kind: Geofence.Kind { get }
    /// The kind of notification sent to people whose device comes near one of these geofences; `nil` to send none.
    var notification: NotificationDraft.Kind? { get }

    /// Returns the approximate number of geofences.
    func count(in db: Database) throws -> Int

    /// Calls `body` with each geofence to watch, and with the revision of its place and radius.
    func forEach(in db: Database, _ body: (_ geofence: Geofence, _ revision: Int64) -> Void) throws

    /// Returns the geofence with an id, whether or not it is watched; `nil` if there is none.
    ///
    /// This method does not check permissions: ``SubjectKind`` decides who may see the geofence.
    func geofence(_ id: String, in db: Database) throws -> Geofence?

    /// Returns the changes that a transaction implies besides those in ``Consequences/geofences``.
    ///
    /// It is called once, at the end of each transaction and within it.
    func changes(in db: Database) throws -> [GeofenceChange]
}

extension GeofenceSource {
    /// Returns no changes.
    public func changes(in db: Database) throws -> [GeofenceChange] { [] }
}

/// The counter of revisions, shared by geofences of all kinds.
///
/// Of two states of a geofence, the later has the greater revision.
public enum GeofenceRevision {
    /// The table of the counter, which the first feature with geofences creates.
    package static let schema = """
        CREATE TABLE sight_revision (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            last INTEGER NOT NULL
        ) STRICT;
        INSERT INTO sight_revision VALUES (1, 0);
        """

    /// Increments the counter, and returns the revision for a change in this transaction.
    public static func next(in db: Database) throws -> Int64 {
        try db.execute(sql: "UPDATE sight_revision SET last = last + 1")
        return try last(in: db)
    }

    /// Returns the last revision that was issued.
    public static func last(in db: Database) throws -> Int64 {
        try StoredRow.fetchOne(db, sql: "SELECT last FROM sight_revision")?[0] ?? 0
    }
}

extension LocationDatabase {
    /// Loads the geofences of all `sources` into a new index.
    public func geofences(of sources: [any GeofenceSource]) throws -> GeofenceIndex {
        try read { db in
            let count = try sources.reduce(0) { try $0 + $1.count(in: db) }
            return try GeofenceIndex(capacity: count) { add in
                for source in sources { try source.forEach(in: db, add) }
                return try GeofenceRevision.last(in: db)
            }
        }
    }
}
