import Dispatch
package import EventStream
import Glibc
import RPC
import Service

/// A service that hashes and verifies passwords.
///
/// Each password takes long and needs much memory, so only a few are processed at once, on threads outside Swift's
/// cooperative pool.
///
/// At most one password of each origin is processed at a time, and other origins go before its next one. An origin that
/// sends many passwords therefore delays only itself.
public actor Passwords {
    private let parameters: PasswordText.Parameters
    /// The origins whose passwords are being processed.
    private var running: [Origin] = []
    private var waiting: [Waiting] = []
    /// The number of the last caller that had to wait.
    private var last = 0

    private struct Waiting {
        let number: Int
        let origin: Origin
        /// Resumed with whether the turn has come; if it has not, the caller was cancelled.
        let start: CheckedContinuation<Bool, Never>
    }

    /// The maximum number of passwords processed at once.
    ///
    /// Each takes 32 MiB.
    private static let maximumConcurrent = 2
    /// The maximum number of waiting passwords, some seconds' work of a large machine.
    private static let maximumWaiting = 64
    /// The maximum number of waiting passwords of one origin, which leaves room for others.
    static let maximumWaitingPerOrigin = 16
    /// How many seconds a refused caller should wait before trying again; most waiting passwords are done by then.
    private static let retryAfter: Int64 = 10
    private static let queue = DispatchQueue(label: "passwords", qos: .utility, attributes: .concurrent)

    /// The minimum length of a password in characters, as NIST SP 800-63B requires where the password is the only
    /// factor.
    static let shortest = 8
    /// The maximum length of a password, in bytes of UTF-8.
    ///
    /// That is more than any real password has, and still quickly hashed.
    package static let longest = 1024

    /// Creates the service with the standard cost parameters.
    public init() { self.init(parameters: .standard) }

    /// Creates the service with the given cost parameters.
    init(parameters: PasswordText.Parameters) { self.parameters = parameters }

    /// Hashes a password into the text to store.
    package func hash(_ password: String, for origin: Origin) async throws -> String {
        let parameters = parameters
        return try await work(for: origin) { try PasswordText(password, parameters).text }
    }

    /// Verifies a password against a stored hash.
    ///
    /// - Returns: Whether the password is right. If it is right but `hash` was made with other cost parameters than the
    ///   current ones, also the new hash to store.
    package func verify(
        _ password: String, against hash: String, for origin: Origin
    ) async throws -> (isRight: Bool, renewed: String?) {
        guard let text = PasswordText(hash) else { return (false, nil) }
        let parameters = parameters
        return try await work(for: origin) {
            guard try text.matches(password) else { return (false, nil) }
            guard text.parameters != parameters else { return (true, nil) }
            return (true, try PasswordText(password, parameters).text)
        }
    }

    /// The number of passwords being processed, and the number waiting.
    package var load: (running: Int, waiting: Int) { (running.count, waiting.count) }

    /// Runs `body` when it is the origin's turn.
    ///
    /// - Throws: `Refusal` (`.unavailable`) with `data.retry_after` if too many wait, `CancellationError` if the caller
    ///   is cancelled before its turn comes, and what `body` throws.
    func work<Value: Sendable>(
        for origin: Origin, _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        if running.count < Self.maximumConcurrent, !running.contains(origin) {
            running.append(origin)
        } else {
            guard waiting.count < Self.maximumWaiting,
                waiting.count(where: { $0.origin == origin }) < Self.maximumWaitingPerOrigin
            else {
                throw Refusal(
                    .unavailable, "Too many passwords are waiting to be checked. Try again in \(Self.retryAfter) s.",
                    data: ["reason": "too many at once", "retry_after": .integer(Self.retryAfter)])
            }
            last += 1
            let number = last
            let isMine = await withTaskCancellationHandler {
                await withCheckedContinuation { start in
                    // If the caller is cancelled from here on, `cancel` runs after this, because the actor is busy.
                    guard !Task.isCancelled else { return start.resume(returning: false) }
                    waiting.append(Waiting(number: number, origin: origin, start: start))
                }
            } onCancel: {
                Task { await self.cancel(number) }
            }
            // If it is its turn, `leave` has added the origin to `running`.
            guard isMine else { throw CancellationError() }
        }
        defer { leave(origin) }
        return try await withCheckedThrowingContinuation { continuation in
            Self.queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }

    /// Ends an origin's turn.
    ///
    /// The next turn goes to the first in the queue whose origin is idle.
    private func leave(_ origin: Origin) {
        if let index = running.firstIndex(of: origin) { running.remove(at: index) }
        guard let index = waiting.firstIndex(where: { !running.contains($0.origin) }) else { return }
        let next = waiting.remove(at: index)
        running.append(next.origin)
        next.start.resume(returning: true)
    }

    /// Removes a waiting caller that was cancelled.
    private func cancel(_ number: Int) {
        guard let place = waiting.firstIndex(where: { $0.number == number }) else { return }
        waiting.remove(at: place).start.resume(returning: false)
    }
}
