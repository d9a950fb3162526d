#if Fleet
public import Broker
import Dispatch
public import FleetStore
import Foundation
public import Positioning
import Synchronization

/// Collects the fixes of many requests for a moment, and publishes them together.
///
/// One message a fix would be too much for a broker. A request waits until its fixes are confirmed, so that what
/// its sender forgets is on the disks of a majority of the broker's nodes.
public final class FixCollector: Sendable {
    private struct Request {
        var device: String
        var fixes: [Fix]
        var answer: CheckedContinuation<BrokerError?, Never>
    }

    private struct State {
        var requests: [Request] = []
        var fixes = 0
        var isStopped = false
    }

    private let settings: FleetSettings
    private let broker: RabbitMQAddress
    private let state = Mutex(State())
    /// Counts the requests that nobody has looked at.
    private let bell = DispatchSemaphore(value: 0)

    /// How long the first request of a message waits for others, in seconds.
    private static let patience = 0.25
    /// The most fixes that wait; further requests are refused, and their senders keep them.
    private static let mostFixes = 100_000

    /// Creates a collector, which publishes nothing before ``run()``.
    public init(for settings: FleetSettings, at broker: RabbitMQAddress) {
        (self.settings, self.broker) = (settings, broker)
    }

    /// Takes fixes of a device, and returns once they are safe.
    ///
    /// - Throws: ``BrokerError`` if they cannot be published now. They may be in the queue or not, so the sender
    ///   sends them again.
    public func collect(_ fixes: [Fix], of device: String) async throws(BrokerError) {
        guard !fixes.isEmpty else { return }
        let failure = await withCheckedContinuation { answer in
            let isTaken = state.withLock { state in
                guard !state.isStopped, state.fixes + fixes.count <= Self.mostFixes else { return false }
                state.requests.append(Request(device: device, fixes: fixes, answer: answer))
                state.fixes += fixes.count
                return true
            }
            if isTaken { bell.signal() } else { answer.resume(returning: .busy) }
        }
        if let failure { throw failure }
    }

    /// Publishes what is taken until ``stop()``; this blocks the thread.
    public func run() {
        var publisher = FixPublisher(to: settings, at: broker)
        while true {
            bell.wait()
            let isStopped = state.withLock { $0.isStopped }
            if !isStopped { Thread.sleep(forTimeInterval: Self.patience) }
            let requests = state.withLock { state in
                defer { (state.requests, state.fixes) = ([], 0) }
                return state.requests
            }
            if !requests.isEmpty {
                for request in requests { publisher.add(request.fixes, of: request.device) }
                let failure = Self.publish(with: publisher)
                // The senders send again what was not confirmed, so this forgets it.
                if failure != nil { publisher = FixPublisher(to: settings, at: broker) }
                for request in requests { request.answer.resume(returning: failure) }
            }
            if isStopped { return }
        }
    }

    private static func publish(with publisher: FixPublisher) -> BrokerError? {
        do throws(BrokerError) {
            try publisher.publish(tries: 2)
            return nil
        } catch {
            return error
        }
    }

    /// Ends ``run()`` after what is taken.
    public func stop() {
        state.withLock { $0.isStopped = true }
        bell.signal()
    }
}
#endif
