public import Callers
import GRDB
import People
public import RPC
public import Service
import Sights
package import Store
import Time

/// The RPC methods about sums of trips: `reports.summary`.
public struct ReportMethods: Sendable {
    private let store: LocationDatabase
    private let deviceDirectory: DeviceDirectory

    /// The largest page, in sums: ten years of weeks of two devices.
    private static let largestPage = 1000
    private static let listName = "reports.summary"

    /// Creates the methods for a service.
    public init(_ context: ServiceContext) {
        store = context.store
        deviceDirectory = DeviceDirectory(store: store, liveState: context.liveState)
    }

    /// All methods about sums of trips.
    public var all: [Method<Principal>] {
        [
            .stored(
                "reports.summary",
                "Adds up the trips that have ended, by device and day, week, month or year, in pages, the latest period "
                    + "first. A trip over midnight is divided between its days.",
                Parameter<TravelSum.Period>.optional(
                    "period", default: .month,
                    "The kind of period, `month` by default; `all` adds up all days. A week begins on Monday."),
                .day("from", "The first day; the earliest by default."),
                .day("to", "The last day; the latest by default."),
                .optional("device", .deviceName, "Only trips of this device."),
                .page(of: Self.listName, by: TravelSum.Mark.self, upTo: Self.largestPage, default: 100),
                answers: Summary.shape, errors: [.notFound, .invalidValue], right: .read, handler: summary)
        ]
    }

    @Sendable private func summary(
        _ call: Call<Principal>, by period: TravelSum.Period, from: CalendarDate?, to: CalendarDate?, device: String?,
        asked: PageRequest<TravelSum.Mark>
    ) async throws -> Summary {
        if let from, let to, from.daysSinceEpoch > to.daysSinceEpoch {
            throw Refusal.invalid("to", "must not be before from")
        }
        let viewer = call.viewer
        let access = try await deviceDirectory.access(of: viewer)
        let name: String? =
            if let device { try await deviceDirectory.device(device, among: access.devices).name } else { nil }
        // One more than a page holds, to learn whether there is another page.
        let query = TravelSum.Query(
            period, device: name, among: access.scope, from: from, to: to, after: asked.after, limit: asked.limit + 1)
        return try await store.read { db in
            let days = try TripSums.localDays(in: db)
            let sums = try TripSums.list(query, in: db)
            let hidden = try SightAccess(for: viewer, in: db).hidden(in: db).numbers
            let happened = try Happenings(of: sums, by: days, among: access.scope, without: hidden, in: db)
            var page = asked.page(of: ShownSum.self)
            for (sum, counts) in zip(sums, happened.counts) {
                guard page.append(ShownSum(sum: sum, happened: counts), at: TravelSum.Mark(sum)) else { break }
            }
            return Summary(zone: days.zone, page: page)
        }
    }

    private struct Summary: Answerable, Sendable {
        var zone: String
        var page: Page<ShownSum>

        static let shape = AnswerShape<Summary>.object {
            Member("zone", .text, "The time zone at whose midnight the days begin: that of the machine.") { $0.zone }
            Page<ShownSum>.members("sums", "The sums of this page.").of { $0.page }
        }
    }
}

/// The sum of the trips of a device in a period, and what else happened to it.
private struct ShownSum: Answerable, Sendable {
    var sum: TravelSum
    var happened: Happenings.Counts

    static let shape = AnswerShape<ShownSum>.object {
        Member("device", .text, "The device.") { $0.sum.device }
        Member("start", .text(.day), "The first day of the period.") { $0.sum.start.text }
        Member("end", .text(.day), "The last day of the period.") { $0.sum.end.text }
        Member("trips", .integer, "The number of trips that began in the period.") { $0.sum.trips }
        Member("distance", .number(decimals: 1), "Metres travelled.") { $0.sum.distance }
        Member("moving", .number(decimals: 3), "Seconds on trips, without stops and gaps.") { $0.sum.moving }
        Member("stopped", .number(decimals: 3), "Seconds in stops on trips.") { $0.sum.stopped }
        Member("stops", .integer, "The number of stops on trips.") { $0.sum.stops }
        Member("visits", .integer, "The number of visits of sights that began in the period.") {
            $0.happened.visits
        }
        Member("speeding", .integer, "The number of times over a limit of speed that began in the period.") {
            $0.happened.speeding
        }
        Member.optional(
            "speeding_time", .number(decimals: 3), "Seconds over a limit of speed; absent if there were none."
        ) { $0.happened.speeding > 0 ? Double($0.happened.speedingTime) / 1000 : nil }
        Member.optional("first", .time, "The first movement; absent if the device only stood.") { $0.sum.first }
        Member.optional("last", .time, "The last movement; absent if the device only stood.") { $0.sum.last }
        Member.optional(
            "max_speed", .number(decimals: 2), "The greatest speed of a trip, in metres per second."
        ) { $0.sum.maximumSpeed }
        Member.optional("business", .number(decimals: 1), "Metres of business trips by the logbook.") {
            $0.sum.distances[.business]
        }
        Member.optional("private", .number(decimals: 1), "Metres of private trips by the logbook.") {
            $0.sum.distances[.personal]
        }
        Member.optional("commute", .number(decimals: 1), "Metres between home and work by the logbook.") {
            $0.sum.distances[.commute]
        }
    }
}

/// What happened in the periods of some sums besides the trips.
private struct Happenings {
    /// The numbers for one sum.
    struct Counts: Sendable {
        var visits = 0
        var speeding = 0
        /// Milliseconds.
        var speedingTime: Int64 = 0
    }

    /// The numbers for each sum, in their order.
    let counts: [Counts]

    /// The period of a sum.
    private struct Span {
        let sum: Int
        let begin: Timestamp
        let end: Timestamp
    }

    /// The periods of a device, the latest first.
    private struct Line {
        var spans: [Span] = []
        private var next = 0

        /// Returns the index of the sum for a moment; each is earlier than the one before.
        mutating func sum(at moment: Timestamp) -> Int? {
            while next < spans.count, moment < spans[next].begin { next += 1 }
            guard next < spans.count, moment < spans[next].end else { return nil }
            return spans[next].sum
        }
    }

    /// - Parameters:
    ///   - sums: The sums, the latest period first.
    ///   - scope: The only devices and trips of which anything counts; `nil` for all.
    ///   - hidden: The numbers of the sights whose visits do not count.
    /// - Complexity: O(*n*) for *n* visits and times over a limit from the first day of the sums to the last.
    init(
        of sums: [TravelSum], by days: LocalDays, among scope: TravelScope?, without hidden: Set<Int64>, in db: Database
    ) throws {
        var numbers: [String: Int64] = [:]
        for (number, name) in try Devices.names(in: db) { numbers[name] = number }
        let single = try TravelScope.SingleTrips(scope, in: db)
        let whole = scope.map { Set($0.devices.compactMap { numbers[$0] }) }
        func isSeen(_ device: Int64, at moment: Timestamp) -> Bool {
            whole?.contains(device) ?? true || single.cover(moment, of: device)
        }
        var lines: [Int64: Line] = [:]
        var (earliest, latest): (Timestamp?, Timestamp?) = (nil, nil)
        for (index, sum) in sums.enumerated() {
            guard let device = numbers[sum.device] else { continue }
            let begin = days.begin(of: sum.start)
            let end = days.begin(of: CalendarDate(daysSinceEpoch: sum.end.daysSinceEpoch + 1))
            lines[device, default: Line()].spans.append(Span(sum: index, begin: begin, end: end))
            earliest = min(earliest ?? begin, begin)
            latest = max(latest ?? end, end)
        }
        var found = sums.map { _ in Counts() }
        if let earliest, let latest {
            var left = lines
            try Visits.forEach(from: earliest, until: latest, in: db) { sight, device, entered in
                guard !hidden.contains(sight), let index = left[device]?.sum(at: entered),
                    isSeen(device, at: entered)
                else { return }
                found[index].visits += 1
            }
            left = lines
            try Speeding.forEach(from: earliest, until: latest, in: db) { device, began, length in
                guard let index = left[device]?.sum(at: began), isSeen(device, at: began) else { return }
                found[index].speeding += 1
                found[index].speedingTime = found[index].speedingTime &+ length
            }
        }
        self.counts = found
    }
}

extension TravelSum.Mark: CursorKey {
    package var values: [JSONValue] { [.integer(start.daysSinceEpoch), .string(device)] }

    package init?(_ values: [JSONValue]) {
        guard values.count == 2, let day = Int64(json: values[0]), let device = String(json: values[1]) else {
            return nil
        }
        self.init(start: CalendarDate(daysSinceEpoch: day), device: device)
    }

    /// Creates the mark of a sum.
    fileprivate init(_ sum: TravelSum) { self.init(start: sum.start, device: sum.device) }
}
