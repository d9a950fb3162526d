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
}
