import Dispatch
public import RPC

/// The service manager that started this process, if one did: systemd, or another that speaks its protocol.
///
/// Without one, nothing is sent, and there is neither a watchdog nor a socket.
///
/// - SeeAlso: sd_notify(3), sd_watchdog_enabled(3), sd_listen_fds(3).
public struct ServiceManager: Hashable, Sendable {
    /// What can be told to the service manager.
    public enum Message: Hashable, Sendable {
        /// The service is up, or has finished reloading.
        case ready
        /// The service reloads its configuration; ``ready`` ends it.
        case reloading
        /// The service is on its way down.
        case stopping
        /// The service is alive.
        case watchdog
        /// How the service is, in one line for people.
        case status(String)
        /// Starting or stopping takes until so long from now.
        case extendTimeout(Duration)

        /// The line of the protocol.
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

    /// Where messages go; nil where nobody wants any.
    private let address: String?
    /// Within which time ``Message/watchdog`` must be sent again and again; nil where nobody watches.
    ///
    /// To be safe it is sent twice as often.
    public let watchdogInterval: Duration?
    /// The socket that the service manager listens at for this service, a listening Unix stream socket that programs
    /// started by this one do not inherit; nil where there is none.
    public let listenDescriptor: Int32?

    /// The variables that tell a process of its service manager.
    static let variables = [
        "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "LISTEN_PIDFDID",
        "LISTEN_FDNAMES",
    ]

    /// Finds the service manager from the environment.
    ///
    /// To be made once a process, since the sockets are whose who takes them first.
    ///
    /// - Throws: ``ServiceManagerError`` where sockets are given that cannot be served.
    public init(environment: [String: String]) throws(ServiceManagerError) {
        self = try ServiceManager(
            environment: environment, processID: ServiceCalls.processID, firstDescriptor: Self.firstDescriptor)
    }

    init(environment: [String: String], processID: Int32, firstDescriptor: Int32) throws(ServiceManagerError) {
        func concernsUs(_ variable: String) -> Bool { environment[variable] == "\(processID)" }
        address = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        // WATCHDOG_PID may be missing, which means whoever sees the other.
        let isWatched = environment["WATCHDOG_PID"] == nil || concernsUs("WATCHDOG_PID")
        watchdogInterval = environment["WATCHDOG_USEC"].flatMap(Int64.init)
            .flatMap { isWatched && $0 > 0 ? .microseconds($0) : nil }
        guard concernsUs("LISTEN_PID"), let text = environment["LISTEN_FDS"], text != "0" else {
            listenDescriptor = nil
            return
        }
        guard let count = Int32(text), count == 1 else {
            throw ServiceManagerError(
                "the service manager gives \(text) sockets (\(environment["LISTEN_FDNAMES"] ?? "without names")), and "
                    + "one is served; leave one ListenStream= in the .socket unit")
        }
        guard ServiceCalls.isListeningStream(firstDescriptor), ServiceCalls.closeOnExec(firstDescriptor) else {
            throw ServiceManagerError(
                "the socket that the service manager gives is no listening Unix stream socket; set "
                    + "ListenStream= in the .socket unit to a path, and Accept=no")
        }
        listenDescriptor = firstDescriptor
    }

    /// The first descriptor passed (`SD_LISTEN_FDS_START`).
    private static let firstDescriptor: Int32 = 3

    /// Whether there is somebody to tell.
    public var isPresent: Bool { address != nil }

    /// Tells the service manager something, several things at once.
    ///
    /// - Returns: Whether it was taken; true as well where there is nobody to tell.
    @discardableResult
    public func notify(_ messages: Message...) -> Bool {
        guard let address else { return true }
        let now = ServiceCalls.monotonicTime
        let text = messages.map { $0.line(monotonicTime: now) }.joined(separator: "\n")
        return ServiceCalls.send(Array(text.utf8), to: address)
    }

    /// Does what may take longer than the service manager gives, on a thread of its own, and tells the manager now and
    /// then that it still goes on.
    ///
    /// - Parameter interval: how often; each time three times as much is asked for.
    func extendingTimeout<Value: Sendable>(
        each interval: Duration = .seconds(60), _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let telling = Task {
            while true {
                try await Task.sleep(for: interval)
                notify(.extendTimeout(interval * 3))
            }
        }
        defer { telling.cancel() }
        return try await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: Result(catching: body)) }
        }.get()
    }

    /// Tells all who wait at the service manager's socket why they are not served, and ends their connections; to be
    /// called before the process ends without having served.
    ///
    /// Whoever were left waiting would have the service manager start it again at once, for ever.
    public func turnAway(_ error: RPCError) {
        guard let listenDescriptor else { return }
        ServiceCalls.turnAway(from: listenDescriptor, saying: error.line)
    }

    /// Removes what tells of the service manager from the environment, so that programs started by this one do not
    /// take it for theirs.
    ///
    /// To be called at the very start, before there is a second thread: the environment has no lock.
    public static func forgetEnvironment() {
        for variable in variables { ServiceCalls.removeVariable(variable) }
    }
}

/// Why what a service manager gave cannot be used, and what to change.
public struct ServiceManagerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong and what to do, as a clause without a full stop.
    public let description: String

    init(_ description: String) { self.description = description }
}

extension Duration {
    /// Whole microseconds, further digits dropped.
    var microseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
