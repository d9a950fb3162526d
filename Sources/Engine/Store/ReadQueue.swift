import Glibc

/// The order in which readers of the store take their turns, as pure logic without a clock, a lock or a store.
///
/// The user who has read least recently comes first, by time spent reading; among that user's connections, the one that
/// has read least does. One user never occupies all readers. A connection that has recently read for long is heavy. A
/// user's heavy connections read one at a time, and all heavy connections together leave one reader to the others.
struct ReadQueue {
    typealias Instant = ContinuousClock.Instant

    /// The recent reading time, in seconds, above which a connection is heavy: hundreds of ordinary reads.
    static let heaviness = 0.5
    /// The seconds after which past reading time counts half.
    static let halfLife = 5.0
    /// The number of connections above which those with little recent reading time are forgotten.
    private static let remembered = 1_024

    /// A reading time that decays.
    private struct Usage {
        var seconds = 0.0
        var time: Instant?

        func seconds(at now: Instant) -> Double {
            guard let time else { return 0 }
            let age: Double = (now - time).seconds
            return seconds * exp2(-age / ReadQueue.halfLife)
        }

        mutating func add(_ more: Duration, at now: Instant) {
            self = Usage(seconds: seconds(at: now) + more.seconds, time: now)
        }
    }

    private let readers: Int
    private var users: [Int64?: Usage] = [:]
    private var connections: [StoreReader: Usage] = [:]
    private var waiting: [Int: StoreReader] = [:]
    private var running: [Int: (reader: StoreReader, start: Instant)] = [:]

    /// Creates an empty queue for a number of simultaneous readers.
    init(readers: Int) { self.readers = readers }

    /// The number of reads in progress.
    var runningCount: Int { running.count }

    /// Adds a reader with a new ticket, which is greater than all before.
    mutating func enqueue(_ ticket: Int, _ reader: StoreReader) { waiting[ticket] = reader }

    /// Starts the reads whose turn it is, and returns their tickets.
    ///
    /// - Complexity: O(*n*) for each ticket, for *n* waiting readers.
    mutating func admit(now: Instant) -> [Int] {
        var admitted: [Int] = []
        while running.count < readers, let ticket = next(now: now), let reader = waiting.removeValue(forKey: ticket) {
            running[ticket] = (reader, now)
            admitted.append(ticket)
        }
        return admitted
    }

    /// Ends the turn of a ticket, or its wait.
    mutating func leave(_ ticket: Int, now: Instant) {
        waiting[ticket] = nil
        guard let (reader, start) = running.removeValue(forKey: ticket) else { return }
        users[reader.origin, default: Usage()].add(now - start, at: now)
        connections[reader, default: Usage()].add(now - start, at: now)
        guard connections.count > Self.remembered else { return }
        connections = connections.filter { $0.value.seconds(at: now) > Self.heaviness / 10 }
    }

    private func next(now: Instant) -> Int? {
        // A single reader serves everyone.
        let share = max(1, readers - 1)
        let heavy = running.values.filter { seconds($0.reader, now) + (now - $0.start).seconds > Self.heaviness }
        var next: Int?
        var least = (Double.infinity, Double.infinity, 0)
        for (ticket, reader) in waiting {
            let seconds = seconds(reader, now)
            let order = (users[reader.origin]?.seconds(at: now) ?? 0, seconds, ticket)
            guard order < least, running.values.count(where: { $0.reader.origin == reader.origin }) < share else {
                continue
            }
            let mayBeHeavy = heavy.count < share && !heavy.contains { $0.reader.origin == reader.origin }
            guard seconds <= Self.heaviness || mayBeHeavy else { continue }
            (next, least) = (ticket, order)
        }
        return next
    }

    private func seconds(_ reader: StoreReader, _ now: Instant) -> Double {
        connections[reader]?.seconds(at: now) ?? 0
    }
}

extension Duration {
    fileprivate var seconds: Double { self / .seconds(1) }
}
