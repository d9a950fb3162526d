import GRDB
import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

@testable import Store

@Suite(.slow) struct TripSumsTests {
    private let store: LocationDatabase
    private let now = time(10_000_000)
    /// The seconds from 10:00 UTC to midnight in Auckland, which is 12 hours ahead of UTC in May.
    private static let midnight = 7200.0
    private static let day = 86_400.0
    /// The kinds of changes.
    private static let kinds = [
        "merge", "split", "edit", "undo", "recompute", "stop", "remove", "import", "late", "purpose",
    ]

    init() throws {
        store = try LocationDatabase.temporary()
        try store.write { try TripSums.setZone("Pacific/Auckland", in: $0) }
    }

    /// Returns a trip with a point every ten seconds, each 10,000 units of 1e-7 degrees further north.
    private func trip(_ start: Double, points: Int, device: String) -> PastTrip {
        var trip = TripSummary(device: device, start: time(start))
        var numbers = TripNumbers()
        var fixes: [Fix] = []
        for point in 0..<points {
            var fix = fix(start + Double(point) * 10, Int32(point) * 10_000)
            fix.speed = .metersPerSecond(Double(point % 5) + 1)
            fix.beginsSegment = point % 25 == 0
            numbers.add(fix, gap: fix.beginsSegment)
            fixes.append(fix)
        }
        trip.end = time(start + Double(points - 1) * 10)
        trip.adopt(numbers)
        return PastTrip(trip, points: fixes)
    }

    @discardableResult
    private func record(_ start: Double, points: Int, device: String = "gps0") throws -> String {
        let trip = trip(start, points: points, device: device)
        var pending = PendingCommit()
        pending.changes[device] =
            [.tripBegan(TripSummary(device: device, start: trip.summary.start))]
            + trip.points.map { .point($0, gap: $0.beginsSegment) } + [.tripEnded(trip.summary)]
        _ = try store.commit(pending)
        return trip.summary.id
    }

    private func stop(_ start: Double, _ end: Double, device: String = "gps0") throws {
        var stop = StopSummary(device: device, start: time(start), place: place())
        stop.end = time(end)
        var pending = PendingCommit()
        pending.changes[device] = [.stopEnded(stop)]
        _ = try store.commit(pending)
    }

    private func edit(_ body: (Database) throws -> TripRevision) throws {
        _ = try store.write { try body($0) }
    }

    /// Returns all rows of a table as text.
    private func rows(_ table: String) throws -> [String] {
        try store.read { db in
            let columns = try db.columns(in: table).map { "quote(\"\($0.name)\")" }.joined(separator: " || ' ' || ")
            return try String.fetchAll(db, sql: "SELECT \(columns) FROM \(table)").sorted()
        }
    }

    private func sums() throws -> [[String]] { [try rows("trip_day"), try rows("day_sum")] }

    /// Checks that the sums are those that the trips give afresh, and that they add up to the numbers of the trips.
    private func check(_ comment: Comment) throws {
        let kept = try sums()
        try store.write { db in
            try db.execute(sql: "DELETE FROM trip_day")
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM day_sum") == 0, comment)
            try TripSums.markAll(in: db)
        }
        #expect(try sums() == kept, comment)
        #expect(try rows("trip_due").isEmpty, comment)
        for device in ["gps0", "van"] {
            let trips = try store.trips(TripQuery(device: device)).map(\.summary).filter { $0.end != nil }
            let expected: [Int64?] = [
                Int64(trips.count), trips.reduce(0) { $0 + TripDay.whole($1.distance.meters * 100) },
                trips.reduce(0) { $0 + TripDay.whole($1.moving * 1000) },
                trips.reduce(0) { $0 + TripDay.whole($1.stopped * 1000) }, trips.reduce(0) { $0 + Int64($1.stops) },
                trips.compactMap { $0.maximumSpeed.map { TripDay.whole($0.metersPerSecond * 100) } }.max() ?? -1,
            ]
            let found = try store.read { db in
                let row = try Row.fetchOne(
                    db,
                    sql: """
                        SELECT coalesce(sum(trips), 0), coalesce(sum(distance_cm), 0), coalesce(sum(moving_ms), 0),
                            coalesce(sum(stopped_ms), 0), coalesce(sum(stops), 0), coalesce(max(max_speed_cmps), -1)
                        FROM day_sum WHERE device = (SELECT number FROM device WHERE name = ?)
                        """,
                    arguments: [device])
                return (0..<6).map { row?[$0] as Int64? }
            }
            #expect(found == expected, comment)
        }
    }

    @Test func theSumsEqualThoseComputedAfreshAfterAnySequenceOfChanges() throws {
        let seed: UInt64 = 4_711
        var random = SeededGenerator(seed: seed)
        for number in 0..<6 {
            let start = Double(number) * Self.day + Self.midnight
            for device in ["gps0", "van"] {
                try record(start - 300, points: 60, device: device)
                try record(start + 1000, points: 20, device: device)
            }
            // Over midnight, before it, and on no trip.
            try stop(start - 40, start + 30)
            try stop(start - 200, start - 150, device: "van")
            try stop(start + 5000, start + 6000)
        }
        try check("at the beginning")
        var made: [String: Int] = [:]
        for step in 0..<150 {
            let trips = try store.trips().map(\.summary)
            guard let trip = trips.randomElement(using: &random), let end = trip.end else { break }
            let moment = trip.start.advanced(
                byMilliseconds: Int64.random(in: 0...end.milliseconds(since: trip.start), using: &random))
            let kind = Self.kinds.randomElement(using: &random) ?? ""
            do {
                switch kind {
                case "merge":
                    let others = trips.filter { $0.device == trip.device && $0.start > trip.start }
                    guard let next = others.min(by: { $0.start < $1.start }) else { continue }
                    try edit { try TripEditing.merge(trip.id, with: next.id, now: now, in: $0) }
                case "split": try edit { try TripEditing.split(trip.id, at: moment, now: now, in: $0) }
                case "edit":
                    let until = moment.advanced(byMilliseconds: 40_000)
                    try edit {
                        try TripEditing.removeSpan(from: moment, until: until, ofTrip: trip.id, now: now, in: $0)
                    }
                case "undo": try edit { try TripEditing.undo(trip.id, now: now, in: $0) }
                case "recompute": _ = try store.write { try TripEditing.recompute(trip.id, now: now, in: $0) }
                case "stop":
                    let stops = try store.stops(ofDevice: trip.device)
                    guard let stop = stops.randomElement(using: &random) else { continue }
                    try edit { try TripEditing.removeStop(stop.id, now: now, in: $0) }
                case "remove" where step % 3 == 0: #expect(try store.removeTrip(id: trip.id))
                case "import":
                    let start = Double(Int.random(in: 0..<12, using: &random)) * Self.day / 2 + 20_000
                    let past = self.trip(start, points: 2500, device: trip.device)
                    _ = try store.write { try Travels.add(past, policy: TrackingPolicy(), now: now, to: $0) }
                case "late":
                    var pending = PendingCommit()
                    pending.addLate(Fix(time: moment, coordinate: place(0, 5000)), of: trip.device)
                    _ = try store.commit(pending)
                    _ = try store.write { try LateFixes.merge(of: trip.device, now: now, in: $0).events.count }
                case "purpose":
                    let purpose = TripLog.Purpose.allCases.randomElement(using: &random)
                    _ = try store.write {
                        try TripLog.set(TripLog.Entry(purpose: purpose), ofTrip: trip.id, at: now, in: $0)
                    }
                default: continue
                }
                made[kind, default: 0] += 1
            } catch is TripEditError {}
            try check("seed \(seed), step \(step), \(kind) of \(trip.id)")
        }
        #expect(made.count == Self.kinds.count, "\(made)")
    }

    @Test func aTripOverMidnightIsDividedByItsPointsAndStops() throws {
        // 30 points before midnight and 31 from it on; the stop is 10 seconds before and 50 seconds after.
        var past = trip(Self.midnight - 300, points: 61, device: "gps0")
        past.points = past.points.map { fix in
            var fix = fix
            fix.beginsSegment = fix.time == past.summary.start
            return fix
        }
        var numbers = TripNumbers()
        for fix in past.points { numbers.add(fix, gap: fix.beginsSegment) }
        numbers.stop(from: time(Self.midnight - 10), to: time(Self.midnight + 50))
        past.summary.adopt(numbers)
        try stop(Self.midnight - 10, Self.midnight + 50)
        _ = try store.write { [past] in try Travels.add(past, policy: TrackingPolicy(), now: now, to: $0) }
        let rows = try store.read { try Row.fetchAll($0, sql: "SELECT * FROM trip_day ORDER BY day") }
        #expect(rows.map { $0["trips"] as Int64 } == [1, 0])
        #expect(rows.map { $0["stopped_ms"] as Int64 } == [10_000, 50_000])
        #expect(rows.map { $0["moving_ms"] as Int64 } == [290_000, 250_000])
        #expect(rows.map { $0["stops"] as Int64 } == [1, 0])
        // There are 30 legs on each day, equally long but for the shape of the earth.
        let distances = rows.map { $0["distance_cm"] as Int64 }
        #expect(abs(distances[0] - distances[1]) <= 10)
        #expect(distances[0] + distances[1] == TripDay.whole(past.summary.distance.meters * 100))
        #expect(rows.map { $0["first"] as Int64? } == [-300, 50].map { time(Self.midnight + $0).milliseconds })
        #expect(rows.map { $0["last"] as Int64? } == [-10, 300].map { time(Self.midnight + $0).milliseconds })
    }

    @Test func aTripWithoutPointsIsDividedByTime() throws {
        let id = try record(Self.midnight - 300, points: 61)
        let before = try sums()
        try store.write { try $0.execute(sql: "DELETE FROM trace") }
        #expect(try sums() == before)
        try store.write { try TripSums.markAll(in: $0) }
        let distances = try store.read {
            try Int64.fetchAll($0, sql: "SELECT distance_cm FROM trip_day ORDER BY day")
        }
        let whole = try #require(try store.trip(id: id)).summary.distance.meters * 100
        #expect(distances.count == 2 && distances.reduce(0, +) == TripDay.whole(whole))
        #expect(abs(distances[0] - distances[1]) <= 1)
    }

    @Test func deletingOldPointsLeavesTheSums() async throws {
        for number in 0..<4 { try record(Double(number) * Self.day + Self.midnight - 300, points: 60) }
        let before = try sums()
        let pruned = try await store.prune(eventsBefore: nil, tracesBefore: now, limit: 7)
        #expect(pruned.points == 240)
        #expect(try sums() == before)
    }

    @Test func anotherTimeZoneGivesOtherDays() throws {
        try record(Self.midnight - 300, points: 60)
        #expect(try rows("day_sum").count == 2)
        try store.write { try TripSums.setZone("Europe/Amsterdam", in: $0) }
        #expect(try rows("day_sum").count == 1)
        try check("in Amsterdam")
    }

    @Test func aTripOfYearsCountsOnTheDayOnWhichItBegan() throws {
        var summary = TripSummary(device: "gps0", start: time(0))
        summary.end = time(400 * Self.day)
        summary.distance = .meters(1000)
        _ = try store.write { [summary] in
            try Travels.add(PastTrip(summary), policy: TrackingPolicy(), now: now, to: $0)
        }
        #expect(try rows("trip_day").count == 1)
    }

    @Test func aStoreOfAnEarlierVersionGetsItsSums() throws {
        let folder = try TemporaryFolder()
        let old = try DatabaseQueue(path: folder.store)
        let steps = StoreMigration.own.filter { $0.place < 51 }
        try StoreSchema(migrations: steps).migrator.migrate(old)
        try old.write { db in
            try db.execute(
                sql: """
                    INSERT INTO device (number, name) VALUES (1, 'gps0');
                    INSERT INTO trip (number, id, device, start, "end", distance_m, moving_s, algorithm, settings)
                    VALUES (1, 'a', 1, 1777629600000, 1777629660000, 1000, 60, 1, ''),
                        (2, 'b', 1, 1777629700000, NULL, NULL, NULL, 1, ''),
                        (3, 'c', 1, 1777629000000, 1777629060000, 500, 60, 1, '');
                    UPDATE trip SET hidden = 1 WHERE number = 3;
                    """)
        }
        try old.close()
        let store = try LocationDatabase.open(at: folder.store)
        let found = try store.read { try Row.fetchAll($0, sql: "SELECT trips, distance_cm, moving_ms FROM day_sum") }
        #expect(found == [["trips": 1, "distance_cm": 100_000, "moving_ms": 60_000]])
        try store.close()
    }
}

@Suite(.slow) struct TravelSumTests {
    private let store: LocationDatabase
    private static let devices = ["gps0", "van"]
    /// The days of the trips of each device, in days since 1970: about one in three days of two years.
    private let days: [(day: Int64, device: String)]

    init() throws {
        store = try LocationDatabase.temporary()
        var random = SeededGenerator(seed: 7)
        var days: [(day: Int64, device: String)] = []
        for day in stride(from: Int64(20_000), to: 20_730, by: 1) {
            for device in Self.devices where Int.random(in: 0..<3, using: &random) == 0 { days.append((day, device)) }
        }
        self.days = days
        try store.write { db in
            try TripSums.setZone("UTC", in: db)
            for (day, device) in days {
                let start = Timestamp(CalendarDate(daysSinceEpoch: day), millisecondsOfDay: 36_000_000)
                var trip = TripSummary(device: device, start: start)
                trip.end = start.advanced(byMilliseconds: 600_000)
                trip.distance = .meters(Double(day % 100))
                _ = try Travels.add(PastTrip(trip), policy: TrackingPolicy(), now: start, to: db)
            }
        }
    }

    private func list(_ query: TravelSum.Query) throws -> [TravelSum] {
        try store.read { try TripSums.list(query, in: $0) }
    }

    /// Returns the first day of a period, by another way than the store's.
    private func first(_ period: TravelSum.Period, _ day: Int64) -> Int64 {
        var first = day
        func starts(_ day: Int64) -> Bool {
            let (_, month, dayOfMonth) = CalendarDate(daysSinceEpoch: day).components
            return switch period {
            case .day: true
            // 2024-10-07, the day 20,003, was a Monday.
            case .week: (day - 20_003) % 7 == 0
            case .month: dayOfMonth == 1
            case .year: dayOfMonth == 1 && month == 1
            case .all: day == 20_000
            }
        }
        while !starts(first) { first -= 1 }
        return first
    }

    @Test(arguments: TravelSum.Period.allCases) func eachPeriodIsTheSumOfItsTrips(period: TravelSum.Period) throws {
        var expected: [String: (trips: Int64, distance: Double)] = [:]
        for (day, device) in days {
            let key = "\(period == .all ? 0 : first(period, day)) \(device)"
            let before = expected[key] ?? (0, 0)
            expected[key] = (before.trips + 1, before.distance + Double(day % 100))
        }
        let found = try list(TravelSum.Query(period))
        #expect(found.count == expected.count)
        for sum in found {
            let key = "\(period == .all ? 0 : sum.start.daysSinceEpoch) \(sum.device)"
            #expect(sum.trips == expected[key]?.trips, "\(key)")
            #expect(sum.distance == expected[key]?.distance, "\(key)")
            #expect(sum.moving == Double(sum.trips) * 600)
        }
        guard period != .all else { return }
        let order = found.map { ($0.start.daysSinceEpoch, $0.device) }
        #expect(order.elementsEqual(order.sorted { $0.0 > $1.0 || $0.0 == $1.0 && $0.1 < $1.1 }, by: { $0 == $1 }))
    }

    @Test(arguments: TravelSum.Period.allCases) func thePagesAreTheList(period: TravelSum.Period) throws {
        let whole = try list(TravelSum.Query(period))
        for limit in [1, 2, 7] {
            var (pages, mark): ([TravelSum], TravelSum.Mark?) = ([], nil)
            while true {
                let page = try list(TravelSum.Query(period, after: mark, limit: limit))
                #expect(page.count <= limit)
                guard let last = page.last else { break }
                pages += page
                mark = TravelSum.Mark(start: last.start, device: last.device)
            }
            #expect(pages == whole)
        }
    }

    @Test func aPeriodAtTheEndOfTheQueryCoversOnlyItsDays() throws {
        let (from, to) = (CalendarDate(daysSinceEpoch: 20_050), CalendarDate(daysSinceEpoch: 20_069))
        let sums = try list(TravelSum.Query(.month, device: "van", from: from, to: to))
        #expect(sums.last?.start == from)
        #expect(sums.first?.end == to)
        let trips = days.count { $0.device == "van" && (20_050...20_069).contains($0.day) }
        #expect(sums.reduce(0) { $0 + $1.trips } == Int64(trips))
    }

    @Test func theLogbookDividesTheDistance() throws {
        let trips = try store.trips().map(\.summary).filter { $0.device == "van" }
        let now = trips[0].start
        let purposes: [TripLog.Purpose?] = [.business, .personal, .commute, nil]
        try store.write { (db: Database) throws in
            for (number, trip) in trips.enumerated() {
                let entry = TripLog.Entry(purpose: purposes[number % 4], reason: number % 4 == 3 ? nil : "Customer")
                #expect(try TripLog.set(entry, ofTrip: trip.id, at: now, in: db))
                #expect(try TripLog.entry(ofTrip: trip.id, in: db) == entry)
            }
            #expect(try !TripLog.set(TripLog.Entry(), ofTrip: "none", at: now, in: db))
        }
        let sum = try #require(try list(TravelSum.Query(.all, device: "van")).first)
        for (number, purpose) in purposes.enumerated() {
            guard let purpose else { continue }
            let own = trips.enumerated().filter { $0.offset % 4 == number }
            let expected = own.reduce(0.0) { $0 + $1.element.distance.meters }
            #expect(abs((sum.distances[purpose] ?? 0) - expected) < 0.01)
        }
        // The entries go with the trips.
        for trip in trips { #expect(try store.removeTrip(id: trip.id)) }
        #expect(try store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM trip_log") } == 0)
        #expect(try list(TravelSum.Query(.all, device: "van")).isEmpty)
    }
}

@Suite struct LocalDaysTests {
    /// Clocks of Sao Paulo skipped midnight, and those of Saint John's were set back over it.
    @Test(arguments: [
        "UTC", "Europe/Amsterdam", "America/Sao_Paulo", "America/St_Johns", "Pacific/Apia", "Asia/Kathmandu",
    ])
    func theDaysFollowEachOther(zone: String) {
        let days = LocalDays(zone: zone)
        // From 2010 to 2020, in which these zones changed their clocks in all ways.
        for number in stride(from: Int64(14_610), to: 18_262, by: 1) {
            let (day, next) = (CalendarDate(daysSinceEpoch: number), CalendarDate(daysSinceEpoch: number + 1))
            let (begin, end) = (days.begin(of: day), days.begin(of: next))
            #expect(begin <= end)
            // Apia had no 30 December 2011.
            guard begin < end else { continue }
            #expect(days.day(of: begin) == day)
            #expect(days.day(of: end.advanced(byMilliseconds: -1)) == day)
        }
    }

    @Test func aDayBeginsAtMidnightOfTheZone() {
        let days = LocalDays(zone: "Europe/Amsterdam")
        #expect(CalendarDate(year: 2026, month: 5, day: 1).map(days.begin)?.description == "2026-04-30T22:00:00.000Z")
        #expect(CalendarDate(year: 2026, month: 1, day: 1).map(days.begin)?.description == "2025-12-31T23:00:00.000Z")
    }

    @Test func anUnknownZoneIsUTC() {
        let begin = CalendarDate(year: 2026, month: 5, day: 1).map(LocalDays(zone: "Nowhere").begin)
        #expect(begin?.description == "2026-05-01T00:00:00.000Z")
    }
}
