#if Fleet
import ArgumentParser
import FleetStore
import Foundation
import UnixSignals
import Worker

/// The command `waymark fleet worker`, which turns a fleet's fixes into events and trips.
struct FleetWorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker",
        abstract: "Turn the fixes of a fleet into events and trips until stopped.",
        discussion: """
            Start as many workers as you like, on any machines. Each takes its share of the partitions; if one \
            fails, the others take over within seconds, and every fix has its effect once. On SIGTERM and \
            SIGINT, a worker commits what it has begun, and exits.
            """)

    @OptionGroup var servers: FleetServers

    @Option(help: ArgumentHelp("The most messages of one transaction, from 1 to 200.", valueName: "N"))
    var batch = 200

    func validate() throws {
        guard (1...200).contains(batch) else { throw ValidationError("--batch takes a number from 1 to 200.") }
    }

    func run() async throws {
        let address = try servers.databaseAddress()
        let worker = FleetWorker(
            of: try FleetDatabase(at: address).settings(), broker: try servers.brokerAddress(), database: address,
            mostMessages: batch, complain: { Failure.report($0) })
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        let stopping = Task {
            for await _ in signals {
                worker.stop()
                break
            }
        }
        Failure.note("waymark: worker \(worker.id) has begun")
        await withCheckedContinuation { continuation in
            // The worker blocks its thread, which must not be one of those that tasks share.
            Thread.detachNewThread {
                worker.run()
                continuation.resume()
            }
        }
        stopping.cancel()
        let totals = worker.totals
        Failure.note("waymark: \(totals.fixes) fixes in \(totals.messages) messages, \(totals.events) events")
    }
}
#endif
