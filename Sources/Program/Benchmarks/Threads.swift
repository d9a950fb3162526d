import Foundation

/// Runs blocking code on its own thread, because tasks have only as many threads as there are processors.
func offThePool<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    let result = await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: Result { try body() }) }
    }
    return try result.get()
}
