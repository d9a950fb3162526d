public import Callers
import GRDB
import Gazetteer
import Geodesy
import People
public import RPC
public import Service
import Store
import Time
import Tracking

/// The RPC methods about the driver's logbook: `logbook.list` and `logbook.set`.
///
/// Whoever may read trips may read what the logbook says of them, and whoever may change trips may change that.
public struct LogbookMethods: Sendable {
    let store: LocationDatabase
    let editor: Editor
    let deviceDirectory: DeviceDirectory
    let now: @Sendable () -> Timestamp

    /// The largest page, in trips.
    private static let largestPage = 1000
    private static let listName = "logbook.list"
    /// The longest purpose in words, in bytes: a line or two of a printed logbook.
    private static let longestReason = 500
    /// The longest name of a driver, in bytes.
    private static let longestDriver = 100

    /// Creates the methods for a service.
    public init(_ context: ServiceContext) {
        store = context.store
        editor = context.editor
        now = context.now
        deviceDirectory = DeviceDirectory(store: store, liveState: context.liveState)
    }

    /// All methods about the logbook.
    public var all: [Method<Principal>] { entries + rules }

    private var entries: [Method<Principal>] {
        [
            .stored(
                "logbook.list",
                "Lists trips that have ended, with what the logbook says of them, in pages, newest first.",
                .optional("device", .deviceName, "Only trips of this device."),
                .time("from", "Only trips that began at this time or later."),
                .time("to", "Only trips that began before this time."),
                .page(of: Self.listName, by: TripMark.self, upTo: Self.largestPage, default: 100),
                answers: .page("trips", "The trips."), errors: [.notFound, .invalidValue], right: .read, handler: list),
            .stored(
                "logbook.set", "Says what a trip was for, and who drove. What is omitted stays as it is.",
                Parameter<String>.required("id", .string(length: 1...512), "The trip's id."),
                Parameter<PurposeChoice?>.optional("purpose", "The purpose; `none` removes it."),
                Parameter<String?>.optional(
                    "reason", .string(length: 0...Self.longestReason),
                    "The purpose in words, such as the name of a customer; an empty text removes it."),
                Parameter<String?>.optional(
                    "driver", .string(length: 0...Self.longestDriver),
                    "The name of the driver; an empty text removes it."),
                Parameter<String?>.optional(
                    "username", .string(length: 0...Schema.longestDeviceName),
                    "The username of the driver, who sees the trip for that reason; an empty text removes it."),
                answers: LoggedTrip.shape, errors: [.notFound, .conflict, .invalidValue], right: .change,
                handler: change),
        ]
    }

    /// A purpose, or none.
    private enum PurposeChoice: String, CaseIterable, Sendable {
        case business
        case personal = "private"
        case commute
        case none

        var purpose: TripLog.Purpose? { TripLog.Purpose(rawValue: rawValue) }
    }

    @Sendable private func list(
        _ call: Call<Principal>, device: String?, since: Timestamp?, until: Timestamp?,
        asked: PageRequest<TripMark>
    ) async throws -> Page<LoggedTrip> {
        let access = try await deviceDirectory.access(of: call.viewer)
        var query = TripQuery(since: since, until: until, before: asked.after?.mark, scope: access.scope)
        if let device { query.device = try await deviceDirectory.device(device, among: access.devices).name }
        // One more than a page holds, to learn whether there is another page. Each device may be on a trip, too.
        query.limit = asked.limit + 1 + (try await deviceDirectory.devices().count)
        return try await store.read { [query] db in
            var names = try PlaceNames(db)
            var page = asked.page(of: LoggedTrip.self)
            let trips = try Travels.trips(query, in: db).reversed().filter { $0.summary.end != nil }
            let entries = try TripLog.entries(ofTrips: trips.map(\.summary.id), in: db)
            let drivers = try DeviceGroups.drivers(ofTrips: trips.map(\.summary.id), in: db)
            for trip in trips {
                let mark = TripQuery.Mark(start: trip.summary.start, id: trip.summary.id)
                let entry = entries[trip.summary.id] ?? TripLog.Entry()
                let logged = try LoggedTrip(trip, entry, driver: drivers[trip.summary.id], &names, in: db)
                guard page.append(logged, at: TripMark(mark)) else { break }
            }
            return page
        }
    }

    @Sendable private func change(
        _ call: Call<Principal>, id: String, choice: PurposeChoice?, reason: String?, driver: String?,
        username: String?
    ) async throws -> LoggedTrip {
        let reason = try reason.map { try Prose.clean($0, "reason", atMost: Self.longestReason) }
        let driver = try driver.map { try Prose.clean($0, "driver", atMost: Self.longestDriver) }
        let now = now()
        return try await editor.change { db, _ in
            guard let trip = try Travels.trip(id: id, in: db) else {
                throw Refusal.notFound("There is no trip \(id); trips.list lists them.")
            }
            guard trip.summary.end != nil else {
                throw Refusal.conflict("The trip \(id) has not ended yet. Say what it was for when it has ended.")
            }
            var entry = try TripLog.entry(ofTrip: id, in: db)
            if let choice { entry.purpose = choice.purpose }
            if let reason { entry.reason = reason }
            if let driver { entry.driver = driver }
            try TripLog.set(entry, ofTrip: id, at: now, in: db)
            if let username {
                try DeviceGroups.setDriver(username.isEmpty ? nil : username, ofTrip: id, in: db)
            }
            var names = try PlaceNames(db)
            let driver = try DeviceGroups.drivers(ofTrips: [id], in: db)[id]
            return try LoggedTrip(trip, entry, driver: driver, &names, in: db)
        }
    }
}

/// A trip as a line of the logbook.
private struct LoggedTrip: Answerable, Sendable {
    private let trip: RecordedTrip
    private let entry: TripLog.Entry
    /// The username of the driver; `nil` if it is not known.
    private let username: String?
    /// The names of the towns where it began and ended; `nil` if they are unknown.
    private let from: String?
    private let to: String?

    init(
        _ trip: RecordedTrip, _ entry: TripLog.Entry, driver username: String?, _ names: inout PlaceNames,
        in db: Database
    ) throws {
        self.trip = trip
        self.entry = entry
        self.username = username
        let ends = try names.isEmpty ? nil : Travels.ends(ofTrip: trip.summary.id, in: db)
        from = try ends.flatMap { try names.name(of: $0.start) }
        to = try ends.flatMap { try names.name(of: $0.end) }
    }

    static let shape = AnswerShape<LoggedTrip>.object {
        Member("id", .text, "The trip's id.") { $0.trip.summary.id }
        Member("device", .text, "The device.") { $0.trip.summary.device }
        Member("start", .time, "The time of the departure.") { $0.trip.summary.start }
        Member.optional("end", .time, "The time of the arrival.") { $0.trip.summary.end }
        Member.optional("from", .text, "The town of the departure; absent if the gazetteer knows none there.") {
            $0.from
        }
        Member.optional("to", .text, "The town of the arrival; absent if the gazetteer knows none there.") { $0.to }
        Member("distance", .number(decimals: 1), "Metres travelled.") { $0.trip.summary.distance.meters }
        Member.optional("purpose", .choice, "The purpose; absent if nobody has said.") { $0.entry.purpose }
        Member.optional("reason", .text, "The purpose in words.") { $0.entry.reason }
        Member.optional("driver", .text, "The name of the driver.") { $0.entry.driver }
        Member.optional("username", .text, "The username of the driver, if one is known.") { $0.username }
    }
}
