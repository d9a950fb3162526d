import CSQLite
import GRDBSQLite
import Synchronization

/// An SQLite file that somebody else has written, opened as a hostile one.
///
/// It is only read. None of its views and triggers runs, and no expression in its schema may call a function that is not
/// harmless. Texts, rows, statements and queries have limits, and every query has a deadline, which also holds while
/// SQLite reads the schema. Values keep the types that they have in the file; nothing is converted.
///
/// Each `unsafe` passes the connection's handle, a statement of it or the address of `deadline` to SQLite while the lock
/// of `connection` is held. All of them live as long as this object, except statements, which end with their call. Bytes
/// are copied before they are returned.
///
/// - SeeAlso: https://sqlite.org/security.html
@safe
package final class ForeignDatabase: Sendable {
    /// A value with the type that it has in the file.
    package enum Value: Hashable, Sendable {
        case null
        case integer(Int64)
        case real(Double)
        case text(String)
        case blob([UInt8])

        /// The type in words.
        package var type: String {
            switch self {
            case .null: "empty"
            case .integer, .real: "a number"
            case .text: "a text"
            case .blob: "binary data"
            }
        }
    }

    /// The reason why the file cannot be read, as a clause.
    package struct Failure: Error, Hashable, CustomStringConvertible {
        package let description: String

        package init(_ description: String) { self.description = description }
    }

    private let connection: Mutex<Connection>
    private let deadline: Deadline

    /// The most that a query may take, unless it says so itself.
    package static let longestQuery = Duration.seconds(1)
    /// The number of virtual-machine instructions between two looks at the clock: some microseconds.
    private static let stride: Int32 = 1000

    /// Opens a file.
    ///
    /// - Parameter longest: The most bytes of a value or a row.
    /// - Throws: ``Failure`` if it cannot be opened, or is no database.
    package init(_ path: String, longest: Int) throws(Failure) {
        let deadline = Deadline()
        let connection = try Connection(path, deadline, longest: longest, stride: Self.stride)
        self.deadline = deadline
        self.connection = Mutex(connection)
    }

    /// Returns the first row of a query; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - sql: A text of ours; the file has no part in it.
    ///   - arguments: The values of its parameters, in order.
    package func firstRow(
        _ sql: String, _ arguments: [Value] = [], within limit: Duration = longestQuery
    ) throws(Failure) -> [Value]? {
        let deadline = deadline
        return try connection.withLock { connection throws(Failure) in
            deadline.set(limit)
            return try connection.firstRow(sql, arguments)
        }
    }

    /// Returns whether the file has a real table of a name with these columns, none of which is computed.
    package func hasTable(_ name: String, columns: [String]) throws(Failure) -> Bool {
        guard try kind(of: name) == .table else { return false }
        let sql = "SELECT 1 FROM pragma_table_xinfo(?) WHERE name = ? COLLATE NOCASE AND hidden = 0"
        for column in columns where try firstRow(sql, [.text(name), .text(column)]) == nil { return false }
        return true
    }

    /// What a name in the file stands for.
    package enum Kind: Hashable, Sendable {
        /// A table whose rows are in the file.
        case table
        /// A view, which is an SQL query of the file's own.
        case view
        /// A virtual table, whose rows come from a module.
        case virtual
    }

    /// Returns what a name in the file stands for; `nil` if there is nothing of that name.
    package func kind(of name: String) throws(Failure) -> Kind? {
        let sql =
            "SELECT type, rootpage > 0 FROM sqlite_schema WHERE name = ? COLLATE NOCASE AND type IN ('table', 'view')"
        guard let found = try firstRow(sql, [.text(name)]) else { return nil }
        if found.first == .text("view") { return .view }
        return found == [.text("table"), .integer(1)] ? .table : .virtual
    }
}

/// The moment at which a query must have ended, read by SQLite while it runs.
private final class Deadline: Sendable {
    private let moment = Mutex(ContinuousClock.now)

    func set(_ limit: Duration) { moment.withLock { $0 = .now + limit } }

    var isOver: Bool { moment.withLock { $0 } < .now }
}

/// An open connection and its queries; see ``ForeignDatabase``.
@safe
private final class Connection {
    private let handle: OpaquePointer
    private let deadline: Deadline

    init(
        _ path: String, _ deadline: Deadline, longest: Int, stride: Int32
    ) throws(ForeignDatabase.Failure) {
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open_v2(path, &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_FULLMUTEX, nil)
        guard let handle = unsafe opened else { throw ForeignDatabase.Failure("there is not enough memory") }
        unsafe self.handle = handle
        self.deadline = deadline
        guard code == SQLITE_OK else { throw failure() }
        // The schema is read with the first query, after all of this.
        for (limit, value) in Self.limits + [(SQLITE_LIMIT_LENGTH, Int32(clamping: longest))] {
            unsafe sqlite3_limit(handle, limit, value)
        }
        let context = unsafe Unmanaged.passUnretained(deadline).toOpaque()
        unsafe sqlite3_progress_handler(handle, stride, Self.asked, context)
        guard unsafe sqliteDistrust(UnsafeMutableRawPointer(handle)) == SQLITE_OK else { throw failure() }
        deadline.set(ForeignDatabase.longestQuery)
        _ = try firstRow("PRAGMA cell_size_check = ON", [])
    }

    deinit { unsafe sqlite3_close_v2(handle) }

    /// The limits, most of which SQLite advises for files of others.
    ///
    /// They also apply to the texts of views and triggers, which are parsed with the schema and never run.
    private static let limits: [(Int32, Int32)] = [
        (SQLITE_LIMIT_SQL_LENGTH, 100_000), (SQLITE_LIMIT_COLUMN, 200), (SQLITE_LIMIT_EXPR_DEPTH, 100),
        (SQLITE_LIMIT_COMPOUND_SELECT, 50), (SQLITE_LIMIT_VDBE_OP, 25_000), (SQLITE_LIMIT_ATTACHED, 0),
        (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50), (SQLITE_LIMIT_TRIGGER_DEPTH, 1), (SQLITE_LIMIT_WORKER_THREADS, 0),
    ]

    /// The progress handler; any result but 0 interrupts the statement (sqlite3_progress_handler).
    private static let asked: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { context in
        guard let context = unsafe context else { return 0 }
        return unsafe Unmanaged<Deadline>.fromOpaque(context).takeUnretainedValue().isOver ? 1 : 0
    }

    func firstRow(
        _ sql: String, _ arguments: [ForeignDatabase.Value]
    ) throws(ForeignDatabase.Failure) -> [ForeignDatabase.Value]? {
        var prepared: OpaquePointer?
        guard unsafe sqlite3_prepare_v2(handle, sql, -1, &prepared, nil) == SQLITE_OK, let statement = unsafe prepared
        else { throw failure() }
        defer { unsafe sqlite3_finalize(statement) }
        for (index, argument) in zip((1 as Int32)..., arguments) {
            let code =
                switch argument {
                case .integer(let number): unsafe sqlite3_bind_int64(statement, index, number)
                // SQLite copies the text during the call (SQLITE_TRANSIENT, which sqlite3.h defines as the address -1).
                case .text(let text):
                    unsafe sqlite3_bind_text(
                        statement, index, text, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
                default: unsafe sqlite3_bind_null(statement, index)
                }
            guard code == SQLITE_OK else { throw failure() }
        }
        switch unsafe sqlite3_step(statement) {
        case SQLITE_DONE: return nil
        case SQLITE_ROW: return (0..<(unsafe sqlite3_column_count(statement))).map { unsafe Self.value(statement, $0) }
        default: throw failure()
        }
    }

    private static func value(_ statement: OpaquePointer, _ column: Int32) -> ForeignDatabase.Value {
        switch unsafe sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: return .integer(unsafe sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: return .real(unsafe sqlite3_column_double(statement, column))
        case SQLITE_TEXT:
            guard let bytes = unsafe sqlite3_column_text(statement, column) else { return .null }
            let count = Int(unsafe sqlite3_column_bytes(statement, column))
            return .text(unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
        case SQLITE_BLOB:
            guard let bytes = unsafe sqlite3_column_blob(statement, column) else { return .blob([]) }
            let count = Int(unsafe sqlite3_column_bytes(statement, column))
            return .blob(unsafe Array(UnsafeRawBufferPointer(start: bytes, count: count)))
        default: return .null
        }
    }

    private func failure() -> ForeignDatabase.Failure {
        switch unsafe sqlite3_errcode(handle) {
        case SQLITE_INTERRUPT: return ForeignDatabase.Failure("reading it takes too long")
        case SQLITE_TOOBIG: return ForeignDatabase.Failure("something in it is too large")
        default:
            // The message is a valid string until the connection's next call; it is copied at once.
            return ForeignDatabase.Failure(
                unsafe sqlite3_errmsg(handle).map { unsafe String(cString: $0) } ?? "unknown")
        }
    }
}
