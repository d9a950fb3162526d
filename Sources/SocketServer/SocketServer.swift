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
        /// How long connections may take, when the server stops, to accept what waits for them.
        ///
        /// A reader that is alive needs milliseconds; one that is not must not hold up a shutdown.
        public var shutdownGrace = Duration.seconds(2)
        /// How long the rest of a line that is too long is taken in and thrown away, so that its sender is not cut
        /// off before it reads why.
        public var lingering = Duration.seconds(2)

        /// The usual bounds.
        public init() {}
    }

    /// What methods a peer may call, by who it is.
    public typealias Grants = @Sendable (PeerCredentials) -> Set<AccessRight>
    /// What is told of a new connection before anything comes through it, and may say who acts through it.
    public typealias Identification = @Sendable (Connection) -> Void

    private typealias Client = NIOAsyncChannel<InboundLine, Never>

    private let listener: NIOAsyncChannel<(Client, PeerCredentials), Never>
    private let file: ListeningSocket?
    private let methods: MethodTable<Connection>
    private let hub: EventHub
    private let limits: Limits
    private let grants: Grants
    private let identify: Identification
    private let state = Mutex(State())

    private struct State {
        var isStopping = false
        var accepted = 0
        /// How many places are taken: those of the connections, and of some that are about to become one.
        var places = 0
        var connections: [Int: ServedConnection] = [:]
    }

    /// Listens at a path; connections are served once ``run()`` is called.
    ///
    /// A socket file that a dead server left is replaced.
    /// - Throws: ``SocketError`` where the path is too long, a server listens there already, something else stands
    ///   there, or the system refuses.
    public convenience init(
        path: String, methods: MethodTable<Connection>, hub: EventHub,
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
        descriptor: CInt, methods: MethodTable<Connection>, hub: EventHub,
        limits: Limits = Limits(), grants: @escaping Grants, identify: @escaping Identification = { _ in }
    ) async throws {
        try await self.init(
            listener: try await Self.listener(descriptor), file: nil, methods: methods, hub: hub,
            limits: limits, grants: grants, identify: identify)
    }

    private init(
        listener: NIOAsyncChannel<(Client, PeerCredentials), Never>, file: ListeningSocket?,
        methods: MethodTable<Connection>, hub: EventHub, limits: Limits, grants: @escaping Grants,
        identify: @escaping Identification
    ) async throws {
        self.listener = listener
        self.file = file
        self.methods = methods
        self.hub = hub
        self.grants = grants
        self.identify = identify
        var limits = limits
        limits.connections = ListeningSocket.makeRoom(forConnections: limits.connections)
        self.limits = limits
    }

    /// How many connections are open.
    public var connectionCount: Int { state.withLock { $0.connections.count } }

    /// Serves until the task is cancelled.
    ///
    /// Then nobody new is let in, calls that are being carried out are answered, what waits for subscribers is sent,
    /// all this for at most ``Limits/shutdownGrace``; the connections are closed and the socket's file is removed.
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
                for try await (client, peer) in inbound {
                    // Here and not in its task, which may begin late: a connection has a descriptor all the while.
                    if takePlace() {
                        group.addTask { await self.serve(client, peer) }
                    } else {
                        await refuse(client)
                    }
                }
            }
        }
    }

    /// Tells someone that there are too many; nobody else is accepted before that is done.
    private func refuse(_ client: Client) async {
        let message = "There are \(limits.connections) connections already. Try again later."
        _ = try? await client.executeThenClose { _ in
            try await client.channel.writeAndFlush(ByteBuffer(bytes: RPCError.unavailable(message).line))
        }
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

    private func serve(_ client: Client, _ peer: PeerCredentials) async {
        let channel = client.channel
        let subscriber = Subscriber(channel, hub) { [methods] in methods.report("events.subscribe", $0) }
        channel.closeFuture.whenComplete { _ in subscriber.end() }
        let served = enter(peer, channel, subscriber)
        _ = try? await client.executeThenClose { inbound in
            try await withTaskCancellationHandler {
                try await serve(inbound, of: served)
                try await served.output.deliver(ByteBuffer())
            } onCancel: {
                channel.close(promise: nil)
            }
        }
        state.withLock { state in
            state.connections[served.connection.number] = nil
            state.places -= 1
        }
    }

    /// Takes a place for a connection; false where there are as many as may be.
    private func takePlace() -> Bool {
        state.withLock { state in
            guard state.places < limits.connections else { return false }
            state.places += 1
            return true
        }
    }

    /// Counts a connection in that has a place.
    private func enter(_ peer: PeerCredentials, _ channel: any Channel, _ subscriber: Subscriber) -> ServedConnection {
        let number = state.withLock { state in
            state.accepted += 1
            return state.accepted
        }
        let connection = Connection(number: number, peer: peer, rights: grants(peer), subscriber: subscriber)
        let served = ServedConnection(connection, channel, subscriber)
        let isStopping = state.withLock { state in
            state.connections[number] = served
            return state.isStopping
        }
        identify(connection)
        if isStopping { served.quiesce() }
        return served
    }

    /// Answers line after line, until the other side has no more to say and its subscriptions have ended.
    private func serve(
        _ inbound: NIOAsyncChannelInboundStream<InboundLine>, of served: ServedConnection
    ) async throws {
        for try await line in inbound {
            guard case .line(let bytes) = line else {
                try await served.refuseTheRest(lingering: limits.lingering)
                continue
            }
            if served.isClosing { return }
            if let answer = await methods.answer(to: bytes, from: served.connection) {
                try await served.output.send(answer)
            }
            served.startSubscriptions()
        }
        await served.subscriber.waitUntilFinished()
    }

    /// How many connections may be accepted that nobody has looked at.
    private static let acceptedAhead: UInt = 4

    private static func listener(
        _ descriptor: CInt
    ) async throws -> NIOAsyncChannel<(Client, PeerCredentials), Never> {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.maxMessagesPerRead, value: acceptedAhead)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.writeBufferWaterMark, value: Subscriber.unsent)
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

    private static func client(_ channel: any Channel) throws -> (Client, PeerCredentials) {
        let pipeline = channel.pipeline.syncOperations
        let peer = try pipeline.withUnsafeTransportIfAvailable { (descriptor: CInt) in
            try PeerCredentials(descriptor: descriptor)
        }
        guard let peer else { throw SocketError(.disconnected, "The connection has no descriptor.") }
        try pipeline.addHandler(LineHandler())
        let client = try Client(
            wrappingChannelSynchronously: channel,
            configuration: .init(backPressureStrategy: .init(lowWatermark: 1, highWatermark: 2)))
        return (client, peer)
    }
}
