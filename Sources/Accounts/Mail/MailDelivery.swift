import GRDB
import Positioning
public import Service
import Store

/// Sends what is in the outbox, one mail after another, each again after a while where it could not be sent.
public struct MailDelivery: Sendable {
    private let context: ServiceContext
    private let accounts: Accounts

    /// How long the command that takes a mail may run, in seconds: a slow line, or a server that waits on purpose.
    private static let longestRun = 60
    /// How long the first wait is, in milliseconds; each is twice the one before.
    static let firstWait: Int64 = 60_000
    /// The longest wait, in milliseconds: four tries a day.
    static let longestWait: Int64 = 6 * 3_600_000
    /// How long what went wrong may be, in characters, as it is kept.
    private static let longestError = 300

    /// Sends the mails of a companion.
    public init(_ context: ServiceContext, _ accounts: Accounts) {
        self.context = context
        self.accounts = accounts
    }

    /// Whether mails go anywhere from the outbox.
    private var isWanted: Bool { accounts.settings.mailCommand != nil || accounts.settings.mailFile != nil }

    /// Sends mails as they come in, until the task is cancelled.
    ///
    /// - Parameter report: what is told of a mail that could not be sent now: its number, and why. Neither text nor
    ///   address is told, which are not for logs.
    public func run(report: @escaping @Sendable (_ mail: Int64, _ error: String) -> Void) async {
        while !Task.isCancelled {
            // Before the outbox is looked at, so that nothing comes in between; and anew each time, as a stream ends
            // with the task that waits for it.
            let news = accounts.outbox.news()
            var wait: Duration?
            do {
                try await deliver(report: report)
                let next = try await nextTry()
                wait = next.map { .milliseconds(max(0, $0.milliseconds - context.now().milliseconds)) }
            } catch {
                report(0, "\(error)")
                wait = .milliseconds(Self.firstWait)
            }
            await Self.wait(for: news, atMost: wait)
        }
    }

    /// Waits until there is something new, or so long.
    private static func wait(for news: AsyncStream<Void>, atMost longest: Duration?) async {
        await withTaskGroup { group in
            group.addTask { for await _ in news { return } }
            if let longest { group.addTask { try? await Task.sleep(for: longest) } }
            await group.next()
            group.cancelAll()
        }
    }

    /// When a mail that waits is to be tried; nil where none waits, or mails stay in the outbox.
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

    /// The latest that a mail is ever to be tried; what is to be tried later was kept before the clock was set back, and
    /// its time has come.
    private static func latestTry(_ now: Timestamp) -> Int64 { now.milliseconds + longestWait }

    /// Sends every mail whose time has come.
    ///
    /// - Throws: `StoreError`.
    func deliver(report: @Sendable (_ mail: Int64, _ error: String) -> Void = { _, _ in }) async throws {
        guard isWanted else { return }
        while !Task.isCancelled, let (number, mail, tries, isLate) = try await due() {
            var problem: String?
            if isLate {
                problem = "it was not sent in time"
            } else {
                do {
                    try await send(mail, number)
                } catch {
                    // Ended with the daemon, it is no failed try.
                    if Task.isCancelled { return }
                    problem = String("\(error)".prefix(Self.longestError))
                }
            }
            if let problem { report(number, problem) }
            try await keep(number, tries: tries + 1, problem: problem, isLate: isLate)
        }
    }

    /// Gives a mail to the command or the file that takes them.
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

    /// The next mail whose time has come.
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

    /// Keeps what has become of a mail.
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
                // What was kept before the clock was set back is given up no later than a new mail.
                let latest = now + Mail.usualLifetime
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
