#if Fleet
import ArgumentParser
import Broker
import FleetStore
import Foundation

/// The command `waymark fleet`, for several machines on RabbitMQ and PostgreSQL.
struct FleetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "Work on several machines, with RabbitMQ and PostgreSQL between them.",
        subcommands: [
            FleetInitCommand.self, FleetWorkerCommand.self, FleetDoorCommand.self, FleetPublishCommand.self,
            FleetSightsCommand.self, FleetSecretCommand.self, FleetBoardCommand.self, FleetEventsCommand.self,
            FleetTripsCommand.self,
            FleetExportCommand.self, FleetUplinkCommand.self, FleetStatusCommand.self, FleetDemoCommand.self,
        ])
}

/// The database of a fleet.
struct FleetDatabaseOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The database, as libpq takes it. (default: $WAYMARK_FLEET_DATABASE)", valueName: "postgresql://…"))
    var database: String?

    /// The database's connection string.
    func databaseAddress() throws -> String {
        if let address = database ?? ProcessInfo.processInfo.environment["WAYMARK_FLEET_DATABASE"] {
            return address
        }
        throw ValidationError("Name the database with --database or WAYMARK_FLEET_DATABASE.")
    }
}

/// The servers of a fleet.
struct FleetServers: ParsableArguments {
    @OptionGroup var store: FleetDatabaseOption

    @Option(
        help: ArgumentHelp(
            "The broker, with its account and each of its nodes. (default: $WAYMARK_FLEET_BROKER, or guest here)",
            valueName: "amqp://…"))
    var broker: String?

    /// The database's connection string.
    func databaseAddress() throws -> String { try store.databaseAddress() }

    /// The broker's address.
    func brokerAddress() throws -> RabbitMQAddress {
        let text = broker ?? ProcessInfo.processInfo.environment["WAYMARK_FLEET_BROKER"] ?? "amqp://localhost"
        guard let address = RabbitMQAddress(url: text) else {
            throw ValidationError("The broker's address must be amqp://USER:PASSWORD@HOST:PORT,HOST:PORT/VHOST.")
        }
        return address
    }
}

/// The command `waymark fleet init`, which prepares the servers.
struct FleetInitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Prepare the database and the queues of a fleet; what is there stays.",
        discussion: """
            The number of partitions and the settings of events and trips are those of the first time. One worker \
            at a time works on a partition.
            """)

    @OptionGroup var servers: FleetServers

    @Option(help: ArgumentHelp("The name of the fleet, which its queues begin with.", valueName: "name"))
    var name = "waymark"

    @Option(
        help: ArgumentHelp("How many partitions devices are divided into, from 1 to 256, for ever.", valueName: "N")
    )
    var partitions = FleetSettings.standardPartitions

    @Flag(
        name: .customLong("postgis"),
        help: "Create views of trips, stops, devices and events for QGIS, and the extension PostGIS.")
    var hasMapViews = false

    @OptionGroup var tracking: TrackingOptions

    func validate() throws {
        guard (1...256).contains(partitions) else { throw ValidationError("--partitions must be from 1 to 256.") }
        guard (1...100).contains(name.utf8.count) else { throw ValidationError("--name takes 1 to 100 bytes.") }
    }

    func run() throws {
        let queues = try QueueAdministration(at: servers.brokerAddress())
        let database = try FleetDatabase(at: servers.databaseAddress())
        try database.migrate()
        let settings = try database.setUp(
            FleetSettings(name: name, partitions: partitions, policy: tracking.policy))
        if hasMapViews { try database.createMapViews() }
        for partition in 0..<settings.partitions { try queues.declare(settings.queue(of: partition)) }
        try Failure.printing { output in
            try output.line("The fleet \(settings.name) has \(settings.partitions) partitions.")
        }
    }
}
#endif
