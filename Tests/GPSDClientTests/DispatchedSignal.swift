import Dispatch

/// A signal from a task to a waiting thread.
final class DispatchedSignal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func send() { semaphore.signal() }

    func wait() { semaphore.wait() }
}
