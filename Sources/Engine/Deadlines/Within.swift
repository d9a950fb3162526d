/// Runs `body`, and cancels it if it takes longer than `time`.
///
/// With ``DeadlineClock``, the deadline ends with `body`. With a clock of the standard library it would stay in memory
/// until its time.
///
/// - Parameter executor: The executor that `body` prefers; `nil` for that of the Swift concurrency pool.
/// - Returns: `nil` if it took longer; this waits until the cancelled `body` has ended.
/// - Throws: What `body` throws.
public func within<Value: Sendable>(
    _ time: Duration, _ clock: any Clock<Duration> = .deadlines, on executor: (any TaskExecutor)? = nil,
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value? {
    if let clock = clock as? DeadlineClock { return try await clock.run(within: time, on: executor, body) }
    return try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask(executorPreference: executor) { try await body() }
        group.addTask {
            try await clock.sleep(for: time)
            return nil
        }
        defer { group.cancelAll() }
        return try await group.next() ?? nil
    }
}
