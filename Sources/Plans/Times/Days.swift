import Positioning

/// What has a place in an itinerary.
protocol Planned {
    /// When it begins; nil where nobody has said.
    var start: PlannedTime? { get }
    /// When it ends; nil where nobody has said.
    var end: PlannedTime? { get }
}

/// An itinerary day by day.
struct Days<Item: Planned> {
    /// A day with what begins on it.
    struct Day {
        /// The day by the clocks of the places; nil for what has no time.
        var date: CalendarDate?
        /// In the order in which they begin; those of the whole day first.
        var items: [Item]
    }

    /// The days that have items, in order; that of items without a time last.
    let days: [Day]

    /// Puts each item under the day on which it begins by the clocks of its place, once.
    ///
    /// Items that begin at the same moment stay in the order given.
    init(_ items: [Item]) {
        // Items are large, so that their places are sorted instead.
        var days: [CalendarDate: [(index: Int, time: Timestamp)]] = [:]
        var timeless: [Item] = []
        for (index, item) in items.enumerated() {
            guard let start = item.start ?? item.end else {
                timeless.append(item)
                continue
            }
            let resolution = start.resolve()
            let isWholeDay = start.clock.minute == nil
            days[resolution.clock.date, default: []].append((index, isWholeDay ? .earliest : resolution.time))
        }
        var sorted = days.sorted { $0.key < $1.key }.map { date, places in
            Day(
                date: date,
                items: places.sorted { ($0.time, $0.index) < ($1.time, $1.index) }.map { items[$0.index] })
        }
        if !timeless.isEmpty { sorted.append(Day(date: nil, items: timeless)) }
        self.days = sorted
    }
}

extension Planned {
    /// On how many later a day it ends than it begins, by the clocks of both places: 1 for the next day.
    var laterDays: Int64 {
        guard let start, let end else { return 0 }
        return max(0, end.resolve().clock.date.daysSinceEpoch - start.resolve().clock.date.daysSinceEpoch)
    }

    /// Until when, as people say it on the day it begins: `until 02:10 next day`; nil where there is no end.
    var until: String? {
        guard let end else { return nil }
        let clock = end.resolve().clock
        switch (laterDays, clock.time) {
        case (0, nil): return nil
        case (0, let time?): return "until \(time)"
        case (1, let time): return "until \(time.map { "\($0) " } ?? "")next day"
        case (_, let time): return "until \(time.map { "\($0) on " } ?? "")\(clock.date.text)"
        }
    }
}
