#if Fleet
public import Broker
public import FleetStore
import Foundation

/// A worker of a fleet: it takes partitions, and turns their fixes into events and trips.
///
/// Each partition has a thread and a connection to the broker, which lets one worker have it at a time; the
/// database refuses a worker that believes it has one still. A worker with more than its share hands partitions
/// over, one in some seconds.
public final class FleetWorker: Sendable {
    /// What a worker has done and has now.
    public struct Totals: Hashable, Sendable {
        /// The number of partitions that it has.
        public internal(set) var partitions = 0
        /// The number of messages that were applied or refused.
        public internal(set) var messages = 0
        /// The number of fixes.
        public internal(set) var fixes = 0
        /// The number of events.
        public internal(set) var events = 0
    }

    /// The id of this worker, which no other has.
    public let id: String
    private let settings: FleetSettings
    private let broker: RabbitMQAddress
    private let database: String
    private let complain: @Sendable (String) -> Void
    private let board = WorkerBoard()
    private let mostMessages: Int

    /// The time between two reports to the database, and between two partitions that are handed over.
    private static let reportInterval = Duration.seconds(5)
    /// How long the threads may take to end.
    private static let farewell = Duration.seconds(15)

    /// Creates a worker, which does nothing yet.
    ///
    /// - Parameters:
    ///   - mostMessages: The most messages of one transaction: fewer than the broker delivers at once, so that it sends
    ///     the next ones meanwhile.
    ///   - complain: Receives what went wrong, as a sentence, on any thread. The worker goes on.
    public init(
        of settings: FleetSettings, broker: RabbitMQAddress, database: String, mostMessages: Int = 200,
        complain: @escaping @Sendable (String) -> Void
    ) {
        id = "\(ProcessInfo.processInfo.hostName):\(ProcessInfo.processInfo.processIdentifier)"
        self.settings = settings
        self.broker = broker
        self.database = database
        self.mostMessages = min(max(1, mostMessages), 200)
        self.complain = complain
    }

    /// What the worker has done so far, and has now.
    public var totals: Totals { board.totals }

    /// Works until ``stop()``; this blocks the thread.
    ///
    /// When it returns, everything that was begun is committed and acknowledged.
    public func run() {
        for partition in 0..<settings.partitions {
            let loop = PartitionLoop(
                id: partition, worker: id, settings: settings, broker: broker, database: database, board: board,
                mostMessages: mostMessages, complain: complain)
            let thread = Thread { loop.run() }
            thread.name = "waymark.\(partition)"
            thread.start()
        }
        var database: FleetDatabase?
        var next = ContinuousClock.now
        while !board.isStopping {
            if next <= .now {
                next = .now + Self.reportInterval
                report(by: &database)
            }
            Thread.sleep(forTimeInterval: 0.1)
        }
        let end = ContinuousClock.now + Self.farewell
        while board.running > 0, end > .now { Thread.sleep(forTimeInterval: 0.02) }
    }

    /// Ends ``run()`` after the work that is begun.
    public func stop() { board.stop() }

    /// Reports that this worker is there, and hands a partition over if it has more than its share.
    private func report(by database: inout FleetDatabase?) {
        do {
            let connection = try database ?? FleetDatabase(at: self.database)
            database = connection
            let workers = try connection.report(id)
            board.share((settings.partitions + max(1, workers) - 1) / max(1, workers))
        } catch {
            database = nil
            complain("the report to the database: \(error)")
        }
    }
}
#endif
