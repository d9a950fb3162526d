import Store
import Tracking

@testable import Daemon

extension Pipeline {
    /// Commits everything that is pending, and returns the events.
    ///
    /// If the commit fails, everything stays pending.
    func commit() throws -> [EventRecord] {
        let batch = drain()
        do {
            return batch.pending.isEmpty ? [] : try store.commit(batch.pending)
        } catch {
            putBack(batch)
            throw error
        }
    }
}
