import Phones
import TestSupport
import Testing
import Time

@Suite struct ReportedTimelineTests {
    private static func never(_: Timestamp) -> Bool { false }

    @Test func fixesAreNewLateOrDuplicate() {
        var timeline = ReportedTimeline(lastAccepted: nil)
        func order(_ seconds: Int64) -> ReportedTimeline.Order {
            timeline.order(of: Timestamp(milliseconds: seconds * 1000), latest: nil, isStored: Self.never)
        }
        #expect(order(100) == .new)
        timeline.record(Timestamp(milliseconds: 100_000), isAccepted: true)
        #expect(order(100) == .duplicate)
        #expect(order(101) == .new)
        #expect(order(99) == .late)
        timeline.record(Timestamp(milliseconds: 99_000), isAccepted: false)
        #expect(order(99) == .duplicate)
        #expect(timeline.lastAccepted == Timestamp(milliseconds: 100_000))
        // What the gate has rejected does not move the timeline, and is known when it comes again.
        timeline.record(Timestamp(milliseconds: 200_000), isAccepted: false)
        #expect(order(200) == .duplicate)
        #expect(order(150) == .new)
    }

    @Test func timesMoreThanADayAheadOfTheClockAreOfTheFuture() {
        let timeline = ReportedTimeline(lastAccepted: nil)
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        let edge = now.advanced(byMilliseconds: 86_400_000)
        let beyond = edge.advanced(byMilliseconds: 1)
        let latest = ReportedTimeline.latest(now: now, isSynchronised: true)
        #expect(timeline.order(of: edge, latest: latest, isStored: Self.never) == .new)
        #expect(timeline.order(of: beyond, latest: latest, isStored: Self.never) == .future)
        #expect(timeline.order(of: beyond, latest: nil, isStored: Self.never) == .new)
        #expect(timeline.order(of: .latest, latest: latest, isStored: Self.never) == .future)
    }

    @Test func aClockThatIsNotSynchronisedMayBeAYearBehind() {
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        let year = now.advanced(byMilliseconds: 366 * 86_400_000)
        #expect(ReportedTimeline.latest(now: now, isSynchronised: false) == year)
        #expect(ReportedTimeline.latest(now: Timestamp(milliseconds: 0), isSynchronised: false) == nil)
    }

    @Test func storeIsAskedForTimesBeforeARestart() {
        let timeline = ReportedTimeline(lastAccepted: Timestamp(milliseconds: 5000))
        #expect(timeline.order(of: Timestamp(milliseconds: 5000), latest: nil, isStored: Self.never) == .duplicate)
        for (milliseconds, expected) in [(4000, ReportedTimeline.Order.duplicate), (3999, .late), (5001, .new)] {
            var asked = 0
            let order = timeline.order(of: Timestamp(milliseconds: Int64(milliseconds)), latest: nil) { time in
                asked += 1
                return time.milliseconds == 4000
            }
            #expect(order == expected)
            #expect(asked == (milliseconds < 5000 ? 1 : 0))
        }
    }

    @Test func errorOfTheStoreIsPassedOn() {
        struct Closed: Error {}
        let timeline = ReportedTimeline(lastAccepted: Timestamp(milliseconds: 5000))
        #expect(throws: Closed.self) {
            try timeline.order(of: Timestamp(milliseconds: 1), latest: nil) { (_) throws(Closed) in throw Closed() }
        }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>) func ordersAgreeWithASetOfAllTimes(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var timeline = ReportedTimeline(lastAccepted: nil)
        var all: Set<Timestamp> = []
        var last: Timestamp?
        var counts: [ReportedTimeline.Order: Int] = [:]
        for step in 0..<6000 {
            let ahead = Int64.random(in: -3000...30, using: &generator)
            let around = ahead < -40 ? Int64(step) : Int64(step) + ahead * 40
            let time = Timestamp(milliseconds: around * 1000)
            let expected: ReportedTimeline.Order =
                all.contains(time) ? .duplicate : last.map { time > $0 } ?? true ? .new : .late
            let order = timeline.order(of: time, latest: nil) { all.contains($0) }
            #expect(order == expected)
            counts[order, default: 0] += 1
            if order == .duplicate { continue }
            let isAccepted = order == .new && Int.random(in: 0..<20, using: &generator) > 0
            timeline.record(time, isAccepted: isAccepted)
            all.insert(time)
            if isAccepted { last = time }
        }
        #expect(counts.keys.count == 3)
    }
}
