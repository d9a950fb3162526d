import Foundation

/// Runs what blocks on a thread of its own, since there are as few threads for tasks as there are processors.
func offThePool<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    let result = await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: Result { try body() }) }
    }
    return try result.get()
}
