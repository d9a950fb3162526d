public import GRDB
public import Geodesy
package import Store
import Synchronization
public import Tracking

/// The side effects of a change to the store.
public struct Consequences: Sendable {
    /// Geofences to add, change or remove in the index once the change is committed.
    public var geofences: [GeofenceChange] = []
    /// Limits of speed of devices to apply once the change is committed; `nil` is that of the settings.
    public var speedLimits: [String: Speed?] = [:]
    /// Events to append to the log, in the same transaction as the change.
    public var events: [EventRecord] = []
    /// Notifications to store for people, in the same transaction as the change.
    public var notifications: [NotificationDraft] = []
    /// What people did, to be told to others in the same transaction as the change.
    public var acts: [Act] = []

    /// Notifications to delete because the change makes them pointless, such as a withdrawn request.
    ///
    /// They are deleted in the same transaction, before new ones are stored.
    public var withdrawn: [Withdrawal] = []

    /// The notifications of one person whose keys share a prefix.
    public struct Withdrawal: Hashable, Sendable {
        /// The id of the person.
        public var person: String
        /// The prefix of the keys.
        public var keys: String

        /// Creates a withdrawal of all notifications of `person` whose keys begin with `keys`.
        public init(of person: String, keys: String) {
            self.person = person
            self.keys = keys
        }
    }

    /// Creates an empty set of side effects.
    public init() {}
}

/// Serialises all changes to what people see.
///
/// A change begins after the geofences of the previous one are in the index and its events are published. Therefore
/// the index always matches the store.
public actor Editor {
    /// What writes something beside a change in its transaction.
    package struct Witness: Sendable {
        /// Receives the change's result.
        package let write: @Sendable (_ value: any Sendable, _ db: Database) throws -> Void

        package init(_ write: @escaping @Sendable (_ value: any Sendable, _ db: Database) throws -> Void) {
            self.write = write
        }
    }

    /// The witness of all changes that the current task makes; `nil` if there is none.
    ///
    /// If it throws, the change is not made.
    @TaskLocal package static var witness: Witness?

    private let store: LocationDatabase
    private let liveState: any LiveState
    private let hooks: [CommitHook]
    private let notify: Feature.Notifier?
    private let withdraw: Feature.Withdrawer?
    private let gather: Feature.Gatherer?
    private let subjects: Subjects
    private let geofences: [any GeofenceSource]
    private let counter = ChangeCounter()
    private var last: Task<Void, Never>?

    /// Creates the editor of a store, of which there must be only one.
    package init(
        store: LocationDatabase, liveState: any LiveState, features: [Feature], subjects: Subjects
    ) {
        self.store = store
        self.liveState = liveState
        self.subjects = subjects
        hooks = features.compactMap(\.commitHook)
        notify = features.compactMap(\.notify).first
        gather = features.compactMap(\.gather).first
        withdraw = features.compactMap(\.withdraw).first
        geofences = features.flatMap(\.geofences)
    }

    /// The number of changes made so far.
    ///
    /// It is incremented after the commit, before the hooks run and before subscribers receive the events.
    public nonisolated var changeCount: Int { counter.count }

    /// Makes a change in one transaction, then runs the due hooks, updates the geofence index and publishes the
    /// events.
    ///
    /// Once begun, the change runs to completion even if the caller is cancelled, so the index cannot miss a
    /// committed change.
    ///
    /// - Parameters:
    ///   - prepare: Runs before the transaction, and creates what the change needs, such as the file that a row
    ///     refers to. If the change fails, all commit hooks run to clean up.
    ///   - body: Makes the change, and adds its side effects.
    /// - Throws: `StoreError`, or the error that `prepare` or `body` throws. The store is then unchanged.
    public func change<Value: Sendable>(
        preparing prepare: (@Sendable () async throws -> Void)? = nil,
        _ body: @escaping @Sendable (Database, inout Consequences) throws -> Value
    ) async throws -> Value {
        try await begin(preparing: prepare, Self.witness, body).value
    }

    /// Makes a change that is no part of the call that finds it due, so that no witness of the call writes beside it.
    func changeAlone<Value: Sendable>(
        _ body: @escaping @Sendable (Database, inout Consequences) throws -> Value
    ) async throws -> Value {
        try await begin(nil, body).value
    }

    /// Makes a change on which no answer depends, such as counting that a link was opened.
    ///
    /// People can therefore read while the store cannot be written, for example because the disk is full. The change is
    /// then not made.
    ///
    /// - Throws: The error that `body` throws.
    package func note(_ body: @escaping @Sendable (Database, inout Consequences) throws -> Void) async throws {
        do { try await change(body) } catch is StoreError {}
    }

    /// Begins a change on which no answer depends, and does not wait for it.
    ///
    /// It is made before the changes that begin later. If it fails, it is not made.
    package func later(_ body: @escaping @Sendable (Database, inout Consequences) throws -> Void) {
        _ = begin(nil, body)
    }

    private func begin<Value: Sendable>(
        preparing prepare: (@Sendable () async throws -> Void)? = nil, _ witness: Witness?,
        _ body: @escaping @Sendable (Database, inout Consequences) throws -> Value
    ) -> Task<Value, any Error> {
        let before = last
        let change = Task { [store, liveState, hooks, notify, gather, withdraw, subjects, geofences, counter] in
            await before?.value
            let done: Done<Value>
            do {
                try await prepare?()
                done = try await store.write { db in
                    var consequences = Consequences()
                    let value = try body(db, &consequences)
                    try witness?.write(value, db)
                    for withdrawal in consequences.withdrawn { try withdraw?(withdrawal, db) }
                    let drafts = consequences.notifications
                    for draft in drafts { try notify?(draft, db, &consequences) }
                    let acts = consequences.acts
                    for act in acts { try gather?(act, subjects, db, &consequences) }
                    for source in geofences { consequences.geofences += try source.changes(in: db) }
                    let events = try EventLog.append(consequences.events, to: db)
                    let due = try hooks.indices.filter { try hooks[$0].isDue(db) }
                    return Done(
                        value: value, geofences: consequences.geofences, speedLimits: consequences.speedLimits,
                        events: events, due: due)
                }
            } catch {
                if prepare != nil { for hook in hooks { await hook.run() } }
                throw error
            }
            counter.add()
            for hook in done.due { await hooks[hook].run() }
            if !done.geofences.isEmpty { await liveState.watch(done.geofences) }
            if !done.speedLimits.isEmpty { await liveState.limitSpeeds(done.speedLimits) }
            if !done.events.isEmpty { await liveState.publish(done.events) }
            return done.value
        }
        last = Task { _ = try? await change.value }
        return change
    }

    /// A counter that any thread may read.
    private final class ChangeCounter: Sendable {
        private let number = Mutex(0)

        var count: Int { number.withLock { $0 } }

        func add() { number.withLock { $0 += 1 } }
    }

    /// The result of a committed transaction, and the work that follows it.
    private struct Done<Value: Sendable>: Sendable {
        let value: Value
        let geofences: [GeofenceChange]
        let speedLimits: [String: Speed?]
        let events: [EventRecord]
        /// The indices of the hooks that are due.
        let due: [Int]
    }
}
