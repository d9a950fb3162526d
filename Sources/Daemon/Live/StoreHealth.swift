import Logging
import Store
import Synchronization

/// Whether the store is sound, as far as that was looked at since the start.
final class StoreHealth: Sendable {
    /// What is known.
    enum State: Hashable, Sendable {
        /// The last writer closed the store, so that nothing was looked at.
        case unchecked
        /// It is being looked at.
        case running
        /// Nothing is wrong.
        case sound
        /// What is wrong.
        case damaged([String])
        /// Why it could not be looked at.
        case failed(String)
    }

    private let current = Mutex(State.unchecked)

    /// What is known now.
    var state: State { current.withLock { $0 } }

    /// What is wrong, as a clause; nil where nothing is known to be.
    var damage: String? {
        guard case .damaged(let problems) = state else { return nil }
        return problems.joined(separator: "; ")
    }

    /// Looks at a store whose last writer has not closed it, beside all else; reading a gigabyte from a card takes a
    /// minute.
    func check(_ store: LocationDatabase, _ logger: Logger) async {
        guard store.opening.wasCutOff, let path = store.path else { return }
        set(.running)
        do {
            switch try await StoreCheck.run(at: path) {
            case .sound, .unfinished: set(.sound)
            case .damaged(let problems):
                set(.damaged(problems))
                logger.critical(
                    "\(path) is damaged: \(problems.joined(separator: "; ")). Restore a backup, or save what can be read: waymark recover"
                )
            }
        } catch is CancellationError {
            set(.unchecked)
        } catch {
            set(.failed("\(error)"))
            logger.error("The store could not be checked for damage: \(error)")
        }
    }

    private func set(_ state: State) { current.withLock { $0 = state } }
}

extension StoreOpening {
    /// What is unusual about how the store was found, for the log; nil where nothing is.
    var remark: String? {
        if hasNewLog {
            "The end of the event log is lost, with its write-ahead log or an older copy in its place. The log has a new name; subscribers begin anew."
        } else if wasCutOff {
            "The store was not closed by its last writer. It is being checked for damage."
        } else {
            nil
        }
    }
}
