public import Callers
import Deadlines
public import EventStream
import Glibc
import HTTPTypes
import HummingbirdCore
import HummingbirdTLS
public import Logging
import NIOCore
import NIOPosix
public import RPC
public import Service
import Synchronization

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

    private let listener: NIOAsyncChannel<HTTP1Channel.Value, Never>
    private let child: ChildChannel
    private let settings: WebSettings
    private let limits: Limits
    private let state: Mutex<State>
    private let logger: Logger
    private let clock: any Clock<Duration>
    private let watch = DoorWatch()
    let router: Router

    private struct State {
        var isStopping = false
        var accepted = 0
        var pool: ConnectionPool<ObjectIdentifier>
        var open: [ObjectIdentifier: Client] = [:]
        /// The number of connections that are served, including those that were cut and have not ended yet.
        var served = 0
        /// Resumed when enough of the connections that were cut have ended.
        var accepting: CheckedContinuation<Void, Never>?
    }

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
        state = Mutex(State(pool: ConnectionPool(limits)))
        let router = try Router(settings, to: services, limits: limits, clock: clock, logger: logger)
        self.router = router
        let serverReference = ServerReference()
        let doorkeeper = Doorkeeper { channel in
            serverReference.server.withLock { $0.value }?.isHopeless(channel) ?? false
        }
        child = try ChildChannel(settings, limits) { request, writer, channel in
            try await serverReference.server.withLock { $0.value }?.respond(to: request, writer, channel)
        }
        listener = try await Self.listener(settings.listen, child, doorkeeper, watch)
        serverReference.server.withLock { $0.value = self }
        if let warning = settings.warning { logger.warning("\(warning)") }
    }

    /// A reference to the server for the responder, which is created before it.
    private final class ServerReference: Sendable {
        struct Weak: Sendable { weak var value: WebServer? }
        let server = Mutex(Weak())
    }

    /// Whether browsers can connect.
    public var doorState: DoorWatch.State { watch.state(isListening: listener.channel.isActive) }

    /// The number of open connections.
    public var connectionCount: Int { state.withLock { $0.open.count } }

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
                        await waitUntilConnectionsEnd()
                        watch.noteTaken(ObjectIdentifier(connection.channel))
                        let isAccepted = admit(connection.channel)
                        if !isAccepted { ConnectionCutter.cut(connection.channel) }
                        group.addTask {
                            if isAccepted {
                                await self.serve(connection)
                            } else {
                                try? await connection.executeThenClose { _, _ in }
                            }
                            self.end()
                        }
                    }
                } catch {
                    logger.error("The web server accepts no more connections: \(error)")
                }
            }
        }
    }

    /// Waits while too many connections that were cut have not ended, and counts another one.
    ///
    /// Otherwise what they hold would fill the memory when more connect than the processor can serve.
    private func waitUntilConnectionsEnd() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                state.served += 1
                guard state.served > limits.connections + limits.ending else { return true }
                state.accepting = continuation
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// Notes that a connection has ended.
    private func end() {
        let accepting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.served -= 1
            guard state.served <= limits.connections + limits.ending else { return nil }
            defer { state.accepting = nil }
            return state.accepting
        }
        accepting?.resume()
    }

    private func serve(_ connection: HTTP1Channel.Value) async {
        await child.handle(connection, logger)
        leave(connection.channel)
    }

    /// Takes a place for a new connection, for which another one may have to end.
    private func admit(_ channel: any Channel) -> Bool {
        guard let address = limits.addressOfPeer(channel), isWelcome(address) else { return false }
        let id = ObjectIdentifier(channel)
        let (isAccepted, isStopping, ending) = state.withLock { state -> (Bool, Bool, Client?) in
            guard case .accepted(let ending) = state.pool.admit(id, from: address, at: Self.second) else {
                return (false, false, nil)
            }
            let ended = ending.flatMap { state.open.removeValue(forKey: $0) }
            state.accepted += 1
            state.open[id] = Client(state.accepted, address, channel) { [weak self] in self?.note($0, of: id) }
            return (true, state.isStopping, ended)
        }
        if let ending { ConnectionCutter.cut(ending.channel) }
        if isStopping { channel.close(mode: .input, promise: nil) }
        return isAccepted
    }

    /// Notes what a request shows about its connection.
    private func note(_ note: Client.Note, of id: ObjectIdentifier) {
        let ending = state.withLock { state -> Client? in
            switch note {
            case .isWhole:
                state.pool.beginAnswer(id)
                return nil
            case .isOf(let person):
                return state.pool.identify(id, as: person).flatMap { state.open.removeValue(forKey: $0) }
            }
        }
        if let ending { ConnectionCutter.cut(ending.channel) }
    }

    /// Whether a connection that nothing was read from would be refused anyway.
    private func isHopeless(_ channel: any Channel) -> Bool {
        guard let address = limits.addressOfPeer(channel) else { return true }
        return !isWelcome(address) || state.withLock { $0.pool.isOverrun(by: address, at: Self.second) }
    }

    /// The present second of the monotonic clock.
    private static var second: Int { Int(clamping: NIODeadline.now().uptimeNanoseconds / 1_000_000_000) }

    /// Whether an address may connect.
    ///
    /// Without TLS, only this machine and private networks may.
    private func isWelcome(_ address: IPAddress) -> Bool {
        settings.isSecure || address.isLoopback || address.isPrivate
    }

    private func leave(_ channel: any Channel) {
        state.withLock { state in
            // If it had to make room for another one, it has left already.
            state.open[ObjectIdentifier(channel)] = nil
            state.pool.leave(ObjectIdentifier(channel))
        }
    }

    private func stop() {
        watch.noteStop()
        let open = state.withLock { state in
            state.isStopping = true
            return state.open.values
        }
        listener.channel.close(promise: nil)
        router.end()
        for client in open { client.channel.close(mode: .input, promise: nil) }
    }

    // MARK: Requests

    /// An error that ends a connection whose remaining input is unwanted.
    private struct Unwanted: Error {}

    private func respond(
        to request: WebRequest, _ writer: consuming ResponseWriter, _ channel: any Channel
    ) async throws {
        let (client, isStopping) = state.withLock { ($0.open[ObjectIdentifier(channel)], $0.isStopping) }
        guard let client else { throw Unwanted() }
        defer { state.withLock { $0.pool.endAnswer(ObjectIdentifier(channel)) } }
        var answer = await router.answer(to: request, from: client)
        if isStopping || answer.endsConnection { answer.fields[.connection] = "close" }
        let head = HTTPResponse(status: answer.status, headerFields: router.headers.added(to: answer.sized))
        let cut =
            answer.isStream ? nil : DeadlineClock.shared.after(limits.answerTime) { channel.close(promise: nil) }
        defer { cut?.end() }
        if request.method == .head {
            try await writer.writeResponse(head)
        } else {
            try await writer.write(response: head, body: answer.body)
        }
        guard answer.endsConnection || isStopping else { return }
        if answer.endsConnection, !answer.hasReadBody { await throwAway(request.body) }
        throw Unwanted()
    }

    /// Reads and discards the rest of a body, up to the limits of lingering.
    private func throwAway(_ body: RequestBody) async {
        let most = limits.lingeringBytes
        _ = try? await within(limits.lingering) {
            var count = 0
            for try await piece in body {
                count += piece.readableBytes
                if count > most { return }
            }
        }
    }

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
        _ address: WebAddress, _ child: ChildChannel, _ doorkeeper: Doorkeeper, _ watch: DoorWatch
    ) async throws -> NIOAsyncChannel<HTTP1Channel.Value, Never> {
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
                    let connection = child.setUp(channel)
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

/// The pipeline of a connection from bytes to requests and back, with or without TLS.
private enum ChildChannel: Sendable {
    case plain(HTTP1Channel)
    case secure(TLSChannel<HTTP1Channel>)

    init(
        _ settings: WebSettings, _ limits: WebServer.Limits, _ responder: @escaping HTTPChannelHandler.Responder
    ) throws {
        let plain = HTTP1Channel(
            responder: responder,
            configuration: .init(
                idleTimeout: TimeAmount(limits.idle),
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: limits.headerBytes, maxHeaderListSize: limits.headerBytes,
                    maxHeaderFieldCount: limits.headerFields)))
        self = .plain(plain)
        if let tls = try settings.tls() { self = .secure(try TLSChannel(plain, tlsConfiguration: tls)) }
    }

    private static var silent: Logger { Logger(label: "waymark.web") { _ in SwiftLogNoOpLogHandler() } }

    func setUp(_ channel: any Channel) -> EventLoopFuture<HTTP1Channel.Value> {
        let connection = ConnectionCutter.add(to: channel).flatMap {
            switch self {
            case .plain(let child): child.setup(channel: channel, logger: Self.silent)
            case .secure(let child): child.setup(channel: channel, logger: Self.silent)
            }
        }
        connection.whenFailure { _ in channel.close(promise: nil) }
        return connection
    }

    func handle(_ connection: HTTP1Channel.Value, _ logger: Logger) async {
        switch self {
        case .plain(let child): await child.handle(value: connection, logger: Self.silent)
        case .secure(let child): await child.handle(value: connection, logger: Self.silent)
        }
    }
}
