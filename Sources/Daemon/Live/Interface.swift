import Companion
import Logging
import RPC
import SocketServer
import Store
import Synchronization
import Tracking

/// What the daemon serves on its socket.
struct Interface: Sendable {
    private let server: SocketServer

    /// Listens at the configured path, or takes over a socket that listens already.
    ///
    /// - Throws: `SocketError` where nobody can listen there.
    init(
        _ pipeline: LivePipeline, hub: EventHub, companion: CompanionContext, configuration: DaemonConfiguration,
        descriptor: Int32?, logger: Logger
    ) async throws {
        let connections = ConnectionCount()
        let methods = Self.methods(pipeline, hub: hub, companion: companion) {
            connections.value
        } report: { method, error in
            logger.error("\(method): \(error)")
        }
        let group = configuration.adminGroup
        let grants: SocketServer.Grants = { peer in
            peer.mayChange(group: PeerCredentials.groupNumber(named: group)) ? [.read, .change] : [.read]
        }
        try companion.connections.learn(from: companion.store)
        let identify: SocketServer.Identification = { companion.connections.enter($0) }
        server =
            if let descriptor {
                try await SocketServer(
                    descriptor: descriptor, methods: methods, hub: hub, grants: grants, identify: identify)
            } else {
                try await SocketServer(
                    path: configuration.socket, methods: methods, hub: hub, grants: grants, identify: identify)
            }
        connections.server.withLock { [server] in $0 = server }
    }

    /// All that is served.
    static func methods(
        _ pipeline: LivePipeline, hub: EventHub, companion: CompanionContext,
        connections: @escaping @Sendable () -> Int, report: @escaping MethodTable<Connection>.FailureReport
    ) -> MethodTable<Connection> {
        var methods = MethodTable<Connection>(title: "Waymark", version: Product.version, onFailure: report)
        methods.add(ServerInfo.method(name: Product.name, version: Product.version, store: companion.store.path))
        methods.add(ServerStats(pipeline, hub: hub, connections: connections).method)
        methods.add(hub.methods(kinds: Geofence.Kind.allCases.map(\.rawValue)))
        methods.add(CoreMethods.all(companion))
        methods.declare(hub.notifications)
        return methods
    }

    /// Serves until the task is cancelled.
    func run() async throws { try await server.run() }
}

/// How many connections a server has that is made after the method which tells it.
private final class ConnectionCount: Sendable {
    let server = Mutex<SocketServer?>(nil)

    var value: Int { server.withLock { $0 }?.connectionCount ?? 0 }
}
