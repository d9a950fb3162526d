import Accounts
import Callers
import EventStream
import Logging
import RPC
import Service
import SocketServer
import Store
import Synchronization
import TextCoding
import Tracking
import Uplink
import WebServer

/// The daemon's servers: the Unix socket and, if configured, the web server.
struct DaemonServers: Sendable {
    /// Reloads the configuration, and returns the keys whose new values take effect after a restart.
    typealias Reloading = @Sendable () async throws -> [String]

    private let server: SocketServer
    /// The server for browsers, if it is configured.
    private let web: WebServer?
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
        let browsers = WebReference()
        let probe = HealthProbe(
            store: features.context.store.path, socket: descriptor == nil ? configuration.socket : nil,
            troubles: troubles
        ) { [path = configuration.socket] in
            // The web server is named by its URL, which has the port that the system chose.
            let socket = connections.server.withLock { $0 }.map {
                HealthSnapshot.Door(part: .socket, address: path, state: $0.doorState)
            }
            let web = browsers.server.withLock { $0 }.map {
                HealthSnapshot.Door(part: .web, address: $0.address, state: $0.doorState)
            }
            return [socket, web].compactMap(\.self)
        }
        health = ServerHealth(pipeline: pipeline, probe: probe)
        let maps = features.context.store.path.map { MapFolder(ofStore: $0) }
        let methods = Self.methods(
            pipeline, hub: hub, features: features, file: file, health: health, maps: maps,
            refusedMap: { browsers.server.withLock { $0 }?.refusedMap }, broker: broker
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
        do {
            web =
                if let settings = configuration.web {
                    try await WebServer(
                        settings, to: Self.services(methods, hub, features, pipeline, health, maps, identify: identify),
                        logger: logger)
                } else {
                    nil
                }
        } catch {
            // Nobody will serve the socket, so its file goes too.
            await server.close()
            throw error
        }
        browsers.server.withLock { [web] in $0 = web }
        troubles.noteMap(web?.refusedMap.map { "\($0.file) cannot be used as a map: \($0.reason)" })
    }

    /// Returns all methods that the daemon serves.
    static func methods(
        _ pipeline: LivePipeline, hub: EventHub, features: Features, file: String? = nil, health: ServerHealth? = nil,
        maps: MapFolder? = nil, refusedMap: @escaping @Sendable () -> RefusedMap? = { nil },
        broker: @escaping @Sendable () -> BrokerStatus? = { nil },
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
        methods.add(trial(of: features))
        let health =
            health
            ?? ServerHealth(
                pipeline: pipeline,
                probe: HealthProbe(store: features.context.store.path, socket: nil, troubles: Troubles()) { [] })
        methods.add(health.method)
        methods.add(
            ServerStats(pipeline, hub: hub, refusedMap: refusedMap, connections: connections, broker: broker).method)
        let names = EventNames(store: features.context.store)
        methods.add(
            hub.methods(
                kinds: features.context.geofences.keys.map(\.rawValue).sorted(), naming: names.names(of:),
                translate: { ($0 as? StoreError)?.refusal }))
        methods.add(features.methods)
        methods.add(MapMethods(maps, features.context).all)
        methods.declare(hub.notifications)
        return methods
    }

    /// Returns the services for the web server.
    private static func services(
        _ methods: MethodTable<Principal>, _ hub: EventHub, _ features: Features, _ pipeline: LivePipeline,
        _ health: ServerHealth, _ maps: MapFolder?, identify: @escaping @Sendable (Principal) -> Void
    ) -> WebServer.Services {
        var services = WebServer.Services(methods: methods, hub: hub, sessions: features.sessions, identify: identify)
        services.administrators = features.accounts.administrators
        services.files = features.files + (maps.map { [MapUpload.route(to: $0)] } ?? [])
        if let store = features.context.store.path {
            services.files.append(HistoryUpload.route(besideStore: store, calling: methods))
        }
        services.phones = PhoneDoor(pipeline: pipeline, store: features.context.store)
        services.boards = BoardDoor(centre: BoardCentre(features.context))
        services.maps = maps
        services.metrics = {
            var text = ""
            var parameters: JSONObject = [:]
            repeat {
                let request = Request(id: nil, method: "server.stats", parameters: .named(parameters))
                let answer = try await methods.dispatch(request, from: .acting(as: "")).get()
                let stats = try JSONValue(parsing: answer.bytes.span)
                // The numbers of the daemon are in each page.
                text += parameters["after"] == nil ? Metrics.text(of: stats) : Metrics.text(ofDevices: stats)
                parameters["after"] = stats["next"]
            } while parameters["after"] != nil
            return text + Metrics.text(of: await health.findings(for: .acting(as: "")))
        }
        services.health = {
            let isWell = await !health.findings().hasFailure
            return WebServer.Health(isWell: isWell, text: await health.findings(for: .acting(as: "")).text)
        }
        return services
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

    /// Returns the method `server.trial`.
    private static func trial(of features: Features) -> Method<Principal> {
        let outcome = Shape<ServiceTrial.Outcome>.object {
            Member("part", .choice, "The program that was tried.") { $0.part }
            Member("done", .text, "What was done or, after a failure, what was attempted, as a clause.") { $0.done }
            Member.optional("problem", .text, "The reason for the failure; absent after a success.") { $0.problem }
        }
        return Method(
            "server.trial",
            "Tries the mail command, the notification hook and the picture tool as the daemon runs them. It sends a mail or runs the hook only if you ask for that.",
            Parameter<String?>.optional(
                "mail", .string(length: 3...254), "The address to send a mail to; none by default."),
            .optional(
                "hook", .boolean, default: false, "Whether to run the hook with a notification of the kind `trial`."),
            answers: .object {
                Member(
                    "trials", .array(of: outcome),
                    "The results, one for each program that is configured or was asked for."
                ) { $0 }
            },
            errors: [.invalidValue], right: .change
        ) { _, address, runsHook in
            guard address?.contains("@") ?? true else { throw Refusal.invalid("mail", "must be an e-mail address") }
            return await ServiceTrial(features).run(mailTo: address, runsHook: runsHook)
        }
    }

    /// Serves the socket until the task is cancelled.
    func run() async throws { try await server.run() }

    /// The URL for browsers; `nil` if they are not served.
    var webAddress: String? { web?.address }

    /// Serves browsers until the task is cancelled; returns at once if they are not served.
    func runWeb() async throws { try await web?.run() }
}

/// The number of connections of a server that is created after the method that reports it.
private final class ConnectionCount: Sendable {
    let server = Mutex<SocketServer?>(nil)

    var value: Int { server.withLock { $0 }?.connectionCount ?? 0 }
}

/// The server for browsers, which is created after the method that reports what it refused.
private final class WebReference: Sendable {
    let server = Mutex<WebServer?>(nil)
}
