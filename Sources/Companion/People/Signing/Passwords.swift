#if Companion
package import Callers
import Dispatch
import Glibc
import RPC
import Service

/// A service that hashes and verifies passwords.
///
/// Each password takes long and needs much memory, so only a few are processed at once, on threads outside Swift's
/// cooperative pool.
///
/// At most one password of each host is processed at a time. The networks take turns, and the hosts within each. A host
/// that sends many passwords therefore delays only itself.
public actor Passwords {
    private let parameters: PasswordText.Parameters
    /// The hosts whose passwords are being processed.
    private var running: [Int64] = []
    private var waiting: [Waiting] = []
    /// The number of the last turn or of the last caller that had to wait.
    private var last = 0
    /// The number of the last turn of each host and each network that has had one lately.
    private var turns: [Key: Int] = [:]

    private enum Key: Hashable {
        case host(Int64), network(Int64)
    }

    private struct Waiting {
        let number: Int
        let origin: Origin
        /// Resumed with whether the turn has come, and if it has not, why.
        let start: CheckedContinuation<Outcome, Never>
    }

    private enum Outcome {
        case turn, cancelled
        /// The caller had to make room for others.
        case crowdedOut
    }

    /// The maximum number of passwords processed at once.
    ///
    /// Each takes 32 MiB.
    private static let maximumConcurrent = 2
    /// The maximum number of waiting passwords, some seconds' work of a large machine.
    private static let maximumWaiting = 64
    /// The maximum number of waiting passwords of one host.
    ///
    /// If all places are taken, the host with the most gives one to a host that has at least two fewer.
    static let maximumWaitingPerOrigin = 16
    /// The number of turns to remember; more than can wait.
    private static let maximumTurns = 1024
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

    /// Checks the length of a chosen password.
    static func check(_ text: String, _ field: String) throws(Refusal) {
        guard text.count >= shortest else {
            throw .invalid(field, "must have at least \(shortest) characters")
        }
        guard text.utf8.count <= longest else {
            throw .invalid(field, "must have at most \(longest) bytes")
        }
    }

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

    /// The number of passwords that had their turn so far.
    private(set) var count = 0

    /// The number of passwords being processed, and the number waiting.
    package var load: (running: Int, waiting: Int) { (running.count, waiting.count) }

    /// Runs `body` when it is the origin's turn.
    ///
    /// - Throws: `Refusal` (`.unavailable`) with `data.retry_after` if too many wait, `CancellationError` if the caller
    ///   is cancelled before its turn comes, and what `body` throws.
    func work<Value: Sendable>(
        for origin: Origin, _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        if running.count < Self.maximumConcurrent, !running.contains(origin.host) {
            begin(origin)
        } else {
            try makeRoom(for: origin)
            last += 1
            let number = last
            let outcome = await withTaskCancellationHandler {
                await withCheckedContinuation { (start: CheckedContinuation<Outcome, Never>) in
                    // If the caller is cancelled from here on, `cancel` runs after this, because the actor is busy.
                    guard !Task.isCancelled else { return start.resume(returning: .cancelled) }
                    waiting.append(Waiting(number: number, origin: origin, start: start))
                }
            } onCancel: {
                Task { await self.cancel(number) }
            }
            switch outcome {
            case .turn: break  // `leave` has begun it.
            case .cancelled: throw CancellationError()
            case .crowdedOut: throw Self.crowd
            }
        }
        defer { leave(origin) }
        return try await withCheckedThrowingContinuation { continuation in
            Self.queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }

    private static let crowd = Refusal(
        .unavailable, "Too many passwords are waiting to be checked. Try again in \(retryAfter) s.",
        data: ["reason": "too many at once", "retry_after": .integer(retryAfter)])

    /// Makes room in the queue for a caller.
    ///
    /// - Throws: `Refusal` (`.unavailable`) if the caller's host has its share.
    private func makeRoom(for origin: Origin) throws(Refusal) {
        var counts: [Int64: Int] = [:]
        for one in waiting { counts[one.origin.host, default: 0] += 1 }
        let own = counts[origin.host] ?? 0
        guard own < Self.maximumWaitingPerOrigin else { throw Self.crowd }
        guard waiting.count >= Self.maximumWaiting else { return }
        let most = counts.values.max() ?? 0
        guard most >= own + 2, let place = waiting.lastIndex(where: { counts[$0.origin.host] == most }) else {
            throw Self.crowd
        }
        waiting.remove(at: place).start.resume(returning: .crowdedOut)
    }

    private func begin(_ origin: Origin) {
        running.append(origin.host)
        count += 1
        last += 1
        turns[.host(origin.host)] = last
        turns[.network(origin.network)] = last
    }

    /// Ends a host's turn.
    ///
    /// The next turn goes to an idle host of the network that has waited longest for one, and there to the host that has
    /// waited longest.
    private func leave(_ origin: Origin) {
        if let index = running.firstIndex(of: origin.host) { running.remove(at: index) }
        func rank(_ one: Waiting) -> (Int, Int, Int) {
            (turns[.network(one.origin.network)] ?? 0, turns[.host(one.origin.host)] ?? 0, one.number)
        }
        let idle = waiting.indices.filter { !running.contains(waiting[$0].origin.host) }
        if let place = idle.min(by: { rank(waiting[$0]) < rank(waiting[$1]) }) {
            let next = waiting.remove(at: place)
            begin(next.origin)
            next.start.resume(returning: .turn)
        }
        if turns.count > Self.maximumTurns { turns = turns.filter { $0.value > last - Self.maximumTurns / 4 } }
    }

    /// Removes a waiting caller that was cancelled.
    private func cancel(_ number: Int) {
        guard let place = waiting.firstIndex(where: { $0.number == number }) else { return }
        waiting.remove(at: place).start.resume(returning: .cancelled)
    }
}
#endif
