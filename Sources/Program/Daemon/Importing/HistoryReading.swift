import NIOCore
import NIOPosix
import RPC

/// The import of one file on a thread of its own.
///
/// Reading gigabytes takes minutes, in which the threads of all other work must stay free.
actor HistoryReading {
    /// What came of a file.
    struct Outcome: Sendable {
        /// The summary.
        var summary: ImportSummary
        /// The first trips, each with its outcome, as `trips.import` returns them.
        var trips: [JSONValue]
    }

    private nonisolated let threads: MultiThreadedEventLoopGroup
    private nonisolated let thread: any EventLoop
    // The executor is the event loop, which lives as long as the actor does.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.executor.asUnownedSerialExecutor() }

    /// Starts the thread, which runs until ``end()``.
    init() {
        threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        thread = threads.any()
    }

    /// Reads a file to its end, and then imports it.
    ///
    /// Cancelling stops it while it reads, or between two parts of the file, never within a change of the store.
    ///
    /// - Parameters:
    ///   - name: What to call the file in messages.
    ///   - most: The most trips to return.
    ///   - call: Calls `trips.import`.
    /// - Throws: ``FileFailure`` if nothing in it can be imported, and the errors of `call`.
    func run(
        _ path: String, name: String, device: String?, atMost most: Int,
        calling call: @escaping @Sendable (_ parameters: JSONObject) async throws -> JSONValue
    ) async throws -> Outcome {
        let source = try HistoryImport.Source(path: path, name: name, device: device)
        try Task.checkCancellation()
        var importing = HistoryImport([source])
        var trips: [JSONValue] = []
        try await importing.send(
            source, calling: { try await call($0) },
            imported: { trip in if trips.count < most { trips.append(trip) } })
        return Outcome(summary: importing.summary, trips: trips)
    }

    /// Ends the thread after the last import.
    nonisolated func end() async { try? await threads.shutdownGracefully() }
}
