import Callers
import EventStream
import Logging
import People
import RPC
import Service
import SocketServer
import Store
import Synchronization
import Tracking

/// The daemon's servers: the Unix socket and, if configured, the web server.
struct DaemonServers: Sendable {
    /// Reloads the configuration, and returns the keys whose new values take effect after a restart.
    typealias Reloading = @Sendable () async throws -> [String]

    private let server: SocketServer
    private let web: WebDoor
    /// The executor of the tasks that answer calls.
    private let executor: any TaskExecutor
    /// The daemon's judgement of itself.
    let health: ServerHealth

    /// Listens at the configured path, or on a socket that the service manager already listens on.
    ///
    /// - Parameter file: The path of the configuration file, for `server.info`; `nil` if there was none.
    /// - Throws: `SocketError` or `WebError` if a server cannot listen.
    init(
        _ pipeline: LivePipeline, hub: EventHub, features: Features, configuration: DaemonConfiguration,
        file: String?, descriptor: Int32?, troubles: Troubles = Troubles(), logger: Logger,
        broker: @escaping @Sendable () -> BrokerStatus? = { nil },
        reload: @escaping Reloading
    ) async throws {
        let connections = ConnectionCount()
        let web = WebDoor(configuration, features)
        let probe = HealthProbe(
            store: features.context.store.path, socket: descriptor == nil ? configuration.socket : nil,
            troubles: troubles
        ) { [path = configuration.socket] in
            let socket = connections.server.withLock { $0 }.map {
                HealthSnapshot.Door(part: .socket, address: path, state: $0.doorState)
            }
            return [socket, web.door].compactMap(\.self)
        }
        health = ServerHealth(pipeline: pipeline, probe: probe)
        let methods = Self.methods(
            pipeline, hub: hub, features: features, file: file, health: health, web: web, broker: broker
        ) {
            connections.value
        } reload: {
            try await reload()
        } report: { method, error in
            logger.error("\(method): \(error)")
        }
        let group = configuration.adminGroup
        let grants: SocketServer.Grants = { peer in
            peer.mayChange(group: PeerCredentials.groupNumber(named: group)) ? [.read, .change] : [.read]
        }
        try features.accounts.load(from: features.context.store)
        let identify: SocketServer.Identification = { features.accounts.connections.enter($0) }
        server =
            if let descriptor {
                try await SocketServer(
                    descriptor: descriptor, methods: methods, hub: hub, grants: grants, identify: identify)
            } else {
                try await SocketServer(
                    path: configuration.socket, methods: methods, hub: hub, grants: grants, identify: identify)
            }
        connections.server.withLock { [server] in $0 = server }
        self.web = web
        executor = features.context.store.executor
        do {
            try await web.open(methods, hub, pipeline, health, identify: identify, troubles, logger)
        } catch {
            // Nobody will serve the socket, so its file goes too.
            await server.close()
            throw error
        }
    }

    /// Returns all methods that the daemon serves.
    static func methods(
        _ pipeline: LivePipeline, hub: EventHub, features: Features, file: String? = nil, health: ServerHealth? = nil,
        web: WebDoor? = nil, broker: @escaping @Sendable () -> BrokerStatus? = { nil },
        connections: @escaping @Sendable () -> Int, reload: @escaping Reloading,
        report: @escaping MethodTable<Principal>.FailureReport
    ) -> MethodTable<Principal> {
        var methods = MethodTable<Principal>(
            title: "Waymark", version: ProgramInfo.version, onFailure: report,
            interceptor: { [repeated = RepeatedCalls(features.context)] call in
                try await StoreReader.$current.withValue(StoreReader(call.caller)) { try await repeated.run(call) }
            })
        methods.add(
            ServerInfo.method(
                name: ProgramInfo.name, version: ProgramInfo.version, store: features.context.store.path,
                configuration: file))
        methods.add(reloading(reload))
        #if Companion
        methods.add(ServiceTrial.method(of: features))
        #endif
        let health =
            health
            ?? ServerHealth(
                pipeline: pipeline,
                probe: HealthProbe(store: features.context.store.path, socket: nil, troubles: Troubles()) { [] })
        methods.add(health.method)
        methods.add(
            ServerStats(
                pipeline, hub: hub, refusedMap: { web?.unusableMap }, connections: connections, broker: broker
            ).method)
        methods.add(
            hub.methods(
                kinds: features.context.geofences.keys.map(\.rawValue).sorted(),
                translate: { ($0 as? StoreError)?.refusal }))
        methods.add(features.methods)
        methods.add(WebDoor.methods(of: web, features))
        methods.declare(hub.notifications)
        return methods
    }

    /// Returns the method `server.reload`.
    private static func reloading(_ reload: @escaping Reloading) -> Method<Principal> {
        Method(
            "server.reload",
            "Reads the configuration again, as SIGHUP does, and applies everything that can change while the daemon runs.",
            answers: .object {
                Member("waiting", .array(of: .text), "The keys whose new values take effect after a restart.") { $0 }
            }, errors: [.conflict], right: .change
        ) { _ in try await reload() }
    }

    /// Serves the socket until the task is cancelled.
    func run() async throws { try await server.run(on: executor) }

    /// The URL for browsers; `nil` if they are not served.
    var webAddress: String? { web.address }

    /// Serves browsers until the task is cancelled; returns at once if they are not served.
    func runWeb() async throws { try await web.run() }
}

/// The number of connections of a server that is created after the method that reports it.
private final class ConnectionCount: Sendable {
    let server = Mutex<SocketServer?>(nil)

    var value: Int { server.withLock { $0 }?.connectionCount ?? 0 }
}
