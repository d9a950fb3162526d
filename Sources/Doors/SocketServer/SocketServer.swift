public import Callers
public import EventStream
import NIOCore
import NIOPosix
public import RPC
import Synchronization

/// Serves the methods of a table and the events of a hub on a Unix stream socket.
///
/// Each connection has its own task. An error on one connection ends that connection only.
public final class SocketServer: Sendable {
    /// The mode of the socket's file, which lets its owner and group connect.
    public static let mode: UInt32 = 0o660

    /// The limits of a server.
    public struct Limits: Sendable {
        /// The maximum number of open connections; the interface specifies 4,096.
        ///
        /// It is lower if the system allows the process fewer open files.
        public var connections = 4_096
        /// The bytes of requests, and separately of answers, that each connection may hold in addition to its user's
        /// share.
        ///
        /// This is more than most calls and answers need, and more than a person types.
        var freeBytes = 4 << 10
        /// The maximum number of bytes of unfinished or unanswered requests on a user's connections.
        ///
        /// Sixteen uploads at once, which is their limit, need two thirds of it with lines of the maximum length.
        var requestsOfUser = 24 << 20
        /// The maximum number of bytes of unread answers on a user's connections: sixteen of the longest answers.
        ///
        /// A client that reads its answers holds them for milliseconds.
        var answersOfUser = 16 << 20
        /// The maximum number of subscriptions on a user's connections.
        ///
        /// A subscription that is not read costs up to 50 kB.
        var subscriptionsOfUser = 2_048
        /// The bytes by which an unfinished line longer than ``freeBytes`` must grow within ``lineInterval``.
        ///
        /// Even the slowest modem sends this much.
        var lineGrowth = 16 << 10
        /// The time within which a line must grow by ``lineGrowth``.
        var lineInterval = Duration.seconds(10)
        /// The time that connections have to read their remaining output when the server stops.
        ///
        /// A working reader needs milliseconds. A reader that hangs must not delay the shutdown.
        public var shutdownGrace = Duration.seconds(2)
        /// The time after connecting within which a client's first request is answered even though the server stops.
        ///
        /// It ensures that a client that connects while one daemon is replaced by the next gets an answer.
        var greeting = Duration.seconds(1)
        /// The time during which input after a final error is discarded, so that the sender can read the error before
        /// the connection closes.
        public var lingering = Duration.seconds(2)

        /// Creates the default limits.
        public init() {}

        /// The maximum number of connections of a user without the right to make changes: half of all.
        var connectionsOfUser: Int { (connections + 1) / 2 }
        /// The number of places reserved for users who may make changes, so that they can always connect.
        var keptConnections: Int { min(64, connections / 8) }
        /// The number of connections below which such a user may take a reserved place.
        ///
        /// It leaves places for others.
        var keptConnectionsOfUser: Int { (keptConnections + 3) / 4 }
    }

    /// Returns the rights of a peer by its credentials.
    public typealias Grants = @Sendable (PeerCredentials) -> Set<AccessRight>
    /// Inspects a new connection before any input is read, and may set the person who acts through it.
    public typealias Identification = @Sendable (Principal) -> Void

    private let listener: NIOAsyncChannel<AcceptedClient, Never>
    private let file: ListeningSocket?
    private let methods: MethodTable<Principal>
    private let feeds: EventFeeds
    private let limits: Limits
    private let grants: Grants
    private let identify: Identification
    private let state: Mutex<State>
    private let watch: DoorWatch

    private struct State {
        var isStopping = false
        var accepted = 0
        /// The places of all connections, including those about to be served.
        var slots: ConnectionSlots
        var connections: [Int: ServedConnection] = [:]
    }

    /// Listens at a path.
    ///
    /// Connections are served once ``run()`` is called.
    ///
    /// It replaces a socket file that no server listens at.
    ///
    /// - Throws: ``SocketError`` if the path is too long, a server listens there already, the file is not a socket,
    ///   or the system refuses.
    public convenience init(
        path: String, methods: MethodTable<Principal>, hub: EventHub,
        limits: Limits = Limits(), grants: @escaping Grants, identify: @escaping Identification = { _ in }
    ) async throws {
        let socket = try ListeningSocket(path: path, mode: Self.mode)
        let watch = DoorWatch()
        do {
            try await self.init(
                listener: try await Self.listener(socket.descriptor, watch), watch: watch, file: socket,
                methods: methods, hub: hub,
                limits: limits, grants: grants, identify: identify)
        } catch {
            socket.removeFile()
            throw error
        }
    }

    /// Takes over a listening socket, such as one from systemd, and leaves its file alone.
    ///
    /// The server owns the descriptor from then on.
    public convenience init(
        descriptor: CInt, methods: MethodTable<Principal>, hub: EventHub,
        limits: Limits = Limits(), grants: @escaping Grants, identify: @escaping Identification = { _ in }
    ) async throws {
        let watch = DoorWatch()
        try await self.init(
            listener: try await Self.listener(descriptor, watch), watch: watch, file: nil, methods: methods, hub: hub,
            limits: limits, grants: grants, identify: identify)
    }

    private init(
        listener: NIOAsyncChannel<AcceptedClient, Never>, watch: DoorWatch, file: ListeningSocket?,
        methods: MethodTable<Principal>, hub: EventHub, limits: Limits, grants: @escaping Grants,
        identify: @escaping Identification
    ) async throws {
        self.listener = listener
        self.watch = watch
        self.file = file
        self.methods = methods
        feeds = EventFeeds(hub)
        self.grants = grants
        self.identify = identify
        var limits = limits
        limits.connections = ListeningSocket.makeRoom(forConnections: limits.connections)
        self.limits = limits
        state = Mutex(State(slots: ConnectionSlots(limits)))
    }

    /// Stops listening, and removes the socket's file, without having served anybody.
    public func close() async {
        file?.removeFile()
        try? await listener.executeThenClose { _ in }
    }

    /// Whether programs can connect.
    public var doorState: DoorWatch.State { watch.state(isListening: listener.channel.isActive) }

    /// The number of open connections.
    public var connectionCount: Int { state.withLock { $0.connections.count } }

    /// Serves until the task is cancelled.
    ///
    /// On cancellation, the server accepts no more clients. It answers the calls in progress and the first request of
    /// clients that have just connected, and sends queued events to subscribers. After ``Limits/shutdownGrace`` at
    /// most, it closes the connections. The socket's file is removed at the beginning of the shutdown.
    ///
    /// - Parameter executor: The executor of the tasks that answer calls; `nil` for the Swift concurrency pool.
    /// - Throws: The error that makes listening impossible.
    public func run(on executor: (any TaskExecutor)? = nil) async throws {
        let serving = Task { try await serve(on: executor) }
        let eventLoop = listener.channel.eventLoop
        let grace = TimeAmount(limits.shutdownGrace)
        try await withTaskCancellationHandler {
            do {
                try await serving.value
            } catch is CancellationError where Task.isCancelled {
                // The grace ended before the loop that accepts clients got a thread to end by itself.
            }
        } onCancel: {
            eventLoop.scheduleTask(in: grace) { serving.cancel() }
            stop()
        }
    }

    private func serve(on executor: (any TaskExecutor)?) async throws {
        defer { watch.noteEnd() }
        try await listener.executeThenClose { inbound in
            try await withThrowingDiscardingTaskGroup { group in
                for try await client in inbound {
                    watch.noteTaken(ObjectIdentifier(client.channel))
                    // The place is taken before the client's task starts, which may be late. The connection has a
                    // descriptor meanwhile.
                    switch reserveSlot(client.peer) {
                    case .success(let share): group.addTask { await self.serve(client, share, on: executor) }
                    case .failure(let error): await refuse(client, error)
                    }
                }
            }
        }
    }

    /// Takes a place for a connection, or returns the reason why there is none.
    private func reserveSlot(_ peer: PeerCredentials) -> Result<UserQuotas, RPCError> {
        let slot = state.withLock { $0.slots.reserve(for: peer.user, mayChange: false) }
        // The rights are read only if they matter, because this may read files.
        guard case .failure = slot, grants(peer).contains(.change) else { return slot }
        return state.withLock { $0.slots.reserve(for: peer.user, mayChange: true) }
    }

    /// Sends the error to a client that gets no place.
    ///
    /// No other client is accepted meanwhile.
    private func refuse(_ client: AcceptedClient, _ error: RPCError) async {
        try? await client.channel.writeAndFlush(ByteBuffer(bytes: error.line))
        try? await client.channel.close()
    }

    private func stop() {
        watch.noteStop()
        file?.removeFile()
        let open = state.withLock { state in
            state.isStopping = true
            return state.connections.values
        }
        listener.channel.close(promise: nil)
        for client in open { client.quiesce() }
    }

    private func serve(_ client: AcceptedClient, _ share: UserQuotas, on executor: (any TaskExecutor)?) async {
        let served = enter(client, share)
        await served.serve(on: executor) { await self.methods.answer(to: $0, from: served.principal) }
        state.withLock { state in
            state.connections[served.principal.number] = nil
            state.slots.release(for: client.peer.user)
        }
    }

    /// Registers a connection that has a place.
    private func enter(_ client: AcceptedClient, _ share: UserQuotas) -> ServedConnection {
        let number = state.withLock { state in
            state.accepted += 1
            return state.accepted
        }
        let subscriber = Subscriber(client.channel, feeds, of: share.subscriptions) { [methods] in
            methods.report("events.subscribe", $0)
        }
        let principal = Principal(
            number: number, origin: .user(client.peer.user), rights: grants(client.peer), connection: subscriber)
        let served = ServedConnection(principal, client, subscriber, share, limits)
        let isStopping = state.withLock { state in
            state.connections[number] = served
            return state.isStopping
        }
        identify(principal)
        if isStopping { served.quiesce() }
        return served
    }

    /// The maximum number of accepted connections that wait for the server's task.
    private static let acceptedAhead: UInt = 4

    /// The allocator of read buffers, which limits what a connection holds that has sent many requests.
    private static let reading = AdaptiveRecvByteBufferAllocator(minimum: 1 << 10, initial: 2 << 10, maximum: 16 << 10)

    private static func listener(
        _ descriptor: CInt, _ watch: DoorWatch
    ) async throws -> NIOAsyncChannel<AcceptedClient, Never> {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.maxMessagesPerRead, value: acceptedAhead)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.writeBufferWaterMark, value: DirectOutput.unsent)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.recvAllocator, value: reading)
            .bind(
                descriptor, serverBackPressureStrategy: .init(lowWatermark: 1, highWatermark: Int(acceptedAhead))
            ) { channel in
                let client = channel.eventLoop.makeCompletedFuture { try Self.client(channel) }
                client.whenFailure { _ in channel.close(promise: nil) }
                let caller = ObjectIdentifier(channel)
                client.whenSuccess { _ in watch.noteWaiting(caller) }
                channel.closeFuture.whenComplete { _ in watch.noteTaken(caller) }
                return client
            }
        ListeningSocket.lengthenQueue(of: descriptor)
        return listener
    }

    private static func client(_ channel: any Channel) throws -> AcceptedClient {
        let peer = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable { (descriptor: CInt) in
            try PeerCredentials(descriptor: descriptor)
        }
        guard let peer else { throw SocketError(.disconnected, "The connection has no descriptor.") }
        return AcceptedClient(channel: channel, lines: try InboundLines(channel), peer: peer)
    }
}
