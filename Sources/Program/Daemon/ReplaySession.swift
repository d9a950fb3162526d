import Positioning
public import Sights
import Store
import Tracking

/// A replay with the files it reads, the store it fills and the socket it serves.
public struct ReplaySession {
    private let options: Replay.Options
    private let store: LocationDatabase
    private let index: GeofenceIndex
    private let socket: String?
    /// What was ignored or repaired in the files of sights.
    public let notes: [String]

    /// Opens everything that a replay needs.
    ///
    /// If the result is stored, the sights are imported into the store, because events and trips refer to them. Sights
    /// that the store already has are watched, too.
    ///
    /// - Parameters:
    ///   - options: The recordings and the settings.
    ///   - sightFiles: The files of sights to watch.
    ///   - sightOptions: How these files are read.
    ///   - storePath: The store for the result; `nil` to discard it.
    ///   - socket: The socket on which to serve subscribers during the replay; `nil` for none.
    /// - Throws: ``FileFailure`` if a file of sights cannot be read, and ``StoreError``.
    public init(
        _ options: Replay.Options, sightFiles: [String], sightOptions: SightFile.Options = SightFile.Options(),
        storePath: String?, socket: String?
    ) throws {
        self.options = options
        self.socket = socket
        let (sights, notes) = try SightFile.read(paths: sightFiles, sightOptions)
        self.notes = notes
        guard let storePath else {
            store = try Stores.temporary()
            index = GeofenceIndex(sights)
            return
        }
        store = try Stores.open(at: storePath, socket: socket)
        if !sights.isEmpty { _ = try store.importSights(sights) }
        index = try GeofenceIndex(of: store)
    }

    /// Replays all recordings, and closes the store.
    ///
    /// - Throws: `StoreError`, and `SocketError` if the socket cannot be opened.
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
        // Each subscriber chooses whether it receives positions.
        let pipeline = Pipeline(
            store: store, index: index, policy: options.policy,
            positions: options.wantsPositions || service != nil ? .committed : .omitted)
        var audience = audience
        let committed = audience.committed
        let wantsPositions = options.wantsPositions
        audience.committed = { events in
            service?.publish(events)
            try await committed(wantsPositions ? events : events.filter(\.isDurable))
        }
        var replay = Replay(options, into: pipeline, audience: audience)
        return try await replay.run()
    }
}
