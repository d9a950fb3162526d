#if Companion
import People
import Callers
import EventStream
import Logging
import RPC
import Service
import Store
import Synchronization
import TextCoding
import Uplink
import WebServer

/// The daemon's door for browsers, phones and boards, if one is configured.
final class WebDoor: Sendable {
    private let settings: WebSettings?
    private let features: Features
    private let maps: MapFolder?
    private let server = Mutex<WebServer?>(nil)

    /// Creates a door that is not open yet.
    init(_ configuration: DaemonConfiguration, _ features: Features) {
        settings = configuration.web
        self.features = features
        maps = features.context.store.path.map { MapFolder(ofStore: $0) }
    }

    /// Creates a door that stays closed, with a folder of maps.
    init(maps: MapFolder, _ features: Features) {
        settings = nil
        self.features = features
        self.maps = maps
    }

    /// Listens at the configured address; does nothing if there is none.
    ///
    /// - Throws: `WebError` if it cannot listen there.
    func open(
        _ methods: MethodTable<Principal>, _ hub: EventHub, _ pipeline: LivePipeline, _ health: ServerHealth,
        identify: @escaping @Sendable (Principal) -> Void, _ troubles: Troubles, _ logger: Logger
    ) async throws {
        if let settings {
            let web = try await WebServer(
                settings, to: services(methods, hub, pipeline, health, identify: identify), logger: logger)
            server.withLock { $0 = web }
        }
        troubles.noteMap(unusableMap.map { "\($0.file) cannot be used as a map: \($0.reason)" })
    }

    /// The URL for browsers; `nil` if they are not served.
    var address: String? { server.withLock { $0 }?.address }

    /// The door for the daemon's judgement of itself, by its URL, which has the port that the system chose.
    var door: HealthSnapshot.Door? {
        server.withLock { $0 }.map { HealthSnapshot.Door(part: .web, address: $0.address, state: $0.doorState) }
    }

    /// The file of `map.tiles` if it cannot be used.
    var unusableMap: UnusableMap? {
        server.withLock { $0 }?.refusedMap.map { UnusableMap(file: $0.file, reason: $0.reason) }
    }

    /// Returns the methods for the maps of a door; without one there are no maps.
    static func methods(of door: WebDoor?, _ features: Features) -> [Method<Principal>] {
        MapMethods(door?.maps, features.context).all
    }

    /// Serves browsers until the task is cancelled; returns at once if they are not served.
    func run() async throws { try await server.withLock { $0 }?.run() }

    /// Returns the services for the web server.
    private func services(
        _ methods: MethodTable<Principal>, _ hub: EventHub, _ pipeline: LivePipeline, _ health: ServerHealth,
        identify: @escaping @Sendable (Principal) -> Void
    ) -> WebServer.Services {
        var services = WebServer.Services(
            methods: methods, hub: hub, sessions: features.sessions, identify: identify)
        services.administrators = features.accounts.administrators
        services.files = features.files + (maps.map { [MapUpload.route(to: $0)] } ?? [])
        if let store = features.context.store.path {
            services.files.append(HistoryUpload.route(besideStore: store, calling: methods))
        }
        services.phones = PhoneDoor(pipeline: pipeline, store: features.context.store)
        services.boards = BoardDoor(centre: BoardCentre(features.context))
        services.maps = maps
        services.executor = features.context.store.executor
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
}
#else
import Callers
import EventStream
import Logging
import RPC

/// The engine has no door for browsers.
struct WebDoor: Sendable {
    let address: String? = nil
    let door: HealthSnapshot.Door? = nil
    let unusableMap: UnusableMap? = nil

    init(_ configuration: DaemonConfiguration, _ features: Features) {}

    func open(
        _ methods: MethodTable<Principal>, _ hub: EventHub, _ pipeline: LivePipeline, _ health: ServerHealth,
        identify: @escaping @Sendable (Principal) -> Void, _ troubles: Troubles, _ logger: Logger
    ) async throws {}

    static func methods(of door: WebDoor?, _ features: Features) -> [Method<Principal>] { [] }

    func run() async throws {}
}
#endif
