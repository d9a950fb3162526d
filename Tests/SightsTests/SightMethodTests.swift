import FeatureSupport
import Geodesy
import Positioning
import RPC
import Store
import TestSupport
import Testing
import Tracking

@testable import Service
@testable import Sights

@Suite struct SightMethodTests {
    private let core: CoreFixture

    init() throws { core = try CoreFixture() }

    private func sight(_ id: String, _ place: Coordinate, _ title: String = "Title") -> JSONValue {
        ["id": .string(id), "title": .string(title), "lat": .number(place.latitude), "lon": .number(place.longitude)]
    }

    /// Returns places all over the earth, with many at the poles and on the antimeridian.
    private func places(_ count: Int, seed: UInt64) -> [Coordinate] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).map { number in
            var latitude = Int32.random(in: -900_000_000...900_000_000, using: &random)
            var longitude = Int32.random(in: -1_800_000_000...1_800_000_000, using: &random)
            if number % 5 == 0 { longitude = Bool.random(using: &random) ? 1_800_000_000 : -1_800_000_000 }
            if number % 7 == 0 { latitude = Bool.random(using: &random) ? 900_000_000 : -900_000_000 }
            return Coordinate(latitudeE7: latitude, longitudeE7: longitude).known
        }
    }

    /// Returns the parameters to add a sight at 1° N 2° E.
    private static func draft(_ title: JSONValue, id: JSONValue? = nil) -> JSONObject {
        var draft: JSONObject = ["title": title, "description": "A place.", "lat": 1, "lon": 2]
        draft["id"] = id
        return draft
    }

    @discardableResult
    private func add(_ places: [Coordinate]) async throws -> JSONValue {
        let sights = places.enumerated().map { sight("s\($0)", $1) }
        return try await core.call("sights.import", ["sights": .array(sights)])
    }

    @Test func shapesAreTakenAndGivenAsGeometries() async throws {
        let square: JSONValue = [
            "type": "Polygon", "coordinates": [[[4, 52], [5, 52], [5, 53], [4, 53], [4, 52]]],
        ]
        let park = try await core.call("sights.add", ["title": "Park", "description": "Green.", "shape": square])
        #expect(park["form"] == "polygon")
        #expect(park["shape"] == square)
        #expect(park["radius"] == 0)
        #expect(try await core.call("sights.get", ["id": "park"])["shape"] == square)
        #expect(try await core.call("sights.list")["sights"].elements.first?["shape"] == square)
        let nearest = try await core.call("sights.nearest", ["lat": 52.5, "lon": 4.5])["nearest"].elements.first
        #expect(nearest?["form"] == "polygon")
        #expect(nearest?["shape"] == nil)
        #expect(try await core.error("sights.update", ["id": "park", "radius": 5])?.code == .invalidValue)
        #expect(try await core.error("sights.update", ["id": "park", "lat": 1])?.code == .invalidValue)
        let line: JSONValue = ["type": "LineString", "coordinates": [[4, 52], [5, 53]]]
        let way = try await core.call("sights.update", ["id": "park", "shape": line, "radius": 20])
        #expect(way["form"] == "corridor")
        #expect(way["radius"] == 20)
        let wider = try await core.call("sights.update", ["id": "park", "radius": 30])
        #expect(wider["shape"] == line)
        #expect(wider["radius"] == 30)
        let circle = try await core.call(
            "sights.update", ["id": "park", "shape": ["type": "Point", "coordinates": [4, 52]]])
        #expect(circle["form"] == nil)
        #expect(circle["shape"] == nil)
        #expect(circle["lat"] == 52)
    }

    @Test func aSightIsAddedReadChangedAndRemoved() async throws {
        let added = try await core.call(
            "sights.add",
            [
                "title": "Old Mill", "lat": 52.1, "lon": 4.25, "radius": 50, "category": "mill",
                "description": "Turns on Sundays.",
            ])
        let expected: JSONValue = [
            "id": "old-mill", "title": "Old Mill", "lat": 52.1, "lon": 4.25, "radius": 50, "category": "mill",
            "description": "Turns on Sundays.",
        ]
        #expect(added == expected)
        let got = try await core.call("sights.get", ["id": "old-mill"], isGuest: true)
        #expect(got["title"] == "Old Mill")
        #expect(got["added_by"] == nil)
        #expect(got["added"] == "2026-05-01T10:00:00.000Z")
        let changed = try await core.call(
            "sights.update", ["id": "old-mill", "title": "Mill", "lon": 4.5, "category": "", "radius": nil])
        #expect(
            changed == [
                "id": "old-mill", "title": "Mill", "lat": 52.1, "lon": 4.5, "radius": 50,
                "description": "Turns on Sundays.",
            ])
        #expect(try await core.call("sights.get", ["id": "old-mill"])["title"] == "Mill")
        _ = try await core.call("sights.update", ["id": "old-mill", "title": "Mill"])
        #expect(try await core.call("sights.remove", ["id": "old-mill"]) == ["id": "old-mill"])
        // What changes nothing is not told.
        let told = core.liveState.told.filter { $0.type.hasPrefix("subject.") }
        #expect(told.map(\.type) == ["subject.changed", "subject.removed"])
        #expect(told.map(\.subject) == ["sight/old-mill", nil])
        #expect(try await core.error("sights.get", ["id": "old-mill"])?.code == .notFound)
    }

    @Test func theIdIsMadeFromTheTitleAndUnique() async throws {
        for id in ["église-saint-jean", "église-saint-jean-2", "église-saint-jean-3"] {
            let sight = try await core.call("sights.add", Self.draft("Église (Saint-Jean)"))
            #expect(sight["id"].text == id)
            #expect(sight["radius"] == 100)
        }
        #expect(try await core.call("sights.add", Self.draft("!"))["id"] == "sight")
        let marked = "e" + String(repeating: "\u{301}", count: 400)
        #expect(try await core.call("sights.add", Self.draft(.string(marked)))["id"] == "sight-2")
    }

    @Test func theDefaultPlaceIsThePositionOfTheDevice() async throws {
        let here: JSONObject = ["title": "Here", "description": "Here."]
        #expect(try await core.error("sights.add", here)?.code == .unavailable)
        core.liveState.place("bike", at: fix(0, north: 1))
        core.liveState.place("van", at: fix(0, north: 2))
        _ = try await core.call("devices.update", ["device": "van", "primary": true])
        #expect(try await core.call("sights.add", here)["lat"] == 52.3700002)
        #expect(
            try await core.call("sights.add", ["title": "Here", "description": "Here.", "device": "bike"])["lat"]
                == 52.3700001)
        let nearest = try await core.call("sights.nearest", ["device": "bike", "k": 1])
        #expect(nearest["lat"] == 52.3700001)
        #expect(nearest["nearest"].elements.ids == ["here-2"])
        #expect(nearest["nearest"].elements.first?["distance"] == 0)
    }

    @Test func watchedGeofencesEqualTheStoredOnes() async throws {
        _ = try await core.call("sights.import", ["sights": [sight("a", fix(0).coordinate)]])
        _ = try await core.call("sights.update", ["id": "a", "radius": 60])
        _ = try await core.call("sights.update", ["id": "a", "title": "B"])
        // The engine need not know about these.
        _ = try await core.call("sights.update", ["id": "a", "category": "mill", "description": "Old"])
        _ = try await core.call("sights.update", ["id": "a", "title": "B"])
        _ = try await core.call("sights.update", ["id": "a"])
        _ = try await core.call("sights.remove", ["id": "a"])
        _ = try await core.call("sights.add", Self.draft("C", id: "a"))
        let changes = core.liveState.drainChanges()
        func watched(_ title: String, _ place: Coordinate, _ radius: Double, _ revision: Int64) -> GeofenceChange {
            .watched(Sight(id: "a", title: title, place: place, radius: .meters(radius)).geofence, revision: revision)
        }
        let revisions = changes.map { change in
            switch change {
            case .watched(_, let revision), .removed(_, let revision): revision
            }
        }
        #expect(revisions.count == 5)
        // A change of the title keeps the revision; every other change increases it.
        #expect(revisions == [1, 2, 2] + revisions.suffix(2))
        #expect(revisions[3] > 2 && revisions[4] > revisions[3])
        #expect(
            changes == [
                watched("Title", fix(0).coordinate, 100, 1), watched("Title", fix(0).coordinate, 60, 2),
                watched("B", fix(0).coordinate, 60, 2),
                .removed(.init(kind: .sight, id: "a"), revision: revisions[3]),
                watched("C", Coordinate(latitude: 1, longitude: 2).known, 100, revisions[4]),
            ])
        let stored = try core.store.sightGeofences()
        #expect(stored.all.map(\.revision) == [revisions[4]])
        #expect(stored.revision == revisions[4])
    }

    @Test func removingASightEmitsAnExitAndMovingItAnotherEnter() async throws {
        var tracker = Tracker(device: "bike")
        func types(_ seconds: Double) -> [String] {
            var output = Tracker.Output()
            tracker.ingest(fix(seconds), in: core.liveState.index, into: &output)
            return output.events.map(\.type)
        }
        _ = try await core.call("sights.import", ["sights": [sight("a", fix(0).coordinate)]])
        #expect(types(0) == ["geofence.enter"])
        _ = try await core.call("sights.update", ["id": "a", "title": "Other"])
        #expect(types(1).isEmpty)
        _ = try await core.call("sights.update", ["id": "a", "radius": 70])
        #expect(types(2) == ["geofence.enter"])
        _ = try await core.call("sights.remove", ["id": "a"])
        #expect(types(3) == ["geofence.exit"])
        // The same sight, added again, is another one.
        _ = try await core.call("sights.import", ["sights": [sight("a", fix(0).coordinate)]])
        #expect(types(4) == ["geofence.enter"])
    }

    @Test func concurrentChangesAreWatchedInStoreOrder() async throws {
        _ = try await core.call("sights.add", Self.draft("A", id: "a"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...40 {
                group.addTask { [core] in
                    _ = try await core.call(
                        "sights.update", ["id": "a", "title": .string("T\(number)"), "lat": .integer(Int64(number))])
                }
            }
            try await group.waitForAll()
        }
        let stored = try #require(try core.store.sightGeofences().all.first)
        #expect(core.liveState.drainChanges().last == .watched(stored.geofence, revision: stored.revision))
        #expect(stored.revision == 41)
    }

    @Test func anImportReplacesByIdAndIsAllOrNothing() async throws {
        let here = fix(0).coordinate
        let first: JSONObject = [
            "sights": [sight("a", here), ["title": "New", "lat": 1, "lon": 2], ["title": "New", "lat": 1, "lon": 2]]
        ]
        #expect(try await core.call("sights.import", first) == ["added": 3, "updated": 0])
        #expect(try await core.call("sights.import", first) == ["added": 0, "updated": 3])
        #expect(try core.store.sights().map(\.id) == ["a", "new", "new-2"])
        #expect(try await core.call("sights.import", ["sights": []]) == ["added": 0, "updated": 0])
        _ = core.liveState.drainChanges()
        let bad: JSONObject = ["sights": [sight("a", here, "Other"), sight("b", here, " ")]]
        #expect(try await core.error("sights.import", bad)?.data?["reason"] == "element 2 is empty")
        #expect(try core.store.sights().map(\.title) == ["Title", "New", "New"])
        #expect(core.liveState.drainChanges().isEmpty)
    }

    @Test func theNearestSightsEqualABruteForceSearch() async throws {
        let places = places(300, seed: 11)
        #expect(try await add(places) == ["added": 300, "updated": 0])
        for place in self.places(40, seed: 12) + [fix(0).coordinate] {
            let answer = try await core.call(
                "sights.nearest", ["lat": .number(place.latitude), "lon": .number(place.longitude)])
            let distances = places.map { UnitVector(place).distance(to: UnitVector($0)).meters }
            let found = answer["nearest"].elements
            #expect(found.count == 10)
            for (sight, distance) in zip(found, distances.sorted()) {
                let given = try #require(sight["distance"].number)
                #expect(abs(given - distance) <= 0.0501)
                let index = try #require(sight["id"].text.flatMap { Int($0.dropFirst()) })
                #expect(abs(distances[index] - distance) < 1e-6)
                #expect(sight["lat"].number == places[index].latitude)
                let bearing = try #require(sight["bearing"].number)
                let expected = UnitVector(place).bearing(to: UnitVector(places[index])).degrees
                #expect(abs(bearing - expected) <= 0.0501)
            }
        }
        let all = try await core.call("sights.nearest", ["lat": 90, "lon": 0, "k": 1000])
        #expect(Set(all["nearest"].elements.ids).count == 300)
    }

    @Test func sightsInAWindowEqualABruteForceSearch() async throws {
        let places = places(400, seed: 21)
        try await add(places)
        let windows: [[Double]] = [
            [-180, -90, 180, 90], [170, -90, -170, 90], [180, -90, -180, 90], [-180, -90, -180, 90],
            [179.5, 10, 180, 80], [-180, -80, -90, 90], [10, 89, 20, 90], [0, 0, 0, 0], [-10, -90, 10, -89.9],
            [100, -45, 99, 45], [90, -90, 180, 0], [1e-8, -90, -1e-8, 90],
        ]
        for box in windows {
            let (west, south, east, north) = (box[0], box[1], box[2], box[3])
            let expected = places.indices.filter { index in
                let place = places[index]
                // A place on the antimeridian has both longitudes.
                let longitudes =
                    abs(place.longitude) == 180 ? [180, -180] : [place.longitude]
                let isBetween = longitudes.contains { longitude in
                    west <= east ? (west...east).contains(longitude) : longitude >= west || longitude <= east
                }
                return isBetween && (south...north).contains(place.latitude)
            }
            let found = try await core.pages(
                "sights.list", ["bbox": .array(box.map { .number($0) }), "limit": 90], of: "sights")
            #expect(found.flatMap { $0 }.ids == expected.map { "s\($0)" }, "\(box)")
            #expect(found.dropLast().allSatisfy { $0.count == 90 })
        }
    }

    @Test func listsAreFilteredByTextAndCategoryAndPaged() async throws {
        for (title, category) in [("Old Mill", "mill"), ("New mill", "museum"), ("Museum", "museum"), ("Bridge", "")] {
            _ = try await core.call(
                "sights.add",
                ["title": .string(title), "description": "A place.", "lat": 1, "lon": 2, "category": .string(category)])
        }
        func list(_ parameters: JSONObject) async throws -> [String] {
            try await core.call("sights.list", parameters)["sights"].elements.ids
        }
        #expect(try await list([:]) == ["old-mill", "new-mill", "museum", "bridge"])
        #expect(try await list(["text": "MILL"]) == ["old-mill", "new-mill"])
        #expect(try await list(["category": "museum"]) == ["new-mill", "museum"])
        #expect(try await list(["category": "museum", "text": "mill"]) == ["new-mill"])
        #expect(try await list(["text": "%"]) == [])
        #expect(try await list(["text": " "]) == ["old-mill", "new-mill", "museum", "bridge"])
        let pages = try await core.pages("sights.list", ["limit": 2], of: "sights")
        #expect(pages.map(\.ids) == [["old-mill", "new-mill"], ["museum", "bridge"]])
    }

    @Test func pagesOfLongSightsEndEarlyWithoutMissingAny() async throws {
        let long = String(repeating: "\u{1}", count: 90_000)
        for number in 0..<5 {
            _ = try await core.call(
                "sights.add", ["title": .string("S\(number)"), "lat": 1, "lon": 2, "description": .string(long)])
        }
        let pages = try await core.pages("sights.list", ["limit": 1000], of: "sights")
        #expect(pages.map(\.ids) == [["s0"], ["s1"], ["s2"], ["s3"], ["s4"]])
    }

    @Test func pagingContinuesAfterSightsAreAddedAndRemoved() async throws {
        try await add(places(10, seed: 3))
        let first = try await core.call("sights.list", ["limit": 4])
        for id in ["s1", "s3", "s4"] { _ = try await core.call("sights.remove", ["id": .string(id)]) }
        _ = try await core.call("sights.add", Self.draft("Late", id: "late"))
        let rest = try await core.call("sights.list", ["after": try #require(first["next"])])
        #expect(rest["sights"].elements.ids == ["s5", "s6", "s7", "s8", "s9", "late"])
        #expect(rest["next"] == nil)
    }
}
