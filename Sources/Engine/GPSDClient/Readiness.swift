// Dispatch's sources may be cancelled from any thread (dispatch_source_cancel(3)), but its Swift overlay does not
// declare it. Only one thread uses their other operations.
import Deadlines
@unsafe @preconcurrency import Dispatch

/// The states of a socket that a task can wait for.
enum Readiness {
    /// Bytes have arrived, or the connection has ended.
    case readable
    /// Bytes can be sent, or an attempt to connect has succeeded or failed.
    case writable

    /// Waits until a descriptor is ready or the task is cancelled.
    ///
    /// A Dispatch source waits in the kernel, so no thread is blocked and nothing spins. The descriptor must stay open
    /// during the call. Nothing refers to it afterwards, because resuming is the last action of the source.
    nonisolated(nonsending) func wait(_ descriptor: Int32) async {
        let queue = DispatchQueue(label: "waymark.gpsd.readiness")
        let source: any DispatchSourceProtocol =
            switch self {
            case .readable: DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            case .writable: DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
            }
        // The source and this closure retain each other until the source is cancelled, which happens on every path.
        source.setEventHandler { source.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                source.setCancelHandler { continuation.resume() }
                source.activate()
            }
        } onCancel: {
            source.cancel()
        }
    }
}

/// Returns the result of a task, or `nil` if the task takes longer than the deadline allows.
///
/// In that case the task is cancelled, and this waits until it ends.
nonisolated(nonsending) func value<Value: Sendable>(
    before deadline: ContinuousClock.Instant, of body: @escaping @Sendable () async -> Value
) async -> Value? {
    await withTaskGroup(of: Value?.self) { group in
        group.addTask { await body() }
        group.addTask {
            // If this task is cancelled, the sleep ends early, and its value is not used.
            try? await DeadlineClock.shared.sleep(until: deadline)
            return nil
        }
        let first = await group.next()
        group.cancelAll()
        return first ?? nil
    }
}
