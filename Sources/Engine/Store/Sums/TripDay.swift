import GRDB
import Geodesy
import Positioning
import Time
import Tracking

/// What a trip that has ended adds to one local day.
struct TripDay: Hashable, Sendable {
    /// The day, in days since 1970-01-01.
    var day: Int64
    /// 1 on the day on which the trip began, and 0 on later ones.
    var trips: Int64
    /// Centimetres.
    var distance: Int64
    /// Milliseconds.
    var moving: Int64
    /// Milliseconds.
    var stopped: Int64
    var stops: Int64
    /// Centimetres a second; `nil` if it is unknown.
    var maximumSpeed: Int64?
    /// The first and the last moment of movement; `nil` if the device only stood on that day.
    var first: Timestamp?
    var last: Timestamp?

    /// The most days over which a trip is divided.
    ///
    /// Only a wrong date makes a longer one, which counts on the day on which it began alone.
    static let maximumDays: Int64 = 366

    /// Returns what a trip adds to each local day that it touches.
    ///
    /// A trip within a day adds its numbers. One over midnight is divided: its distance by the points of its trace, a
    /// leg over midnight by time; its standing time by the stops; its moving time by the time that is neither in stops
    /// nor across gaps. The shares add up to the trip's numbers. Each day has the greatest speed of its own points, and
    /// one of them that of the trip. Without points, everything is divided by time.
    static func all(of trip: TripSummary, _ days: LocalDays, in db: Database) throws -> [TripDay] {
        guard let end = trip.end else { return [] }
        let first = days.day(of: trip.start).daysSinceEpoch
        // A trip that ends at midnight does not touch the day that begins.
        let last = days.day(of: end.advanced(byMilliseconds: -1)).daysSinceEpoch
        guard last > first, last - first < maximumDays else {
            return [
                TripDay(
                    day: first, trips: 1, distance: whole(trip.distance.meters * 100),
                    moving: whole(trip.moving * 1000), stopped: whole(trip.stopped * 1000),
                    stops: Int64(clamping: max(0, trip.stops)),
                    maximumSpeed: trip.maximumSpeed.map { whole($0.metersPerSecond * 100) },
                    first: trip.start, last: end)
            ]
        }
        var division = TripDivision(of: trip, until: end, over: first, last, days)
        for stop in try Travels.stops(on: trip, in: db) { division.add(stop) }
        try Travels.forEachPoint(ofTrip: trip.id, in: db) { fix in
            division.add(fix)
            return true
        }
        return division.shares()
    }

    /// Rounds a number that is not negative; see ``greatest``.
    static func whole(_ value: Double) -> Int64 { Int64(exactly: min(max(value, 0), greatest).rounded()) ?? 0 }

    /// The greatest number that a trip adds to a day.
    ///
    /// It is 10 million kilometres, and 31 years. SQLite can add up nine million of them.
    private static let greatest = 1e12

    func write(ofTrip trip: Int64, device: Int64, in db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO trip_day
                    (trip, day, device, trips, distance_cm, moving_ms, stopped_ms, stops, max_speed_cmps, first, last)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            trip, day, device, trips, distance, moving, stopped, stops, maximumSpeed, first?.milliseconds,
            last?.milliseconds,
        ])
    }
}

/// A trip over midnight, which is being divided between local days.
private struct TripDivision {
    private struct Part {
        let day: Int64
        let start: Timestamp
        let end: Timestamp
        /// The length of the legs, in metres.
        var way = 0.0
        /// Milliseconds in stops, and across gaps outside of them.
        var stopped: Int64 = 0
        var silent: Int64 = 0
        var stops: Int64 = 0
        /// The numbers of the points of this day alone.
        var numbers = TripNumbers()
        /// The first moment outside of stops.
        var first: Timestamp

        func overlap(_ from: Timestamp, _ until: Timestamp) -> Int64 {
            max(0, min(until, end).milliseconds(since: max(from, start)))
        }
    }

    private let trip: TripSummary
    private var parts: [Part]
    private var rests: [(start: Timestamp, end: Timestamp)] = []
    /// The index of the part that has the last point.
    private var index = 0
    /// The number of stops that began before the last point.
    private var passedRests = 0
    /// The end of the last of these.
    private var rested: Timestamp?
    private var before: (time: Timestamp, place: Coordinate)?

    init(of trip: TripSummary, until end: Timestamp, over first: Int64, _ last: Int64, _ days: LocalDays) {
        self.trip = trip
        parts = stride(from: first, through: last, by: 1).map { day in
            let start = max(trip.start, days.begin(of: CalendarDate(daysSinceEpoch: day)))
            let end = min(end, days.begin(of: CalendarDate(daysSinceEpoch: day + 1)))
            return Part(day: day, start: start, end: end, first: start)
        }
    }

    /// Adds a stop on the trip, the earliest first.
    mutating func add(_ stop: StopSummary) {
        guard let end = stop.end else { return }
        rests.append((stop.start, end))
        var isCounted = false
        for index in parts.indices {
            parts[index].stopped += parts[index].overlap(stop.start, end)
            if !isCounted, stop.start < parts[index].end {
                parts[index].stops += 1
                isCounted = true
            }
            if stop.start <= parts[index].first { parts[index].first = max(parts[index].first, end) }
        }
    }

    /// Adds the next point.
    mutating func add(_ fix: Fix) {
        guard let time = fix.time else { return }
        while index < parts.count - 1, time >= parts[index].end { index += 1 }
        if let before {
            if fix.beginsSegment {
                while passedRests < rests.count, rests[passedRests].start < time {
                    rested = rests[passedRests].end
                    passedRests += 1
                }
                spread(from: max(before.time, rested ?? before.time), to: time) { $0.silent = $0.silent + $1 }
            } else {
                let way = Ellipsoid.distance(from: before.place, to: fix.coordinate).meters
                let whole = Double(time.milliseconds(since: before.time))
                spread(from: before.time, to: time) { $0.way += way * Double($1) / whole }
            }
        }
        parts[index].numbers.add(fix, gap: fix.beginsSegment || parts[index].numbers.fixes == 0)
        before = (time, fix.coordinate)
    }

    /// Gives each part its milliseconds of a period that ends in the present part.
    private mutating func spread(from: Timestamp, to: Timestamp, _ add: (inout Part, Int64) -> Void) {
        guard to > from else { return }
        if from >= parts[index].start { return add(&parts[index], to.milliseconds(since: from)) }
        for index in parts.indices {
            let length = parts[index].overlap(from, to)
            if length > 0 { add(&parts[index], length) }
        }
    }

    /// Returns the shares of all days.
    func shares() -> [TripDay] {
        let lengths = parts.map { Double($0.end.milliseconds(since: $0.start)) }
        let moved = zip(parts, lengths).map { max(0, $1 - Double($0.stopped) - Double($0.silent)) }
        let distances = Self.share(TripDay.whole(trip.distance.meters * 100), by: parts.map(\.way), lengths)
        let moving = Self.share(TripDay.whole(trip.moving * 1000), by: moved, lengths)
        let stopped = Self.share(TripDay.whole(trip.stopped * 1000), by: parts.map { Double($0.stopped) }, lengths)
        let (stops, speeds) = (self.stops, self.speeds)
        return parts.indices.map { index in
            let part = parts[index]
            let last = rests.reversed().reduce(part.end) { $1.end >= $0 ? min($0, max($1.start, part.start)) : $0 }
            let hasMoved = part.first < last
            return TripDay(
                day: part.day, trips: index == 0 ? 1 : 0, distance: distances[index], moving: moving[index],
                stopped: stopped[index], stops: stops[index], maximumSpeed: speeds[index],
                first: hasMoved ? part.first : nil, last: hasMoved ? last : nil)
        }
    }

    /// The stops of each day; their sum is that of the trip, which may not count all stops of the device.
    private var stops: [Int64] {
        var stops = parts.map(\.stops)
        var left = Int64(clamping: max(0, trip.stops))
        for index in stops.indices {
            stops[index] = min(stops[index], left)
            left = left - stops[index]
        }
        for index in stops.indices.prefix(1) { stops[index] = stops[index] + left }
        return stops
    }

    /// The greatest speed of each day, in centimetres a second.
    private var speeds: [Int64?] {
        guard let most = trip.maximumSpeed?.metersPerSecond else { return parts.map { _ in nil } }
        var speeds = parts.map { part in part.numbers.maximumSpeed.map { TripDay.whole(min($0, most) * 100) } }
        let fastest = speeds.indices.max { (speeds[$0] ?? -1) < (speeds[$1] ?? -1) } ?? 0
        speeds[fastest] = TripDay.whole(most * 100)
        return speeds
    }

    /// Divides a number in proportion to some weights, or to others if these are all 0; the shares add up to it.
    private static func share(_ total: Int64, by weights: [Double], _ others: [Double]) -> [Int64] {
        let weights = weights.contains { $0 > 0 } ? weights : others
        let whole = weights.reduce(0, +)
        guard whole > 0 else { return weights.indices.map { $0 == 0 ? total : 0 } }
        var (sum, given): (Double, Int64) = (0, 0)
        return weights.map { weight in
            sum = sum + weight
            let due = min(total, TripDay.whole(Double(total) * (sum / whole)))
            defer { given = max(given, due) }
            return max(0, due - given)
        }
    }
}
