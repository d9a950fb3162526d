public import GRDB
import Store
public import Time

/// Work of a feature that is due at a certain time, whether or not a method is called.
///
/// Work that became due while the daemon was stopped is done at its start.
public protocol TimedWork: Sendable {
    /// The name in messages.
    var name: String { get }

    /// Returns when the next work is due; `nil` if nothing is scheduled.
    ///
    /// The result is `now` or earlier if work is already due.
    func due(at now: Timestamp, in db: Database) throws -> Timestamp?

    /// Does the work that is due, or as much of it as takes a short time.
    ///
    /// The rest remains due. Work that is due but changes no row runs again after 15 seconds, not at once.
    func work(at now: Timestamp, in db: Database, _ consequences: inout Consequences) throws
}

/// Runs the timed work of all features, by the clock of their context.
public struct TimedWorks: Sendable {
    /// Reports work that failed for the moment.
    public typealias FaultReport = @Sendable (_ work: String, _ error: any Error) -> Void

    private let context: ServiceContext
    private let works: [any TimedWork]
    private let report: FaultReport

    /// The maximum time between two checks, in milliseconds.
    ///
    /// It is the delay after which the runner notices new work that is due earlier than all known work, or a change
    /// of the clock.
    private static let longestWait: Int64 = 15_000

    /// Creates the runner of `works`.
    public init(_ context: ServiceContext, _ works: [any TimedWork], report: @escaping FaultReport = { _, _ in }) {
        self.context = context
        self.works = works
        self.report = report
    }

    /// Does all work that is due.
    ///
    /// - Returns: The time at which the next work is due; `nil` if nothing is scheduled.
    /// - Throws: `StoreError`, or the error that the work throws. The next call does the rest.
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
            let hasChanged = try await context.editor.changeAlone { db, consequences in
                let before = db.totalChangesCount
                try work.work(at: now, in: db, &consequences)
                return db.totalChangesCount != before
            }
            // A damaged row may be due for ever. The next round asks again.
            guard hasChanged else { return now.advanced(byMilliseconds: Self.longestWait) }
        }
    }

    /// Does work whenever it becomes due, until the task is cancelled.
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
