#if Companion
import Callers
import GRDB
import RPC
import Service
import Time

/// A call that may show the caller whether an account exists, or whether a guess at one is right.
///
/// It is counted before it is answered, for the caller's host and for the caller's network, and given back if it was no
/// failure. After many failures the caller gets the same answer to every wrong guess, so that nobody finds accounts or
/// passwords by trying. A right password is accepted all the same: strangers in the network cannot keep a person out.
struct AccountQuestion: Sendable {
    /// The limits under which the question is counted, each with the caller and the subject.
    private var counted: [(limit: RateLimit, caller: Int64, subject: String)] = []
    /// The seconds until the caller gets precise answers again; `nil` if the caller gets one now.
    private(set) var wait: Int64?

    /// Counts a question.
    ///
    /// What a host asks beyond its share does not count for its network.
    ///
    /// - Parameter invitation: The number of the invitation that the caller has. The question then counts only for the
    ///   invitation, which strangers in the network do not have.
    init(by origin: Origin, with invitation: Int64? = nil, at now: Timestamp, in db: Database) throws {
        var keys: [(limit: RateLimit, caller: Int64, subject: String)] = [(.failures, origin.host, "")]
        if origin.isAddress { keys.append((.failuresOfNetwork, origin.network, "")) }
        if let invitation { keys = [(.failures, 0, "invitation/\(invitation)")] }
        for key in keys {
            wait = try RateLimits.spend(key.limit, by: key.caller, at: key.subject, now: now, in: db)
            guard wait == nil else { return }
            counted.append(key)
        }
    }

    /// Takes back the count of a question that was no failure.
    func giveBack(in db: Database) throws {
        for (limit, caller, subject) in counted {
            try RateLimits.giveBack(limit, by: caller, at: subject, in: db)
        }
    }

    /// The answer to every wrong guess after many failures.
    static func refusal(after wait: Int64) -> Refusal {
        Refusal(
            .unavailable,
            "Many attempts from your network have failed, so a wrong one gets no other answer for "
                + "\(RateLimits.words(for: wait)). Check the account and the password. The right ones are accepted at once.",
            data: [
                "reason": "too many attempts", "limit": .integer(Int64(RateLimit.failures.maximum)),
                "retry_after": .integer(wait),
            ])
    }

    /// Makes checks that may refuse a name or an address because it belongs to an account.
    ///
    /// - Returns: The refusal, which is counted as a failure; or that of a caller who has failed too often.
    static func checking(
        by origin: Origin, with invitation: Int64? = nil, at now: Timestamp, in db: Database, _ body: () throws -> Void
    ) throws -> Result<Void, Refusal> {
        let question = try AccountQuestion(by: origin, with: invitation, at: now, in: db)
        if let wait = question.wait {
            return .failure(
                Refusal(
                    .unavailable,
                    "Many questions about accounts have come from your network. Try again in "
                        + "\(RateLimits.words(for: wait)), or sign up with somebody's invitation.",
                    data: [
                        "reason": "too many attempts", "limit": .integer(Int64(RateLimit.failures.maximum)),
                        "retry_after": .integer(wait),
                    ]))
        }
        do {
            try db.inSavepoint {
                try body()
                return .commit
            }
        } catch let refusal as Refusal {
            return .failure(refusal)
        }
        try question.giveBack(in: db)
        return .success(())
    }
}

/// The counts of attempts at the password of one account, whether it exists or not.
struct PasswordAttempt: Sendable {
    private let origin: Origin
    private let subject: String
    /// The refusal if the account was tried too often.
    let refusal: Refusal?

    /// Counts an attempt at the account with a number, or with a name if no account has it.
    init(at number: Int64?, named name: String, by origin: Origin, now: Timestamp, in db: Database) throws {
        self.origin = origin
        let subject = number.map { String($0) } ?? "?" + RateLimits.digest(of: name)
        self.subject = subject
        var limits: [(limit: RateLimit, caller: Int64)] = [
            (.password, origin.host), (.hashingOfAccount, origin.network),
        ]
        if origin.isAddress { limits += [(.passwordOfNetwork, origin.network), (.passwordOfAccount, 0)] }
        for (limit, caller) in limits {
            if let wait = try RateLimits.spend(limit, by: caller, at: subject, now: now, in: db) {
                refusal = RateLimits.refusal(limit, after: wait)
                return
            }
        }
        refusal = nil
    }

    /// Forgets the attempts of this host, whose person has proven their identity.
    ///
    /// That the password was hashed still counts.
    func forget(in db: Database) throws {
        try RateLimits.forget(.password, by: origin.host, at: subject, in: db)
        guard origin.isAddress else { return }
        try RateLimits.giveBack(.passwordOfNetwork, by: origin.network, at: subject, in: db)
        try RateLimits.giveBack(.passwordOfAccount, by: 0, at: subject, in: db)
    }
}
#endif
