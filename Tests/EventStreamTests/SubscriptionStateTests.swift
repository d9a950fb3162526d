import TestSupport
import Testing
import Tracking

@testable import EventStream

@Suite struct SubscriptionStateTests {
    typealias Action = SubscriptionState.Action
    private let start = ContinuousClock.now

    private func policy(queue: Int = 4, page: Int = 3, bytes: Int = 1, cursorCount: Int = 5) -> SubscriptionPolicy {
        var policy = SubscriptionPolicy()
        policy.queueCapacity = queue
        policy.pageSize = page
        policy.batchBytes = bytes
        policy.cursorCount = cursorCount
        return policy
    }

    /// Returns a durable event.
    ///
    /// Every third has a type that the tests' filter excludes.
    private func entry(_ seq: Int64) -> EventRecord {
        EventRecord(seq: seq, type: seq % 3 == 0 ? "out" : "in", line: Array("\(seq)".utf8))
    }

    private func position(_ device: String, _ number: Int) -> EventRecord {
        EventRecord(seq: nil, type: "position", device: device, line: Array("\(device):\(number)".utf8))
    }

    private func state(after: Int64 = 0, newest: Int64 = 0, _ policy: SubscriptionPolicy) -> SubscriptionState {
        SubscriptionState(after: after, newest: newest, policy: policy) { $0.type != "out" }
    }

    private func event(_ text: String) -> Action { .send([.event(Array(text.utf8))]) }

    @Test func aSubscriberThatKeepsUpNeverReadsTheJournal() {
        var state = state(policy())
        for seq in Int64(1)...100 {
            let isAwaited = state.offer([entry(seq)], now: start)
            if seq % 3 != 0 {
                #expect(isAwaited)
                #expect(state.next(now: start) == event("\(seq)"))
            } else if seq % 15 == 0 {
                #expect(state.next(now: start) == .send([.cursor(seq)]))
            }
            if case .wait = state.next(now: start) {} else { Issue.record("not waiting after \(seq)") }
        }
    }

    @Test func aFullQueueIsDroppedAndReadFromTheJournal() {
        var state = state(policy(queue: 4, page: 3, bytes: 100))
        _ = state.offer((1...5).map(entry), now: start)
        #expect(state.queued == 4)
        _ = state.offer([position("a", 1)], now: start)
        #expect(state.queued == 4)
        _ = state.offer([entry(6)], now: start)
        #expect(state.queued == 4 && !state.isCatchingUp)
        _ = state.offer([entry(7), entry(8)], now: start)
        #expect(state.queued == 0 && state.isCatchingUp)
        _ = state.offer([position("a", 2)], now: start)
        #expect(state.next(now: start) == .read(after: 0, limit: 3))
        state.supply([entry(1), entry(2), entry(3)], limit: 3, now: start)
        #expect(state.next(now: start) == .send([.event([0x31]), .event([0x32])]))
        #expect(state.next(now: start) == .read(after: 3, limit: 3))
        state.supply([entry(4), entry(5), entry(6)], limit: 3, now: start)
        _ = state.offer([entry(9)], now: start)
        #expect(state.next(now: start) == .send([.event([0x34]), .event([0x35])]))
        #expect(state.next(now: start) == .read(after: 6, limit: 3))
        state.supply([entry(7), entry(8), entry(9)], limit: 3, now: start)
        #expect(!state.isCatchingUp)
        _ = state.offer([entry(10), position("a", 3)], now: start)
        #expect(
            state.next(now: start)
                == .send(["7", "8", "10", "a:3"].map { .event(Array($0.utf8)) }))
    }

    @Test func onlyTheLatestPositionOfEachDeviceIsQueued() {
        var state = state(policy(queue: 3, bytes: 100))
        for number in 1...1_000 { _ = state.offer([position("a", number), position("b", number)], now: start) }
        _ = state.offer([entry(1), position("a", 1_001), position("c", 1)], now: start)
        #expect(state.queued == 3)
        #expect(state.next(now: start) == .send(["a:1001", "b:1000", "1"].map { .event(Array($0.utf8)) }))
        _ = state.offer([position("a", 1_002)], now: start)
        #expect(state.next(now: start) == event("a:1002"))
        #expect(state.next(now: start) == .wait(until: nil))
    }

    @Test func aCursorIsSentAfterManyExcludedEventsOrAnInterval() {
        var state = state(policy(queue: 100, cursorCount: 5))
        let out = (1...20).map { EventRecord(seq: $0, type: "out", line: []) }
        _ = state.offer([out[0]], now: start)
        #expect(state.next(now: start) == .wait(until: start + .seconds(60)))
        let isAwaited = state.offer([out[1]], now: start + .seconds(30))
        #expect(!isAwaited)
        #expect(state.next(now: start + .seconds(59)) == .wait(until: start + .seconds(60)))
        #expect(state.next(now: start + .seconds(60)) == .send([.cursor(2)]))
        #expect(state.next(now: start + .seconds(1_000)) == .wait(until: nil))
        let isAwaitedNow = state.offer(Array(out[2...6]), now: start)
        #expect(isAwaitedNow)
        #expect(state.next(now: start) == .send([.cursor(7)]))
        // An event after the excluded ones makes a cursor unnecessary.
        _ = state.offer([out[7], EventRecord(seq: 9, type: "in", line: [0x39])], now: start)
        #expect(state.next(now: start) == event("9"))
        #expect(state.next(now: start + .seconds(60)) == .wait(until: nil))
        // An event before the excluded ones does not.
        _ = state.offer([EventRecord(seq: 10, type: "in", line: [0x39]), out[10]], now: start)
        #expect(state.next(now: start + .seconds(60)) == event("9"))
        #expect(state.next(now: start + .seconds(60)) == .send([.cursor(11)]))
    }

    @Test func eventsThatWereNeverOfferedAreReadFromTheJournal() {
        var state = state(after: 5, newest: 5, policy())
        _ = state.offer([entry(8)], now: start)
        #expect(state.next(now: start) == .read(after: 5, limit: 3))
        state.supply([entry(6), entry(7), entry(8)], limit: 3, now: start)
        _ = state.offer([entry(7), entry(8)], now: start)
        #expect(state.next(now: start) == event("7"))
        #expect(state.next(now: start) == event("8"))
        #expect(state.next(now: start) == .wait(until: start + .seconds(60)))
    }

    @Test(arguments: [[], [2, 3, 4], [1, 3, 4], [1, 2]] as [[Int64]])
    func aSubscriberIsLostWhenTheJournalLacksTheNextEvents(page: [Int64]) {
        var state = state(after: 0, newest: 10, policy())
        #expect(state.next(now: start) == .read(after: 0, limit: 3))
        state.supply(page.map(entry), limit: 3, now: start)
        var step = state.next(now: start)
        while case .send = step { step = state.next(now: start) }
        #expect(step == .lost)
    }

    @Test func aSubscriberStepsPastDamagedEvents() {
        var state = SubscriptionState(after: 0, newest: 1 << 50, policy: policy(bytes: 100)) { !$0.isDamaged }
        #expect(state.next(now: start) == .read(after: 0, limit: 3))
        state.supply([entry(1), .damaged(1 << 50 - 1, since: 2), entry(1 << 50)], limit: 3, now: start)
        #expect(state.next(now: start) == .send([.event(Array("1".utf8)), .event(Array("\(1 << 50)".utf8))]))
    }

    /// What is damaged does not hide that the log was trimmed past the subscriber.
    @Test(arguments: [.damaged(5), .damaged(5, since: 3)] as [EventRecord])
    func aSubscriberIsLostAlsoWhenTheNextEventLeftIsDamaged(event: EventRecord) {
        var state = SubscriptionState(after: 1, newest: 6, policy: policy(bytes: 100)) { !$0.isDamaged }
        #expect(state.next(now: start) == .read(after: 1, limit: 3))
        state.supply([event, entry(6)], limit: 3, now: start)
        #expect(state.next(now: start) == .lost)
    }

    @Test func drainingSendsQueuedEventsAndEndingDoesNot() {
        var draining = state(policy(bytes: 1))
        _ = draining.offer([entry(1), entry(2)], now: start)
        draining.drain()
        let isAwaited = draining.offer([entry(4)], now: start)
        #expect(!isAwaited)
        #expect(
            [draining.next(now: start), draining.next(now: start), draining.next(now: start)]
                == [event("1"), event("2"), .end])
        var ending = state(policy())
        _ = ending.offer([entry(1)], now: start)
        ending.end()
        #expect(ending.next(now: start) == .end)
    }

    /// Publishes, reads the journal and reads at changing speed in random order, and compares what is sent.
    @Test(arguments: 1...60)
    func everyMatchingDurableEventIsSentOnceAndInOrder(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let policy = policy(
            queue: Int.random(in: 1...12, using: &generator), page: Int.random(in: 1...7, using: &generator),
            bytes: Int.random(in: 1...9, using: &generator), cursorCount: Int.random(in: 1...9, using: &generator))
        let begin = Int64.random(in: 0...30, using: &generator)
        var journal = (1...30).map { entry(Int64($0)) }
        var published = Int.random(in: Int(begin)...30, using: &generator)
        let after = Int64.random(in: 0...begin, using: &generator)
        var state = state(after: after, newest: Int64(published), policy)
        var now = start
        var pendingPage: (entries: [EventRecord], limit: Int)?
        var sent: [Int64] = []
        var told = after
        var positionsOffered: Set<String> = []
        let speed = Double.random(in: 0.05...1, using: &generator)

        /// Returns the numbers of the events after the cursor that the filter lets through, up to one.
        func matching(upTo last: Int64) -> [Int64] {
            var numbers: [Int64] = []
            for seq in after..<last where (seq + 1) % 3 != 0 { numbers.append(seq + 1) }
            return numbers
        }

        func tell(_ messages: [SubscriptionState.Message]) {
            for message in messages {
                switch message {
                case .event(let line):
                    let text = String(decoding: line, as: UTF8.self)
                    if let seq = Int64(text) {
                        #expect(seq > told, "seed \(seed)")
                        sent.append(seq)
                        told = seq
                    } else {
                        #expect(positionsOffered.contains(text), "seed \(seed)")
                    }
                case .cursor(let seq):
                    #expect(seq > told, "seed \(seed)")
                    #expect(sent == matching(upTo: seq), "seed \(seed)")
                    told = seq
                }
            }
        }

        /// Offers a single event in one of the two ways, which must lead to the same.
        func offer(_ single: EventRecord) {
            var queueing = state
            let isChanged = queueing.offer([single], now: now)
            guard Bool.random(using: &generator) else { return state = queueing }
            switch state.offer(single, now: now) {
            case .line(let line):
                #expect(isChanged && queueing.next(now: now) == .send([.event(line)]), "seed \(seed)")
                tell([.event(line)])
            case .change: #expect(isChanged, "seed \(seed)")
            case .nothing: #expect(!isChanged, "seed \(seed)")
            }
            var (here, there) = (state, queueing)
            #expect(here.next(now: now) == there.next(now: now), "seed \(seed)")
        }

        func read() -> Bool {
            if let page = pendingPage {
                pendingPage = nil
                state.supply(page.entries, limit: page.limit, now: now)
            }
            switch state.next(now: now) {
            case .send(let messages):
                tell(messages)
                return true
            case .read(let seq, let limit):
                pendingPage = (Array(journal.dropFirst(Int(seq)).prefix(limit)), limit)
                return true
            case .wait, .end, .lost: return false
            }
        }

        for _ in 0..<400 {
            if Double.random(in: 0...1, using: &generator) < speed {
                _ = read()
            } else {
                switch Int.random(in: 0..<5, using: &generator) {
                case 0, 1:
                    for _ in 0..<Int.random(in: 1...6, using: &generator) {
                        journal.append(entry(Int64(journal.count + 1)))
                    }
                case 2, 3:
                    let count = Int.random(in: 0...(journal.count - published), using: &generator)
                    // From time to time a committed batch is never published.
                    if Int.random(in: 0..<12, using: &generator) > 0 {
                        let batch = journal[published..<published + count]
                        if count == 1, let single = batch.first {
                            offer(single)
                        } else {
                            _ = state.offer(Array(batch), now: now)
                        }
                    }
                    published += count
                default:
                    let position = position(["a", "b"].randomElement(using: &generator) ?? "", journal.count)
                    if !state.isCatchingUp { positionsOffered.insert(String(decoding: position.line, as: UTF8.self)) }
                    offer(position)
                    now += .seconds(Int.random(in: 0...20, using: &generator))
                }
            }
            #expect(state.queued <= max(policy.queueCapacity, policy.pageSize), "seed \(seed)")
        }
        journal.append(entry(Int64(journal.count + 1)))
        _ = state.offer(Array(journal[published...]), now: now)
        while read() {}
        now += .seconds(60)
        while read() {}
        let last = Int64(journal.count)
        #expect(sent == matching(upTo: last), "seed \(seed)")
        #expect(told == last, "seed \(seed)")
    }
}
