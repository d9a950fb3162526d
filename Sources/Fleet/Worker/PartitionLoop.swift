#if Fleet
import Broker
import FleetStore
import Foundation

/// The life of one partition in a worker, on a thread of its own.
///
/// The loop stands in the line of the queue's consumers. With the first message it has the partition, and takes it
/// in the database. It gives it up only by ending its connection: then the broker returns what was not acknowledged
/// before the next consumer starts.
struct PartitionLoop {
    let id: Int
    let worker: String
    let settings: FleetSettings
    let broker: RabbitMQAddress
    let database: String
    let board: WorkerBoard
    /// The most messages of one transaction.
    let mostMessages: Int
    /// Receives what went wrong, as a sentence.
    let complain: @Sendable (String) -> Void

    /// The most bytes of one transaction's messages, besides those of its first.
    private static let mostBytes = 1_048_576
    /// How long to wait for a message; it also bounds how long the broker's heartbeats wait.
    private static let patience = Duration.milliseconds(500)
    /// The waits without a message after which what can wait is done: an hour.
    private static let idleTurns = 7200

    /// Runs until the worker stops.
    func run() {
        board.began()
        defer { board.ended() }
        var failures = 0
        while !board.isStopping {
            do {
                try serve { failures = 0 }
            } catch {
                failures = min(failures + 1, 5)
                complain("partition \(id): \(error)")
                // It ends at once with the process, so it need not be woken.
                Thread.sleep(forTimeInterval: 0.1 * Double(1 << failures))
            }
        }
    }

    /// Stands in the line, and works until an error, or until the partition is to be handed over.
    private func serve(_ succeeded: () -> Void) throws {
        let consumer = try QueueConsumer(of: settings.queue(of: id), at: broker)
        var active: ActivePartition?
        var idle = 0
        defer { board.gaveUp(id) }
        while !board.isStopping {
            if active != nil, board.isLeaving(id) { return }
            guard let first = try consumer.next(within: Self.patience) else {
                idle += 1
                if let active, idle % Self.idleTurns == 0 { try active.tidy() }
                continue
            }
            idle = 0
            let messages = try more(after: first, from: consumer)
            let partition = try active ?? ActivePartition(id, as: worker, of: settings, in: database)
            if active == nil {
                active = partition
                board.took(id)
            }
            let counts = try partition.apply(messages)
            // After the commit: what is acknowledged is in the database.
            try consumer.acknowledge(through: messages[messages.count - 1].number)
            board.count(fixes: counts.fixes, events: counts.events, messages: messages.count)
            succeeded()
        }
    }

    /// Returns a message with those that have come after it.
    private func more(after first: Delivery, from consumer: QueueConsumer) throws(BrokerError) -> [Delivery] {
        var messages = [first]
        var bytes = 0
        while messages.count < mostMessages, bytes < Self.mostBytes,
            let next = try consumer.next(within: .zero)
        {
            messages.append(next)
            bytes += next.body.count
        }
        return messages
    }
}
#endif
