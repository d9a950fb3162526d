import Places
import Positioning
import Store
import Tracking

/// A replay from the files it names to the store it keeps.
public struct ReplaySession {
    private let options: Replay.Options
    private let store: LocationDatabase
    private let index: GeofenceIndex
    private let socket: String?

    /// Opens what a replay needs.
    ///
    /// Sights of a replay that is kept are kept with it, for the stays and trips tell of them; sights that the store
    /// has already are watched too.
    ///
    /// - Parameters:
    ///   - options: what to replay, and how.
    ///   - sightFiles: files of sights to watch.
    ///   - storePath: where to keep the result; nil for nowhere.
    ///   - socket: where to serve subscribers meanwhile; nil for nowhere.
    /// - Throws: ``FileFailure`` where a file of sights cannot be read, ``StoreError`` where the store refuses.
    public init(_ options: Replay.Options, sightFiles: [String], storePath: String?, socket: String?) throws {
        self.options = options
        self.socket = socket
        let sights = try SightFile.read(paths: sightFiles)
        guard let storePath else {
            store = try Storehouse.temporary()
            index = GeofenceIndex(sights)
            return
        }
        store = try Storehouse.open(at: storePath, socket: socket)
        if !sights.isEmpty { _ = try store.importSights(sights) }
        index = try GeofenceIndex(of: store)
    }

    /// Replays everything, and closes the store.
    ///
    /// - Throws: `StoreError`, and `SocketError` where nobody can listen there.
    public func run(_ audience: Replay.Audience) async throws -> ReplaySummary {
        let summary = try await serve(audience)
        try store.close()
        return summary
    }

    private func serve(_ audience: Replay.Audience) async throws -> ReplaySummary {
        guard let socket else { return try await replay(audience, service: nil) }
        let service = try await EventService(store, at: socket)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            let summary = try await replay(audience, service: service)
            group.cancelAll()
            try await group.waitForAll()
            return summary
        }
    }

    private func replay(_ audience: Replay.Audience, service: EventService?) async throws -> ReplaySummary {
        // Subscribers choose for themselves whether they want positions.
        let pipeline = Pipeline(
            store: store, index: index, policy: options.policy,
            wantsPositions: options.wantsPositions || service != nil)
        var audience = audience
        let told = audience.told
        let wantsPositions = options.wantsPositions
        audience.told = { events in
            service?.publish(events)
            try await told(wantsPositions ? events : events.filter { $0.stored != nil })
        }
        var replay = Replay(options, into: pipeline, audience: audience)
        return try await replay.run()
    }
}
