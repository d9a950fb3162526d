#if Fleet
import Broker
import FleetStore
import Foundation
import TestSupport
import Testing
import Tracking

@testable import waymark

/// A PostgreSQL server and a RabbitMQ node of a test, in a temporary folder and on this machine alone.
final class FleetServers: Sendable {
    let servers: LocalServers
    private let folder: TemporaryFolder

    var database: String { servers.database }
    var broker: RabbitMQAddress { servers.broker }

    /// Starts both servers and waits until they serve.
    init() async throws {
        folder = try TemporaryFolder()
        servers = try await LocalServers(in: folder.path)
    }

    /// Prepares a fleet on the servers.
    func setUp(_ settings: FleetSettings, watching geofences: [Geofence]) throws -> FleetDatabase {
        let database = try FleetDatabase(at: database, limit: .seconds(30))
        try database.migrate()
        let settings = try database.setUp(settings)
        _ = try database.replaceGeofences(of: .sight, by: geofences)
        let queues = try QueueAdministration(at: broker, limit: .seconds(30))
        for partition in 0..<settings.partitions { try queues.declare(settings.queue(of: partition)) }
        return database
    }

    /// Starts a worker as a process of its own, and waits until it has begun.
    ///
    /// - Parameter batch: The most messages of a transaction.
    func worker(batch: Int = 200) async throws -> LocalProcess {
        try await LocalProcess(
            [
                Self.executable.path, "fleet", "worker", "--database", database, "--broker", broker.url, "--batch",
                "\(batch)",
            ],
            until: "has begun")
    }

    /// The executable: what `WAYMARK_EXECUTABLE` names, such as one of a release, or what the build puts beside the tests.
    static let executable =
        ProcessInfo.processInfo.environment["WAYMARK_EXECUTABLE"].map { URL(fileURLWithPath: $0) }
        ?? Bundle.main.executableURL.known.deletingLastPathComponent().appending(path: "waymark")
}

extension Trait where Self == ConditionTrait {
    /// Skips tests of fleets where a server is missing.
    static var withServers: Self {
        .enabled(
            if: LocalServers.areInstalled, "apt-get install postgresql rabbitmq-server: a fleet's servers are missing")
    }
}
#endif
