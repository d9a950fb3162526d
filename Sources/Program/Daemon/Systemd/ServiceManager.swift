import Deadlines
import Dispatch
public import RPC

/// The service manager that started this process: systemd, or another that uses its protocol.
///
/// Without one, nothing is sent, and there is neither a watchdog nor a socket.
///
/// - SeeAlso: sd_notify(3), sd_watchdog_enabled(3), sd_listen_fds(3).
public struct ServiceManager: Hashable, Sendable {
    /// A message to the service manager.
    public enum Message: Hashable, Sendable {
        /// The service has started, or has finished reloading.
        case ready
        /// The service is reloading its configuration; ``ready`` ends this.
        case reloading
        /// The service is stopping.
        case stopping
        /// The service is alive.
        case watchdog
        /// The state of the service, in one line for people.
        case status(String)
        /// Starting or stopping may take this long from now.
        case extendTimeout(Duration)

        /// Returns the message in the format of the protocol.
        func line(monotonicTime: Duration) -> String {
            switch self {
            case .ready: "READY=1"
            case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(monotonicTime.microseconds)"
            case .stopping: "STOPPING=1"
            case .watchdog: "WATCHDOG=1"
            case .status(let text): "STATUS=\(LogText.harmless(text))"
            case .extendTimeout(let time): "EXTEND_TIMEOUT_USEC=\(max(0, time.microseconds))"
            }
        }
    }

    /// The address for messages; `nil` if there is no service manager.
    private let address: String?
    /// The longest time between two messages ``Message/watchdog``; `nil` if there is no watchdog.
    ///
    /// The daemon sends them at least three times as often, to be safe.
    public let watchdogInterval: Duration?
    /// A listening Unix stream socket that the service manager opened for this service; `nil` if there is none.
    ///
    /// Programs that this process starts do not inherit it.
    public let listenDescriptor: Int32?

    /// The environment variables through which a service manager passes information.
    static let variables = [
        "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "LISTEN_PIDFDID",
        "LISTEN_FDNAMES",
    ]

    /// Finds the service manager from the environment.
    ///
    /// Create only one per process, because it takes ownership of the sockets.
    ///
    /// - Throws: ``ServiceManagerError`` if sockets are passed that cannot be served.
    public init(environment: [String: String]) throws(ServiceManagerError) {
        self = try ServiceManager(
            environment: environment, processID: ServiceCalls.processID, firstDescriptor: Self.firstDescriptor)
    }

    init(environment: [String: String], processID: Int32, firstDescriptor: Int32) throws(ServiceManagerError) {
        func concernsUs(_ variable: String) -> Bool { environment[variable] == "\(processID)" }
        address = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        // Without WATCHDOG_PID, the interval applies to every process that receives it.
        let isWatched = environment["WATCHDOG_PID"] == nil || concernsUs("WATCHDOG_PID")
        watchdogInterval = environment["WATCHDOG_USEC"].flatMap(Int64.init)
            .flatMap { isWatched && $0 > 0 ? .microseconds($0) : nil }
        guard concernsUs("LISTEN_PID"), let text = environment["LISTEN_FDS"], text != "0" else {
            listenDescriptor = nil
            return
        }
        guard let count = Int32(text), count == 1 else {
            throw ServiceManagerError(
                "the service manager passed \(text) sockets (\(environment["LISTEN_FDNAMES"] ?? "without names")), but only "
                    + "one is supported; leave one ListenStream= in the .socket unit")
        }
        guard ServiceCalls.isListeningStream(firstDescriptor), ServiceCalls.closeOnExec(firstDescriptor) else {
            throw ServiceManagerError(
                "the socket that the service manager passed is not a listening Unix stream socket; set "
                    + "ListenStream= in the .socket unit to a path, and Accept=no")
        }
        listenDescriptor = firstDescriptor
    }

    /// The first descriptor that is passed (`SD_LISTEN_FDS_START`).
    private static let firstDescriptor: Int32 = 3

    /// Whether there is a service manager to notify.
    public var isPresent: Bool { address != nil }

    /// Sends messages to the service manager, several at once.
    ///
    /// - Returns: Whether it accepted them; also `true` if there is no service manager.
    @discardableResult
    public func notify(_ messages: Message...) -> Bool {
        guard let address else { return true }
        let now = ServiceCalls.monotonicTime
        let text = messages.map { $0.line(monotonicTime: now) }.joined(separator: "\n")
        return ServiceCalls.send(Array(text.utf8), to: address)
    }

    /// Runs `body` on its own thread, and asks the service manager for more time until it ends.
    ///
    /// - Parameter interval: The time between two requests, each of which asks for three times as much.
    func extendingTimeout<Value: Sendable>(
        each interval: Duration = .seconds(60), _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let telling = Task {
            while true {
                try await DeadlineClock.shared.sleep(for: interval)
                notify(.extendTimeout(interval * 3))
            }
        }
        defer { telling.cancel() }
        return try await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: Result(catching: body)) }
        }.get()
    }

    /// Sends an error to all clients that wait at the service manager's socket, and closes their connections.
    ///
    /// Call it before the process ends without having served. If clients were left waiting, the service manager would
    /// start the process again at once, for ever.
    public func rejectWaitingClients(_ error: RPCError) {
        guard let listenDescriptor else { return }
        ServiceCalls.rejectConnections(waitingAt: listenDescriptor, sending: error.line)
    }

    /// Removes the service manager's variables from the environment, so that programs started by this process ignore
    /// them.
    ///
    /// Call it at the very start, before there is a second thread, because the environment has no lock.
    public static func forgetEnvironment() {
        for variable in variables { ServiceCalls.removeVariable(variable) }
    }
}

/// The reason why sockets of a service manager cannot be used, and what to change.
public struct ServiceManagerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The problem and its solution, as a clause without a full stop.
    public let description: String

    init(_ description: String) { self.description = description }
}

extension Duration {
    /// The whole microseconds; the rest is dropped.
    var microseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
