#if Fleet
import ArgumentParser
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
        // The journeys begin on one day; the middle of one of them divides the span.
        let middle = try #require(journeys.first?.fixes[100].time)
        try Self.checkExport(in: again, splitAt: middle)
        try await Self.checkExportedFiles(of: servers, in: again)
        let hasPostGIS = try !again.run(
            Statement("SELECT 1 FROM pg_available_extensions WHERE pg_available_extensions.name = 'postgis'")
        ).values.isEmpty
        if hasPostGIS { try Self.checkMapViews(in: again, of: servers) }
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

    /// Expects each point and each event in exactly one of two spans, and within a partition device by device.
    private static func checkExport(in database: FleetDatabase, splitAt middle: Timestamp) throws {
        let (first, last) = (Timestamp(milliseconds: 0), Timestamp(milliseconds: 4_000_000_000_000))
        var points: [String: [Int64]] = [:]
        var events: [String] = []
        for partition in try database.status().partitions {
            var devices: [String] = []
            while case let more = try database.devices(of: partition.id, after: devices.last), !more.isEmpty {
                devices += more
            }
            var seen: [String] = []
            try database.forEachPoint(of: devices, from: first, before: last) { point in
                if seen.last != point.device { seen.append(point.device) }
            }
            #expect(seen.count == Set(seen).count)
            for (start, end) in [(first, middle), (middle, last)] {
                try database.forEachPoint(of: devices, from: start, before: end) { point in
                    let time = try #require(point.fix.time)
                    #expect(time >= start && time < end)
                    points[point.trip, default: []].append(time.milliseconds)
                }
                try database.forEachEvent(of: devices, from: start, before: end) { event in
                    #expect(event.time >= start && event.time < end)
                    #expect(event.type.hasPrefix("geofence.") == (event.geofence != nil))
                    let hasInside = ["geofence.exit", "geofence.dwell"].contains(event.type)
                    #expect(hasInside == (event.inside != nil))
                    events.append("\(partition.id):\(event.seq)")
                }
            }
            #expect(Set(events.filter { $0.hasPrefix("\(partition.id):") }).count == Int(partition.events))
        }
        #expect(events.count == Set(events).count)
        for trip in try database.trips() {
            #expect(points[trip.id] == (try database.points(of: trip.id).compactMap(\.fix.time?.milliseconds)))
        }
    }

    /// Expects the files of the command to have the rows of the months.
    private static func checkExportedFiles(of servers: FleetServers, in database: FleetDatabase) async throws {
        let folder = try TemporaryFolder()
        var rows = (points: 0, events: 0)
        for month in ["2025-06", "2025-07"] {
            let command = try FleetExportCommand.parse(
                [folder.path, "--month", month, "--database", servers.database])
            try await command.run()
            for partition in 0..<3 {
                let (points, events) = (
                    try String(contentsOfFile: "\(folder.path)/points-\(month)-00\(partition).csv", encoding: .utf8),
                    try String(contentsOfFile: "\(folder.path)/events-\(month)-00\(partition).csv", encoding: .utf8)
                )
                let names = points.split(separator: "\n").map { String($0.prefix { $0 != "," }) }
                #expect(names.first == "device")
                rows.points += names.count - 1
                rows.events += events.split(separator: "\n").count - 1
            }
        }
        var stored = 0
        for trip in try database.trips() { stored += try database.points(of: trip.id).count }
        #expect(rows.points == stored)
        #expect(rows.events == (try database.status().partitions.reduce(0) { $0 + Int($1.events) }))
        let unknown = try FleetExportCommand.parse(
            [folder.path, "--month", "2025-06", "--partition", "4", "--database", servers.database])
        await #expect(throws: (any Error).self) { try await unknown.run() }
        for month in ["2025", "2025-13", "2025-06-01", "x"] {
            #expect(throws: (any Error).self) { try FleetExportCommand.parse([folder.path, "--month", month]) }
        }
        #expect(FleetExportCommand.span(of: "2025-12")?.end.description == "2026-01-01T00:00:00.000Z")
    }

    /// Expects each device in the tile of the whole earth, and each point in a square of the heat at each zoom.
    private static func checkTiles(in database: FleetDatabase, of servers: FleetServers) throws {
        func bytes(_ sql: String) throws -> [UInt8] {
            try #require(ValueText.bytes(from: try database.run(Statement("SELECT \(sql)")).text(0, 0)))
        }
        let devices = try bytes("waymark.device_tile(0, 0, 0)")
        for device in try database.devices(of: 0, after: nil) {
            #expect(devices.indices.contains { devices[$0...].starts(with: device.utf8) }, "\(device)")
        }
        // It says that it was not filled yet.
        let other = try FleetDatabase(at: servers.database)
        #expect(throws: FleetStoreError.self) {
            try other.run(Statement("SELECT waymark.heat_tile(0, 0, 0)"))
        }
        _ = try database.run(Statement("REFRESH MATERIALIZED VIEW waymark.heat"))
        var points: [(x: Int, y: Int)] = []
        for trip in try database.trips() {
            for (fix, _) in try database.points(of: trip.id) {
                let (latitude, longitude) = (fix.coordinate.latitude * .pi / 180, fix.coordinate.longitude)
                let north = log(tan(latitude) + 1 / cos(latitude))
                points.append(
                    (Int((longitude + 180) / 360 * 262_144), Int((1 - north / .pi) / 2 * 262_144)))
            }
        }
        let sums = try database.run(Statement("SELECT sum(heat.points)::bigint, count(*) FROM waymark.heat"))
        #expect(try sums.number(0, 0) == points.count)
        #expect(try sums.number(0, 1) == Set(points.map { $0.x << 20 | $0.y }).count)
        let first = try #require(points.first)
        for zoom in [0, 5, 12, 15, 18] {
            let tile = try bytes("waymark.heat_tile(\(zoom), \(first.x >> (18 - zoom)), \(first.y >> (18 - zoom)))")
            #expect(tile.indices.contains { tile[$0...].starts(with: "heat".utf8) }, "zoom \(zoom)")
            #expect(try bytes("waymark.heat_tile(\(zoom), 0, 0)").isEmpty == (zoom > 0))
        }
        let report = try database.run(
            Statement("SELECT sum(month_report.trips)::bigint, sum(month_report.distance_m) FROM waymark.month_report"))
        #expect(try report.number(0, 0) == (try database.trips().count { $0.end != nil }))
    }

    private static func checkMapViews(in database: FleetDatabase, of servers: FleetServers) throws {
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
        try checkTiles(in: database, of: servers)
        for view in ["gis_device", "gis_stop", "gis_event"] {
            let count: Int = try database.run(Statement("SELECT count(\(view).geometry) FROM waymark.\(view)"))
                .number(0, 0)
            #expect(count > 0, "\(view)")
        }
    }
}
#endif
