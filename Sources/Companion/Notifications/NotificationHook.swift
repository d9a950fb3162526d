import GRDB
import Service
public import Store
import Tracking

/// The hook that passes each new notification to a command, for example to speak it.
///
/// The command receives the event as a line of JSON on its standard input. Its output is discarded.
///
/// The command runs at most once for each notification. Notifications from before the daemon started, and those that
/// wait when it stops, are not passed on. They would be late, and the notification centre has them.
///
/// The log is the queue. One command runs at a time, for a bounded time. Of the notifications that arrive meanwhile,
/// only the last ``maximumWaiting`` are passed on.
public struct NotificationHook: Sendable {
    /// A function that receives error messages, which contain no notification's text.
    public typealias FaultReport = @Sendable (String) -> Void

    private let store: LocationDatabase
    private let command: Command
    private let report: FaultReport
    /// The number of the last event that was in the log when the daemon started.
    private let start: Int64

    /// The maximum running time of the command, in seconds: enough to speak some sentences.
    package static let longestRun = 30
    /// The maximum number of waiting notifications.
    ///
    /// Older ones would be outdated when their turn comes.
    static let maximumWaiting = 32
    /// The number of events read from the log at a time.
    private static let batch = 256

    /// Creates the hook for a command line, or `nil` if the command line is empty.
    ///
    /// - Throws: `StoreError`.
    public init?(_ text: String?, store: LocationDatabase, report: @escaping FaultReport) throws {
        command = Command(text ?? "")
        guard !command.words.isEmpty else { return nil }
        self.store = store
        self.report = report
        start = try store.logExtent().last
    }

    /// Runs the command for new notifications, until the task is cancelled.
    ///
    /// - Parameters:
    ///   - updates: A stream with an element each time the log has grown.
    ///   - told: Called after each run of the command, with the reason if it failed.
    public func run(
        _ updates: AsyncStream<Void>, told: @escaping @Sendable (_ fault: String?) -> Void = { _ in }
    ) async {
        var queue = Queue(place: start)
        var lastFault: Command.Failure?
        for await _ in updates {
            repeat {
                do {
                    let passedOver = try await queue.fill(from: store)
                    if passedOver > 0 {
                        report("the notification hook is too slow and has skipped \(passedOver) notifications")
                    }
                } catch {
                    if !Task.isCancelled { report("the notification hook cannot read the event log: \(error)") }
                    break
                }
                guard let event = queue.next() else { break }
                var fault: Command.Failure?
                do throws(Command.Failure) {
                    try await command.run(given: event.line + [UInt8(ascii: "\n")], within: Self.longestRun)
                } catch {
                    fault = error
                }
                if let fault, fault != lastFault, !Task.isCancelled { report("the notification hook \(fault)") }
                lastFault = fault
                if !Task.isCancelled { told(fault.map { "\($0)" }) }
            } while !Task.isCancelled
        }
    }

    /// The notifications that wait for the command.
    struct Queue {
        /// The number of the last event that was read.
        private var place: Int64
        private var waiting: [EventRecord] = []

        init(place: Int64) { self.place = place }

        /// Reads the new events of the log.
        ///
        /// - Returns: The number of notifications that were dropped from the queue because it was full.
        mutating func fill(from store: LocationDatabase) async throws -> Int {
            var dropped = 0
            while true {
                let events = try await store.read { [place] in
                    try EventLog.events(after: place, limit: NotificationHook.batch, in: $0)
                }
                place = events.last?.seq ?? place
                waiting += events.filter { $0.type == "notification" }
                let excess = max(0, waiting.count - NotificationHook.maximumWaiting)
                waiting.removeFirst(excess)
                dropped += excess
                guard events.count == NotificationHook.batch else { return dropped }
            }
        }

        /// Removes the oldest waiting notification, and returns it.
        mutating func next() -> EventRecord? { waiting.isEmpty ? nil : waiting.removeFirst() }
    }
}
