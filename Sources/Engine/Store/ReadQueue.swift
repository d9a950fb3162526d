import Glibc

/// The order in which readers of the store take their turns, as pure logic without a clock, a lock or a store.
///
/// The user who has read least recently comes first, by time spent reading; among that user's connections, the one that
/// has read least does. One user never occupies all readers. A connection that has recently read for long is heavy. A
/// user's heavy connections read one at a time, and all heavy connections together leave one reader to the others.
///
/// All past reading time decays at the same rate. So the order of two readers who wait never changes by itself, and heaps
/// keep it. Only what is heavy becomes light as time goes by, in the order of its reading time.
struct ReadQueue {
    typealias Instant = ContinuousClock.Instant

    /// The recent reading time, in seconds, above which a connection is heavy: hundreds of ordinary reads.
    static let heaviness = 0.5
    /// The seconds after which past reading time counts half.
    static let halfLife = 5.0
    /// The number of connections above which those with little recent reading time are forgotten.
    private static let remembered = 1_024

    private let readers: Int
    /// The instant at which reading times are compared; `nil` before the first read has ended.
    private var reference: Instant?
    private var users: [Int64?: ReadingTime] = [:]
    private var connections: [StoreReader: ReadingTime] = [:]
    /// The number of connections at which those with little recent reading time are forgotten next.
    private var fullness = Self.remembered
    private var waiting: [Int: StoreReader] = [:]
    private var lines: [StoreReader: TicketLine] = [:]
    /// The connections of each user that wait, by their reading time.
    private var waitingOf: [Int64?: KeyedHeap<StoreReader, ConnectionOrder>] = [:]
    /// The users who wait, of whom at least one connection is light.
    private var light = KeyedHeap<Int64?, UserOrder>()
    /// The users who wait with heavy connections only.
    private var heavy = KeyedHeap<Int64?, UserOrder>()
    /// The same users by the reading time of the connection that will be light first.
    private var heavyByTime = KeyedHeap<Int64?, Double>()
    private var running: [Int: (reader: StoreReader, start: Instant)] = [:]
    /// The comparisons in the heaps of users who wait no more.
    private var pastComparisons = 0

    /// Creates an empty queue for a number of simultaneous readers.
    init(readers: Int) { self.readers = readers }

    /// The number of reads in progress.
    var runningCount: Int { running.count }

    /// The number of comparisons that the queue has made, by which tests see how its work grows.
    var comparisons: Int {
        waitingOf.values.reduce(pastComparisons) { $0 + $1.comparisons } + light.comparisons + heavy.comparisons
            + heavyByTime.comparisons
    }

    /// Adds a reader with a new ticket, which is greater than all before.
    ///
    /// - Complexity: O(log *n*) for *n* waiting readers, as for each ticket of ``admit(now:)`` and ``leave(_:now:)``.
    mutating func enqueue(_ ticket: Int, _ reader: StoreReader) {
        waiting[ticket] = reader
        lines[reader, default: TicketLine()].append(ticket)
        place(reader)
    }

    /// Starts the read of a new ticket, if nobody waits and it would be admitted at once.
    ///
    /// - Returns: Whether it was started; otherwise nothing has changed.
    /// - Complexity: O(*r*) for *r* readers.
    mutating func start(_ ticket: Int, _ reader: StoreReader, now: Instant) -> Bool {
        guard waiting.isEmpty, running.count < readers else { return false }
        guard !isFull(reader.origin) else { return false }
        if isHeavy(reader, now, now) {
            let heavyUsers = heavyUsers(now)
            guard heavyUsers.count < share, !heavyUsers.contains(reader.origin) else { return false }
        }
        running[ticket] = (reader, now)
        return true
    }

    /// Starts the reads whose turn it is, and returns their tickets.
    mutating func admit(now: Instant) -> [Int] {
        var admitted: [Int] = []
        while !waiting.isEmpty, running.count < readers, let ticket = next(now: now),
            let reader = waiting.removeValue(forKey: ticket)
        {
            running[ticket] = (reader, now)
            admitted.append(ticket)
            place(reader)
        }
        return admitted
    }

    /// Counts the reading time of an admitted ticket from now on.
    mutating func restart(_ ticket: Int, now: Instant) { running[ticket]?.start = now }

    /// Ends the turn of a ticket, or its wait.
    mutating func leave(_ ticket: Int, now: Instant) {
        if let reader = waiting.removeValue(forKey: ticket) { place(reader) }
        guard let (reader, start) = running.removeValue(forKey: ticket) else { return }
        reference = reference ?? now
        users[reader.origin, default: ReadingTime()].add(now - start, at: now)
        connections[reader, default: ReadingTime()].add(now - start, at: now)
        // Those who wait are ordered by their reading time.
        if !waiting.isEmpty { place(reader) }
        guard connections.count > fullness else { return }
        connections = connections.filter { $0.value.seconds(at: now) > Self.heaviness / 10 }
        // As often as the number of connections doubles, so that many busy ones are not looked at with each read.
        fullness = max(Self.remembered, 2 * connections.count)
    }

    private mutating func next(now: Instant) -> Int? {
        let limit = log2(Self.heaviness) + (now - (reference ?? now)).seconds / Self.halfLife
        while let user = heavyByTime.first, user.key <= limit, let order = self.order(of: user.element) {
            heavyByTime.remove(user.element)
            heavy.remove(user.element)
            light.set(user.element, order)
        }
        let fullUsers = running.values.map(\.reader.origin).filter(isFull)
        let heavyUsers = heavyUsers(now)
        let lightest = Self.first(in: &light) { !fullUsers.contains($0) }
        var next = lightest
        if heavyUsers.count < share {
            let heaviest = Self.first(in: &heavy) { !fullUsers.contains($0) && !heavyUsers.contains($0) }
            next = [lightest, heaviest].compactMap(\.self).min()
        }
        return next?.connection.ticket
    }

    /// The reads at once that one user may have, and that heavy connections may have; a single reader serves everyone.
    private var share: Int { max(1, readers - 1) }

    private func isFull(_ user: Int64?) -> Bool { running.values.count { $0.reader.origin == user } >= share }

    /// The users of the heavy connections that read.
    private func heavyUsers(_ now: Instant) -> [Int64?] {
        running.values.filter { isHeavy($0.reader, $0.start, now) }.map(\.reader.origin)
    }

    /// Returns the order of the first user who meets a condition, which at most as many as there are readers do not.
    private static func first(
        in users: inout KeyedHeap<Int64?, UserOrder>, where isIncluded: (Int64?) -> Bool
    ) -> UserOrder? {
        var others: [(element: Int64?, key: UserOrder)] = []
        while let first = users.first, !isIncluded(first.element) {
            others.append(first)
            users.remove(first.element)
        }
        defer { for other in others { users.set(other.element, other.key) } }
        return users.first?.key
    }

    private func isHeavy(_ reader: StoreReader, _ start: Instant, _ now: Instant) -> Bool {
        (connections[reader]?.seconds(at: now) ?? 0) + (now - start).seconds > Self.heaviness
    }

    /// Puts a connection and its user into the heaps, or takes them out if they do not wait.
    private mutating func place(_ reader: StoreReader) {
        let user = reader.origin
        var of = waitingOf.removeValue(forKey: user) ?? KeyedHeap()
        if let ticket = lines[reader]?.first(where: { [waiting] in waiting[$0] != nil }) {
            of.set(reader, ConnectionOrder(weight: weight(connections[reader]), ticket: ticket))
        } else {
            lines[reader] = nil
            of.remove(reader)
        }
        if of.isEmpty { pastComparisons += of.comparisons } else { waitingOf[user] = of }
        light.remove(user)
        guard let order = self.order(of: user) else {
            heavy.remove(user)
            heavyByTime.remove(user)
            return
        }
        // Whoever is not heavy is found out when the next turn is given.
        heavy.set(user, order)
        heavyByTime.set(user, order.connection.weight)
    }

    private func order(of user: Int64?) -> UserOrder? {
        waitingOf[user]?.first.map { UserOrder(weight: weight(users[user]), connection: $0.key) }
    }

    private func weight(_ time: ReadingTime?) -> Double { time?.weight(since: reference) ?? -.infinity }
}

/// A reading time that decays.
private struct ReadingTime {
    private var seconds = 0.0
    private var time: ReadQueue.Instant?

    func seconds(at now: ReadQueue.Instant) -> Double {
        guard let time else { return 0 }
        let age: Double = (now - time).seconds
        return seconds * exp2(-age / ReadQueue.halfLife)
    }

    /// The binary logarithm of what the reading time would be at a fixed instant, by which reading times are compared.
    func weight(since reference: ReadQueue.Instant?) -> Double {
        guard let time, let reference else { return -.infinity }
        return log2(seconds) + (time - reference).seconds / ReadQueue.halfLife
    }

    mutating func add(_ more: Duration, at now: ReadQueue.Instant) {
        // Instants of two threads may come in the wrong order.
        (seconds, time) = (seconds(at: now) + max(0, more.seconds), now)
    }
}

/// The order among the waiting connections of a user.
private struct ConnectionOrder: Comparable {
    var weight: Double
    /// The first ticket of the connection.
    var ticket: Int

    static func < (one: Self, other: Self) -> Bool { (one.weight, one.ticket) < (other.weight, other.ticket) }
}

/// The order among the waiting users.
private struct UserOrder: Comparable {
    var weight: Double
    /// The order of the user's first connection.
    var connection: ConnectionOrder

    static func < (one: Self, other: Self) -> Bool { (one.weight, one.connection) < (other.weight, other.connection) }
}

/// The tickets of one connection, the oldest first.
private struct TicketLine {
    private var tickets: [Int] = []
    private var start = 0

    mutating func append(_ ticket: Int) { tickets.append(ticket) }

    /// Returns the first ticket that meets a condition, and forgets those before it.
    mutating func first(where isIncluded: (Int) -> Bool) -> Int? {
        while start < tickets.count, !isIncluded(tickets[start]) { start += 1 }
        if 2 * start > tickets.count {
            tickets.removeFirst(start)
            start = 0
        }
        return tickets.indices.contains(start) ? tickets[start] : nil
    }
}

extension Duration {
    fileprivate var seconds: Double { self / .seconds(1) }
}
