#if Fleet
import Broker
import FleetStore
import Foundation
import Glibc
import Phones
import Synchronization
import Time
import Tracking
import WebClient

/// The folder, the servers, the workers and the door of a demonstration of a fleet.
final class FleetStage: Sendable {
    /// The folder of everything.
    let folder: String
    let servers: LocalServers
    let settings: FleetSettings
    private let executable: String
    /// The reports that were answered with 200.
    private let accepted = Atomic<Int>(0)
    /// The answers of the door that were no 200, after which a phone sends its report again.
    private let postponed = Atomic<Int>(0)

    /// The connections of all phones to the door.
    private static let connections = 64
    /// The longest time of an answer.
    private static let patience = Duration.seconds(30)

    /// Starts the servers in a new temporary folder, and prepares a fleet that watches the demonstration's sights.
    init(executable: URL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()) async throws {
        self.executable = executable.path
        let url = FileManager.default.temporaryDirectory
            .appending(path: "waymark-fleet-\(UUID().uuidString.prefix(8))")
        // The servers run as other users if this program is root's, and each has a folder of its own.
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: false,
            attributes: [.posixPermissions: geteuid() == 0 ? 0o755 : 0o700])
        folder = url.path
        do {
            servers = try await LocalServers(in: url.path)
            let database = try FleetDatabase(at: servers.database)
            try database.migrate()
            settings = try database.setUp(FleetSettings(name: "demo", partitions: 16))
            _ = try database.replaceGeofences(of: .sight, by: SimulatedPhone.sights())
            let queues = try QueueAdministration(at: servers.broker)
            for partition in 0..<settings.partitions { try queues.declare(settings.queue(of: partition)) }
        } catch {
            try? FileManager.default.removeItem(at: url)
            throw error
        }
    }

    /// Opens a connection to the database.
    func database() throws -> FleetDatabase { try FleetDatabase(at: servers.database) }

    private func command(_ words: String..., until word: String) async throws -> LocalProcess {
        let options = ["--database", servers.database, "--broker", servers.broker.url]
        return try await LocalProcess(
            [executable, "fleet"] + words + options, environment: ["TMPDIR": folder], until: word)
    }

    /// Starts a worker.
    func worker() async throws -> LocalProcess { try await command("worker", until: "has begun") }

    /// Starts a door, and returns it with the address for phones.
    func door() async throws -> (process: LocalProcess, address: WebURL) {
        let door = try await command("door", "--listen", "127.0.0.1:0", until: "the door is open at")
        guard let address = door.line.split(separator: " ").last else {
            throw LocalProcess.Failure(description: "the door has no address")
        }
        return (door, try WebURL(String(address)))
    }

    /// Reports what the phones have, each report once the one before is answered with 200.
    ///
    /// - Throws: `CancellationError`.
    func report(_ phones: [SimulatedPhone], to door: WebURL) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for first in 0..<min(Self.connections, phones.count) {
                group.addTask { [self] in
                    let client = WebClient(door)
                    for round in 0..<SimulatedPhone.reports {
                        for number in stride(from: first, to: phones.count, by: Self.connections) {
                            try await report(round, of: phones[number], by: client)
                        }
                    }
                    await client.end()
                }
            }
            try await group.waitForAll()
        }
    }

    private func report(_ round: Int, of phone: SimulatedPhone, by client: WebClient) async throws {
        let body = phone.report(round)
        let headers = ["Authorization": "Bearer \(phone.secret.text)"]
        while true {
            do throws(WebFailure) {
                let reply = try await client.post(body, headers: headers, within: Self.patience)
                if reply.isSuccess { break }
            } catch {
                try Task.checkCancellation()
            }
            // As a phone does, it keeps the report and sends it again.
            postponed.add(1, ordering: .relaxed)
            try await Task.sleep(for: .seconds(1))
        }
        accepted.add(1, ordering: .relaxed)
    }

    /// The number of fixes that the door has answered with 200.
    var safeFixes: Int { accepted.load(ordering: .relaxed) * SimulatedPhone.fixesPerReport }

    /// How often a phone had to send a report again.
    var repetitions: Int { postponed.load(ordering: .relaxed) }

    /// Removes the folder.
    func tearDown() async {
        await servers.stop()
        try? FileManager.default.removeItem(atPath: folder)
    }
}
#endif
