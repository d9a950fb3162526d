import GRDB
import Store

/// Changes what has geofences: one change after another, each watched before the next is begun, so that what is watched
/// is what is stored.
actor GeofenceEditor {
    private let store: LocationDatabase
    private let present: any Present
    private var last: Task<Void, Never>?

    init(store: LocationDatabase, present: any Present) {
        self.store = store
        self.present = present
    }

    /// Makes a change in one transaction, and has it watched.
    ///
    /// It is made to its end whatever becomes of the caller: what is stored must be watched.
    func change<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> (Value, [GeofenceChange])
    ) async throws -> Value {
        let before = last
        let change = Task { [store, present] in
            await before?.value
            let (value, changes) = try await store.write(body)
            if !changes.isEmpty { await present.watch(changes) }
            return value
        }
        last = Task { _ = try? await change.value }
        return try await change.value
    }
}
