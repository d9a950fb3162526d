import Time

/// An item of an itinerary.
protocol Planned {
    /// The planned beginning; `nil` if it is unknown.
    var start: PlannedTime? { get }
    /// The planned end; `nil` if it is unknown.
    var end: PlannedTime? { get }
}

/// An itinerary, grouped by day.
struct Days<Item: Planned> {
    /// A day with the items that begin on it.
    struct Day {
        /// The day by the clocks of the items' places; `nil` for items without a time.
        var date: CalendarDate?
        /// The items in order of their beginning; items that take the whole day come first.
        var items: [Item]
    }

    /// The days that have items, in order; the one for items without a time comes last.
    let days: [Day]

    /// Groups items by the day on which they begin by the clocks of their places; each item appears once.
    ///
    /// Items that begin at the same moment keep their order. An item without a beginning counts by its end.
    init(_ items: [Item]) {
        // Items are large, so their indices are sorted instead.
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
    /// The number of days from the day of the beginning to the day of the end, by the clocks of both places.
    ///
    /// It is 1 for the next day, and 0 if the beginning or the end is unknown.
    var laterDays: Int64 {
        guard let start, let end else { return 0 }
        return max(0, end.resolve().clock.date.daysSinceEpoch - start.resolve().clock.date.daysSinceEpoch)
    }

    /// The end in words, as seen from the day of the beginning: `until 02:10 next day`.
    ///
    /// It is `nil` if there is no end, or if the end is the whole day of the beginning.
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
