import Foundation
package import GRDB
package import Positioning
import RPC
import Store

/// A bound on how often, or how much of, something may be done within a span of time.
package struct RateLimit: Sendable {
    /// What it is called in the store.
    package let name: String
    /// What is counted, as messages call it.
    package let what: String
    /// How many a span has.
    package let most: Int
    /// How long a span is, in milliseconds, counted from the first one in it.
    package let span: Int64

    private static let minute: Int64 = 60_000
    fileprivate static let hour: Int64 = 60 * minute
    private static let day: Int64 = 24 * hour

    // Counted for a user of the machine.

    /// Guesses at one person's password: 40 an hour, which even the plainest passwords survive for some weeks.
    package static let password = RateLimit(
        name: "password", what: "attempts at a password", most: 10, span: 15 * minute)
    /// Passwords hashed, right ones too: at a tenth of a second each, a hundredth of a processor.
    package static let hashing = RateLimit(name: "hashing", what: "passwords", most: 120, span: 15 * minute)
    /// Passcodes of votes, right ones too, as each is hashed like a password.
    package static let passcodes = RateLimit(name: "passcodes", what: "passcodes", most: 1000, span: hour)
    /// Codes mailed to one address, each good for some guesses.
    package static let mail = RateLimit(name: "mail", what: "mails to an address", most: 5, span: 15 * minute)
    /// Codes mailed to any address: a household signs up within minutes, and a daemon must not flood the world.
    package static let mails = RateLimit(name: "mails", what: "mails", most: 60, span: hour)

    // Counted for all users of the machine together.

    /// Codes mailed to one address, so that several users together cannot flood it.
    ///
    /// One user alone, at 20 an hour, cannot use it up and so keep the owner of the address out.
    package static let address = RateLimit(name: "address", what: "mails to an address", most: 30, span: hour)
    /// Codes mailed in all: what mail providers accept from one sender.
    static let allMails = RateLimit(name: "all mails", what: "mails", most: 300, span: hour)

    /// Passcodes of one vote, right ones too, so that many people together cannot try them all: a hall that comes in
    /// within an hour, with its slips of the finger.
    package static let passcodesOfVote = RateLimit(
        name: "passcodes of vote", what: "passcodes of a vote", most: 1000, span: hour)

    // Counted for a person.

    /// Requests to be one person's friend, each of which notifies them.
    package static let friendship = RateLimit(name: "friendship", what: "requests to a person", most: 5, span: day)
    /// Suggestions to one person, each of which notifies them.
    package static let suggestion = RateLimit(name: "suggestion", what: "suggestions to a person", most: 5, span: day)
    /// Sights added one by one; the administrator imports files.
    package static let sights = RateLimit(name: "sights", what: "new sights", most: 200, span: day)
    /// Votes opened, each of which people around are notified of.
    package static let votes = RateLimit(name: "votes", what: "new votes", most: 10, span: hour)
    /// Wrong passcodes that a person gives of one vote: 20 an hour, of a million that six digits are.
    package static let passcode = RateLimit(name: "passcode", what: "wrong passcodes", most: 5, span: 15 * minute)
    /// Ids of votes that there are none of, so that nobody finds one by trying.
    package static let voteIDs = RateLimit(name: "vote ids", what: "unknown ids of votes", most: 60, span: hour)
    /// Photos added: those of a long journey.
    package static let photos = RateLimit(name: "photos", what: "new photos", most: 2000, span: day)
    /// Bytes of text written, new or in place of old: a book.
    package static let text = RateLimit(name: "text", what: "bytes of text", most: 1_000_000, span: day)

    /// Mails that people have themselves sent, such as of a product.
    package static let ownMails = RateLimit(name: "own mails", what: "mails to yourself", most: 30, span: hour)

    /// Those that are counted for a person, by their number.
    package static let ofPeople =
        [friendship, suggestion, sights, votes, passcode, voteIDs, photos, ownMails, text] + SendingLimits().all

    /// The span in words.
    fileprivate var duration: String {
        switch span {
        case Self.day: "a day"
        case Self.hour: "an hour"
        default: "\(span / Self.minute) minutes"
        }
    }
}

/// What one person may send to others within an hour, as the administrator has chosen.
///
/// All people at one origin together may send as much as ``ofOrigin`` of them.
public struct SendingLimits: Hashable, Sendable {
    /// Posts, new ones.
    public var posts = 30
    /// Reviews, written or changed.
    public var reviews = 60
    /// Suggestions, to anybody.
    public var suggestions = 60
    /// Requests to be a friend or a member of a plan, each of which notifies somebody.
    public var requests = 60

    /// As many people's shares go to one origin: a family, or a bus with its passengers.
    package static let ofOrigin = 10

    /// As it is unless said otherwise.
    public init() {}

    package var ofPosts: RateLimit { limit("posts", "new posts", posts) }
    package var ofReviews: RateLimit { limit("reviews", "reviews", reviews) }
    package var ofSuggestions: RateLimit { limit("suggestions", "suggestions", suggestions) }
    package var ofRequests: RateLimit { limit("requests", "requests", requests) }

    fileprivate var all: [RateLimit] { [ofPosts, ofReviews, ofSuggestions, ofRequests] }

    private func limit(_ name: String, _ what: String, _ most: Int) -> RateLimit {
        RateLimit(name: name, what: what, most: most, span: RateLimit.hour)
    }
}

extension RateLimit {
    /// The same for all people at one origin together.
    package var ofOrigin: RateLimit {
        RateLimit(
            name: "\(name) of origin", what: "\(what) from here",
            most: most * SendingLimits.ofOrigin, span: span)
    }
}

/// How often things were done, within a transaction of the caller.
///
/// Each is counted for whoever does it, and for some limits for each person that it is about as well: whoever guesses at
/// an account is slowed down, and its owner can still sign in. It is counted before it is done, so that calls at the same
/// time all count.
package enum RateLimits {
    package static let schema = """
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

    /// The longest span of any limit; older counts are deleted.
    private static let longestSpan = RateLimit.text.span

    /// Counts a code to be mailed to an address.
    ///
    /// - Throws: 5 where a limit is reached, as ``count(_:_:by:at:now:in:)`` does.
    package static func countMail(
        by caller: some BinaryInteger, to address: String, now: Timestamp, in db: Database
    ) throws {
        let address = digest(of: address)
        try count(.mail, by: caller, at: address, now: now, in: db)
        try count(.mails, by: caller, now: now, in: db)
        try count(.address, by: 0, at: address, now: now, in: db)
        try count(.allMails, by: 0, now: now, in: db)
    }

    /// Counts something that is about to be done.
    ///
    /// - Parameter amount: how much of it, in the unit of the limit.
    /// - Throws: 5 where that would exceed the limit, with `data.limit`, and `data.retry_after` in seconds.
    package static func count(
        _ limit: RateLimit, _ amount: Int = 1, by caller: some BinaryInteger, at subject: String = "", now: Timestamp,
        in db: Database
    ) throws {
        guard amount > 0 else { return }
        try db.cachedStatement(sql: "DELETE FROM attempt WHERE since <= ? OR since > ?")
            .execute(arguments: [now.milliseconds - longestSpan, now.milliseconds])
        let key: StatementArguments = [limit.name, Int64(caller), subject]
        let row = try Row.fetchOne(
            db.cachedStatement(
                sql: #"SELECT count, since FROM attempt WHERE "limit" = ? AND caller = ? AND subject = ?"#),
            arguments: key)
        var (count, since) = (0, now.milliseconds)
        if let row, row["since"] > now.milliseconds - limit.span { (count, since) = (row["count"], row["since"]) }
        guard amount <= limit.most - count else {
            let wait = (since + limit.span - now.milliseconds + 999) / 1000
            throw Refusal(
                .unavailable,
                "At most \(limit.most) \(limit.what) are allowed within \(limit.duration); try again in \(wait) s.",
                data: [
                    "reason": "too many attempts", "limit": .integer(Int64(limit.most)), "retry_after": .integer(wait),
                ])
        }
        try db.cachedStatement(
            sql: #"INSERT OR REPLACE INTO attempt ("limit", caller, subject, count, since) VALUES (?, ?, ?, ?, ?)"#
        ).execute(arguments: key + [count + amount, since])
    }

    /// Deletes what was counted for a caller, who has proven their identity.
    package static func forget(
        _ limit: RateLimit, by caller: some BinaryInteger, at subject: String, in db: Database
    ) throws {
        try db.cachedStatement(sql: #"DELETE FROM attempt WHERE "limit" = ? AND caller = ? AND subject = ?"#)
            .execute(arguments: [limit.name, Int64(caller), subject])
    }

    /// Deletes what was counted for and about a person whose account is removed.
    package static func forget(_ person: Int64, id: String, email: String, in db: Database) throws {
        for limit in RateLimit.ofPeople {
            try db.cachedStatement(sql: #"DELETE FROM attempt WHERE "limit" = ? AND caller = ?"#)
                .execute(arguments: [limit.name, person])
        }
        try db.cachedStatement(sql: "DELETE FROM attempt WHERE subject IN (?, ?, ?)")
            .execute(arguments: [String(person), id, digest(of: email)])
    }

    /// What is stored instead of an address, so that nobody reads it there.
    private static func digest(of address: String) -> String { Secret.digest(address).base64EncodedString() }
}
