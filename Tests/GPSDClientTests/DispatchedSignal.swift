import Dispatch

/// A signal from a task to a thread, which waits for it.
final class DispatchedSignal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func send() { semaphore.signal() }

    func wait() { semaphore.wait() }
}
