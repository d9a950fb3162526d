import Logging
import Store
import Synchronization

/// What is known of the store's damage: the result of the check at the start, and what reads and writes have come across.
final class StoreHealth: Sendable {
    /// The state of the check.
    enum State: Hashable, Sendable {
        /// The check has not begun.
        case unchecked
        /// The check is running.
        case running
        /// The check found no damage.
        case sound
        /// The check found these problems.
        case damaged([String])
        /// The check failed for this reason.
        case failed(String)
    }

    private let current = Mutex(State.unchecked)
    private let notes: DamageNotes

    /// - Parameter notes: What reads and writes have come across.
    init(_ notes: DamageNotes = DamageNotes()) { self.notes = notes }

    /// The current state.
    var state: State {
        let (state, details) = (current.withLock { $0 }, notes.details)
        guard !details.isEmpty else { return state }
        if case .damaged(let problems) = state { return .damaged(problems + details) }
        return .damaged(details)
    }

    /// The problems as a clause; `nil` if none are known.
    var damage: String? {
        guard case .damaged(let problems) = state else { return nil }
        return problems.joined(separator: "; ")
    }

    /// Checks a store, while the daemon works.
    ///
    /// A card may lose a page of a store that was closed properly. Reading a gigabyte from a card takes a minute.
    func check(_ store: LocationDatabase, _ logger: Logger) async {
        guard let path = store.path else { return }
        store.damage.observe { detail in
            logger.error(
                "\(path) is damaged: \(detail). Lists leave such rows out. Restore a backup, or save what can be read with \"waymark recover\"."
            )
        }
        set(.running)
        do {
            switch try await StoreCheck.run(at: path) {
            case .sound, .unfinished: set(.sound)
            case .damaged(let problems):
                set(.damaged(problems))
                logger.critical(
                    "\(path) is damaged: \(problems.joined(separator: "; ")). Restore a backup, or save what can be read with \"waymark recover\"."
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
    /// A message for the log if the store was not closed properly; `nil` if it was.
    var remark: String? {
        if hasNewLog {
            "The end of the event log is lost: the write-ahead log was lost, or an older copy of the store took its place. The log has a new name, and subscribers start over."
        } else if wasShutDownUncleanly {
            "The store was not closed by its last writer. It is being checked for damage."
        } else {
            nil
        }
    }
}
