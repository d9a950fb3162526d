import Callers
import GRDB
import Gazetteer
import Geodesy
import People
import RPC
import Service
import Store
import Time
import Tracking

extension TripMethods {
    @Sendable func list(
        _ call: Call<Principal>, device: String?, since: Timestamp?, until: Timestamp?,
        asked: PageRequest<TripQuery.Mark>
    ) async throws -> Page<ShownTrip> {
        let viewer = call.viewer
        var query = try await query(device, since, until, for: viewer)
        // One more than a page holds, to learn whether there is another page.
        query.limit = asked.limit + 1
        query.before = asked.after
        let trips = try await store.read { [query] db in
            var query = query
            query.scope = try DeviceAccess(for: viewer, in: db).scope
            var names = try PlaceNames(db)
            return try Travels.trips(query, in: db).map { ($0, try names.trip($0.summary)) }
        }
        let open = await openTrips(for: trips.map(\.0))
        var page = asked.page(of: ShownTrip.self)
        for (trip, name) in trips.reversed() {
            let shown = ShownTrip(trip, running: open[trip.summary.device], name: name)
            guard page.append(shown, at: TripQuery.Mark(trip.summary)) else { break }
        }
        return page
    }

    /// Returns the open trip of each device, if any of the recorded trips is open.
    private func openTrips(for trips: [RecordedTrip]) async -> [String: TripSummary] {
        trips.contains { $0.summary.end == nil } ? await liveState.openTrips() : [:]
    }

    @Sendable func get(_ call: Call<Principal>, id: String) async throws -> TripWithStops {
        let viewer = call.viewer
        let (trip, name, stops) = try await store.read { db in
            let trip = try Self.trip(id, for: viewer, in: db)
            let stops = try Travels.stops(
                ofDevice: trip.summary.device, since: trip.summary.start,
                until: trip.summary.end?.advanced(byMilliseconds: 1), limit: Self.maximumStops, in: db)
            var names = try PlaceNames(db)
            return (
                trip, try names.trip(trip.summary),
                try stops.map { NamedStop(stop: $0, name: try names.stop(at: $0.place)) }
            )
        }
        let open = await openTrips(for: [trip])[trip.summary.device]
        return TripWithStops(trip: ShownTrip(trip, running: open, name: name), stops: stops)
    }

    @Sendable func current(_ call: Call<Principal>, name: String?) async throws -> CurrentTrip {
        let device = try await deviceDirectory.device(name, for: call.viewer).name
        return CurrentTrip(device: device, trip: await liveState.openTrips()[device])
    }

    @Sendable func trace(
        _ call: Call<Principal>, id: String, after time: Timestamp?, limit: Int, tolerance: Distance
    ) async throws -> TracePage {
        let viewer = call.viewer
        return try await store.read { db in
            if try !DeviceAccess(for: viewer, in: db).isUnlimited { _ = try Self.trip(id, for: viewer, in: db) }
            var page = TracePage(limit: limit)
            let isThere = try Travels.forEachPoint(ofTrip: id, after: time, tolerance: tolerance, in: db) {
                page.append($0)
            }
            guard isThere else { throw Self.unknown(id) }
            return page
        }
    }

    @Sendable func export(
        _ call: Call<Principal>, as format: TripExport.Format, ids: [String]?, device: String?, since: Timestamp?,
        until: Timestamp?, from mark: TripExport.Mark?, tolerance: Distance
    ) async throws -> ExportPiece {
        let viewer = call.viewer
        let query = try await query(device, since, until, for: viewer)
        guard ids == nil || query == TripQuery() else {
            throw Refusal.invalid("ids", "must be omitted if device, from or to is given")
        }
        return try await store.read { db in
            let trips =
                try ids.map { try Self.trips($0, for: viewer, in: db) } ?? Self.trips(query, for: viewer, in: db)
            let (text, next) = try TripExport.piece(
                of: trips, as: format, tolerance: tolerance, from: mark ?? TripExport.Mark(), in: db)
            return ExportPiece(text: text, next: next.map { Cursor(TripExport.Mark.list, $0.values).text })
        }
    }

    /// Returns the trip with an id.
    ///
    /// - Throws: `Refusal.notFound` if there is none, or the viewer may not see it.
    static func trip(_ id: String, for viewer: Viewer, in db: Database) throws -> RecordedTrip {
        guard let trip = try Travels.trip(id: id, in: db),
            try DeviceAccess(for: viewer, in: db).sees(trip: id, of: trip.summary.device)
        else { throw unknown(id) }
        return trip
    }

    /// Returns the trips with the given ids.
    ///
    /// - Throws: `Refusal.notFound` if there is no such trip, `Refusal.conflict` if a trip has not ended: its text
    ///   would change between two pieces.
    static func trips(_ ids: [String], for viewer: Viewer, in db: Database) throws -> [RecordedTrip] {
        try ids.map { id in
            let trip = try trip(id, for: viewer, in: db)
            guard trip.summary.end != nil else {
                throw Refusal.conflict(
                    "The trip \(id) has not ended yet. Export it when it has ended, or use trips.trace.")
            }
            return trip
        }
    }

    /// Returns the trips of a query that have ended, oldest first.
    private static func trips(_ query: TripQuery, for viewer: Viewer, in db: Database) throws -> [RecordedTrip] {
        let isOfAll = query == TripQuery()
        var query = query
        query.scope = try DeviceAccess(for: viewer, in: db).scope
        // Each device has at most one trip that has not ended.
        query.limit = largestExport + 1 + (try Devices.all(in: db).count)
        let trips = try Travels.trips(query, in: db).filter { $0.summary.end != nil }
        guard trips.count <= largestExport else {
            throw Refusal.invalid(
                "from", "selects, together with to, more than \(largestExport) trips; choose a shorter period")
        }
        guard !trips.isEmpty || isOfAll else { throw Refusal.notFound("No trip that began in that period has ended.") }
        return trips
    }

    @Sendable func remove(_ call: Call<Principal>, id: String) async throws -> String {
        try await editor.change { db, _ in
            guard let trip = try Travels.trip(id: id, in: db) else { throw Self.unknown(id) }
            guard trip.summary.end != nil else {
                throw Refusal.conflict("The trip \(id) has not ended yet. Remove it when it has ended.")
            }
            _ = try Travels.retire(trip: id, in: db)
        }
        // The trip is hidden now. A long trace is deleted in steps, so that others can write in between.
        while try await !store.write({ try Travels.sweep(limit: LocationDatabase.pruningStep, in: $0) }) {}
        return id
    }

    /// Returns a query for trips by device and time.
    func query(
        _ device: String?, _ since: Timestamp?, _ until: Timestamp?, for viewer: Viewer
    ) async throws -> TripQuery {
        var query = TripQuery(since: since, until: until)
        if let device { query.device = try await deviceDirectory.device(device, for: viewer).name }
        return query
    }
}

extension PlaceNames {
    /// Returns the name of a trip: the place where it began, and the place where it ended if it has.
    ///
    /// Returns `nil` without a gazetteer, or if the trip has no points.
    fileprivate mutating func trip(_ trip: TripSummary) throws -> String? {
        guard !isEmpty, let ends = try Travels.ends(ofTrip: trip.id, in: db) else { return nil }
        return try way(from: ends.start, to: trip.end == nil ? nil : ends.end)
    }
}
