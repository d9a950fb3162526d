public import GRDB
public import Time

/// What a device travelled in a period, as the sum of its trips that have ended.
public struct TravelSum: Hashable, Sendable {
    /// A kind of period.
    public enum Period: String, Hashable, Sendable, CaseIterable {
        /// A local day.
        case day
        /// A week from Monday to Sunday.
        case week
        /// A month of the calendar.
        case month
        /// A year of the calendar.
        case year
        /// All days together.
        case all
    }

    /// The name of the device.
    public var device: String
    /// The first day of the period.
    public var start: CalendarDate
    /// The last day of the period.
    public var end: CalendarDate
    /// The number of trips that began in the period.
    public var trips: Int64 = 0
    /// Metres.
    public var distance = 0.0
    /// Seconds on trips outside of stops.
    public var moving = 0.0
    /// Seconds in stops on trips.
    public var stopped = 0.0
    /// The number of stops on trips.
    public var stops: Int64 = 0
    /// The greatest speed in metres a second; `nil` if none is known.
    public var maximumSpeed: Double?
    /// The first moment of movement; `nil` if the device only stood.
    public var first: Timestamp?
    /// The last moment of movement; `nil` if the device only stood.
    public var last: Timestamp?
    /// Metres of trips for each purpose of the logbook.
    public var distances: [TripLog.Purpose: Double] = [:]

    /// The filters and the limit of a list of sums.
    public struct Query: Hashable, Sendable {
        /// The kind of period.
        public var period: Period
        /// The device; `nil` for all devices.
        public var device: String?
        /// The only trips that are added up; `nil` for all trips.
        public var scope: TravelScope?
        /// The first day; `nil` for the earliest.
        public var from: CalendarDate?
        /// The last day; `nil` for the latest.
        public var to: CalendarDate?
        /// Only sums after this one, in the order of the list.
        public var after: Mark?
        /// The most sums to list.
        public var limit: Int

        /// Creates a query; the default lists all sums of all devices.
        public init(
            _ period: Period, device: String? = nil, among scope: TravelScope? = nil, from: CalendarDate? = nil,
            to: CalendarDate? = nil, after: Mark? = nil, limit: Int = .max
        ) {
            self.period = period
            self.device = device
            self.scope = scope
            self.from = from
            self.to = to
            self.after = after
            self.limit = limit
        }
    }

    /// A sum's place in a list, by the start of its period, the latest first, and then by device.
    public struct Mark: Hashable, Sendable {
        /// The first day of the period.
        public var start: CalendarDate
        /// The name of the device.
        public var device: String

        /// Creates the mark of a sum.
        public init(start: CalendarDate, device: String) {
            self.start = start
            self.device = device
        }
    }
}

extension TripSums {
    /// Returns the sums that match a query, the latest period first, and by device within a period.
    ///
    /// A period at either end of the query covers only the days within it.
    ///
    /// - Complexity: O(*n*) for *n* days of devices and of trips that the scope has beside its devices.
    public static func list(_ query: TravelSum.Query, in db: Database) throws -> [TravelSum] {
        let names = try Devices.names(in: db)
        let single = try TravelScope.SingleTrips(query.scope, in: db)
        let kept = """
            SELECT day, device, trips, distance_cm, moving_ms, stopped_ms, stops, max_speed_cmps, first, last,
                business_cm, private_cm, commute_cm
            FROM day_sum WHERE day >= ?1 AND day <= ?2
            """
        let days = try DirectStatement(
            single.isEmpty
                ? "\(kept) ORDER BY day DESC"
                : """
                SELECT * FROM (
                    \(kept) AND device IN (
                        SELECT number FROM device WHERE name IN (SELECT seen.value FROM json_each(?3) AS seen))
                    UNION ALL
                    \(StoreMigration.total)
                    WHERE trip_day.trip IN (SELECT driven.value FROM json_each(?4) AS driven)
                        AND day >= ?1 AND day <= ?2
                    GROUP BY day, device)
                ORDER BY day DESC
                """, isList: true, in: db)
        if !single.isEmpty, let scope = query.scope {
            try days.bind(TravelScope.list(scope.devices), at: 3)
            try days.bind(single.list, at: 4)
        }
        try days.bind(query.from?.daysSinceEpoch ?? .min, at: 1)
        // The period of the mark is read again, because other devices may follow in it.
        let latest = query.after.map { query.period.days(of: $0.start.daysSinceEpoch).upperBound } ?? .max
        try days.bind(min(query.to?.daysSinceEpoch ?? .max, latest), at: 2)
        var (sums, open): ([TravelSum], [Int64: TravelSum]) = ([], [:])
        var period: ClosedRange<Int64>?
        while try days.step() {
            guard let day = days.integer(0), let device = days.integer(1), let name = names[device],
                query.device == nil || query.device == name,
                !single.isEmpty || query.scope?.devices.contains(name) ?? true
            else { continue }
            if period?.contains(day) != true {
                sums += query.page(of: open)
                open = [:]
                if sums.count >= query.limit { break }
                period = query.period.days(of: day)
            }
            let date = CalendarDate(daysSinceEpoch: day)
            var sum = open[device] ?? query.sum(of: name, around: date)
            sum.add(days.row, on: date, of: query)
            open[device] = sum
        }
        sums += query.page(of: open)
        return Array(sums.prefix(query.limit))
    }
}

extension TravelSum.Query {
    /// Returns an empty sum for the period of a day.
    fileprivate func sum(of device: String, around day: CalendarDate) -> TravelSum {
        guard period != .all else { return TravelSum(device: device, start: from ?? day, end: to ?? day) }
        let days = period.days(of: day.daysSinceEpoch)
        return TravelSum(
            device: device,
            start: CalendarDate(daysSinceEpoch: max(days.lowerBound, from?.daysSinceEpoch ?? .min)),
            end: CalendarDate(daysSinceEpoch: min(days.upperBound, to?.daysSinceEpoch ?? .max)))
    }

    /// Returns the sums of a period that come after the mark, by device.
    fileprivate func page(of sums: [Int64: TravelSum]) -> [TravelSum] {
        sums.values.filter { sum in
            guard let after else { return true }
            let (period, last) = (firstDay(of: sum.start), firstDay(of: after.start))
            return period < last || period == last && sum.device > after.device
        }.sorted { $0.device < $1.device }
    }

    private func firstDay(of day: CalendarDate) -> Int64 { period.days(of: day.daysSinceEpoch).lowerBound }
}

extension TravelSum.Period {
    /// Returns the days of the period that contains a day, in days since 1970-01-01.
    fileprivate func days(of day: Int64) -> ClosedRange<Int64> {
        switch self {
        case .day: return day...day
        case .week:
            // 1970-01-01 was a Thursday.
            let past = ((day + 3) % 7 + 7) % 7
            return day - past...day - past + 6
        case .month, .year:
            let (year, month, _) = CalendarDate(daysSinceEpoch: day).components
            let isYear = self == .year
            let next = isYear || month == 12 ? (year + 1, 1) : (year, month + 1)
            guard let first = CalendarDate(year: year, month: isYear ? 1 : month, day: 1)?.daysSinceEpoch,
                let after = CalendarDate(year: next.0, month: next.1, day: 1)?.daysSinceEpoch, first < after
            else { return day...day }
            return first...after - 1
        case .all: return .min ... .max
        }
    }
}

extension TravelSum {
    /// Adds a row of `day_sum`; the rows come with the latest day first.
    fileprivate mutating func add(_ row: CurrentRow, on day: CalendarDate, of query: Query) {
        func amount(_ column: Int32, _ unit: Double) -> Double { Double(row.integer(column) ?? 0) / unit }
        if query.period == .all, query.from == nil { start = day }
        trips = trips &+ (row.integer(2) ?? 0)
        distance += amount(3, 100)
        moving += amount(4, 1000)
        stopped += amount(5, 1000)
        stops = stops &+ (row.integer(6) ?? 0)
        if let speed = row.integer(7) { maximumSpeed = max(maximumSpeed ?? 0, Double(speed) / 100) }
        if let time = row.integer(8) { first = Timestamp(milliseconds: time) }
        if last == nil { last = row.integer(9).map { Timestamp(milliseconds: $0) } }
        for (purpose, column): (TripLog.Purpose, Int32) in [(.business, 10), (.personal, 11), (.commute, 12)] {
            let meters = amount(column, 100)
            if meters > 0 { distances[purpose, default: 0] += meters }
        }
    }
}
