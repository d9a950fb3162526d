public import GRDB
public import Store

/// What follows from a change in the store, to be done once it is committed.
public struct Consequences: Sendable {
    /// What is to be watched otherwise.
    public var geofences: [GeofenceChange] = []
    /// What the log is to tell; it is appended in the transaction of the change.
    public var events: [EventRecord] = []

    /// None.
    public init() {}
}

/// Changes what people see: one change after another, each watched and told before the next is begun, so that what is
/// watched is what is stored.
public actor Editor {
    private let store: LocationDatabase
    private let present: any Present
    private let photos: PhotoFiles
    private var last: Task<Void, Never>?

    /// The one that changes a store; there must be no second.
    public init(store: LocationDatabase, present: any Present, photos: PhotoFiles) {
        self.store = store
        self.present = present
        self.photos = photos
    }

    /// Makes a change in one transaction, and has it watched and told.
    ///
    /// It is made to its end whatever becomes of the caller: what is stored must be watched.
    ///
    /// - Throws: `StoreError`, and what `body` throws; nothing is changed then.
    public func change<Value: Sendable>(
        _ body: @escaping @Sendable (Database, inout Consequences) throws -> Value
    ) async throws -> Value {
        try await change(putting: nil, body)
    }

    /// Makes a change as the other form does, with a file there that it has a row for.
    ///
    /// - Throws: also 5 where the file cannot be put there.
    func change<Value: Sendable>(
        putting file: PhotoFiles.Source?, _ body: @escaping @Sendable (Database, inout Consequences) throws -> Value
    ) async throws -> Value {
        let before = last
        let change = Task { [store, present, photos] in
            await before?.value
            let (value, geofences, events, hasLoose): (Value, [GeofenceChange], [StoredEvent], Bool)
            do {
                if let file { try await photos.put(file) }
                (value, geofences, events, hasLoose) = try await store.write { db in
                    var consequences = Consequences()
                    let value = try body(db, &consequences)
                    let events = try EventLog.append(consequences.events, to: db)
                    return (value, consequences.geofences, events, try PhotoFiles.hasLoose(in: db))
                }
            } catch {
                if file != nil { await photos.removeLoose() }
                throw error
            }
            if hasLoose { await photos.removeLoose() }
            if !geofences.isEmpty { await present.watch(geofences) }
            if !events.isEmpty { await present.tell(events) }
            return value
        }
        last = Task { _ = try? await change.value }
        return try await change.value
    }
}
