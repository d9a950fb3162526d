import TestSupport
import Testing

/// A store with two trips from a replay.
struct TwoTrips {
    let folder: TemporaryFolder
    let store: String
    /// A walk with one stop.
    static let walk = "canal-walk@2026-05-02T13:20:00.000Z"
    /// A drive without stops.
    static let drive = "pass-by@2026-05-07T09:00:00.000Z"

    init() async throws {
        folder = try TemporaryFolder()
        store = folder.file("waymark.db")
        let replay = try await Command.run(
            "replay", "fixtures/canal-walk.gpx", "fixtures/pass-by.gpx", "--store", store, "--json")
        #expect(replay.status == 0)
    }

    /// Runs `waymark trip` with the store.
    func trip(_ arguments: [String]) async throws -> Command.Outcome {
        try await Command.run(["trip"] + arguments + ["--store", store])
    }
}
