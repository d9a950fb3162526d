import Foundation
import TestSupport
import Testing

@testable import Store

@Suite struct ReadQueueTests {
    private var queue = ReadQueue(readers: 3)
    private var now = ContinuousClock.now
    private var tickets = 0

    private mutating func enqueue(_ origin: Int64, _ connection: Int) -> Int {
        tickets += 1
        queue.enqueue(tickets, StoreReader(origin: origin, connection: connection))
        return tickets
    }

    /// Reads alone for `time`.
    private mutating func read(_ user: Int64, _ connection: Int, for time: Duration) {
        let ticket = enqueue(user, connection)
        #expect(queue.admit(now: now) == [ticket])
        now += time
        queue.leave(ticket, now: now)
    }

    @Test mutating func oneUserNeverHasAllReaders() {
        let first = (1...5).map { enqueue(1_000, $0) }
        #expect(queue.admit(now: now) == Array(first[..<2]))
        #expect(queue.admit(now: now).isEmpty)
        let other = enqueue(1_001, 6)
        #expect(queue.admit(now: now) == [other])
        queue.leave(first[1], now: now)
        #expect(queue.admit(now: now) == [first[2]])
    }

    @Test mutating func theConnectionThatHasReadLeastComesFirst() {
        read(1_000, 1, for: .milliseconds(50))
        read(1_001, 2, for: .milliseconds(10))
        let tickets = [enqueue(1_000, 1), enqueue(1_001, 2), enqueue(1_002, 3), enqueue(1_000, 4)]
        #expect(queue.admit(now: now) == [tickets[2], tickets[1], tickets[3]])
    }

    @Test mutating func lightConnectionsPassHeavyOnesWhichTakeTurns() {
        for connection in 1...4 { read(1_000, connection, for: .seconds(1)) }
        var connections: [Int: Int] = [:]
        for connection in 1...4 { connections[enqueue(1_000, connection)] = connection }
        var served: [Int: Int] = [:]
        for _ in 0..<40 {
            let admitted = queue.admit(now: now)
            #expect(admitted.count == 1)
            // A connection that reads little is served at once, however many others wait.
            let good = enqueue(1_000, 7)
            #expect(queue.admit(now: now) == [good])
            queue.leave(good, now: now)
            now += .milliseconds(200)
            for ticket in admitted {
                queue.leave(ticket, now: now)
                guard let connection = connections[ticket] else { continue }
                served[connection, default: 0] += 1
                connections[enqueue(1_000, connection)] = connection
            }
        }
        #expect((1...4).allSatisfy { (8...12).contains(served[$0] ?? 0) }, "\(served)")
    }

    @Test mutating func manyShortReadsPassFewLongOnes() {
        for connection in 1...2 { read(1_000, connection, for: .seconds(5)) }
        for _ in 0..<40 { read(1_000, 3, for: .milliseconds(20)) }
        let heavy = [enqueue(1_000, 1), enqueue(1_000, 2)]
        let often = enqueue(1_000, 3)
        #expect(queue.admit(now: now) == [often])
        queue.leave(often, now: now)
        #expect(queue.admit(now: now) == [heavy[0]])
    }

    @Test mutating func heavyConnectionsLeaveOneReaderFree() {
        for user in 1_000...1_003 as ClosedRange<Int64> { read(user, Int(user), for: .seconds(1)) }
        let heavy = (1_000...1_003 as ClosedRange<Int64>).map { enqueue($0, Int($0)) }
        let admitted = queue.admit(now: now)
        #expect(admitted.count == 2 && Set(admitted).isSubset(of: heavy))
        let good = enqueue(1_000, 9)
        #expect(queue.admit(now: now) == [good])
    }

    @Test mutating func aRunningReadMakesItsConnectionHeavy() {
        let long = enqueue(1_000, 1)
        #expect(queue.admit(now: now) == [long])
        read(1_000, 2, for: .seconds(1))
        _ = enqueue(1_000, 2)
        #expect(queue.admit(now: now).isEmpty)
        queue.leave(long, now: now)
        #expect(queue.admit(now: now).count == 1)
    }

    @Test mutating func pastReadsStopCountingAfterAWhile() {
        for connection in 1...2 { read(1_000, connection, for: .seconds(1)) }
        now += .seconds(60)
        let tickets = [enqueue(1_000, 1), enqueue(1_000, 2)]
        #expect(queue.admit(now: now) == tickets)
    }

    @Test mutating func aReaderThatLeavesTheQueueIsNotAdmitted() {
        let tickets = (1...4).map { enqueue(1_000, $0) }
        queue.leave(tickets[0], now: now)
        #expect(queue.admit(now: now) == [tickets[1], tickets[2]])
        queue.leave(tickets[1], now: now)
        queue.leave(tickets[2], now: now)
        #expect(queue.admit(now: now) == [tickets[3]])
        #expect(queue.runningCount == 1)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    mutating func theOrderIsThatOfWeighingEveryReader(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let readers = Int.random(in: 1...4, using: &random)
        queue = ReadQueue(readers: readers)
        var simple = SimpleQueue(readers: readers)
        var open: Set<Int> = []
        var startedAlone = 0
        for _ in 0..<2_000 {
            switch Int.random(in: 0...4, using: &random) {
            case 0...1:
                let origin = Int64.random(in: 1_000...1_005, using: &random)
                let reader = StoreReader(origin: origin, connection: Int.random(in: 1...3, using: &random))
                tickets += 1
                open.insert(tickets)
                if Bool.random(using: &random) {
                    let starts = simple.starts(tickets, reader, now: now)
                    let isStarted = queue.start(tickets, reader, now: now)
                    #expect(isStarted == starts)
                    startedAlone += isStarted ? 1 : 0
                    if !isStarted { queue.enqueue(tickets, reader) }
                } else {
                    queue.enqueue(tickets, reader)
                }
                let isRunning = queue.runningCount > simple.running.count
                simple.waiting[tickets] = reader
                if isRunning { #expect(simple.admit(now: now) == [tickets]) }
            case 2...3:
                guard let ticket = open.sorted().randomElement(using: &random) else { continue }
                open.remove(ticket)
                queue.leave(ticket, now: now)
                simple.leave(ticket, now: now)
            default: now += .milliseconds(Int.random(in: 0...400, using: &random))
            }
            let admitted = queue.admit(now: now)
            #expect(admitted == simple.admit(now: now))
        }
        #expect(queue.runningCount == simple.running.count)
        #expect(startedAlone > 0)
    }

    @Test mutating func aTurnCostsNearlyTheSameAmongMoreReaders() {
        func comparisons(_ count: Int) -> Int {
            var (queue, now, ticket) = (ReadQueue(readers: 3), now, 0)
            func line(_ number: Int) {
                ticket += 1
                queue.enqueue(ticket, StoreReader(origin: Int64(1_000 + number % 50), connection: number))
            }
            var numbers: [Int: Int] = [:]
            for number in 0..<count {
                line(number)
                numbers[ticket] = number
            }
            var running = queue.admit(now: now)
            let before = queue.comparisons
            for _ in 0..<1_000 {
                now += .microseconds(100)
                let done = running.removeFirst()
                queue.leave(done, now: now)
                line(numbers[done] ?? 0)
                numbers[ticket] = numbers[done]
                running += queue.admit(now: now)
            }
            return queue.comparisons - before
        }
        let costs = [comparisons(250), comparisons(1_000)]
        // The logarithm of 1,000 is 1.25 times that of 250.
        #expect(costs[1] <= costs[0] * 3 / 2, "\(costs)")
    }
}

/// The same order by weighing every waiting reader for each turn.
private struct SimpleQueue {
    typealias Usage = (seconds: Double, time: ContinuousClock.Instant)

    let readers: Int
    var waiting: [Int: StoreReader] = [:]
    var running: [Int: (reader: StoreReader, start: ContinuousClock.Instant)] = [:]
    private var users: [Int64?: Usage] = [:]
    private var connections: [StoreReader: Usage] = [:]

    init(readers: Int) { self.readers = readers }

    private func seconds(_ usage: Usage?, _ now: ContinuousClock.Instant) -> Double {
        usage.map { $0.seconds * exp2(-((now - $0.time) / .seconds(1)) / ReadQueue.halfLife) } ?? 0
    }

    /// Whether a read that joins the queue now would begin before any other.
    func starts(_ ticket: Int, _ reader: StoreReader, now: ContinuousClock.Instant) -> Bool {
        var joined = self
        joined.waiting[ticket] = reader
        return waiting.isEmpty && joined.admit(now: now) == [ticket]
    }

    mutating func leave(_ ticket: Int, now: ContinuousClock.Instant) {
        waiting[ticket] = nil
        guard let (reader, start) = running.removeValue(forKey: ticket) else { return }
        let more = (now - start) / .seconds(1)
        users[reader.origin] = (seconds(users[reader.origin], now) + more, now)
        connections[reader] = (seconds(connections[reader], now) + more, now)
    }

    mutating func admit(now: ContinuousClock.Instant) -> [Int] {
        var admitted: [Int] = []
        while running.count < readers, let ticket = next(now) {
            running[ticket] = (waiting.removeValue(forKey: ticket).known, now)
            admitted.append(ticket)
        }
        return admitted
    }

    private func next(_ now: ContinuousClock.Instant) -> Int? {
        let share = max(1, readers - 1)
        let heavy = running.values.filter {
            seconds(connections[$0.reader], now) + (now - $0.start) / .seconds(1) > ReadQueue.heaviness
        }
        return waiting.filter { _, reader in
            let isLight = seconds(connections[reader], now) <= ReadQueue.heaviness
            return running.values.count { $0.reader.origin == reader.origin } < share
                && (isLight || heavy.count < share && !heavy.contains { $0.reader.origin == reader.origin })
        }
        .map { (seconds(users[$1.origin], now), seconds(connections[$1], now), $0) }.min { $0 < $1 }?.2
    }
}
