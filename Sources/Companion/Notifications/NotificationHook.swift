import GRDB
import Glibc
import Store
import Subprocess

/// Gives each notification that is told from now on to a command, which shows or speaks it.
///
/// The command gets the event as a line of JSON on its standard input; what it writes is dropped. It runs once at most
/// for each: what was told before the daemon began, or waits when it ends, is in the notification centre, and would be
/// late. The log is the queue: one command runs at a time, for a bounded time, and of those that wait meanwhile only the
/// last are given.
public struct NotificationHook: Sendable {
    /// What is told where the command fails; no notification's text is in it.
    public typealias FaultReport = @Sendable (String) -> Void

    private let store: LocationDatabase
    private let words: [String]
    private let report: FaultReport
    /// The last event that is none of its.
    private let start: Int64

    /// How long the command may take, in seconds: some sentences spoken.
    static let longestRun = 30
    /// How many notifications wait at most: what is older is no news when its turn comes.
    static let mostWaiting = 32
    /// How many events are read at a time.
    private static let batch = 256

    /// The hook of a companion's settings; nil where there is none.
    ///
    /// - Throws: `StoreError`.
    public init?(_ context: CompanionContext, report: @escaping FaultReport) throws {
        words = (context.settings.notificationHook ?? "").split(separator: " ").map(String.init)
        guard !words.isEmpty else { return nil }
        store = context.store
        self.report = report
        start = try context.store.logExtent().last
    }

    /// Runs the command for what is told, each time the log has grown, until the task is cancelled.
    public func run(_ news: AsyncStream<Void>) async {
        var queue = Queue(place: start)
        var lastFault: String?
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
                let fault = await Self.fault(of: words, given: event.line)
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

    /// Runs a command with a line on its standard input.
    ///
    /// `timeout` ends it with all that it has started.
    ///
    /// - Returns: what went wrong; nil where nothing did.
    static func fault(of words: [String], given line: [UInt8], seconds: Int = longestRun) async -> String? {
        // A command that does not read all it is given would end this process else (pipe(7)).
        _ = signal(SIGPIPE, SIG_IGN)
        var options = PlatformOptions()
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(2))]
        do {
            let result = try await Subprocess.run(
                .name("timeout"), arguments: Arguments(["--kill-after=2", String(seconds)] + words),
                platformOptions: options, input: CommandInput(bytes: line + [UInt8(ascii: "\n")]), output: .discarded,
                error: .discarded)
            switch result.terminationStatus {
            case .exited(0): return nil
            // What timeout says (coreutils, "timeout invocation").
            case .exited(124): return "has run for more than \(seconds) s, and was ended"
            case .exited(126), .exited(127): return "cannot be run: there is no command \(words.first ?? "")"
            case let status: return "has failed: \(status)"
            }
        } catch {
            return "cannot be run: \(error)"
        }
    }
}
