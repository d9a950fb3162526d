public import GRDB
public import Store
public import Tracking

/// Places that a feature has watched, all of one kind.
///
/// What it changes of them goes into ``Consequences/geofences``, with a revision of ``GeofenceRevision/next(in:)``, or comes
/// of ``changes(in:)``.
public protocol GeofenceSource: Sendable {
    /// Their kind, which is that of their subjects too.
    var kind: Geofence.Kind { get }
    /// What people are told of whom a device carries near one; nil where nobody is told.
    var notification: NotificationDraft.Kind? { get }

    /// How many there are, about.
    func count(in db: Database) throws -> Int

    /// Calls `body` with each that is to be watched, and the revision of its place and radius.
    func forEach(in db: Database, _ body: (_ geofence: Geofence, _ revision: Int64) -> Void) throws

    /// The one of an id, watched or not; nil where there is none.
    ///
    /// Whether someone may see it is for ``SubjectKind`` to say.
    func geofence(_ id: String, in db: Database) throws -> Geofence?

    /// What is to be watched otherwise after a change, besides what that has said itself; asked once at its end, in its
    /// transaction.
    func changes(in db: Database) throws -> [GeofenceChange]
}

extension GeofenceSource {
    /// Nothing.
    public func changes(in db: Database) throws -> [GeofenceChange] { [] }
}

/// The one number that says which of two states of a geofence is the later, whatever its kind.
public enum GeofenceRevision {
    /// The next one, for a change in this transaction.
    public static func next(in db: Database) throws -> Int64 {
        try db.execute(sql: "UPDATE sight_revision SET last = last + 1")
        return try last(in: db)
    }

    /// The last one that was given.
    public static func last(in db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "SELECT last FROM sight_revision") ?? 0
    }
}

extension LocationDatabase {
    /// What is to be watched of a store.
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
