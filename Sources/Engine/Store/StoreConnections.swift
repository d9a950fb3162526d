import GRDB
import Synchronization

/// The connections to a store, which are replaced when their state in memory is in doubt.
///
/// After a failed commit SQLite restores its pages, which takes the same disk and memory that have just failed. A
/// connection that could not restore them may go on with pages that were never committed. The new connections open
/// while the old ones are still open. The shared index of the write-ahead log then says how far the log is valid, so
/// nothing of the failed commit comes back. A retry writes all of it again, and waits for the disk again.
final class StoreConnections: Sendable {
    private enum Trust {
        case sound, doubtful, renewing
    }

    /// The connections of one time.
    enum Open {
        /// A writer, with readers beside it.
        case beside(DatabasePool, StoreReaders)
        /// One connection that does everything.
        case single(DatabaseQueue)

        var writer: any DatabaseWriter {
            switch self {
            case .beside(let writer, _): writer
            case .single(let queue): queue
            }
        }

        /// The number of reads at the same time.
        var readers: Int {
            switch self {
            case .beside: LocationDatabase.readers
            case .single: 1
            }
        }

        /// Reads within one consistent snapshot.
        func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
            switch self {
            case .beside(_, let readers): try readers.read(body)
            case .single(let queue): try queue.readSnapshot(body)
            }
        }
    }

    private struct State {
        var open: Open
        var trust = Trust.sound
    }

    private let state: Mutex<State>
    private let renewed: @Sendable () throws -> Open

    /// - Parameter renewed: Opens new connections, through which the store is in its last acknowledged state.
    init(_ open: Open, renewed: @escaping @Sendable () throws -> Open) {
        state = Mutex(State(open: open))
        self.renewed = renewed
    }

    /// The connections for reading.
    var current: Open { state.withLock { $0.open } }

    /// Closes the connections, on which nobody may read any more.
    ///
    /// The readers close first: only the last connection can move the write-ahead log into the store.
    func close() throws {
        let open = current
        if case .beside(let writer, let readers) = open {
            readers.close()
            // The pool's own readers, if anything has used them.
            writer.releaseMemory()
        }
        try open.writer.close()
    }

    /// Closes the readers that nobody uses now and empties the caches of the writer, without waiting for that.
    func releaseMemory() {
        guard case .beside(let writer, let readers) = current else { return }
        readers.closeIdle()
        writer.releaseMemoryEventually()
    }

    /// Returns the connections for writing, and replaces them first if they are in doubt.
    ///
    /// - Throws: What opening new connections throws, and `SQLITE_BUSY` while another thread opens them.
    func trusted() throws -> any DatabaseWriter {
        let (queue, trust) = state.withLock { state in
            defer { if state.trust == .doubtful { state.trust = .renewing } }
            return (state.open.writer, state.trust)
        }
        switch trust {
        case .sound: return queue
        case .renewing: throw DatabaseError(resultCode: .SQLITE_BUSY)
        case .doubtful: break
        }
        do {
            let open = try renewed()
            // The old connections close when their last reader is done.
            state.withLock { $0 = State(open: open) }
            return open.writer
        } catch {
            state.withLock { $0.trust = .doubtful }
            throw error
        }
    }

    /// Checks, within a writer's turn, that its connections have not been replaced or put in doubt since.
    ///
    /// - Throws: `SQLITE_BUSY` if they have.
    func check(_ queue: any DatabaseWriter) throws {
        let isTrusted = state.withLock { $0.open.writer === queue && $0.trust == .sound }
        guard isTrusted else { throw DatabaseError(resultCode: .SQLITE_BUSY) }
    }

    /// Puts connections in doubt if an error of a write on them leaves doubt.
    func doubt(_ error: any Error, of queue: any DatabaseWriter) {
        guard let error = error as? DatabaseError, error.leavesDoubt else { return }
        state.withLock { if $0.open.writer === queue, $0.trust == .sound { $0.trust = .doubtful } }
    }
}

extension DatabaseError {
    /// Whether SQLite may not have recovered from this error of the disk or memory.
    ///
    /// It does recover from a full disk, by forgetting the pages that it cannot restore.
    fileprivate var leavesDoubt: Bool {
        switch resultCode {
        case .SQLITE_IOERR, .SQLITE_NOMEM, .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_CORRUPT, .SQLITE_NOTADB: true
        default: false
        }
    }
}
