import FeatureSupport
import Foundation
import GRDB
import Geodesy
import Shapes
import Store
import TestSupport
import Testing
import Tracking

@testable import Daemon
@testable import Service
@testable import Sights

@Suite struct SightStoreTests {
    private let store: LocationDatabase

    init() throws { store = try LocationDatabase.fresh() }

    private func sight(
        _ id: String, _ title: String = "Title", at latitude: Double = 52, radius: Double = 50, category: String? = nil
    ) -> Sight {
        Sight(
            id: id, title: title, place: Coordinate(latitude: latitude, longitude: 4).known, radius: .meters(radius),
            category: category)
    }

    private func revisions() throws -> [String: Int64] {
        let all = try store.sightGeofences().all
        return Dictionary(uniqueKeysWithValues: all.map { ($0.geofence.identity.id, $0.revision) })
    }

    @Test func importedSightsAreReturnedInOrder() throws {
        var mill = sight("mill", "Mill", category: "mill")
        mill.information = "Old"
        let sights = [sight("z"), mill, sight("a", at: -90, radius: 0.5)]
        #expect(try store.importSights(sights) == SightStore.Import(added: 3, updated: 0))
        #expect(try store.sights() == sights)
        #expect(try store.sightGeofences().all.map(\.geofence) == sights.map(\.geofence))
        #expect(try store.importSights([]) == SightStore.Import(added: 0, updated: 0))
    }

    @Test func onlyAMoveOrAnotherRadiusChangesTheRevision() throws {
        _ = try store.importSights([sight("still"), sight("moved"), sight("resized")])
        #expect(try revisions() == ["still": 1, "moved": 1, "resized": 1])
        let changed = [
            sight("still", "Other title", category: "mill"), sight("moved", at: 52.000_000_1),
            sight("resized", radius: 51), sight("new"),
        ]
        #expect(try store.importSights(changed) == SightStore.Import(added: 1, updated: 3))
        #expect(try revisions() == ["still": 1, "moved": 2, "resized": 2, "new": 2])
        #expect(try store.sightGeofences().revision == 2)
        // The order of the first import is kept.
        #expect(try store.sights() == changed)
        // A field that an import leaves out is deleted.
        _ = try store.importSights([sight("still")])
        #expect(try store.sights(SightStore.Query(limit: 1)) == [sight("still")])
    }

    private func shaped(_ id: String, _ text: String, radius: Double? = nil) throws -> Sight {
        Sight(id: id, title: "Shape", shape: try Shape.read(try WKT.geometry(from: text), radius: radius).shape)
    }

    @Test func shapesAreReadBackWholeWithTheirGeofences() throws {
        let sights = [
            try shaped("square", "POLYGON ((4 52, 5 52, 5 53, 4 53, 4 52), (4.2 52.2, 4.2 52.4, 4.4 52.4, 4.2 52.2))"),
            try shaped("islands", "MULTIPOLYGON (((4 52, 5 52, 5 53, 4 52)), ((179 1, -179 1, -179 2, 179 1)))"),
            try shaped("way", "LINESTRING (4 52, 4.5 52.5, 5 52)", radius: 12.5), sight("circle"),
        ]
        _ = try store.importSights(sights)
        #expect(try store.sights() == sights)
        #expect(try store.sightGeofences().all.map(\.geofence) == sights.map(\.geofence))
        let rows = try store.read { db in
            try String.fetchAll(db, sql: "SELECT coalesce(form, '-') || (shape IS NULL) FROM sight ORDER BY number")
        }
        #expect(rows == ["polygon0", "polygon0", "corridor0", "-1"])
    }

    @Test func onlyAnotherShapeChangesTheRevisionOfAShape() throws {
        let square = "POLYGON ((4 52, 5 52, 5 53, 4 53, 4 52))"
        _ = try store.importSights([try shaped("still", square), try shaped("moved", square), sight("circle")])
        var renamed = try shaped("still", square)
        renamed.title = "Other"
        let moved = try shaped("moved", "POLYGON ((4 52, 5 52, 5 53, 4 53.0000001, 4 52))")
        _ = try store.importSights([renamed, moved, try shaped("circle", square)])
        #expect(try revisions() == ["still": 1, "moved": 2, "circle": 2])
    }

    @Test func rulesAreReadBackAndOnlyOtherDevicesChangeTheRevision() throws {
        var zone = sight("zone")
        zone.rules.speedLimit = .metersPerSecond(13.5)
        zone.rules.devices = ["bike", "van \"two\""]
        zone.rules.active = "Mo-Fr 08:00-17:00"
        zone.rules.zone = "Europe/Amsterdam"
        _ = try store.importSights([zone, sight("plain")])
        #expect(try store.sights() == [zone, sight("plain")])
        let geofence = try #require(try store.sightGeofences().all.first?.geofence)
        #expect(geofence == zone.geofence)
        #expect(geofence.speedLimit == .metersPerSecond(13.5))
        #expect(geofence.watch?.devices == ["bike", "van \"two\""])
        zone.rules.speedLimit = nil
        _ = try store.importSights([zone])
        #expect(try revisions() == ["zone": 1, "plain": 1])
        zone.rules.devices = []
        _ = try store.importSights([zone])
        #expect(try revisions() == ["zone": 3, "plain": 1])
    }

    @Test func aDamagedShapeIsLeftOutOfListsAndGeofences() throws {
        _ = try store.importSights([try shaped("square", "POLYGON ((4 52, 5 52, 5 53, 4 52))"), sight("circle")])
        try store.write { try $0.execute(sql: "UPDATE sight SET shape = 'POLYGON ((4 52' WHERE id = 'square'") }
        #expect(try store.sights().map(\.id) == ["circle"])
        #expect(try store.sightGeofences().all.map(\.geofence.identity.id) == ["circle"])
    }

    @Test func oneBadSightRefusesTheWholeImport() throws {
        _ = try store.importSights([sight("old")])
        // The file checks these rules first; here the table refuses them.
        for bad in [sight("bad", radius: -1), sight("bad", ""), sight("")] {
            #expect(throws: (any Error).self) { try store.importSights([sight("good"), sight("old", "New"), bad]) }
            #expect(try store.sights() == [sight("old")])
            #expect(try store.sightGeofences().revision == 1)
        }
    }

    @Test func sightsAreFilteredByTextAndCategory() throws {
        _ = try store.importSights([
            sight("1", "Old Mill", category: "mill"), sight("2", "New mill", category: "museum"),
            sight("3", "100% Museum_", category: "museum"), sight("4", "Bridge"),
        ])
        func ids(_ query: SightStore.Query) throws -> [String] { try store.sights(query).map(\.id) }
        #expect(try ids(SightStore.Query(text: "MILL")) == ["1", "2"])
        // Characters that are no words match nothing and do not exclude anything.
        #expect(try ids(SightStore.Query(text: "%")).isEmpty)
        #expect(try ids(SightStore.Query(text: "100% museum")) == ["3"])
        #expect(try ids(SightStore.Query(text: "'")).isEmpty)
        #expect(try ids(SightStore.Query(category: "museum")) == ["2", "3"])
        #expect(try ids(SightStore.Query(category: "muse")).isEmpty)
        #expect(try ids(SightStore.Query(text: "mill", category: "museum")) == ["2"])
        #expect(try ids(SightStore.Query(limit: 2)) == ["1", "2"])
        #expect(try ids(SightStore.Query(category: "museum", limit: 1)) == ["2"])
    }

    @Test(arguments: [
        (Sight(id: "a", title: "A", place: Coordinate(latitude: 1, longitude: 2).known, radius: .meters(100_000)), nil),
        (
            Sight(id: "a", title: "A", place: Coordinate(latitude: 1, longitude: 2).known, radius: .meters(100_001)),
            "radius"
        ),
        (
            Sight(id: "a", title: "A", place: Coordinate(latitude: 1, longitude: 2).known, radius: .meters(.nan)),
            "radius"
        ),
        (Sight(id: " ", title: "A", place: Coordinate(latitude: 1, longitude: 2).known), "id"),
        (Sight(id: "a", title: "\n", place: Coordinate(latitude: 1, longitude: 2).known), "title"),
        (
            Sight(
                id: String(repeating: "é", count: 101), title: "A", place: Coordinate(latitude: 1, longitude: 2).known),
            "id"
        ),
    ])
    func aFlawIsNamedByItsField(sight: Sight, field: String?) {
        var found: String?
        do throws(Sight.Flaw) { try sight.check() } catch { found = error.field }
        #expect(found == field)
    }
}
