import Callers
import EventStream
import RPC
import Service
import SocketServer
import Store
import Tracking

/// A server for the events of a store on a Unix socket.
struct EventService {
    private let hub: EventHub
    private let server: SocketServer

    /// Listens at a path; subscribers are served once ``run()`` is called.
    ///
    /// - Throws: `SocketError` if it cannot listen at the path.
    init(_ store: LocationDatabase, at path: String) async throws {
        // Nobody can sign in here, so nobody receives what a stranger may not see.
        let visibility = EventVisibility(store)
        visibility.configure(Subjects(FeatureList.standard.features.flatMap(\.subjects)))
        hub = try await EventHub(
            journal: StoreJournal(store: store), visibility: visibility.allows, discretion: visibility.shown)
        var methods = MethodTable<Principal>(title: "Waymark", version: ProgramInfo.version)
        methods.add(ServerInfo.method(name: ProgramInfo.name, version: ProgramInfo.version))
        methods.add(
            hub.methods(
                kinds: FeatureList.standard.geofences.map(\.kind.rawValue).sorted(),
                translate: { ($0 as? StoreError)?.refusal }))
        methods.declare(hub.notifications)
        // The methods served here change nothing.
        server = try await SocketServer(path: path, methods: methods, hub: hub) { _ in [.read] }
    }

    /// Serves until the task is cancelled.
    func run() async throws { try await server.run() }

    /// Sends committed events to subscribers.
    func publish(_ events: [EventRecord]) { hub.publish(events) }
}
