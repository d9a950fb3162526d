package import Callers
import Foundation
package import GRDB
package import RPC
import Store
package import Time

/// A limit on how often something may be done, or on its amount, within a span of time.
package struct RateLimit: Sendable {
    /// The name in the store.
    package let name: String
    /// The things counted, as messages name them.
    package let what: String
    /// The maximum count within a span.
    package let maximum: Int
    /// The length of a span in milliseconds.
    ///
    /// A span begins with the first thing counted in it.
    package let span: Int64

    private static let minute: Int64 = 60_000
    fileprivate static let hour: Int64 = 60 * minute
    private static let day: Int64 = 24 * hour

    // Counted per host: a user of the machine, or a single network address. Strangers share the network of an address,
    // so no host may use up what the others of its network need: what is counted for a network allows several hosts
    // their shares, and does not keep those out who prove that an account is theirs.

    /// Guesses at one person's password: 40 an hour, which even the weakest passwords survive for some weeks.
    package static let password = RateLimit(
        name: "password", what: "attempts at a password", maximum: 10, span: 15 * minute)
    /// Guesses at accounts and questions whether they exist, in vain.
    ///
    /// Beyond that, callers learn nothing from a wrong guess.
    package static let failures = RateLimit(name: "failures", what: "failed attempts", maximum: 40, span: 15 * minute)
    /// Passwords hashed for those who sign up.
    ///
    /// At 0.1 s each, this takes about a hundredth of a processor.
    package static let hashing = RateLimit(name: "hashing", what: "passwords", maximum: 120, span: 15 * minute)
    /// Codes mailed to one address.
    ///
    /// Each code allows several guesses.
    package static let mail = RateLimit(name: "mail", what: "mails to an address", maximum: 5, span: 15 * minute)
    /// Codes mailed to any address.
    ///
    /// A household can sign up within minutes from one phone.
    package static let mails = RateLimit(name: "mails", what: "mails", maximum: 30, span: hour)
    /// Codes mailed to any address on behalf of a proxy server on this machine, which stands for many devices.
    package static let mailsOfProxy = RateLimit(name: "mails", what: "mails", maximum: 60, span: hour)

    // Counted per network.

    /// Guesses at one person's password from a network, which leaves the person's own device its share.
    package static let passwordOfNetwork = RateLimit(
        name: "password of network", what: "attempts at a password", maximum: 30, span: 15 * minute)
    /// Passwords of one person that are hashed, including correct ones.
    package static let hashingOfAccount = RateLimit(
        name: "hashing of account", what: "passwords of an account", maximum: 60, span: 15 * minute)
    /// Like ``failures``, for three hosts of a network together.
    package static let failuresOfNetwork = RateLimit(
        name: "failures of network", what: "failed attempts", maximum: 120, span: 15 * minute)
    /// Codes mailed to one address on behalf of a network; half of what ``address`` allows.
    package static let mailOfNetwork = RateLimit(
        name: "mail of network", what: "mails to an address", maximum: 15, span: hour)
    /// Codes mailed to addresses without an account on behalf of a network.
    package static let strangersOfNetwork = RateLimit(
        name: "strangers of network", what: "mails to new addresses", maximum: 60, span: hour)

    // Counted for all origins together.

    /// Guesses at one person's password from all networks.
    package static let passwordOfAccount = RateLimit(
        name: "password of account", what: "attempts at a password", maximum: 100, span: 15 * minute)
    /// Codes mailed to addresses without an account, which leaves the people with accounts a third of ``allMails``.
    package static let strangers = RateLimit(
        name: "strangers", what: "mails to new addresses", maximum: 200, span: hour)

    /// Codes mailed to one address, so that several users together cannot flood it.
    ///
    /// A single user, limited to 20 an hour, cannot exhaust this limit to lock out the owner of the address.
    package static let address = RateLimit(name: "address", what: "mails to an address", maximum: 30, span: hour)
    /// Codes mailed in all, limited to what mail providers accept from one sender.
    static let allMails = RateLimit(name: "all mails", what: "mails", maximum: 300, span: hour)

    /// Passcodes of one vote, including correct ones, so that many people together cannot try all of them.
    ///
    /// It is large enough for a full hall to enter within an hour, typing errors included.
    package static let passcodesOfVote = RateLimit(
        name: "passcodes of vote", what: "passcodes of a vote", maximum: 1000, span: hour)

    // Counted per person.

    /// Requests to be one person's friend, each of which notifies that person.
    package static let friendship = RateLimit(name: "friendship", what: "requests to a person", maximum: 5, span: day)
    /// Suggestions to one person, each of which notifies that person.
    package static let suggestion = RateLimit(
        name: "suggestion", what: "suggestions to a person", maximum: 5, span: day)
    /// Sights added one by one.
    ///
    /// The administrator can import files instead.
    package static let sights = RateLimit(name: "sights", what: "new sights", maximum: 200, span: day)
    /// Votes opened, each of which notifies the people nearby.
    package static let votes = RateLimit(name: "votes", what: "new votes", maximum: 10, span: hour)
    /// Passcodes of votes, including correct ones, because each is hashed like a password.
    package static let passcodes = RateLimit(name: "passcodes", what: "passcodes", maximum: 200, span: hour)
    /// A person's wrong passcodes for one vote: 20 an hour, of the million passcodes with six digits.
    package static let passcode = RateLimit(name: "passcode", what: "wrong passcodes", maximum: 5, span: 15 * minute)
    /// Unknown ids of votes, so that nobody finds a vote by guessing.
    package static let voteIDs = RateLimit(name: "vote ids", what: "unknown ids of votes", maximum: 60, span: hour)
    /// Photos added: enough for a long journey.
    package static let photos = RateLimit(name: "photos", what: "new photos", maximum: 2000, span: day)
    /// Bytes of text written, new or as a replacement: enough for a book.
    package static let text = RateLimit(name: "text", what: "bytes of text", maximum: 1_000_000, span: day)

    /// Mails that people request for themselves, such as a mail about a product.
    package static let ownMails = RateLimit(name: "own mails", what: "mails to yourself", maximum: 30, span: hour)

    /// Notifications with which people try whether a browser gets them.
    package static let pushTests = RateLimit(name: "push tests", what: "test notifications", maximum: 20, span: hour)

    /// The limits that are counted under a person's number.
    package static let ofPeople =
        [friendship, suggestion, sights, votes, passcodes, passcode, voteIDs, photos, ownMails, text, pushTests]
        + SendingLimits().all

    /// The span in words.
    fileprivate var duration: String {
        switch span {
        case Self.day: "a day"
        case Self.hour: "an hour"
        default: "\(span / Self.minute) minutes"
        }
    }
}

/// What one person may send to others within an hour, as configured by the administrator.
///
/// All people at one origin together may send ``ofOrigin`` times as much.
public struct SendingLimits: Hashable, Sendable {
    /// The number of new posts.
    public var posts = 30
    /// The number of reviews, new or changed.
    public var reviews = 60
    /// The number of suggestions to anybody.
    public var suggestions = 60
    /// The number of requests to be a friend or a member of a plan.
    ///
    /// Each request notifies somebody.
    public var requests = 60

    /// The factor for all people at one origin, such as a family, or a bus with its passengers.
    package static let ofOrigin = 10

    /// Creates the default limits.
    public init() {}

    package var ofPosts: RateLimit { limit("posts", "new posts", posts) }
    package var ofReviews: RateLimit { limit("reviews", "reviews", reviews) }
    package var ofSuggestions: RateLimit { limit("suggestions", "suggestions", suggestions) }
    package var ofRequests: RateLimit { limit("requests", "requests", requests) }

    fileprivate var all: [RateLimit] { [ofPosts, ofReviews, ofSuggestions, ofRequests] }

    private func limit(_ name: String, _ what: String, _ maximum: Int) -> RateLimit {
        RateLimit(name: name, what: what, maximum: maximum, span: RateLimit.hour)
    }
}

extension RateLimit {
    /// The same limit for all people at one origin together.
    package var ofOrigin: RateLimit {
        RateLimit(
            name: "\(name) of origin", what: "\(what) from here",
            maximum: maximum * SendingLimits.ofOrigin, span: span)
    }
}

/// The counts of attempts.
///
/// Each function runs within the caller's transaction.
///
/// An attempt is counted for the caller. Some limits count each target separately, so that guessing at an account
/// slows down the guesser, while the owner can still sign in. An attempt is counted before it is made, so that
/// concurrent calls all count.
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

    /// The longest span of any limit.
    ///
    /// Older counts are deleted.
    private static let longestSpan = RateLimit.text.span

    /// Counts a code that is about to be mailed to an address.
    ///
    /// Nobody can keep the codes from a person with an account by having codes mailed to others.
    ///
    /// - Parameter hasAccount: Whether the address is that of an account.
    /// - Throws: Error 5 (unavailable) if a limit is reached, as ``count(_:_:by:at:now:in:)`` does.
    package static func countMail(
        by origin: Origin, to address: String, hasAccount: Bool, now: Timestamp, in db: Database
    ) throws {
        try countRequest(by: origin, of: address, now: now, in: db)
        if !hasAccount {
            if origin.isAddress { try count(.strangersOfNetwork, by: origin.network, now: now, in: db) }
            try count(.strangers, by: 0, now: now, in: db)
        }
        try count(.address, by: 0, at: digest(of: address), now: now, in: db)
        try count(.allMails, by: 0, now: now, in: db)
    }

    /// Counts the request of a code that is not mailed, in the same way for the caller as if it were.
    ///
    /// - Throws: Error 5 (unavailable) if a limit is reached, as ``count(_:_:by:at:now:in:)`` does.
    package static func countRequest(
        by origin: Origin, of address: String, now: Timestamp, in db: Database
    ) throws {
        let address = digest(of: address)
        try count(.mail, by: origin.host, at: address, now: now, in: db)
        try count(origin.isShared ? .mailsOfProxy : .mails, by: origin.host, now: now, in: db)
        if origin.isAddress { try count(.mailOfNetwork, by: origin.network, at: address, now: now, in: db) }
    }

    /// Counts something that is about to be done.
    ///
    /// - Parameters:
    ///   - amount: The amount, in the unit of the limit.
    ///   - caller: The origin or the person that the count belongs to.
    ///   - subject: The target, such as an account, if each target is counted separately.
    /// - Throws: Error 5 (unavailable) if the amount would exceed the limit, with `data.limit`, and with
    ///   `data.retry_after` in seconds.
    package static func count(
        _ limit: RateLimit, _ amount: Int = 1, by caller: some BinaryInteger, at subject: String = "", now: Timestamp,
        in db: Database
    ) throws {
        if let wait = try spend(limit, amount, by: caller, at: subject, now: now, in: db) {
            throw refusal(limit, after: wait)
        }
    }

    /// Counts something that is about to be done, unless that would exceed the limit.
    ///
    /// - Returns: `nil` if it was counted; otherwise the seconds after which it may be tried again.
    package static func spend(
        _ limit: RateLimit, _ amount: Int = 1, by caller: some BinaryInteger, at subject: String = "", now: Timestamp,
        in db: Database
    ) throws -> Int64? {
        guard amount > 0 else { return nil }
        try db.cachedStatement(sql: "DELETE FROM attempt WHERE since <= ? OR since > ?")
            .execute(arguments: [now.milliseconds - longestSpan, now.milliseconds])
        let key: StatementArguments = [limit.name, Int64(caller), subject]
        let row = try NamedRow.fetchOne(
            db.cachedStatement(
                sql: #"SELECT count, since FROM attempt WHERE "limit" = ? AND caller = ? AND subject = ?"#),
            arguments: key)
        var (count, since) = (0, now.milliseconds)
        if let row, row["since"] > now.milliseconds - limit.span { (count, since) = (row["count"], row["since"]) }
        guard amount <= limit.maximum - count else { return (since + limit.span - now.milliseconds + 999) / 1000 }
        try db.cachedStatement(
            sql: #"INSERT OR REPLACE INTO attempt ("limit", caller, subject, count, since) VALUES (?, ?, ?, ?, ?)"#
        ).execute(arguments: key + [count + amount, since])
        return nil
    }

    /// Returns a wait in words, rounded up: seconds up to a minute, minutes up to two hours, and then hours.
    ///
    /// - Parameter wait: the seconds to wait.
    package static func words(for wait: Int64) -> String {
        guard wait > 60 else { return "\(wait) s" }
        let (unit, name): (Int64, String) = wait <= 7200 ? (60, "minutes") : (3600, "hours")
        return "\(wait / unit + (wait % unit > 0 ? 1 : 0)) \(name)"
    }

    /// Returns the refusal of something whose limit is reached.
    package static func refusal(_ limit: RateLimit, after wait: Int64) -> Refusal {
        Refusal(
            .unavailable,
            "At most \(limit.maximum) \(limit.what) are allowed within \(limit.duration); try again in "
                + "\(words(for: wait)).",
            data: [
                "reason": "too many attempts", "limit": .integer(Int64(limit.maximum)),
                "retry_after": .integer(wait),
            ])
    }

    /// Takes back the count of one attempt that has not failed.
    package static func giveBack(
        _ limit: RateLimit, by caller: some BinaryInteger, at subject: String = "", in db: Database
    ) throws {
        let key: StatementArguments = [limit.name, Int64(caller), subject]
        try db.cachedStatement(
            sql: #"DELETE FROM attempt WHERE "limit" = ? AND caller = ? AND subject = ? AND count = 1"#
        ).execute(arguments: key)
        try db.cachedStatement(
            sql: #"UPDATE attempt SET count = count - 1 WHERE "limit" = ? AND caller = ? AND subject = ? AND count > 1"#
        ).execute(arguments: key)
    }

    /// Deletes the count of a caller who has proven their identity.
    package static func forget(
        _ limit: RateLimit, by caller: some BinaryInteger, at subject: String, in db: Database
    ) throws {
        try db.cachedStatement(sql: #"DELETE FROM attempt WHERE "limit" = ? AND caller = ? AND subject = ?"#)
            .execute(arguments: [limit.name, Int64(caller), subject])
    }

    /// Deletes all counts by and about a person whose account is removed.
    package static func forget(_ person: Int64, id: String, email: String, in db: Database) throws {
        for limit in RateLimit.ofPeople {
            try db.cachedStatement(sql: #"DELETE FROM attempt WHERE "limit" = ? AND caller = ?"#)
                .execute(arguments: [limit.name, person])
        }
        try db.cachedStatement(sql: "DELETE FROM attempt WHERE subject IN (?, ?, ?)")
            .execute(arguments: [String(person), id, digest(of: email)])
    }

    /// Returns the digest that is stored in place of an address or another name of an account, so that the store does
    /// not reveal it.
    package static func digest(of address: String) -> String { Secret.digest(address).base64EncodedString() }
}
