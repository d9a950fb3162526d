import GRDB
import Positioning
import RPC
import Store

/// Something that may be tried only so often.
struct AttemptLimit: Sendable {
    /// What it is called in the store.
    let name: String
    /// How many attempts a span has.
    let most: Int
    /// How long a span is, in milliseconds, counted from its first attempt.
    let span: Int64

    /// Guessing a password: 40 an hour, of which even the plainest passwords survive some weeks.
    static let password = AttemptLimit(name: "password", most: 10, span: 15 * 60_000)
    /// Having codes mailed to an address, each good for some guesses.
    static let mail = AttemptLimit(name: "mail", most: 5, span: 15 * 60_000)
    /// Having codes mailed, to whatever addresses: a household signs up within minutes, and nobody's daemon is to write to
    /// the whole world.
    static let mails = AttemptLimit(name: "mails", most: 60, span: 3_600_000)
    /// Asking someone to be one's friend, each of which notifies them.
    static let friendship = AttemptLimit(name: "friendship", most: 5, span: 24 * 3_600_000)
}

/// How often what was tried, within a transaction of its caller.
///
/// Attempts are counted by who tries as well as by whom it is about: who guesses at an account is slowed down, and
/// whose account it is can still sign in.
enum Attempts {
    static let schema = """
        -- Attempts at what may be tried only so often: by whom, which is a user of the machine or a person's number, at
        -- what, how often, and since when in milliseconds since 1970.
        CREATE TABLE attempt (
            "limit" TEXT NOT NULL,
            caller INTEGER NOT NULL,
            subject TEXT NOT NULL,
            count INTEGER NOT NULL CHECK (count > 0),
            since INTEGER NOT NULL,
            PRIMARY KEY ("limit", caller, subject)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX attempt_by_age ON attempt (since);
        """

    /// The longest span of any limit: older attempts are forgotten.
    private static let longestSpan = AttemptLimit.friendship.span

    /// Counts a code to be mailed to an address.
    ///
    /// - Throws: 5 where there have been as many as may be, to that address or in all, with `data.retry_after`.
    static func countMail(
        by caller: some BinaryInteger, to address: String, now: Timestamp, in db: Database
    ) throws {
        try count(.mail, by: caller, at: address, now: now, in: db)
        try count(.mails, by: caller, at: "", now: now, in: db)
    }

    /// Counts an attempt.
    ///
    /// - Throws: 5 where there have been as many as may be, with `data.retry_after` in seconds.
    static func count(
        _ limit: AttemptLimit, by caller: some BinaryInteger, at subject: String, now: Timestamp, in db: Database
    ) throws {
        try db.cachedStatement(sql: "DELETE FROM attempt WHERE since <= ? OR since > ?")
            .execute(arguments: [now.milliseconds - longestSpan, now.milliseconds])
        let key: StatementArguments = [limit.name, Int64(caller), subject]
        let row = try Row.fetchOne(
            db.cachedStatement(
                sql: #"SELECT count, since FROM attempt WHERE "limit" = ? AND caller = ? AND subject = ?"#),
            arguments: key)
        var (count, since) = (0, now.milliseconds)
        if let row, row[1] > now.milliseconds - limit.span { (count, since) = (row[0], row[1]) }
        guard count < limit.most else {
            let wait = (since + limit.span - now.milliseconds + 999) / 1000
            throw RPCError(
                .unavailable, "There were too many attempts; again in \(wait) s.",
                data: ["reason": "too many attempts", "retry_after": .integer(wait)])
        }
        try db.cachedStatement(
            sql: #"INSERT OR REPLACE INTO attempt ("limit", caller, subject, count, since) VALUES (?, ?, ?, ?, ?)"#
        ).execute(arguments: key + [count + 1, since])
    }

    /// Forgets the attempts of a caller, who has shown to be who they say.
    static func forget(
        _ limit: AttemptLimit, by caller: some BinaryInteger, at subject: String, in db: Database
    ) throws {
        try db.cachedStatement(sql: #"DELETE FROM attempt WHERE "limit" = ? AND caller = ? AND subject = ?"#)
            .execute(arguments: [limit.name, Int64(caller), subject])
    }
}
