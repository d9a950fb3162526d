public import GRDB

/// One step from an older schema of the store to the next.
///
/// Steps are appended and never changed. Each runs once in a store's life, in its own transaction.
public struct StoreMigration: Sendable {
    /// The step's place in the ledger of all rooms' steps, counted from 1 in the order in which they were added.
    public var place: Int
    /// The step's name in the store, unique and permanent: `room.subject.number`.
    public var name: String
    /// Changes the schema within the step's transaction.
    public var body: @Sendable (Database) throws -> Void
    /// Computes again what the step keeps beside other rows, some of which may be lost; `nil` if it keeps nothing.
    ///
    /// It runs when a damaged store is recovered, after all rows have been copied.
    public var rebuild: (@Sendable (Database) throws -> Void)?

    /// Creates a step at a place in the ledger; by default after all others.
    public init(at place: Int = .max, name: String, body: @escaping @Sendable (Database) throws -> Void) {
        self.place = place
        self.name = name
        self.body = body
    }

    /// Creates a step that only runs SQL.
    public init(at place: Int = .max, name: String, sql: String) {
        self.init(at: place, name: name) { try $0.execute(sql: sql) }
    }

    /// Returns the step with a way to compute again what it keeps; see ``rebuild``.
    public func rebuilding(_ rebuild: @escaping @Sendable (Database) throws -> Void) -> StoreMigration {
        var step = self
        step.rebuild = rebuild
        return step
    }
}

/// The steps of the schema, and the two numbers in the header of the file.
///
/// `user_version` is the number of steps that have been applied. `application_id` distinguishes a store from other
/// applications' databases.
struct StoreSchema: Sendable {
    /// The steps in the order of the ledger.
    let migrations: [StoreMigration]

    /// Creates a schema from some steps.
    init(migrations: [StoreMigration]) {
        // Sorting is stable: steps with the same place keep their order.
        self.migrations = migrations.sorted { $0.place < $1.place }
    }

    /// Creates the schema of this room and the steps that others add to it.
    init(adding others: [StoreMigration]) { self.init(migrations: StoreMigration.own + others) }

    /// `WMRK` in ASCII.
    static let applicationID: Int32 = 0x574D_524B

    /// The tables that exist before the first step has been applied, which may have been interrupted.
    private static let scaffolding = ["grdb_migrations", "grdb_issue_102"]

    var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for migration in migrations {
            migrator.registerMigration(migration.name, foreignKeyChecks: .immediate) { db in
                try migration.body(db)
                let applied = try Int.fetchOne(db, sql: "SELECT count(*) FROM grdb_migrations") ?? 0
                try db.execute(sql: "PRAGMA application_id = \(Self.applicationID)")
                try db.execute(sql: "PRAGMA user_version = \(applied + 1)")
            }
        }
        return migrator
    }

    /// Refuses a file that is no store, or a newer one, before anything is written to it.
    func check(_ db: Database, path: String) throws {
        let mark = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        if mark == 0, try isEmpty(db) { return }
        guard mark == Self.applicationID else { throw StoreError.foreign(path: path, applicationID: mark) }
        let found = try version(db)
        let isNewer = try migrator.hasBeenSuperseded(db)
        guard found <= migrations.count, !isNewer else {
            throw StoreError.newer(path: path, found: found, known: migrations.count)
        }
    }

    /// Refuses a store that lacks a step.
    func checkComplete(_ db: Database, path: String) throws {
        guard try migrator.hasCompletedMigrations(db) else {
            throw try StoreError.older(path: path, found: version(db), known: migrations.count)
        }
    }

    private func version(_ db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    }

    private func isEmpty(_ db: Database) throws -> Bool {
        try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")
            .allSatisfy(Self.scaffolding.contains)
    }
}
