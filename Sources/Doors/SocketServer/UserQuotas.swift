import Glibc
import Synchronization

/// The resources that one user of the machine may take, through all of their connections together.
///
/// Each limit applies to one user, so a user who reaches it does not affect others.
final class UserQuotas: Sendable {
    /// The bytes of requests beyond each connection's allowance, from their arrival to their answer.
    let requests: Quota
    /// The bytes of answers beyond each connection's allowance, until they have left the process.
    let answers: Quota
    /// The number of subscriptions.
    let subscriptions: Quota

    /// Creates a share of which nothing is taken.
    init(_ limits: SocketServer.Limits) {
        requests = Quota(limits.requestsOfUser)
        answers = Quota(limits.answersOfUser)
        subscriptions = Quota(limits.subscriptionsOfUser)
    }
}

/// A limited amount that several holders take from.
final class Quota: Sendable {
    /// The total amount.
    let bound: Int
    private let taken = Atomic(0)

    /// Creates a quota of which nothing is taken.
    init(_ bound: Int) { self.bound = bound }

    /// Takes an amount.
    ///
    /// Returns `false`, and takes nothing, if less is left.
    func reserve(_ amount: Int) -> Bool {
        guard amount > 0 else { return true }
        guard taken.add(amount, ordering: .relaxed).newValue > bound else { return true }
        taken.subtract(amount, ordering: .relaxed)
        return false
    }

    /// Returns an amount to the quota.
    func release(_ amount: Int) { taken.subtract(amount, ordering: .relaxed) }
}

/// The amount that one connection holds: an allowance of its own, and beyond it a part of a quota.
final class ConnectionQuota: Sendable {
    /// The quota that it takes from.
    let quota: Quota
    private let allowance: Int
    private let held = Atomic(0)

    /// Creates an empty quota.
    init(of quota: Quota, allowance: Int) {
        self.quota = quota
        self.allowance = allowance
    }

    /// The amount held.
    var amount: Int { held.load(ordering: .relaxed) }

    /// Takes an amount.
    ///
    /// Returns `false`, and takes nothing, if the quota does not have enough left.
    func reserve(_ amount: Int) -> Bool {
        let now = held.add(amount, ordering: .relaxed).newValue
        if quota.reserve(beyond(now) - beyond(now - amount)) { return true }
        held.subtract(amount, ordering: .relaxed)
        return false
    }

    /// Returns an amount.
    func release(_ amount: Int) {
        let now = held.subtract(amount, ordering: .relaxed).newValue
        quota.release(beyond(now + amount) - beyond(now))
    }

    private func beyond(_ amount: Int) -> Int { max(0, amount - allowance) }

    deinit { quota.release(beyond(amount)) }
}
