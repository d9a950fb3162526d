public import GRDB
public import Positioning
import Store

/// Work of a feature that falls due at a time, whether or not anybody calls; what fell due while the daemon was stopped
/// is done at its start.
public protocol TimedWork: Sendable {
    /// What messages call it.
    var name: String { get }

    /// When there is something to do: at `now` or earlier where there is already; nil where nothing is waited for.
    func due(at now: Timestamp, in db: Database) throws -> Timestamp?

    /// Does what is due, or so much of it as is quickly done; what is left is still due.
    func work(at now: Timestamp, in db: Database, _ consequences: inout Consequences) throws
}

/// Does the timed work of all features, by the clock of their context.
public struct TimedWorks: Sendable {
    /// What is told of work that could not be done now.
    public typealias FaultReport = @Sendable (_ work: String, _ error: any Error) -> Void

    private let context: ServiceContext
    private let works: [any TimedWork]
    private let report: FaultReport

    /// How long it sleeps at most: so late it notices that something falls due earlier than all that was known, or that
    /// the clock was set.
    private static let longestWait: Int64 = 15_000

    /// The work of some features.
    public init(_ context: ServiceContext, _ works: [any TimedWork], report: @escaping FaultReport = { _, _ in }) {
        self.context = context
        self.works = works
        self.report = report
    }

    /// Does all that is due.
    ///
    /// - Returns: when the next falls due; nil where nothing is waited for.
    /// - Throws: `StoreError`, and what the work throws; the rest is done by the next call.
    @discardableResult
    public func catchUp() async throws -> Timestamp? {
        var next: Timestamp?
        for work in works {
            if let due = try await catchUp(with: work) { next = min(next ?? due, due) }
        }
        return next
    }

    private func catchUp(with work: any TimedWork) async throws -> Timestamp? {
        while true {
            let now = context.now()
            guard let due = try await context.store.read({ try work.due(at: now, in: $0) }) else { return nil }
            guard due <= now else { return due }
            try await context.editor.change { try work.work(at: now, in: $0, &$1) }
        }
    }

    /// Does what falls due as it does, until the task is cancelled.
    public func run() async {
        while !Task.isCancelled {
            var wait = Self.longestWait
            for work in works {
                do {
                    if let due = try await catchUp(with: work) {
                        wait = min(wait, max(0, due.milliseconds - context.now().milliseconds))
                    }
                } catch {
                    if !Task.isCancelled { report(work.name, error) }
                }
            }
            try? await Task.sleep(for: .milliseconds(wait))
        }
    }
}
