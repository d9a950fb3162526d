import GRDB
import Synchronization

/// The connections to a store, made anew where what one has in memory is in doubt.
///
/// After a failed commit SQLite puts its pages back as they were, which takes the same disk and memory that have just
/// failed: a connection that could not may go on with pages that were never committed. Those that are made anew come
/// while the others are still open, whose index of the write-ahead log says how far it counts: nothing of a failed commit
/// comes back, and all of it is written, and waited for, once more.
final class StoreConnections: Sendable {
    private enum Trust {
        case sound, doubtful, renewing
    }

    private struct State {
        var queue: any DatabaseWriter
        var trust = Trust.sound
    }

    private let state: Mutex<State>
    private let renewed: @Sendable () throws -> any DatabaseWriter

    /// - Parameter renewed: makes the connections anew, after which the store is as it was last acknowledged.
    init(_ queue: any DatabaseWriter, renewed: @escaping @Sendable () throws -> any DatabaseWriter) {
        state = Mutex(State(queue: queue))
        self.renewed = renewed
    }

    /// Those that are read by.
    var current: any DatabaseWriter { state.withLock { $0.queue } }

    /// Those to write by.
    ///
    /// - Throws: what making them anew throws, and `SQLITE_BUSY` while another thread does.
    func trusted() throws -> any DatabaseWriter {
        let (queue, trust) = state.withLock { state in
            defer { if state.trust == .doubtful { state.trust = .renewing } }
            return (state.queue, state.trust)
        }
        switch trust {
        case .sound: return queue
        case .renewing: throw DatabaseError(resultCode: .SQLITE_BUSY)
        case .doubtful: break
        }
        do {
            let queue = try renewed()
            // The others close when the last that reads by them is done.
            state.withLock { $0 = State(queue: queue) }
            return queue
        } catch {
            state.withLock { $0.trust = .doubtful }
            throw error
        }
    }

    /// Makes sure, in its turn, that a writer is still one to write by.
    func check(_ queue: any DatabaseWriter) throws {
        let isTrusted = state.withLock { $0.queue === queue && $0.trust == .sound }
        guard isTrusted else { throw DatabaseError(resultCode: .SQLITE_BUSY) }
    }

    /// Takes notice of what a write by some connections has failed with.
    func doubt(_ error: any Error, of queue: any DatabaseWriter) {
        guard let error = error as? DatabaseError, error.leavesDoubt else { return }
        state.withLock { if $0.queue === queue, $0.trust == .sound { $0.trust = .doubtful } }
    }
}

extension DatabaseError {
    /// Whether it says of disk or memory what SQLite may not have recovered from.
    ///
    /// A full disk does not: SQLite then forgets the pages that it cannot put back.
    fileprivate var leavesDoubt: Bool {
        switch resultCode {
        case .SQLITE_IOERR, .SQLITE_NOMEM, .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_CORRUPT, .SQLITE_NOTADB: true
        default: false
        }
    }
}
