import GRDB
import GRDBSQLite
import Synchronization

/// A reading of the store, which others can call off.
///
/// Each `unsafe` passes the connection's handle, or the address of this object, to SQLite while the connection is in use by
/// ``run(on:_:)``, which holds both.
@safe
final class Reading: Sendable {
    private let isOff = Atomic<Bool>(false)
    private let begin: @Sendable () -> Void

    /// How many steps of its machine SQLite makes before it asks again: some microseconds.
    private static let stride: Int32 = 1000

    /// - Parameter begin: is told when it begins, having waited for a connection.
    init(begin: @escaping @Sendable () -> Void) { self.begin = begin }

    /// Whether it was called off.
    var isCalledOff: Bool { isOff.load(ordering: .relaxed) }

    /// Ends it soon, or before it has begun.
    func callOff() { isOff.store(true, ordering: .relaxed) }

    /// What `body` reads, on the queue of a connection.
    ///
    /// - Throws: `CancellationError` where it was called off, and what `body` throws.
    func run<Value>(on db: Database, _ body: (Database) throws -> Value) throws -> Value {
        guard !isCalledOff else { throw CancellationError() }
        begin()
        let handle = unsafe db.sqliteConnection
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe sqlite3_progress_handler(handle, Self.stride, Self.asked, context)
        defer { unsafe sqlite3_progress_handler(handle, 0, nil, nil) }
        do {
            return try body(db)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT && isCalledOff {
            throw CancellationError()
        }
    }

    /// What SQLite asks between its steps; other than 0 ends the statement (sqlite3_progress_handler).
    private static let asked: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { context in
        guard let context = unsafe context else { return 0 }
        return unsafe Unmanaged<Reading>.fromOpaque(context).takeUnretainedValue().isCalledOff ? 1 : 0
    }
}
