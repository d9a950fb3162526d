#if Companion
import Deadlines
import GRDB
public import Service
import Store
import Time

/// The delivery of the mails in the outbox.
///
/// It sends them one after another, and retries each one that could not be sent after a delay.
public struct MailDelivery: Sendable {
    private let context: ServiceContext
    private let accounts: Accounts

    /// The maximum running time of the mail command, in seconds.
    ///
    /// That allows for a slow line, or for a server that delays on purpose.
    private static let longestRun = 60
    /// The delay before the first retry, in milliseconds.
    ///
    /// Each delay is twice the one before.
    static let firstWait: Int64 = 60_000
    /// The maximum delay, in milliseconds: four tries a day.
    static let longestWait: Int64 = 6 * 3_600_000
    /// The maximum length of a stored error message, in characters.
    private static let longestError = 300

    /// Creates the delivery for a daemon's service context and its shared account state.
    public init(_ context: ServiceContext, _ accounts: Accounts) {
        self.context = context
        self.accounts = accounts
    }

    /// Whether a command or a file is configured that takes the mails.
    private var isWanted: Bool { accounts.settings.mailCommand != nil || accounts.settings.mailFile != nil }

    /// Sends mails as they are added, until the task is cancelled.
    ///
    /// - Parameters:
    ///   - settled: Called when a mail was sent, and when none is waiting.
    ///   - report: Called for each mail that could not be sent, with its number and the error. It receives neither the
    ///     text nor the address, because logs must not contain them. An error of the store is reported with the number
    ///     0.
    public func run(
        settled: @escaping @Sendable () -> Void = {},
        report: @escaping @Sendable (_ mail: Int64, _ error: String) -> Void
    ) async {
        while !Task.isCancelled {
            // Listens before it reads the outbox, so that it misses no mail. It needs a new stream each time, because a
            // stream ends with the task that waits for it.
            let updates = accounts.outbox.updates()
            var wait: Duration?
            do {
                try await deliver(settled: settled, report: report)
                let next = try await nextTry()
                if next == nil { settled() }
                wait = next.map { .milliseconds(max(0, $0.milliseconds - context.now().milliseconds)) }
            } catch {
                report(0, "\(error)")
                wait = .milliseconds(Self.firstWait)
            }
            await Self.wait(for: updates, atMost: wait)
        }
    }

    /// Waits for a new mail, or for the given time if there is one.
    private static func wait(for updates: AsyncStream<Void>, atMost longest: Duration?) async {
        await withTaskGroup { group in
            group.addTask { for await _ in updates { return } }
            if let longest { group.addTask { try? await DeadlineClock.shared.sleep(for: longest) } }
            await group.next()
            group.cancelAll()
        }
    }

    /// Returns when the next waiting mail is due, or `nil` if none is waiting or mail stays in the outbox.
    func nextTry() async throws -> Timestamp? {
        guard isWanted else { return nil }
        let now = context.now()
        return try await context.store.read { db in
            if let last = try Int64.fetchOne(db, sql: "SELECT max(next) FROM mail"), last > Self.latestTry(now) {
                return now
            }
            return try Int64.fetchOne(db, sql: "SELECT min(next) FROM mail").map(Timestamp.init(milliseconds:))
        }
    }

    /// Returns the latest possible time for a retry.
    ///
    /// A mail with a later time was stored before the clock was set back, and counts as due.
    private static func latestTry(_ now: Timestamp) -> Int64 { now.milliseconds + longestWait }

    /// Sends all mails that are due.
    ///
    /// - Throws: `StoreError`.
    func deliver(
        settled: @Sendable () -> Void = {}, report: @Sendable (_ mail: Int64, _ error: String) -> Void = { _, _ in }
    ) async throws {
        guard isWanted else { return }
        while !Task.isCancelled, let (number, mail, tries, isLate) = try await due() {
            var problem: String?
            if isLate {
                problem = "it was not sent in time"
            } else {
                do {
                    try await send(mail, number)
                } catch {
                    // A command that was stopped because the daemon stops is not a failed try.
                    if Task.isCancelled { return }
                    problem = String("\(error)".prefix(Self.longestError))
                }
            }
            if let problem { report(number, problem) } else { settled() }
            try await keep(number, tries: tries + 1, problem: problem, isLate: isLate)
        }
    }

    /// Passes a mail to the configured command or file.
    package func send(_ mail: Mail, _ number: Int64) async throws {
        let now = context.now()
        let name = "waymark.\(now.milliseconds).\(number)"
        let text = MailText(mail, from: accounts.settings.mailSender, date: now, name: name)
        if let command = accounts.settings.mailCommand {
            try await Command(command).run(given: Array(text.text.utf8), within: Self.longestRun)
        } else if let file = accounts.settings.mailFile {
            try MailFile(path: file).append(text, at: now)
        }
    }

    /// Returns the mail that is due next, or `nil` if none is.
    private func due() async throws -> (number: Int64, mail: Mail, tries: Int, isLate: Bool)? {
        let now = context.now()
        return try await context.store.read { db in
            let row = try NamedRow.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT number, recipient, name, subject, body, tries, until FROM mail
                        WHERE next <= ? OR next > ? ORDER BY next, number LIMIT 1
                        """),
                arguments: [now.milliseconds, Self.latestTry(now)])
            return row.map { row in
                let mail = Mail(
                    to: row["recipient"], name: row["name"], subject: row["subject"], body: row["body"])
                return (row["number"], mail, row["tries"], (row["until"] as Int64) <= now.milliseconds)
            }
        }
    }

    /// Stores the result of an attempt to send a mail.
    private func keep(_ number: Int64, tries: Int, problem: String?, isLate: Bool) async throws {
        let now = context.now().milliseconds
        let wait = min(Self.longestWait, Self.firstWait << min(tries - 1, 16))
        try await context.editor.change { db, _ in
            if problem == nil {
                try db.cachedStatement(
                    sql: """
                        UPDATE mail SET body = NULL, name = '', next = NULL, sent = ?, tries = ?, error = NULL
                        WHERE number = ?
                        """
                ).execute(arguments: [now, tries, number])
            } else if isLate {
                try db.cachedStatement(
                    sql: """
                        UPDATE mail SET body = NULL, name = '', next = NULL, error = coalesce(error, ?) WHERE number = ?
                        """
                ).execute(arguments: [problem, number])
            } else {
                // A mail that was stored before the clock was set back is given up no later than a new mail.
                let latest = now + Mail.defaultLifetime
                try db.cachedStatement(
                    sql: """
                        UPDATE mail SET until = min(until, ?), next = min(?, until, ?), tries = ?, error = ?
                        WHERE number = ?
                        """
                ).execute(arguments: [latest, now + wait, latest, tries, problem, number])
            }
        }
    }
}
#endif
