import Store

@testable import Daemon

extension Pipeline {
    /// Commits everything that is pending, and gives what may be told; where that fails it stays pending.
    func commit() throws -> [Told] {
        let batch = take()
        do {
            return batch.told(batch.pending.isEmpty ? [] : try store.commit(batch.pending))
        } catch {
            putBack(batch)
            throw error
        }
    }
}
