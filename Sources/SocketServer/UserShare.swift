import Glibc
import Synchronization

/// What one user of the machine takes of the server, through all of their connections together.
///
/// Each bound is one user's, so that whoever reaches it takes nothing away from others.
final class UserShare: Sendable {
    /// Bytes of requests beyond what each connection may have, from their coming in to their answer.
    let requests: Allotment
    /// Bytes of answers beyond what each connection may have, until they have left the process.
    let answers: Allotment
    /// Subscriptions.
    let subscriptions: Allotment

    /// Nothing taken yet.
    init(_ limits: SocketServer.Limits) {
        requests = Allotment(limits.requestsOfUser)
        answers = Allotment(limits.answersOfUser)
        subscriptions = Allotment(limits.subscriptionsOfUser)
    }
}

/// An amount that several take from.
final class Allotment: Sendable {
    /// How much there is.
    let bound: Int
    private let taken = Atomic(0)

    /// So much, none of it taken.
    init(_ bound: Int) { self.bound = bound }

    /// Takes so much; false where that is more than there is left, and nothing is taken.
    func take(_ amount: Int) -> Bool {
        guard amount > 0 else { return true }
        guard taken.add(amount, ordering: .relaxed).newValue > bound else { return true }
        taken.subtract(amount, ordering: .relaxed)
        return false
    }

    /// Gives so much back.
    func give(_ amount: Int) { taken.subtract(amount, ordering: .relaxed) }
}

/// What one connection holds: an allowance of its own, and beyond that a part of an allotment.
final class Holding: Sendable {
    /// What it takes from.
    let allotment: Allotment
    private let allowance: Int
    private let held = Atomic(0)

    /// Nothing held yet.
    init(of allotment: Allotment, allowance: Int) {
        self.allotment = allotment
        self.allowance = allowance
    }

    /// How much is held.
    var amount: Int { held.load(ordering: .relaxed) }

    /// Takes so much more; false where there is not so much, and nothing is taken.
    func take(_ amount: Int) -> Bool {
        let now = held.add(amount, ordering: .relaxed).newValue
        if allotment.take(beyond(now) - beyond(now - amount)) { return true }
        held.subtract(amount, ordering: .relaxed)
        return false
    }

    /// Gives so much back.
    func give(_ amount: Int) {
        let now = held.subtract(amount, ordering: .relaxed).newValue
        allotment.give(beyond(now + amount) - beyond(now))
    }

    private func beyond(_ amount: Int) -> Int { max(0, amount - allowance) }

    deinit { allotment.give(beyond(amount)) }
}
