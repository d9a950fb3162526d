import GRDB
import Service
public import Store

/// Gives each notification that is told from now on to a command, which may speak it.
///
/// The command gets the event as a line of JSON on its standard input; what it writes is dropped. It runs once at most
/// for each: what was told before the daemon began, or waits when it ends, is in the notification centre, and would be
/// late. The log is the queue: one command runs at a time, for a bounded time, and of those that wait meanwhile only the
/// last are given.
public struct NotificationHook: Sendable {
    /// What is told where the command fails; no notification's text is in it.
    public typealias FaultReport = @Sendable (String) -> Void

    private let store: LocationDatabase
    private let command: Command
    private let report: FaultReport
    /// The last event that is none of its.
    private let start: Int64

    /// How long the command may take, in seconds: some sentences spoken.
    package static let longestRun = 30
    /// How many notifications wait at most: what is older is no news when its turn comes.
    static let mostWaiting = 32
    /// How many events are read at a time.
    private static let batch = 256

    /// The hook of a command line; nil where that is empty.
    ///
    /// - Throws: `StoreError`.
    public init?(_ text: String?, store: LocationDatabase, report: @escaping FaultReport) throws {
        command = Command(text ?? "")
        guard !command.words.isEmpty else { return nil }
        self.store = store
        self.report = report
        start = try store.logExtent().last
    }

    /// Runs the command for what is told, each time the log has grown, until the task is cancelled.
    public func run(_ news: AsyncStream<Void>) async {
        var queue = Queue(place: start)
        var lastFault: Command.Failure?
        for await _ in news {
            repeat {
                do {
                    let passedOver = try await queue.fill(from: store)
                    if passedOver > 0 { report("\(passedOver) notifications are more than the hook can follow") }
                } catch {
                    if !Task.isCancelled { report("the hook cannot read the event log: \(error)") }
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
            } while !Task.isCancelled
        }
    }

    /// Those that wait.
    struct Queue {
        /// Up to where the log was read.
        private var place: Int64
        private var waiting: [StoredEvent] = []

        init(place: Int64) { self.place = place }

        /// Takes in what the log has more.
        ///
        /// - Returns: how many of the oldest that wait it has dropped for that.
        mutating func fill(from store: LocationDatabase) async throws -> Int {
            var dropped = 0
            while true {
                let events = try await store.read { [place] in
                    try EventLog.events(after: place, limit: NotificationHook.batch, in: $0)
                }
                place = events.last?.seq ?? place
                waiting += events.filter { $0.type == "notification" }
                let excess = max(0, waiting.count - NotificationHook.mostWaiting)
                waiting.removeFirst(excess)
                dropped += excess
                guard events.count == NotificationHook.batch else { return dropped }
            }
        }

        /// Takes out the oldest that waits.
        mutating func next() -> StoredEvent? { waiting.isEmpty ? nil : waiting.removeFirst() }
    }
}
