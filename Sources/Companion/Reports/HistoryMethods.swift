public import Callers
import GRDB
import Gazetteer
import Geodesy
import People
public import RPC
public import Service
import Sights
import Store
import Time
import Tracking

/// The RPC methods about the past: `history.day` and `history.near`.
public struct HistoryMethods: Sendable {
    private let store: LocationDatabase
    private let deviceDirectory: DeviceDirectory

    /// The most trips, the most stops, and the most visits of one day: more than a fleet of vans makes, in half a line.
    private static let mostOfDay = 500
    private static let largestPage = 100
    private static let listName = "history.near"
    /// The largest radius of a search: a large city.
    private static let largestRadius = 50_000.0

    /// Creates the methods for a service.
    public init(_ context: ServiceContext) {
        store = context.store
        deviceDirectory = DeviceDirectory(store: store, liveState: context.liveState)
    }

    /// All methods about the past.
    public var all: [Method<Principal>] {
        [
            .stored(
                "history.day", "Returns the trips, stops and visits of sights of a day, each in order of time.",
                .requiredDay("day", "The day, which begins at midnight of the machine's time zone."),
                .optional("device", .deviceName, "Only those of this device."), answers: DayHistory.shape,
                errors: [.notFound, .invalidValue], right: .read, handler: day),
            .stored(
                "history.near",
                "Finds the trips that have ended and have a point near a place, in pages, newest first. A page may have "
                    + "fewer trips than asked for although there are more.",
                Parameter<Double>.required("lat", .latitude, "Degrees north."),
                Parameter<Double>.required("lon", .longitude, "Degrees east."),
                Parameter<Double>.optional(
                    "radius", .number(in: 1...Self.largestRadius), default: 1000,
                    "The greatest distance of the point, in metres; 1000 by default."),
                .optional("device", .deviceName, "Only trips of this device."),
                .page(of: Self.listName, by: TripMark.self, upTo: Self.largestPage, default: 20),
                answers: NearPage.shape, errors: [.notFound, .invalidValue], right: .read, handler: near),
        ]
    }

    @Sendable private func day(
        _ call: Call<Principal>, on day: CalendarDate, device: String?
    ) async throws -> DayHistory {
        let viewer = call.viewer
        let access = try await deviceDirectory.access(of: viewer)
        let names = try await deviceDirectory.devices(among: access.devices).map(\.name)
        let chosen: String? =
            if let device { try await deviceDirectory.device(device, among: access.devices).name } else { nil }
        return try await store.read { db in
            let days = try TripSums.localDays(in: db)
            let begin = days.begin(of: day)
            let end = days.begin(of: CalendarDate(daysSinceEpoch: day.daysSinceEpoch + 1))
            var places = try PlaceNames(db)
            var stops: [StopSummary] = []
            for name in chosen.map({ [$0] }) ?? names {
                if let stop = try Travels.stop(ofDevice: name, at: begin, in: db) { stops.append(stop) }
                stops += try Travels.stops(
                    ofDevice: name, since: begin, until: end, limit: Self.mostOfDay, in: db)
            }
            let trips = try Travels.trips(
                on: day, ofDevice: chosen, scope: access.scope, limit: Self.mostOfDay, in: db)
            // Of a device that the viewer does not see, the stops on the trips that they drove.
            for trip in trips where !access.sees(trip.summary.device) {
                stops += try Travels.stops(on: trip.summary, in: db).filter { stop in
                    stop.start < end && stop.end.map { $0 > begin } ?? true
                }
            }
            stops.sort { ($0.start, $0.id) < ($1.start, $1.id) }
            let visits = try Visits.list(from: begin, until: end, among: access.scope, limit: Self.mostOfDay, in: db)
            let hidden = try SightAccess(for: viewer, in: db).hidden(in: db).ids
            return DayHistory(
                zone: days.zone, begin: begin, end: end,
                trips: try trips.map {
                    PastTravel(trip: $0, name: try places.name(of: $0, in: db), arrival: nil)
                },
                stops: try stops.prefix(Self.mostOfDay).map { PastStop(stop: $0, name: try places.stop(at: $0.place)) },
                visits: visits.filter { visit in
                    (chosen == nil || visit.visit.device == chosen) && !hidden.contains(visit.sight)
                })
        }
    }

    @Sendable private func near(
        _ call: Call<Principal>, latitude: Double, longitude: Double, radius: Double, device: String?,
        asked: PageRequest<TripMark>
    ) async throws -> NearPage {
        guard let place = Coordinate(latitude: latitude, longitude: longitude) else {
            throw Refusal.invalid("lat", "must be, together with lon, a position")
        }
        let access = try await deviceDirectory.access(of: call.viewer)
        var query = TripQuery(before: asked.after?.mark, limit: asked.limit, scope: access.scope)
        if let device { query.device = try await deviceDirectory.device(device, among: access.devices).name }
        return try await store.read { [query] db in
            let search = try TripsNear(place, within: .meters(radius), query, in: db)
            var places = try PlaceNames(db)
            var page = asked.page(of: PastTravel.self)
            for one in search.found {
                let name = try places.name(of: one.trip, in: db)
                _ = page.append(PastTravel(trip: one.trip, name: name, arrival: one.arrival))
            }
            return NearPage(page: page, next: search.next.map { asked.next(after: TripMark($0)) })
        }
    }
}

/// The trips, stops and visits of a day.
private struct DayHistory: Answerable, Sendable {
    var zone: String
    var begin: Timestamp
    var end: Timestamp
    var trips: [PastTravel]
    var stops: [PastStop]
    var visits: [Visits.OfSight]

    static let shape = AnswerShape<DayHistory>.object {
        Member("zone", .text, "The time zone at whose midnight the day begins.") { $0.zone }
        Member("begin", .time, "The first moment of the day.") { $0.begin }
        Member("end", .time, "The first moment of the next day.") { $0.end }
        Member("trips", .array(of: PastTravel.shape), "The trips that touch the day.") { $0.trips }
        Member("stops", .array(of: PastStop.shape), "The stops that touch the day, on trips and between them.") {
            $0.stops
        }
        Member("visits", .array(of: visit), "The visits of sights that began on the day.") { $0.visits }
    }

    private static let visit = AnswerShape<Visits.OfSight>.object {
        Member("sight", .text, "The id of the sight.") { $0.sight }
        Member("title", .text, "The title of the sight.") { $0.title }
        Member("device", .text, "The device.") { $0.visit.device }
        Member("entered", .time, "The time when the device came within the radius.") { $0.visit.entered }
        Member.optional("left", .time, "The time when it left; absent while it is there, or if unknown.") {
            $0.visit.left
        }
    }
}

/// A trip of the past.
private struct PastTravel: Answerable, Sendable {
    var trip: RecordedTrip
    var name: String?
    /// The time of the first point near a place; `nil` if none was searched for.
    var arrival: Timestamp?

    static let shape = AnswerShape<PastTravel>.object {
        Member("id", .text, "The trip's id.") { $0.trip.summary.id }
        Member("device", .text, "The device.") { $0.trip.summary.device }
        Member("start", .time, "The time of the departure.") { $0.trip.summary.start }
        Member.optional("end", .time, "The time of the arrival; absent until the trip has ended.") {
            $0.trip.summary.end
        }
        Member.optional("name", .text, "The towns at its ends; absent if the gazetteer knows none there.") { $0.name }
        Member.optional("distance", .number(decimals: 1), "Metres travelled; absent until the trip has ended.") {
            $0.trip.summary.end == nil ? nil : $0.trip.summary.distance.meters
        }
        Member.optional("near", .time, "The time of its first point near the place; only in history.near.") {
            $0.arrival
        }
    }
}

/// A stop of the past, and the name of its place.
private struct PastStop: Answerable, Sendable {
    var stop: StopSummary
    var name: String?

    static let shape = AnswerShape<PastStop>.object {
        Member("id", .text, "The stop's id.") { $0.stop.id }
        Member("device", .text, "The device.") { $0.stop.device }
        Member("start", .time, "The time of the arrival.") { $0.stop.start }
        Member.optional("end", .time, "The time of the last fix at rest; absent until the stop has ended.") {
            $0.stop.end
        }
        Member.place("The latitude, in degrees north.", "The longitude, in degrees east.") { $0.stop.place }
        Member.optional("name", .text, "The town nearby; absent if the gazetteer knows none there.") { $0.name }
    }
}

/// A page of trips near a place.
private struct NearPage: Answerable, Sendable {
    var page: Page<PastTravel>
    var next: String?

    static let shape = AnswerShape<NearPage>.object {
        Page<PastTravel>.elements("trips", "The trips.").of { $0.page }
        Member.next { $0.next }
    }
}

extension PlaceNames {
    /// Returns the name of a trip: the places where it began and ended.
    fileprivate mutating func name(of trip: RecordedTrip, in db: Database) throws -> String? {
        guard !isEmpty, let ends = try Travels.ends(ofTrip: trip.summary.id, in: db) else { return nil }
        return try way(from: ends.start, to: trip.summary.end == nil ? nil : ends.end)
    }
}
