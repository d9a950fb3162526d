public import GRDB
public import Store
import Synchronization

/// What follows from a change in the store, to be done once it is committed.
public struct Consequences: Sendable {
    /// What is to be watched otherwise.
    public var geofences: [GeofenceChange] = []
    /// What the log is to tell; it is appended in the transaction of the change.
    public var events: [EventRecord] = []
    /// What people are to be notified of; it is kept in the transaction of the change.
    public var notifications: [NotificationDraft] = []

    /// The notifications that the change makes pointless, such as a question that was taken back; they go in its
    /// transaction, before others are kept.
    public var withdrawn: [Withdrawal] = []

    /// Notifications that go.
    public struct Withdrawal: Hashable, Sendable {
        /// Whose, by id.
        public var person: String
        /// What their keys begin with.
        public var keys: String

        /// Those of a person whose keys begin so.
        public init(of person: String, keys: String) {
            self.person = person
            self.keys = keys
        }
    }

    /// None.
    public init() {}
}

/// Changes what people see: one change after another, each watched and told before the next is begun, so that what is
/// watched is what is stored.
public actor Editor {
    private let store: LocationDatabase
    private let present: any Present
    private let hooks: [CommitHook]
    private let notify: Feature.Notifier?
    private let withdraw: Feature.Withdrawer?
    private let geofences: [any GeofenceSource]
    private let counter = ChangeCounter()
    private var last: Task<Void, Never>?

    /// The one that changes a store; there must be no second.
    package init(
        store: LocationDatabase, present: any Present, hooks: [CommitHook], notify: Feature.Notifier?,
        withdraw: Feature.Withdrawer?, geofences: [any GeofenceSource]
    ) {
        self.store = store
        self.present = present
        self.hooks = hooks
        self.notify = notify
        self.withdraw = withdraw
        self.geofences = geofences
    }

    /// How many changes there have been; counted before anybody is told of one.
    public nonisolated var changeCount: Int { counter.count }

    /// Makes a change in one transaction, and has it watched and told.
    ///
    /// It is made to its end whatever becomes of the caller: what is stored must be watched.
    ///
    /// - Parameter prepare: what is to be there before the change, such as a file that it has a row for. Where the
    ///   change fails, hooks take it away.
    /// - Throws: `StoreError`, and what `prepare` and `body` throw; nothing is changed then.
    public func change<Value: Sendable>(
        preparing prepare: (@Sendable () async throws -> Void)? = nil,
        _ body: @escaping @Sendable (Database, inout Consequences) throws -> Value
    ) async throws -> Value {
        let before = last
        let change = Task { [store, present, hooks, notify, withdraw, geofences, counter] in
            await before?.value
            let done: Done<Value>
            do {
                try await prepare?()
                done = try await store.write { db in
                    var consequences = Consequences()
                    let value = try body(db, &consequences)
                    for withdrawal in consequences.withdrawn { try withdraw?(withdrawal, db) }
                    let drafts = consequences.notifications
                    for draft in drafts { try notify?(draft, db, &consequences) }
                    for source in geofences { consequences.geofences += try source.changes(in: db) }
                    let events = try EventLog.append(consequences.events, to: db)
                    let due = try hooks.indices.filter { try hooks[$0].isDue(db) }
                    return Done(value: value, geofences: consequences.geofences, events: events, due: due)
                }
            } catch {
                if prepare != nil { for hook in hooks { await hook.run() } }
                throw error
            }
            counter.add()
            for hook in done.due { await hooks[hook].run() }
            if !done.geofences.isEmpty { await present.watch(done.geofences) }
            if !done.events.isEmpty { await present.tell(done.events) }
            return done.value
        }
        last = Task { _ = try? await change.value }
        return try await change.value
    }

    /// How many changes there have been, for any thread.
    private final class ChangeCounter: Sendable {
        private let number = Mutex(0)

        var count: Int { number.withLock { $0 } }

        func add() { number.withLock { $0 += 1 } }
    }

    /// What a transaction has done, and what is left to do.
    private struct Done<Value: Sendable>: Sendable {
        let value: Value
        let geofences: [GeofenceChange]
        let events: [StoredEvent]
        /// The hooks that have something to do, by their places.
        let due: [Int]
    }
}
