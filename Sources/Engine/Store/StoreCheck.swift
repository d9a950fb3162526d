import Deadlines
import GRDB
import Synchronization

/// The result of checking a store for damage.
public enum StoreCheck: Hashable, Sendable {
    /// No damage was found.
    case sound
    /// The damage found, in words for people: which data is on the damaged pages.
    case damaged([String])
    /// The time was up before the check was complete; no damage was found in that many tables.
    case unfinished(tables: Int)

    /// The most problems that a check looks for.
    public static let maximumProblems = 10

    /// Checks the store at a path for damage, beside its writer or without one.
    ///
    /// It reads the whole file on a connection of its own. While it runs, the write-ahead log of a store that is being
    /// written cannot be truncated, and grows.
    ///
    /// - Parameters:
    ///   - isThorough: Whether to compare each entry of each index with its row as well.
    ///   - limit: The longest that the check may take; `nil` for no limit. With one, it reads table after table, those
    ///     that grow without end last. Zero returns `unfinished` at once.
    /// - Complexity: O(*n*) for *n* bytes; thorough, O(*n* log *n*).
    /// - Throws: ``StoreError`` if the file cannot be read, and `CancellationError`.
    public static func run(
        at path: String, isThorough: Bool = false, within limit: Duration? = nil
    ) async throws -> StoreCheck {
        let path = try StoreFile.resolve(path)
        guard (try? FileCalls().status(path, links: .followed)) != nil else { throw StoreError.missing(path: path) }
        if let limit, limit <= .zero { return .unfinished(tables: 0) }
        var configuration = Configuration()
        configuration.label = "check"
        configuration.readonly = true
        configuration.busyMode = .timeout(LocationDatabase.busyTimeout)
        do {
            let queue = try ReadOnlyStore.open(path, configuration)
            let check: @Sendable () async throws -> StoreCheck = {
                let name = isThorough ? "integrity_check" : "quick_check"
                // Some kinds of damage end the check itself with an error. One that stops earlier then names some.
                for most in [maximumProblems, 10] {
                    do {
                        return try await problems("PRAGMA \(name)(\(most))", in: queue)
                    } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {}
                }
                return try await problems("PRAGMA \(name)(1)", in: queue)
            }
            guard let limit else { return try await check() }
            let count = Mutex(0)
            let result = try await Deadlines.within(limit, .deadlines) {
                guard !isThorough else { return try await check() }
                for table in try await tables(in: queue) {
                    let name = table.quotedDatabaseIdentifier
                    do {
                        let found = try await problems("PRAGMA quick_check(\(name))", in: queue)
                        guard found == .sound else { return try await check() }
                    } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
                        return try await check()
                    }
                    count.withLock { $0 += 1 }
                }
                return .sound
            }
            return result ?? .unfinished(tables: count.withLock { $0 })
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            let detail = error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
            return .damaged(["so much that its tables cannot be listed (\(detail))"])
        } catch let error as DatabaseError {
            throw StoreError(error, path: path)
        }
    }

    /// The tables that grow without end: they hold most of a large store.
    private static let endless = ["trace", "trace_gap", "event"]

    /// Returns the names of the tables, those that grow without end last.
    private static func tables(in queue: DatabaseQueue) async throws -> [String] {
        let tables = try await queue.read { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL TABLE %'
                    ORDER BY name
                    """)
        }
        return tables.filter { !endless.contains($0) } + tables.filter(endless.contains)
    }

    private static func problems(_ check: String, in queue: DatabaseQueue) async throws -> StoreCheck {
        try await queue.read { db in
            let found = try String.fetchAll(db, sql: check)
            return found == ["ok"] ? .sound : .damaged(DamageWords.words(for: found, in: db))
        }
    }
}
