#if Fleet
import Foundation
import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

@testable import FleetStore
@testable import Worker
@testable import waymark

/// What readers get from a fleet's database, with real servers.
@Suite(.slow, .withServers, .serialized) struct ReaderTests {
    @Test(.timeLimit(.minutes(10))) func readersGetEachEventAndTripOnce() async throws {
        let servers = try await FleetServers()
        var random = SeededGenerator(seed: TestTier.seed)
        let geofences = RandomJourney.geofences(40, using: &random)
        let settings = FleetSettings(partitions: 3)
        let database = try servers.setUp(settings, watching: geofences)
        let journeys = (0..<12).map { RandomJourney(device: "device \($0)", count: 200, using: &random) }
        let subscription = FleetSubscription(at: servers.database, after: [0: 0, 1: 0, 2: 0])
        #expect(try subscription.next(within: .zero).isEmpty)

        let publisher = FixPublisher(to: settings, at: servers.broker, limit: .seconds(30))
        for journey in journeys { publisher.add(journey.fixes, of: journey.device, ends: true) }
        try publisher.publish(tries: 3)
        let worker = try await servers.worker()
        // It is told of the first event, and goes on after the database was gone.
        var events = try subscription.next(within: .seconds(60))
        #expect(!events.isEmpty)
        await servers.servers.killDatabase()
        #expect(throws: FleetStoreError.self) { try subscription.next(within: .seconds(60)) }
        try await servers.servers.restartDatabase()
        let again = try FleetDatabase(at: servers.database)
        try await FleetCheck.waitUntilApplied(publisher.numbers, of: publisher.id, in: again)
        while case let more = try subscription.next(within: .zero), !more.isEmpty { events += more }
        for partition in 0..<settings.partitions {
            let own = events.filter { $0.partition == partition }
            #expect(own.map(\.seq) == Array(1...Int64(own.count)))
            #expect(own == (try again.events(of: partition, after: 0)))
        }
        let counts = try FleetCheck.compare(journeys, watching: geofences, in: again)
        #expect(counts.events == events.count && counts.lost == 0 && counts.doubled == 0)
        try Self.checkTrips(in: again)
        let hasPostGIS = try !again.run(
            Statement("SELECT 1 FROM pg_available_extensions WHERE pg_available_extensions.name = 'postgis'")
        ).values.isEmpty
        if hasPostGIS { try Self.checkMapViews(in: again) }
        await worker.kill()
        _ = database
    }

    private static func checkTrips(in database: FleetDatabase) throws {
        let all = try database.trips()
        #expect(all.count > 5 && all.map(\.start) == all.map(\.start).sorted())
        let one = try #require(all.dropFirst(3).first)
        #expect(try database.trips(of: one.device).contains(one))
        #expect(try database.trips(from: one.start).count == all.count { $0.start >= one.start })
        #expect(try database.trips(before: one.start).count == all.count { $0.start < one.start })
        #expect(try database.trips(limit: 2) == Array(all.suffix(2)))
    }

    private static func checkMapViews(in database: FleetDatabase) throws {
        try database.createMapViews()
        try database.createMapViews()
        let rows = try database.run(
            Statement(
                """
                SELECT gis_trip.id, ST_NPoints(gis_trip.geometry),
                    round(ST_Y(ST_EndPoint(gis_trip.geometry)) * 1e7)::bigint,
                    round(ST_X(ST_EndPoint(gis_trip.geometry)) * 1e7)::bigint,
                    round(ST_M(ST_EndPoint(gis_trip.geometry)) * 1000)::bigint, ST_SRID(gis_trip.geometry)
                FROM waymark.gis_trip
                """))
        #expect(rows.values.count > 5)
        for row in rows.values {
            let points = try database.points(of: row[0] ?? "")
            let last = try #require(points.last?.fix)
            let expected: [String?] = [
                "\(points.count)", "\(last.coordinate.latitudeE7)", "\(last.coordinate.longitudeE7)",
                last.time.map { "\($0.milliseconds)" }, "4326",
            ]
            #expect(Array(row.dropFirst()) == expected)
        }
        for view in ["gis_device", "gis_stop", "gis_event"] {
            let count: Int = try database.run(Statement("SELECT count(\(view).geometry) FROM waymark.\(view)"))
                .number(0, 0)
            #expect(count > 0, "\(view)")
        }
    }
}
#endif
