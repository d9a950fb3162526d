public import Callers
public import GRDB
public import RPC
public import Store

/// A feature of the daemon: its tables, methods, kinds of subjects, and reactions to events.
///
/// The daemon has one list of features, and adding a feature changes only that list. A feature does not depend on any
/// door: the same methods are called through the Unix socket, through HTTP, and by a command without a daemon.
public struct Feature: Sendable {
    /// The steps that this feature adds to the schema.
    ///
    /// The ledger of migrations orders the steps of all features.
    public var migrations: [StoreMigration] = []
    /// The kinds of subjects that this feature adds.
    public var subjects: [any SubjectKind] = []
    /// The kinds of subjects that people join with an invitation.
    public var joinable: [any JoinableKind] = []
    /// The sources of the geofences that this feature adds to the index.
    public var geofences: [any GeofenceSource] = []
    /// The sources of the places that people can find by name.
    public var places: [any FoundPlaceSource] = []
    /// Returns the methods of this feature.
    ///
    /// A notification's button may call the methods of features that precede this one in the list, which are passed
    /// as `earlier`.
    public var methods: @Sendable (_ context: ServiceContext, _ earlier: [Method<Principal>]) -> [Method<Principal>]
    /// Returns the consumers of the event log that belong to this feature.
    public var consumers: @Sendable (_ context: ServiceContext) -> [any LogConsumer] = { _ in [] }
    /// Returns the timed work of this feature, which runs whether or not a method is called.
    public var timers: @Sendable (_ context: ServiceContext) -> [any TimedWork] = { _ in [] }
    /// The kinds of notifications that this feature sends.
    public var notifications: [NotificationDraft.Kind] = []
    /// Work outside the store that follows commits; `nil` if there is none.
    public var commitHook: CommitHook?
    /// Returns the file routes of this feature, for doors that serve files.
    public var files: @Sendable (_ context: ServiceContext) -> [FileRoute] = { _ in [] }
    /// Recognises people on doors whose connections last for one call.
    ///
    /// One feature of the list sets it.
    public var sessions: (@Sendable (_ context: ServiceContext) -> SessionResumption)?
    /// Stores a notification in the notification centre, in the transaction that makes it.
    ///
    /// One feature of the list sets it.
    public var notify: Notifier?
    /// Adds what somebody did to a notification about that subject, in the transaction that makes it.
    ///
    /// The feature that sets ``notify`` sets it.
    public var gather: Gatherer?
    /// Deletes notifications from the notification centre.
    ///
    /// The feature that sets ``notify`` sets it.
    public var withdraw: Withdrawer?

    /// Stores a notification, and adds its event to the consequences.
    ///
    /// It throws error 4 (invalid value) if the notification cannot be shown, followed or acted on.
    public typealias Notifier =
        @Sendable (_ draft: NotificationDraft, _ db: Database, _ consequences: inout Consequences) throws -> Void
    /// Adds what somebody did to the notification of it, or takes it away again.
    public typealias Gatherer =
        @Sendable (_ act: Act, _ subjects: Subjects, _ db: Database, _ consequences: inout Consequences) throws -> Void
    /// Deletes notifications, in the transaction that makes them pointless.
    public typealias Withdrawer = @Sendable (_ withdrawal: Consequences.Withdrawal, _ db: Database) throws -> Void

    /// Creates a feature with methods only; set its other properties afterwards.
    public init(
        methods: @escaping @Sendable (ServiceContext, [Method<Principal>]) -> [Method<Principal>] = { _, _ in [] }
    ) {
        self.methods = methods
    }
}

/// Work that a feature does outside the store after a commit, such as removing files.
public struct CommitHook: Sendable {
    /// Whether there is something to do, evaluated at the end of each transaction.
    public var isDue: @Sendable (Database) throws -> Bool
    /// Does the work.
    ///
    /// It also runs after a change fails for which something was prepared.
    public var run: @Sendable () async -> Void

    /// Creates a hook from a condition and its work.
    public init(isDue: @escaping @Sendable (Database) throws -> Bool, run: @escaping @Sendable () async -> Void) {
        self.isDue = isDue
        self.run = run
    }
}
