#if Fleet
public import Broker
public import FleetStore
public import Positioning

/// Packs fixes by partition, and publishes them such that each is applied once.
///
/// An object is used by one thread at a time. It numbers its messages. What the broker has not confirmed it sends
/// again under the same numbers, so that a message which was in its queue after all has no second effect.
public final class FixPublisher {
    /// The id of this publisher, which no other has: 32 hexadecimal digits.
    public let id: String
    private let address: RabbitMQAddress
    private let settings: FleetSettings
    private let limit: Duration
    private var connection: QueuePublisher?
    /// The number of the last message of each partition.
    private(set) var numbers: [Int: UInt64] = [:]
    /// The fixes that are not in a message yet, by partition.
    private var parts: [Int: [FixBatch.Part]] = [:]
    private var fixes = 0
    /// The messages without a confirmation, in their order.
    private var open: [(queue: String, body: [UInt8])] = []

    /// The most fixes of a message.
    private let fixesPerMessage: Int
    /// The most fixes of a message, if nothing else is said.
    public static let standardFixesPerMessage = 500
    /// The most messages without a confirmation, fewer than a worker remembers.
    private static let mostOpen = 200

    /// Creates a publisher, which connects when it first publishes.
    ///
    /// - Parameters:
    ///   - limit: The longest time until the broker has confirmed what is published.
    ///   - fixesPerMessage: The most fixes of a message, from 1.
    public init(
        to settings: FleetSettings, at address: RabbitMQAddress, limit: Duration = .seconds(10),
        fixesPerMessage: Int = standardFixesPerMessage
    ) {
        self.fixesPerMessage = min(max(1, fixesPerMessage), FixBatch.mostFixes)
        var generator = SystemRandomNumberGenerator()
        id = (0..<32).map { _ in String(Int.random(in: 0..<16, using: &generator), radix: 16) }.joined()
        self.settings = settings
        self.address = address
        self.limit = limit
    }

    /// The number of fixes that are not published yet.
    public var waiting: Int { fixes }

    /// Adds fixes of a device, which ``publish(tries:)`` publishes.
    ///
    /// - Parameter ends: Whether the recording of the device ends with them.
    /// - Precondition: None; a name that is not one of a device (``FixBatch/isName(_:)``) makes the workers refuse
    ///   the message.
    public func add(_ fixes: some Collection<Fix>, of device: String, ends: Bool = false) {
        let partition = settings.partition(of: device)
        self.fixes += fixes.count
        var rest = Array(fixes)[...]
        repeat {
            let some = rest.prefix(fixesPerMessage)
            rest = rest.dropFirst(some.count)
            parts[partition, default: []].append(
                FixBatch.Part(device: device, fixes: Array(some), ends: ends && rest.isEmpty))
        } while !rest.isEmpty
    }

    /// Publishes what was added, and waits until the broker has confirmed it.
    ///
    /// - Parameter tries: How often to connect anew and to send again what is not confirmed.
    /// - Throws: ``BrokerError`` of the last try. What is not confirmed is kept for the next call.
    public func publish(tries: Int = 1) throws(BrokerError) {
        for (partition, parts) in parts.sorted(by: { $0.key < $1.key }) {
            for parts in divided(parts) {
                if open.count >= Self.mostOpen { try settle(tries) }
                let number = numbers[partition, default: 0] + 1
                numbers[partition] = number
                let batch = FixBatch(publisher: id, number: number, parts: parts)
                open.append((settings.queue(of: partition), batch.bytes))
                fixes -= parts.reduce(0) { $0 + $1.fixes.count }
                self.parts[partition]?.removeFirst(parts.count)
            }
            self.parts[partition] = nil
        }
        try settle(tries)
    }

    private func settle(_ tries: Int) throws(BrokerError) {
        for left in stride(from: max(1, tries) - 1, through: 0, by: -1) {
            do throws(BrokerError) {
                let connection = try connected()
                for message in open { try connection.publish(message.body, to: message.queue) }
                try connection.settle()
                open = []
                return
            } catch {
                connection = nil
                if left == 0 { throw error }
            }
        }
    }

    private func connected() throws(BrokerError) -> QueuePublisher {
        if let connection { return connection }
        let connection = try QueuePublisher(at: address, limit: limit)
        self.connection = connection
        return connection
    }

    /// Returns parts in the messages that they make.
    private func divided(_ parts: [FixBatch.Part]) -> [[FixBatch.Part]] {
        var messages: [[FixBatch.Part]] = []
        var count = 0
        for part in parts {
            if messages.isEmpty || count + part.fixes.count > fixesPerMessage
                || messages[messages.count - 1].count >= FixBatch.mostParts
            {
                messages.append([])
                count = 0
            }
            messages[messages.count - 1].append(part)
            count += part.fixes.count
        }
        return messages
    }
}
#endif
