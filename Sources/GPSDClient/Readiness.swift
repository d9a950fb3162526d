// Dispatch's sources may be cancelled from any thread (dispatch_source_cancel(3)); its Swift overlay does not say so.
// Nothing else of them is used by more than one.
@unsafe @preconcurrency import Dispatch

/// What a socket can be waited for.
enum Readiness {
    /// Bytes have come, or the end.
    case readable
    /// Bytes can be sent; a connection that was begun has succeeded or failed.
    case writable

    /// Waits until a descriptor is ready or the task is cancelled.
    ///
    /// A source of Dispatch waits in the kernel, so that no thread of ours is blocked and nothing spins. The descriptor
    /// must stay open for the call; after it nothing refers to it, because it is the source's last act that resumes.
    nonisolated(nonsending) func wait(_ descriptor: Int32) async {
        let queue = DispatchQueue(label: "waymark.gpsd.readiness")
        let source: any DispatchSourceProtocol =
            switch self {
            case .readable: DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            case .writable: DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
            }
        // The source and this closure hold each other until the source is cancelled, which it is on every way.
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

/// What a task gives within a time limit; nil where it takes longer.
///
/// It is cancelled then, and waited for.
nonisolated(nonsending) func value<Value: Sendable>(
    before deadline: ContinuousClock.Instant, of body: @escaping @Sendable () async -> Value
) async -> Value? {
    await withTaskGroup(of: Value?.self) { group in
        group.addTask { await body() }
        group.addTask {
            // Ends early where it is cancelled, and then its value is not asked for.
            try? await Task.sleep(until: deadline, clock: .continuous)
            return nil
        }
        let first = await group.next()
        group.cancelAll()
        return first ?? nil
    }
}
