import Dispatch
import RPC

/// Makes and tries passwords, a few at once and not on the threads of tasks, as each takes long and much memory.
public actor Passwords {
    private let parameters: PasswordText.Parameters
    private var running = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// How many are worked on at once: two of 32 MiB.
    private static let mostAtOnce = 2
    /// How many may wait: some seconds' work of a large machine.
    private static let mostWaiting = 64
    private static let queue = DispatchQueue(label: "passwords", qos: .utility, attributes: .concurrent)

    /// The shortest password in characters, which NIST SP 800-63B names where a password is all there is.
    static let shortest = 8
    /// The longest password, in bytes of UTF-8: more than any, and quickly hashed.
    static let longest = 1024

    /// Passwords as they are made for daemons.
    public init() { self.init(parameters: .standard) }

    /// Passwords that cost what is said.
    init(parameters: PasswordText.Parameters) { self.parameters = parameters }

    /// What is to be kept of a password.
    func keep(_ password: String) async throws -> String {
        let parameters = parameters
        return try await work { try PasswordText(password, parameters).text }
    }

    /// Whether a password is the one that was kept, and if so, what is to be kept instead as it costs too little.
    func verify(_ password: String, kept: String) async throws -> (isRight: Bool, renewed: String?) {
        guard let text = PasswordText(kept) else { return (false, nil) }
        let parameters = parameters
        return try await work {
            guard try text.matches(password) else { return (false, nil) }
            guard text.parameters != parameters else { return (true, nil) }
            return (true, try PasswordText(password, parameters).text)
        }
    }

    private func work<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        if running >= Self.mostAtOnce {
            guard waiting.count < Self.mostWaiting else {
                throw RPCError.unavailable("Too many sign in at once; try again in a moment.")
            }
            await withCheckedContinuation { waiting.append($0) }
        } else {
            running += 1
        }
        // Whoever waits takes over the place.
        defer { if waiting.isEmpty { running -= 1 } else { waiting.removeFirst().resume() } }
        return try await withCheckedThrowingContinuation { continuation in
            Self.queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }
}
