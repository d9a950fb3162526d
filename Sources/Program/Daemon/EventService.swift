import Callers
import EventStream
import People
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
        // Nobody can sign in here, so nobody receives events that not everybody may see.
        let restricted = FeatureList.standard.geofences.map(\.kind).filter { $0 != .sight }.map { "\($0.rawValue)/" }
        let hidesDevices = try await store.read { try DeviceGroups.exist(in: $0) }
        hub = try await EventHub(journal: StoreJournal(store: store)) { entry, _ in
            entry.recipient == nil && entry.type != EventRecord.subjectChanged
                && entry.type != EventRecord.subjectRemoved
                && !(hidesDevices && entry.device != nil)
                && !restricted.contains { prefix in entry.subject?.hasPrefix(prefix) ?? false }
        }
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
