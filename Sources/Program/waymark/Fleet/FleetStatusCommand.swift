#if Fleet
import ArgumentParser
import Broker
import FleetStore
import TextCoding

/// The command `waymark fleet status`.
struct FleetStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show who works on which partition, and what waits in its queue.")

    @OptionGroup var servers: FleetServers

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
        let database = try FleetDatabase(at: servers.databaseAddress())
        let settings = try database.settings()
        let status = try database.status()
        let queues = try QueueAdministration(at: servers.brokerAddress())
        var waiting: [Int: Int] = [:]
        for partition in status.partitions where !partition.isOfBoards {
            waiting[partition.id] = try queues.inspect(settings.queue(of: partition.id)).messages
        }
        try Failure.printing { output in
            if json {
                try output.line(Self.object(status, waiting))
            } else {
                try Self.print(status, waiting, output)
            }
        }
    }

    private static func object(_ status: FleetStatus, _ waiting: [Int: Int]) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.array("workers") { json in for worker in status.workers { json.string(worker) } }
            json.member("refused", status.refused)
            json.array("partitions") { json in
                for partition in status.partitions {
                    json.object { json in
                        json.member("id", partition.id)
                        if partition.isOfBoards { json.member("boards", true) }
                        json.member("worker", partition.worker)
                        json.member("epoch", partition.epoch)
                        json.member("events", partition.events)
                        json.member("waiting", waiting[partition.id] ?? 0)
                    }
                }
            }
        }
        return json.bytes
    }

    private static func print(_ status: FleetStatus, _ waiting: [Int: Int], _ output: StandardOutput) throws {
        var table = TextTable(["partition", "worker", "taken", "events", "waiting"])
        for partition in status.partitions {
            table.add([
                .number("\(partition.id)"), .text(partition.isOfBoards ? "(boards)" : partition.worker ?? "none"),
                .number("\(partition.epoch)"),
                .number("\(partition.events)"), .number("\(waiting[partition.id] ?? 0)"),
            ])
        }
        try output.table(table)
        let count = status.workers.count
        try output.line("\(count) \(count == 1 ? "worker" : "workers")")
        guard status.refused > 0 else { return }
        try output.line("\(status.refused) messages could not be applied; the table waymark.refused has them")
    }
}
#endif
