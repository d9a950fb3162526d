public import Callers
import Deadlines
public import EventStream
import Glibc
public import Logging
import NIOCore
import NIOPosix
public import RPC
public import Service

/// An HTTP server for browsers: the methods of a table, the events of a hub and the pages.
///
/// Each connection has its own task; an error in one ends only that one.
public final class WebServer: Sendable {
    /// The services that the server makes available.
    public struct Services: Sendable {
        /// The methods, the same as those of the socket.
        public var methods: MethodTable<Principal>
        /// The source of the events.
        public var hub: EventHub
        /// Resumes the sessions of people; `nil` if nobody can sign in.
        public var sessions: SessionResumption?
        /// The people who become administrators when they sign in; `nil` for nobody.
        public var administrators: Administrators?
        /// Called with each new caller before its request is handled.
        public var identify: @Sendable (Principal) -> Void
        /// The routes of the features' files.
        public var files: [FileRoute] = []
        /// Returns the metrics in the text format of Prometheus; `nil` if there are none.
        public var metrics: (@Sendable () async throws -> String)?
        /// Returns whether the service is well; `nil` if only its answer shows it.
        public var health: (@Sendable () async -> Health)?
        /// Takes the reports of phones; `nil` if none can report.
        public var phones: (any PhoneReports)?
        /// Takes the events of boards; `nil` if none can send.
        public var boards: (any BoardReports)?
        /// The maps beside the store; `nil` for none.
        public var maps: MapFolder?
        /// The executor of the tasks that answer requests; `nil` for the Swift concurrency pool.
        public var executor: (any TaskExecutor)?
        /// The rights of callers who are not signed in; tests grant more.
        package var rights: Set<AccessRight> = [.read]

        /// Creates the services that every server has; the others are optional.
        public init(
            methods: MethodTable<Principal>, hub: EventHub, sessions: SessionResumption?,
            identify: @escaping @Sendable (Principal) -> Void = { _ in }
        ) {
            self.methods = methods
            self.hub = hub
            self.sessions = sessions
            self.identify = identify
        }
    }

    /// Whether the service is well.
    public struct Health: Sendable {
        /// Whether everything works.
        public var isWell: Bool
        /// What does not, in words for the machine's administrator.
        public var text: String

        /// Creates the state of health.
        public init(isWell: Bool, text: String) {
            self.isWell = isWell
            self.text = text
        }
    }

    private let listener: NIOAsyncChannel<ConnectionPipeline.Value, Never>
    private let pipeline: ConnectionPipeline
    private let connections: OpenConnections
    private let settings: WebSettings
    private let limits: Limits
    private let logger: Logger
    private let clock: any Clock<Duration>
    private let watch = DoorWatch()
    private let executor: (any TaskExecutor)?
    let router: Router

    /// Starts to listen; requests are answered once ``run()`` is called.
    ///
    /// - Throws: ``WebError`` if it cannot listen at the address, or if a configured file cannot be used.
    public convenience init(
        _ settings: WebSettings, to services: Services, limits: Limits = Limits(), logger: Logger
    ) async throws {
        try await self.init(settings, to: services, limits: limits, clock: .deadlines, logger: logger)
    }

    /// - Parameter clock: The clock that measures the time of requests.
    package init(
        _ settings: WebSettings, to services: Services, limits: Limits, clock: any Clock<Duration>, logger: Logger
    ) async throws {
        if let refusal = settings.refusal { throw WebError(refusal) }
        self.settings = settings
        var limits = limits
        limits.connections = Descriptors.room(forConnections: limits.connections)
        self.limits = limits
        self.logger = logger
        self.clock = clock
        executor = services.executor
        let router = try Router(settings, to: services, limits: limits, clock: clock, logger: logger)
        let connections = OpenConnections(limits, isSecure: settings.isSecure)
        self.router = router
        self.connections = connections
        pipeline = try ConnectionPipeline(
            settings, RequestResponder(router: router, connections: connections, limits: limits))
        let doorkeeper = Doorkeeper { connections.isHopeless($0) }
        listener = try await Self.listener(settings.listen, pipeline, doorkeeper, watch)
        if let warning = settings.warning { logger.warning("\(warning)") }
    }

    /// Whether browsers can connect.
    public var doorState: DoorWatch.State { watch.state(isListening: listener.channel.isActive) }

    /// The number of open connections.
    public var connectionCount: Int { connections.count }

    /// The reason why the configured file of map tiles is not used; `nil` if it is used, or none is configured.
    public var refusedMap: RefusedMap? { router.refusedMap }

    /// The port on which the server listens.
    public var port: Int { listener.channel.localAddress?.port ?? settings.listen.port }

    /// The server's URL for browsers.
    public var address: String {
        let host = settings.listen.hostText
        return "\(settings.isSecure ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)/"
    }

    // MARK: Connections

    /// Answers requests until the task is cancelled.
    ///
    /// From then on it accepts no connections, and finishes the requests that it has received, for at most
    /// ``Limits/shutdownGrace``.
    ///
    /// - Throws: An error that prevents listening.
    public func run() async throws {
        let serving = Task { try await serve() }
        let beating = Task { await router.sendHeartbeats(clock) }
        defer { beating.cancel() }
        let grace = TimeAmount(limits.shutdownGrace)
        try await withTaskCancellationHandler {
            try await serving.value
        } onCancel: {
            listener.channel.eventLoop.scheduleTask(in: grace) { serving.cancel() }
            stop()
        }
    }

    private func serve() async throws {
        defer { watch.noteEnd() }
        try await listener.executeThenClose { inbound in
            await withDiscardingTaskGroup { group in
                do {
                    for try await connection in inbound {
                        await connections.waitUntilConnectionsEnd()
                        watch.noteTaken(ObjectIdentifier(connection.channel))
                        let isAccepted = connections.admit(connection.channel)
                        if !isAccepted { ConnectionCutter.cut(connection.channel) }
                        group.addTask(executorPreference: executor) {
                            if isAccepted {
                                await self.pipeline.handle(connection)
                                self.connections.leave(connection.channel)
                            } else {
                                try? await connection.executeThenClose { _, _ in }
                            }
                            self.connections.end()
                        }
                    }
                } catch {
                    logger.error("The web server accepts no more connections: \(error)")
                }
            }
        }
    }

    private func stop() {
        watch.noteStop()
        let open = connections.stop()
        listener.channel.close(promise: nil)
        router.end()
        for client in open { client.channel.close(mode: .input, promise: nil) }
    }

    // MARK: Listening

    /// The number of connections to accept before their handling has begun.
    private static let acceptedAhead = 4
    /// The number of connections that may wait to be accepted; the system lowers it to `net.core.somaxconn`.
    ///
    /// When many connect at once, a browser waits in the line rather than being turned away.
    private static let backlog: Int32 = 1_024

    /// The thread that accepts connections, so that they do not wait for turns of the loops that decode requests.
    private static let accepting = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    /// The most bytes read from a connection before others have their turn.
    ///
    /// All calls in what is read are decoded in one turn of the event loop. A new connection needs several turns, so
    /// large pieces of calls without a pause on many connections would make it wait for seconds.
    private static let pieces = AdaptiveRecvByteBufferAllocator(minimum: 1_024, initial: 2_048, maximum: 4_096)

    private static func listener(
        _ address: WebAddress, _ pipeline: ConnectionPipeline, _ doorkeeper: Doorkeeper, _ watch: DoorWatch
    ) async throws -> NIOAsyncChannel<ConnectionPipeline.Value, Never> {
        do {
            return try await ServerBootstrap(group: accepting, childGroup: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.backlog, value: backlog)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .serverChannelOption(.maxMessagesPerRead, value: UInt(clamping: acceptedAhead))
                .serverChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(doorkeeper)
                    }
                }
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .childChannelOption(.maxMessagesPerRead, value: 1)
                .childChannelOption(.recvAllocator, value: pieces)
                .bind(
                    host: address.hostText, port: address.port,
                    serverBackPressureStrategy: .init(lowWatermark: 1, highWatermark: acceptedAhead)
                ) { channel in
                    let connection = pipeline.setUp(channel)
                    let caller = ObjectIdentifier(channel)
                    connection.whenSuccess { _ in watch.noteWaiting(caller) }
                    channel.closeFuture.whenComplete { _ in watch.noteTaken(caller) }
                    return connection
                }
        } catch let error as IOError {
            throw WebError(number: error.errnoCode, at: address)
        }
    }
}

/// Closes new connections that would be refused anyway, before anything is set up for them.
final class Doorkeeper: ChannelInboundHandler, Sendable {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel

    private let isHopeless: @Sendable (any Channel) -> Bool

    init(_ isHopeless: @escaping @Sendable (any Channel) -> Bool) { self.isHopeless = isHopeless }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let channel = unwrapInboundIn(data)
        if isHopeless(channel) { channel.close(promise: nil) } else { context.fireChannelRead(data) }
    }
}
