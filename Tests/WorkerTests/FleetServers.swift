#if Fleet
import Broker
import FleetStore
import Foundation
import Glibc
import TestSupport
import Testing
import Tracking

/// A PostgreSQL server and a RabbitMQ node of a test, in a temporary folder and on this machine alone.
final class FleetServers: Sendable {
    let database: String
    let broker: BrokerAddress
    private let folder: TemporaryFolder
    private let postgres: ServerProcess
    private let rabbit: ServerProcess
    private let names: ServerProcess

    /// The folder of PostgreSQL's programs; `nil` if there is none.
    private static let postgresPrograms: String? = {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        guard let newest: Int = versions.compactMap({ Int($0) }).max() else { return nil }
        let folder = "\(root)/\(newest)/bin"
        return FileManager.default.isExecutableFile(atPath: "\(folder)/initdb") ? folder : nil
    }()
    private static let rabbitProgram = "/usr/lib/rabbitmq/bin/rabbitmq-server"
    private static let nameServer = "/usr/bin/epmd"

    static var areInstalled: Bool {
        postgresPrograms != nil && FileManager.default.isExecutableFile(atPath: rabbitProgram)
            && FileManager.default.isExecutableFile(atPath: nameServer)
    }

    /// Starts both servers and waits until they serve.
    init() async throws {
        let programs = try #require(Self.postgresPrograms)
        folder = try TemporaryFolder()
        let (data, node) = (folder.file("postgres"), folder.file("rabbit"))
        for (path, user) in [(data, "postgres"), (node, "rabbitmq")] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            if geteuid() == 0 {
                try FileManager.default.setAttributes([.ownerAccountName: user], ofItemAtPath: path)
            }
        }
        try await ServerProcess.run(
            [
                "\(programs)/initdb", "-D", "\(data)/data", "-U", "waymark", "-A", "trust", "-E", "UTF8",
                "--no-locale", "-N",
            ],
            as: "postgres", environment: ["TZ": "UTC"])
        postgres = try await ServerProcess(
            [
                "\(programs)/postgres", "-D", "\(data)/data", "-c", "listen_addresses=", "-c",
                "unix_socket_directories=\(data)", "-c", "max_connections=200",
            ], as: "postgres", until: "ready to accept connections")
        database = "host=\(data) user=waymark dbname=postgres"

        let (port, distribution, epmd) = (try Self.freePort(), try Self.freePort(), try Self.freePort())
        names = try await ServerProcess(
            [Self.nameServer, "-port", "\(epmd)", "-address", "127.0.0.1"], as: "rabbitmq", until: nil)
        let configuration = try folder.file("rabbit.conf", "listeners.tcp.1 = 127.0.0.1:\(port)\n")
        let advanced = try folder.file(
            "advanced.config", "[{kernel,[{inet_dist_use_interface,{127,0,0,1}}]}].\n")
        let plugins = try folder.file("plugins", "[].\n")
        rabbit = try await ServerProcess(
            [Self.rabbitProgram], as: "rabbitmq",
            environment: [
                "HOME": node, "RABBITMQ_NODENAME": "waymark\(port)@localhost", "RABBITMQ_MNESIA_BASE": node,
                "RABBITMQ_LOG_BASE": node, "RABBITMQ_CONFIG_FILE": configuration,
                "RABBITMQ_ADVANCED_CONFIG_FILE": advanced, "RABBITMQ_ENABLED_PLUGINS_FILE": plugins,
                "RABBITMQ_DIST_PORT": "\(distribution)", "RABBITMQ_PID_FILE": "\(node)/pid",
                "RABBITMQ_CONF_ENV_FILE": "/dev/null", "ERL_EPMD_ADDRESS": "127.0.0.1", "ERL_EPMD_PORT": "\(epmd)",
            ], until: "completed with")
        broker = BrokerAddress(host: "127.0.0.1", port: port)
    }

    deinit {
        // The program that was started is a script, which the node outlives.
        let text = try? String(contentsOfFile: "\(folder.path)/rabbit/pid", encoding: .utf8)
        let number = text.flatMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
        if let number, number > 1 { _ = Glibc.kill(number, SIGKILL) }
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
    func worker() async throws -> ServerProcess {
        let address = "amqp://\(broker.user):\(broker.password)@\(broker.host):\(broker.port)"
        return try await ServerProcess(
            [Self.executable.path, "fleet", "worker", "--database", database, "--broker", address], as: nil,
            until: "has begun")
    }

    /// The executable, which the build puts beside the tests.
    static let executable = Bundle.main.executableURL.known.deletingLastPathComponent().appending(path: "waymark")

    /// Returns a port at which nothing listens.
    private static func freePort() throws -> UInt16 {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(number) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        // The calls read and write the address of this frame, whose length they are told.
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(number, pointer, length) == 0 && getsockname(number, pointer, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRINUSE) }
        return UInt16(bigEndian: address.sin_port)
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips tests of fleets where a server is missing.
    static var withServers: Self {
        .enabled(
            if: FleetServers.areInstalled,
            "apt-get install postgresql rabbitmq-server: a fleet's servers are missing")
    }
}
#endif
