import Companion
import Positioning
import Receivers
import Store
import Tracking

/// A replay from the files it names to the store it keeps.
public struct ReplaySession {
    private let options: Replay.Options
    private let store: LocationDatabase
    private let index: GeofenceIndex

    /// Opens what a replay needs.
    ///
    /// Sights of a replay that is kept are kept with it, for the stays and trips tell of them; sights that the store
    /// has already are watched too.
    ///
    /// - Throws: ``FileFailure`` where a file of sights cannot be read, ``StoreError`` where the store refuses.
    public init(_ options: Replay.Options, sightFiles: [String], storePath: String?) throws {
        self.options = options
        let sights = try SightFile.read(paths: sightFiles)
        guard let storePath else {
            store = try Storehouse.temporary()
            index = GeofenceIndex(sights)
            return
        }
        store = try Storehouse.open(at: storePath)
        if !sights.isEmpty { _ = try store.importSights(sights) }
        index = try GeofenceIndex(sightsOf: store)
    }

    /// Replays everything, and closes the store.
    public func run(_ audience: Replay.Audience) async throws -> ReplaySummary {
        let pipeline = Pipeline(
            store: store, index: index, policy: options.policy, wantsPositions: options.wantsPositions)
        var replay = Replay(options, into: pipeline, audience: audience)
        let summary = try await replay.run()
        try store.close()
        return summary
    }
}
