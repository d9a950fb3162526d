public import EventStream
import NIOCore
import NIOPosix
public import RPC
import Synchronization

/// Serves the methods of a table, and the events of a hub, on a Unix stream socket.
///
/// Each connection has its own task; what goes wrong in one ends that one alone.
public final class SocketServer: Sendable {
    /// The mode of the socket's file: its owner and group may connect.
    public static let mode: UInt32 = 0o660

    /// The bounds of a server.
    public struct Limits: Sendable {
        /// How many connections there may be at once; the interface names 4,096.
        ///
        /// Where the system lets the process open fewer files, there are fewer.
        public var connections = 4_096
        /// How many bytes of requests, and as many of answers, each connection may hold beside its user's share: more
        /// than most calls and answers have, and than a person types.
        var freeBytes = 4 << 10
        /// How many bytes of requests a user's connections may hold, unfinished or unanswered: half as many again as
        /// sixteen uploads need, which are all there may be, with the longest of lines.
        var requestsOfUser = 24 << 20
        /// How many bytes of answers a user's connections may leave unread: as many as sixteen of the longest have.
        ///
        /// Who reads answers has them for milliseconds.
        var answersOfUser = 16 << 20
        /// How many subscriptions a user's connections may have.
        ///
        /// One that is not read costs up to 50 kB.
        var subscriptionsOfUser = 2_048
        /// An unfinished line of more than ``freeBytes`` must grow by so many bytes within ``lineInterval``.
        ///
        /// That is what the slowest of modems sends.
        var lineGrowth = 16 << 10
        /// See ``lineGrowth``.
        var lineInterval = Duration.seconds(10)
        /// How long connections may take, when the server stops, to accept what waits for them.
        ///
        /// A reader that is alive needs milliseconds; one that is not must not hold up a shutdown.
        public var shutdownGrace = Duration.seconds(2)
        /// Who has connected and said nothing yet, when the server stops, is answered what comes within so long of that.
        ///
        /// So nobody who calls while a daemon gives way to the next one is sent away without a word.
        var greeting = Duration.seconds(1)
        /// How long the rest of a line that is too long is taken in and thrown away, so that its sender is not cut
        /// off before it reads why.
        public var lingering = Duration.seconds(2)

        /// The usual bounds.
        public init() {}

        /// How many connections one user may have, unless they may change things: half of all.
        var connectionsOfUser: Int { (connections + 1) / 2 }
        /// How many places are kept for users who may change things, so that they always get in.
        var keptConnections: Int { min(64, connections / 8) }
        /// How many connections such a user may have who takes a kept place: others may need one too.
        var keptConnectionsOfUser: Int { (keptConnections + 3) / 4 }
    }

    /// What methods a peer may call, by who it is.
    public typealias Grants = @Sendable (PeerCredentials) -> Set<AccessRight>
    /// What is told of a new connection before anything comes through it, and may say who acts through it.
    public typealias Identification = @Sendable (Principal) -> Void

    private let listener: NIOAsyncChannel<AcceptedClient, Never>
    private let file: ListeningSocket?
    private let methods: MethodTable<Principal>
    private let feeds: EventFeeds
    private let limits: Limits
    private let grants: Grants
    private let identify: Identification
    private let state: Mutex<State>

    private struct State {
        var isStopping = false
        var accepted = 0
        /// Those of the connections, and of some that are about to become one.
        var places: Places
        var connections: [Int: ServedConnection] = [:]
    }

    /// Listens at a path; connections are served once ``run()`` is called.
    ///
    /// A socket file that a dead server left is replaced.
    /// - Throws: ``SocketError`` where the path is too long, a server listens there already, something else stands
    ///   there, or the system refuses.
    public convenience init(
        path: String, methods: MethodTable<Principal>, hub: EventHub,
        limits: Limits = Limits(), grants: @escaping Grants, identify: @escaping Identification = { _ in }
    ) async throws {
        let socket = try ListeningSocket(path: path, mode: Self.mode)
        do {
            try await self.init(
                listener: try await Self.listener(socket.descriptor), file: socket, methods: methods, hub: hub,
                limits: limits, grants: grants, identify: identify)
        } catch {
            socket.removeFile()
            throw error
        }
    }

    /// Takes over a socket that listens already, as systemd hands one over; its file is left alone.
    ///
    /// The descriptor belongs to the server from then on.
    public convenience init(
        descriptor: CInt, methods: MethodTable<Principal>, hub: EventHub,
        limits: Limits = Limits(), grants: @escaping Grants, identify: @escaping Identification = { _ in }
    ) async throws {
        try await self.init(
            listener: try await Self.listener(descriptor), file: nil, methods: methods, hub: hub,
            limits: limits, grants: grants, identify: identify)
    }

    private init(
        listener: NIOAsyncChannel<AcceptedClient, Never>, file: ListeningSocket?,
        methods: MethodTable<Principal>, hub: EventHub, limits: Limits, grants: @escaping Grants,
        identify: @escaping Identification
    ) async throws {
        self.listener = listener
        self.file = file
        self.methods = methods
        feeds = EventFeeds(hub)
        self.grants = grants
        self.identify = identify
        var limits = limits
        limits.connections = ListeningSocket.makeRoom(forConnections: limits.connections)
        self.limits = limits
        state = Mutex(State(places: Places(limits)))
    }

    /// How many connections are open.
    public var connectionCount: Int { state.withLock { $0.connections.count } }

    /// Serves until the task is cancelled.
    ///
    /// Then nobody new is let in, calls that are being carried out are answered, and the first one of who has just been
    /// let in; what waits for subscribers is sent, all this for at most ``Limits/shutdownGrace``; the connections are
    /// closed and the socket's file is removed.
    /// - Throws: what makes listening impossible.
    public func run() async throws {
        let serving = Task { try await serve() }
        let eventLoop = listener.channel.eventLoop
        let grace = TimeAmount(limits.shutdownGrace)
        try await withTaskCancellationHandler {
            try await serving.value
        } onCancel: {
            eventLoop.scheduleTask(in: grace) { serving.cancel() }
            stop()
        }
    }

    private func serve() async throws {
        try await listener.executeThenClose { inbound in
            try await withThrowingDiscardingTaskGroup { group in
                for try await client in inbound {
                    // Here and not in its task, which may begin late: a connection has a descriptor all the while.
                    switch takePlace(client.peer) {
                    case .success(let share): group.addTask { await self.serve(client, share) }
                    case .failure(let error): await refuse(client, error)
                    }
                }
            }
        }
    }

    /// Takes a place for a connection; where there is none, says why.
    private func takePlace(_ peer: PeerCredentials) -> Result<UserShare, RPCError> {
        let place = state.withLock { $0.places.take(for: peer.user, mayChange: false) }
        // Asked only where it matters, since it may take a look into files.
        guard case .failure = place, grants(peer).contains(.change) else { return place }
        return state.withLock { $0.places.take(for: peer.user, mayChange: true) }
    }

    /// Tells someone that there are too many; nobody else is accepted before that is done.
    private func refuse(_ client: AcceptedClient, _ error: RPCError) async {
        try? await client.channel.writeAndFlush(ByteBuffer(bytes: error.line))
        try? await client.channel.close()
    }

    private func stop() {
        file?.removeFile()
        let open = state.withLock { state in
            state.isStopping = true
            return state.connections.values
        }
        listener.channel.close(promise: nil)
        for client in open { client.quiesce() }
    }

    private func serve(_ client: AcceptedClient, _ share: UserShare) async {
        let served = enter(client, share)
        await served.serve { await self.methods.answer(to: $0, from: served.principal) }
        state.withLock { state in
            state.connections[served.principal.number] = nil
            state.places.give(backOf: client.peer.user)
        }
    }

    /// Counts a connection in that has a place.
    private func enter(_ client: AcceptedClient, _ share: UserShare) -> ServedConnection {
        let number = state.withLock { state in
            state.accepted += 1
            return state.accepted
        }
        let subscriber = Subscriber(client.channel, feeds, of: share.subscriptions) { [methods] in
            methods.report("events.subscribe", $0)
        }
        let principal = Principal(
            number: number, origin: .user(client.peer.user), rights: grants(client.peer), subscriptions: subscriber)
        let served = ServedConnection(principal, client, subscriber, share, limits)
        let isStopping = state.withLock { state in
            state.connections[number] = served
            return state.isStopping
        }
        identify(principal)
        if isStopping { served.quiesce() }
        return served
    }

    /// How many connections may be accepted that nobody has looked at.
    private static let acceptedAhead: UInt = 4

    /// How many bytes are read at once: what a connection holds that has sent many requests is no more.
    private static let reading = AdaptiveRecvByteBufferAllocator(minimum: 1 << 10, initial: 2 << 10, maximum: 16 << 10)

    private static func listener(_ descriptor: CInt) async throws -> NIOAsyncChannel<AcceptedClient, Never> {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.maxMessagesPerRead, value: acceptedAhead)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.writeBufferWaterMark, value: Subscriber.unsent)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.recvAllocator, value: reading)
            .bind(
                descriptor, serverBackPressureStrategy: .init(lowWatermark: 1, highWatermark: Int(acceptedAhead))
            ) { channel in
                let client = channel.eventLoop.makeCompletedFuture { try Self.client(channel) }
                client.whenFailure { _ in channel.close(promise: nil) }
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
