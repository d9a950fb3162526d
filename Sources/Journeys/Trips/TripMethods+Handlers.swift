package import EventStream
import GRDB
import Geodesy
import Positioning
package import RPC
package import Service
package import Store
import TextCoding
package import Tracking

extension TripMethods {
    @Sendable package func list(_ call: Call<Principal>) async throws -> JSONText {
        let limit = try call.limit(usually: 100)
        var query = try await query(call)
        // One more, to know whether there are more.
        query.limit = limit + 1
        query.before = try Self.mark(call)
        let trips = try await store.read { [query] in try Travels.trips(query, in: $0) }
        let open = await present.openTrips()
        var page = TextPage(limit: limit)
        var last: RecordedTrip?
        for trip in trips.reversed() {
            guard page.take(.object { trip.writeMembers(to: &$0, running: open[trip.summary.device]) }) else { break }
            last = trip
        }
        return .object { json in
            page.write("trips", to: &json)
            if page.isFull, let last { json.member("next", Self.cursor(after: last.summary).text) }
        }
    }

    @Sendable package func get(_ call: Call<Principal>) async throws -> JSONText {
        let id: String = try call.value("id")
        let (trip, stops) = try await store.read { db in
            guard let trip = try Travels.trip(id: id, in: db) else { throw Self.unknown(id) }
            let stops = try Travels.stops(
                ofDevice: trip.summary.device, since: trip.summary.start,
                until: trip.summary.end?.advanced(byMilliseconds: 1), limit: Self.mostStops, in: db)
            return (trip, stops)
        }
        let open = await present.openTrips()[trip.summary.device]
        return .object { json in
            trip.writeMembers(to: &json, running: open)
            json.array("stop_list") { json in
                for stop in stops { json.object { stop.writeMembers(to: &$0) } }
            }
        }
    }

    @Sendable package func current(_ call: Call<Principal>) async throws -> JSONText {
        let device = try await whereabouts.device(call.optional("device")).name
        let trip = await present.openTrips()[device]
        return .object { json in
            json.member("device", device)
            guard let trip else { return }
            json.object("trip") { json in
                trip.writeMembers(to: &json)
                if trip.end == nil { trip.writeNumbers(to: &json) }
            }
        }
    }

    @Sendable package func trace(_ call: Call<Principal>) async throws -> JSONText {
        let id: String = try call.value("id")
        let time = try call.time("after")
        let tolerance = try Self.tolerance(call)
        let limit = try call.limit(usually: 1000)
        let (page, last) = try await store.read { db in
            var page = TextPage(limit: limit)
            var last: Timestamp?
            let isThere = try Travels.forEachPoint(ofTrip: id, after: time, tolerance: tolerance, in: db) { fix in
                guard page.take(.object { $0.point(fix) }) else { return false }
                last = fix.time
                return true
            }
            guard isThere else { throw Self.unknown(id) }
            return (page, last)
        }
        return .object { json in
            page.write("points", to: &json)
            if page.isFull { json.member("next", last?.description) }
        }
    }

    @Sendable package func export(_ call: Call<Principal>) async throws -> JSONText {
        guard let format = TripExport.Format(rawValue: try call.value("format")) else {
            throw RPCError.invalid("format", "is not known")
        }
        let ids: [String]? = try call.optional("ids")
        let query = try await query(call)
        guard ids == nil || query == TripQuery() else {
            throw RPCError.invalid("ids", "must be left out where device, from or to is given")
        }
        let mark = try (call.optional("after") as String?).map { text in
            guard let mark = TripExport.Mark(text) else { throw Service.Cursor.fault }
            return mark
        }
        let tolerance = try Self.tolerance(call)
        let piece = try await store.read { db in
            let trips = try ids.map { try Self.trips($0, in: db) } ?? Self.trips(query, in: db)
            return try TripExport.piece(
                of: trips, as: format, tolerance: tolerance, from: mark ?? TripExport.Mark(), in: db)
        }
        return .object { json in
            json.member("text", piece.text)
            json.member("next", piece.next?.text)
        }
    }

    /// The trips of some ids; refuses one that goes on, for its text would change between the pieces.
    private static func trips(_ ids: [String], in db: Database) throws -> [RecordedTrip] {
        try ids.map { id in
            guard let trip = try Travels.trip(id: id, in: db) else { throw unknown(id) }
            guard trip.summary.end != nil else {
                throw RPCError.conflict("The trip \(id) goes on. Export it when it has ended, or take its trips.trace.")
            }
            return trip
        }
    }

    /// The trips of a time that have ended, oldest first.
    private static func trips(_ query: TripQuery, in db: Database) throws -> [RecordedTrip] {
        var query = query
        // A device has at most one that goes on.
        query.limit = largestExport + 1 + (try Devices.all(in: db).count)
        let trips = try Travels.trips(query, in: db).filter { $0.summary.end != nil }
        guard trips.count <= largestExport else {
            throw RPCError.invalid("from", "and to must leave at most \(largestExport) trips")
        }
        guard !trips.isEmpty else { throw RPCError.notFound("No trip that has ended began then.") }
        return trips
    }

    @Sendable package func remove(_ call: Call<Principal>) async throws -> JSONText {
        let id: String = try call.value("id")
        try await store.write { db in
            guard let trip = try Travels.trip(id: id, in: db) else { throw Self.unknown(id) }
            guard trip.summary.end != nil else {
                throw RPCError.conflict("The trip \(id) goes on; remove it when it has ended.")
            }
            _ = try Travels.retire(trip: id, in: db)
        }
        // A long trace goes in steps, between which others write.
        while try await !store.write({ try Travels.sweep(limit: LocationDatabase.pruningStep, in: $0) }) {}
        return .object { $0.member("id", id) }
    }

    /// The trips that a call asks for by device and time.
    package func query(_ call: Call<Principal>) async throws -> TripQuery {
        var query = TripQuery(since: try call.time("from"), until: try call.time("to"))
        if let device: String = try call.optional("device") { query.device = try await whereabouts.device(device).name }
        return query
    }

    private static func tolerance(_ call: Call<Principal>) throws -> Distance {
        .meters(try call.optional("tolerance") ?? 0)
    }

    /// Where the page before ended.
    package static func mark(_ call: Call<Principal>) throws -> TripQuery.Mark? {
        guard let cursor = try call.cursor(of: listName, count: 2) else { return nil }
        guard let start = cursor.integer(0, in: Int64.min ... .max).flatMap(Timestamp.init(exactly:)),
            let id = cursor.string(1)
        else { throw Service.Cursor.fault }
        return TripQuery.Mark(start: start, id: id)
    }

    /// Where a page ended that has this trip as its last.
    package static func cursor(after trip: TripSummary) -> Service.Cursor {
        Service.Cursor(listName, [.integer(trip.start.milliseconds), .string(trip.id)])
    }

    private static let listName = "trips"
}

extension JSONWriter {
    /// Writes a point of a trace.
    fileprivate mutating func point(_ fix: Fix) {
        member("time", fix.time?.description)
        place(fix.coordinate)
        motion(of: fix)
        if fix.beginsSegment { member("gap", true) }
    }
}
