#if Fleet
import Broker
import Foundation
import Glibc
import Synchronization

/// A PostgreSQL server and a RabbitMQ node in a folder, on this machine alone and without privileges.
///
/// They are the servers that the machine has. They end with this object.
final class LocalServers: Sendable {
    /// The database's connection string.
    let database: String
    /// The broker's address.
    let broker: RabbitMQAddress
    private let folder: String
    private let state: Mutex<State>
    private let ports: Ports
    /// The name server of RabbitMQ's node.
    private let names: LocalProcess

    private struct State {
        var postgres: LocalProcess
        var rabbit: LocalProcess
    }

    private struct Ports {
        let broker: UInt16
        let distribution: UInt16
        let names: UInt16
    }

    /// The folder of PostgreSQL's programs; `nil` if there is none.
    private static let postgresPrograms: String? = {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        guard let newest = versions.compactMap({ Int($0) }).max() else { return nil }
        let folder = "\(root)/\(newest)/bin"
        return FileManager.default.isExecutableFile(atPath: "\(folder)/initdb") ? folder : nil
    }()
    private static let rabbitProgram = "/usr/lib/rabbitmq/bin/rabbitmq-server"
    private static let nameServer = "/usr/bin/epmd"
    /// The users of Debian's packages, which the servers run as if this program is root's.
    private static let (postgresUser, rabbitUser) = ("postgres", "rabbitmq")

    /// Whether this machine has the servers.
    static var areInstalled: Bool {
        postgresPrograms != nil && FileManager.default.isExecutableFile(atPath: rabbitProgram)
            && FileManager.default.isExecutableFile(atPath: nameServer)
    }

    /// Starts both servers in an empty folder, and waits until they serve.
    ///
    /// - Throws: ``LocalProcess/Failure`` if one does not begin.
    init(in folder: String) async throws {
        guard let programs = Self.postgresPrograms else { throw LocalProcess.Failure(description: "no PostgreSQL") }
        self.folder = folder
        let data = "\(folder)/postgres"
        for (path, user) in [(data, Self.postgresUser), ("\(folder)/rabbit", Self.rabbitUser)] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            if geteuid() == 0 {
                try FileManager.default.setAttributes([.ownerAccountName: user], ofItemAtPath: path)
            }
        }
        try await LocalProcess.run(
            [
                "\(programs)/initdb", "-D", "\(data)/data", "-U", "waymark", "-A", "trust", "-E", "UTF8", "--no-locale",
                "-N",
            ],
            as: Self.postgresUser, environment: ["TZ": "UTC"])
        let postgres = try await Self.startPostgres(programs, in: data)
        database = "host=\(data) user=waymark dbname=postgres"
        let ports = Ports(
            broker: try Self.freePort(), distribution: try Self.freePort(), names: try Self.freePort())
        self.ports = ports
        names = try await LocalProcess(
            [Self.nameServer, "-port", "\(ports.names)", "-address", "127.0.0.1"], as: Self.rabbitUser, until: nil)
        for (name, text) in [
            ("rabbit.conf", "listeners.tcp.1 = 127.0.0.1:\(ports.broker)\n"),
            ("advanced.config", "[{kernel,[{inet_dist_use_interface,{127,0,0,1}}]}].\n"), ("plugins", "[].\n"),
        ] { try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)")) }
        let rabbit = try await Self.startRabbit(in: folder, ports)
        broker = RabbitMQAddress(host: "127.0.0.1", port: ports.broker)
        state = Mutex(State(postgres: postgres, rabbit: rabbit))
    }

    private static func startPostgres(_ programs: String, in data: String) async throws -> LocalProcess {
        try await LocalProcess(
            [
                "\(programs)/postgres", "-D", "\(data)/data", "-c", "listen_addresses=", "-c",
                "unix_socket_directories=\(data)", "-c", "max_connections=200",
            ], as: postgresUser, until: "ready to accept connections")
    }

    private static func startRabbit(in folder: String, _ ports: Ports) async throws -> LocalProcess {
        let node = "\(folder)/rabbit"
        return try await LocalProcess(
            [rabbitProgram], as: rabbitUser,
            environment: [
                "HOME": node, "RABBITMQ_NODENAME": "waymark\(ports.broker)@localhost", "RABBITMQ_MNESIA_BASE": node,
                "RABBITMQ_LOG_BASE": node, "RABBITMQ_CONFIG_FILE": "\(folder)/rabbit.conf",
                "RABBITMQ_ADVANCED_CONFIG_FILE": "\(folder)/advanced.config",
                "RABBITMQ_ENABLED_PLUGINS_FILE": "\(folder)/plugins", "RABBITMQ_DIST_PORT": "\(ports.distribution)",
                "RABBITMQ_PID_FILE": "\(node)/pid", "RABBITMQ_CONF_ENV_FILE": "/dev/null",
                "ERL_EPMD_ADDRESS": "127.0.0.1", "ERL_EPMD_PORT": "\(ports.names)",
            ], until: "completed with")
    }

    /// The process of the database server, whose connections are its children, and that of the broker's node.
    var processes: (database: Int32, broker: Int32?) {
        (state.withLock { $0.postgres.processID }, Self.rabbitID(in: folder))
    }

    deinit { Self.killRabbit(in: folder) }

    /// Kills RabbitMQ's node, which outlives the script that was started.
    private static func killRabbit(in folder: String) {
        if let number = rabbitID(in: folder), number > 1 { _ = Glibc.kill(number, SIGKILL) }
    }

    private static func rabbitID(in folder: String) -> Int32? {
        let text = try? String(contentsOfFile: "\(folder)/rabbit/pid", encoding: .utf8)
        return text.flatMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    }

    /// Ends all of them, and waits until they have ended.
    func stop() async {
        await killBroker()
        await killDatabase()
        await names.kill()
    }

    /// Kills the broker with SIGKILL, as a power cut would.
    func killBroker() async {
        Self.killRabbit(in: folder)
        await state.withLock { $0.rabbit }.kill()
    }

    /// Starts the broker again in its folder.
    func restartBroker() async throws {
        let rabbit = try await Self.startRabbit(in: folder, ports)
        state.withLock { $0.rabbit = rabbit }
    }

    /// Kills the database server and the processes of its connections with SIGKILL.
    func killDatabase() async {
        // The others end when the first one is gone.
        await state.withLock { $0.postgres }.kill()
    }

    /// Starts the database server again in its folder, which recovers.
    func restartDatabase() async throws {
        guard let programs = Self.postgresPrograms else { return }
        let data = "\(folder)/postgres"
        // Processes of the server before may still hold the shared memory; the new one then refuses to start.
        for _ in 0..<50 {
            if let postgres = try? await Self.startPostgres(programs, in: data) {
                state.withLock { $0.postgres = postgres }
                return
            }
            try await Task.sleep(for: .milliseconds(200))
        }
        throw LocalProcess.Failure(description: "PostgreSQL does not start again")
    }

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
#endif
