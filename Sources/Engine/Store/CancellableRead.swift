import GRDB
import GRDBSQLite
import Synchronization

/// A read of the store that others can cancel.
///
/// Each `unsafe` passes the connection's handle, or the address of this object, to SQLite while ``run(on:_:)`` uses the
/// connection and holds both.
@safe
final class CancellableRead: Sendable {
    private let isOff = Atomic<Bool>(false)
    private let begin: @Sendable () -> Void

    /// The number of virtual-machine instructions between two calls of the progress handler: some microseconds.
    private static let stride: Int32 = 1000

    /// - Parameter begin: Called when the read begins, after it has waited for a connection.
    init(begin: @escaping @Sendable () -> Void) { self.begin = begin }

    /// Whether the read was cancelled.
    var isCancelled: Bool { isOff.load(ordering: .relaxed) }

    /// Cancels the read, soon after it has begun or before it begins.
    func cancel() { isOff.store(true, ordering: .relaxed) }

    /// Runs `body` on the queue of a connection, and returns its result.
    ///
    /// - Throws: `CancellationError` if the read was cancelled, and what `body` throws.
    func run<Value>(on db: Database, _ body: (Database) throws -> Value) throws -> Value {
        guard !isCancelled else { throw CancellationError() }
        begin()
        let handle = unsafe db.sqliteConnection
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe sqlite3_progress_handler(handle, Self.stride, Self.asked, context)
        defer { unsafe sqlite3_progress_handler(handle, 0, nil, nil) }
        do {
            return try body(db)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT && isCancelled {
            throw CancellationError()
        }
    }

    /// The progress handler; any result but 0 interrupts the statement (sqlite3_progress_handler).
    private static let asked: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { context in
        guard let context = unsafe context else { return 0 }
        return unsafe Unmanaged<CancellableRead>.fromOpaque(context).takeUnretainedValue().isCancelled ? 1 : 0
    }
}
