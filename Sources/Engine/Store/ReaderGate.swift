import Dispatch
import GRDB
import Synchronization

/// Admits reads until the store closes, and lets the store wait for those that have begun.
///
/// Without it, a read that begins after the close would open a connection again, while the lock on the store is released.
final class ReaderGate: Sendable {
    private let isOpen = Mutex(true)
    private let inside = DispatchGroup()

    /// Runs a read on this thread.
    ///
    /// - Throws: An error with the code `SQLITE_MISUSE` if the store is closed, and what `body` throws.
    func pass<Value>(_ body: () throws -> Value) throws -> Value {
        let isAdmitted = isOpen.withLock { isOpen in
            if isOpen { inside.enter() }
            return isOpen
        }
        guard isAdmitted else { throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the store is closed") }
        defer { inside.leave() }
        return try body()
    }

    /// Refuses further reads, and blocks the thread until those that have begun are done.
    ///
    /// Reads leave on the thread on which they run, so this does not wait for a thread of the Swift concurrency pool. It
    /// must not be called within a read.
    func close() {
        isOpen.withLock { $0 = false }
        inside.wait()
    }
}
