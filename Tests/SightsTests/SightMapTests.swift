import FeatureSupport
import GRDB
import Geodesy
import RPC
import Store
import TestSupport
import Testing

@testable import Daemon
@testable import Service
@testable import Sights

/// What a window of the map shows: each of its sights once, alone or in one cluster.
@Suite(.slow) struct SightMapTests {
    /// A place in 1e-7 degrees.
    private struct Place: Hashable {
        var latitude: Int32
        var longitude: Int32
    }

    /// Returns places all over the earth, many in one town, at the poles, and near and on the 180th meridian.
    private static func places(_ random: inout SeededGenerator) -> [Place] {
        var places = (0..<1500).map { _ in
            Place(
                latitude: Int32.random(in: -900_000_000...900_000_000, using: &random),
                longitude: Int32.random(in: -1_800_000_000...1_800_000_000, using: &random))
        }
        for _ in 0..<1500 {
            places.append(
                Place(
                    latitude: 523_700_000 + Int32.random(in: -200_000...200_000, using: &random),
                    longitude: 48_900_000 + Int32.random(in: -300_000...300_000, using: &random)))
        }
        for longitude in [-1_800_000_000, 1_800_000_000, 1_799_999_999, -1_799_999_999, 0] as [Int32] {
            for latitude in [-900_000_000, 900_000_000, 0, 1] as [Int32] {
                places += [
                    Place(latitude: latitude, longitude: longitude), Place(latitude: latitude, longitude: longitude),
                ]
            }
        }
        return places
    }

    private static func store(_ places: [Place]) throws -> LocationDatabase {
        let store = try LocationDatabase.fresh()
        _ = try store.importSights(
            places.enumerated().map { index, place in
                Sight(
                    id: "s\(index)", title: "S",
                    place: try #require(Coordinate(latitudeE7: place.latitude, longitudeE7: place.longitude)))
            })
        return store
    }

    /// Returns the place as the window has it, where ±180° are the same meridian, or `nil` if it lies outside.
    ///
    /// This computes in degrees, independently of the code under test.
    private static func inside(_ place: Place, _ edges: [Double]) -> Place? {
        func holds(_ longitude: Double) -> Bool {
            edges[0] <= edges[2]
                ? edges[0] <= longitude && longitude <= edges[2] : longitude >= edges[0] || longitude <= edges[2]
        }
        let (latitude, longitude) = (Double(place.latitude) / 1e7, Double(place.longitude) / 1e7)
        guard edges[1] <= latitude && latitude <= edges[3] else { return nil }
        if holds(longitude) { return place }
        guard abs(longitude) == 180, holds(-longitude) else { return nil }
        return Place(latitude: place.latitude, longitude: -place.longitude)
    }

    @Test(arguments: 1...4) func eachSightInAWindowIsShownOnce(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let places = Self.places(&random)
        let store = try Self.store(places)
        let points = SightPoints()
        var windows: [[Double]] = [
            [-180, -90, 180, 90], [180, -90, -180, 90], [170, -90, -170, 90], [180, 0, -170, 10], [-180, 0, -170, 10],
            [170, 0, 180, 10], [180, -1, 180, 1], [-180, -1, -180, 1], [4.8, 52.3, 5, 52.4],
            [4.89, 52.37, 4.89, 52.37],
            [0.0000001, -90, 0, 90], [-10, 90, 10, 90], [179.9999999, -90, -179.9999999, 90],
        ]
        for _ in 0..<40 {
            let latitudes = [Double.random(in: -90...90, using: &random), .random(in: -90...90, using: &random)]
                .sorted()
            windows.append([
                (Double.random(in: -180...180, using: &random) * 1e3).rounded() / 1e3, latitudes[0],
                (Double.random(in: -180...180, using: &random) * 1e3).rounded() / 1e3, latitudes[1],
            ])
        }
        for edges in windows {
            let window = try #require(MapWindow(west: edges[0], south: edges[1], east: edges[2], north: edges[3]))
            // The window's edges are rounded to the store's unit, like the places.
            let rounded = [window.westE7, window.southE7, window.eastE7, window.northE7].map { Double($0) / 1e7 }
            let inside = places.compactMap { Self.inside($0, rounded) }
            for limit in [1, 2, 60, 500] {
                let content = try store.read { try points.points(in: $0).content(of: window, atMost: limit) }
                #expect(content.count == inside.count, "\(edges)")
                #expect(content.singles.count + content.clusters.count <= limit, "\(edges) \(limit)")
                #expect(content.singles.count + content.clusters.map(\.count).reduce(0, +) == inside.count)
                if inside.count <= limit { #expect(content.clusters.isEmpty) }
                var rest: [Place: Int] = [:]
                for place in inside { rest[place, default: 0] += 1 }
                for number in content.singles {
                    let place = try #require(Self.inside(places[Int(number) - 1], rounded))
                    rest[place, default: 0] -= 1
                }
                for cluster in content.clusters {
                    let bounds = (cluster.southE7...cluster.northE7, cluster.westE7...cluster.eastE7)
                    let held = rest.filter { place, count in
                        count > 0 && bounds.0.contains(place.latitude) && bounds.1.contains(place.longitude)
                    }
                    #expect(held.values.reduce(0, +) == cluster.count, "\(edges) \(limit)")
                    for place in held.keys { rest[place] = 0 }
                    let (latitude, longitude) = cluster.center
                    #expect(cluster.edges[0]...cluster.edges[2] ~= longitude)
                    #expect(cluster.edges[1]...cluster.edges[3] ~= latitude)
                }
                #expect(rest.values.allSatisfy { $0 == 0 }, "\(edges) \(limit)")
            }
        }
    }

    @Test(arguments: 1...3) func afterChangesTheCacheEqualsAFreshRead(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var places = Self.places(&random)
        let store = try Self.store(places)
        let points = SightPoints()
        let world = try #require(MapWindow(west: -180, south: -90, east: 180, north: 90))
        for round in 0..<60 {
            var changed: [Sight] = []
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let place = try #require(places.randomElement(using: &random))
                // Some stay where they are, some move to another place, some are new.
                let index = Int.random(in: 0..<places.count + 2, using: &random)
                if places.indices.contains(index) { places[index] = place } else { places.append(place) }
                changed.append(
                    Sight(
                        id: "s\(min(index, places.count - 1))", title: "T\(round)",
                        place: try #require(Coordinate(latitudeE7: place.latitude, longitudeE7: place.longitude))))
            }
            _ = try store.importSights(changed)
            if round % 7 == 6 {
                let gone = "s\(Int.random(in: 0..<places.count, using: &random))"
                try store.write { db in
                    _ = try GeofenceRevision.next(in: db)
                    try db.execute(sql: "DELETE FROM sight WHERE id = ?", arguments: [gone])
                }
            }
            let (known, anew) = try store.read { (try points.points(in: $0), try SightPoints().points(in: $0)) }
            for limit in [3, 500, 10_000] {
                #expect(known.content(of: world, atMost: limit) == anew.content(of: world, atMost: limit), "\(round)")
            }
        }
    }

    @Test func clustersStayTheSameWhileTheMapMoves() throws {
        var random = SeededGenerator(seed: 7)
        let store = try Self.store(Self.places(&random))
        let points = try store.read { try SightPoints().points(in: $0) }
        func clusters(_ west: Double, _ east: Double) throws -> Set<SightCluster> {
            let window = try #require(MapWindow(west: west, south: 52.35, east: east, north: 52.39))
            return Set(points.content(of: window, atMost: 60).clusters)
        }
        let (here, beside) = (try clusters(4.86, 4.90), try clusters(4.865, 4.905))
        #expect(here.intersection(beside).count > here.count / 2)
    }

    @Test func addedMovedAndRemovedSightsShowAtOnce() async throws {
        let core = try await MethodCase.world()
        func count() async throws -> [Double?] {
            let answer = try await core.call("sights.map", ["bbox": [4, 52, 5, 53]])
            return [answer["count"].number, Double(answer["sights"].elements.count)]
        }
        #expect(try await count() == [1, 1])
        try await core.call(
            as: "ada", "sights.add", ["title": "Bench", "description": "Old.", "lat": 52.5, "lon": 4.5, "id": "bench"])
        #expect(try await count() == [2, 2])
        try await core.call(as: "ada", "sights.update", ["id": "bench", "lat": 10, "lon": 4.5])
        #expect(try await count() == [1, 1])
        try await core.call(as: "ada", "sights.update", ["id": "bench", "lat": 52.6, "lon": 4.5])
        #expect(try await count() == [2, 2])
        try await core.call(as: "ada", "sights.remove", ["id": "bench"])
        #expect(try await count() == [1, 1])
    }
}
