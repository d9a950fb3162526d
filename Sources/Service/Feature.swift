public import EventStream
public import GRDB
public import RPC
public import Store

/// A subject that people work with, whole: its tables, methods, kinds of subjects, and what follows from events.
///
/// The daemon has one list of features, and adding one touches that list alone. Features know no door: the same
/// methods are called through the Unix socket, through HTTP, and by a command without a daemon.
public struct Feature: Sendable {
    /// What it adds to the schema of the store; the ledger of migrations has all features' steps in one order.
    public var migrations: [StoreMigration] = []
    /// What it adds to what people can react to.
    public var subjects: [any SubjectKind] = []
    /// What it has watched.
    public var geofences: [any GeofenceSource] = []
    /// What it has that people find by name.
    public var places: [any FoundPlaceSource] = []
    /// Its methods, which a button of a notification may call where they are those of a feature earlier in the list.
    public var methods: @Sendable (_ context: ServiceContext, _ earlier: [Method<Principal>]) -> [Method<Principal>]
    /// Those of its parts that work through the event log.
    public var consumers: @Sendable (_ context: ServiceContext) -> [any LogConsumer] = { _ in [] }
    /// Those of its parts that work at a time, whether or not anybody calls.
    public var timers: @Sendable (_ context: ServiceContext) -> [any TimedWork] = { _ in [] }
    /// The kinds of notifications that it makes.
    public var notifications: [NotificationDraft.Kind] = []
    /// What it does after commits; nil for nothing.
    public var commitHook: CommitHook?
    /// Its files, for doors that serve files.
    public var files: @Sendable (_ context: ServiceContext) -> [FileRoute] = { _ in [] }
    /// How people are known again where a connection lasts no longer than a call; one feature of all says it.
    public var sessions: (@Sendable (_ context: ServiceContext) -> SessionKeeping)?
    /// Keeps a notification in the notification centre, in the transaction that makes it; one feature of all does.
    public var notify: Notifier?
    /// Takes notifications out of the notification centre again; the same feature does.
    public var withdraw: Withdrawer?

    /// Keeps a notification, and adds the event of it to the consequences; what cannot be shown is refused with error 4.
    public typealias Notifier =
        @Sendable (_ draft: NotificationDraft, _ db: Database, _ consequences: inout Consequences) throws -> Void
    /// Takes notifications away, in the transaction that makes them pointless.
    public typealias Withdrawer = @Sendable (_ withdrawal: Consequences.Withdrawal, _ db: Database) throws -> Void

    /// A feature of some methods, to which the rest is added.
    public init(
        methods: @escaping @Sendable (ServiceContext, [Method<Principal>]) -> [Method<Principal>] = { _, _ in [] }
    ) {
        self.methods = methods
    }
}

/// What a feature does once a change is committed that it has to follow up outside the store, such as with files.
public struct CommitHook: Sendable {
    /// Whether there is something to do; asked at the end of each transaction.
    public var isDue: @Sendable (Database) throws -> Bool
    /// Does it; called too where a change failed that something was prepared for.
    public var run: @Sendable () async -> Void

    /// A hook.
    public init(isDue: @escaping @Sendable (Database) throws -> Bool, run: @escaping @Sendable () async -> Void) {
        self.isDue = isDue
        self.run = run
    }
}
