import Dispatch
package import EventStream
import Glibc
import RPC
import Service

/// Makes and tries passwords, a few at once and not on the threads of tasks, as each takes long and much memory.
///
/// Each origin of calls has one at a time, and other origins come before that one's next: whoever sends many waits for
/// their own.
public actor Passwords {
    private let parameters: PasswordText.Parameters
    /// The users whose passwords are worked on.
    private var running: [Origin] = []
    private var waiting: [(origin: Origin, turn: CheckedContinuation<Void, Never>)] = []

    /// How many are worked on at once: two of 32 MiB.
    private static let mostAtOnce = 2
    /// How many may wait: some seconds' work of a large machine.
    private static let mostWaiting = 64
    /// How many of one user may wait, so that there is room for others.
    static let mostWaitingOfOne = 16
    /// When to try again where too many wait, in seconds: most are done by then.
    private static let retryAfter: Int64 = 10
    private static let queue = DispatchQueue(label: "passwords", qos: .utility, attributes: .concurrent)

    /// The shortest password in characters, which NIST SP 800-63B names where a password is all there is.
    static let shortest = 8
    /// The longest password, in bytes of UTF-8: more than any, and quickly hashed.
    package static let longest = 1024

    /// Passwords as they are made for daemons.
    public init() { self.init(parameters: .standard) }

    /// Passwords that cost what is said.
    init(parameters: PasswordText.Parameters) { self.parameters = parameters }

    /// What is to be kept of a password.
    package func keep(_ password: String, for origin: Origin) async throws -> String {
        let parameters = parameters
        return try await work(for: origin) { try PasswordText(password, parameters).text }
    }

    /// Whether a password is the one that was kept, and if so, what is to be kept instead as it costs too little.
    package func verify(
        _ password: String, kept: String, for origin: Origin
    ) async throws -> (isRight: Bool, renewed: String?) {
        guard let text = PasswordText(kept) else { return (false, nil) }
        let parameters = parameters
        return try await work(for: origin) {
            guard try text.matches(password) else { return (false, nil) }
            guard text.parameters != parameters else { return (true, nil) }
            return (true, try PasswordText(password, parameters).text)
        }
    }

    /// How many are worked on, and how many wait.
    package var load: (running: Int, waiting: Int) { (running.count, waiting.count) }

    /// Does work for a user when it is their turn.
    ///
    /// - Throws: 5 where too many wait, with `data.retry_after`, and what `body` throws.
    func work<Value: Sendable>(
        for origin: Origin, _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        if running.count < Self.mostAtOnce, !running.contains(origin) {
            running.append(origin)
        } else {
            guard waiting.count < Self.mostWaiting,
                waiting.count(where: { $0.origin == origin }) < Self.mostWaitingOfOne
            else {
                throw Refusal(
                    .unavailable, "Too many passwords wait to be checked; try again in \(Self.retryAfter) s.",
                    data: ["reason": "too many at once", "retry_after": .integer(Self.retryAfter)])
            }
            // `leave` resumes it, and has added the user to those that run.
            await withCheckedContinuation { waiting.append((origin, $0)) }
        }
        defer { leave(origin) }
        return try await withCheckedThrowingContinuation { continuation in
            Self.queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }

    /// Ends a user's turn, and begins that of the first one waiting whose user has none.
    private func leave(_ origin: Origin) {
        if let index = running.firstIndex(of: origin) { running.remove(at: index) }
        guard let index = waiting.firstIndex(where: { !running.contains($0.origin) }) else { return }
        let next = waiting.remove(at: index)
        running.append(next.origin)
        next.turn.resume()
    }
}
