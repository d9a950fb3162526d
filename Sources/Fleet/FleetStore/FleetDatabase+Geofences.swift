#if Fleet
internal import Foundation
import Shapes
public import Tracking

// The geofences of a fleet.
extension FleetDatabase {
    /// Makes some geofences the fleet's only ones of their kinds, as one new version if anything changes.
    ///
    /// Workers take the new version up between two batches. A geofence that stays as it is keeps its version, so
    /// that devices inside stay inside.
    ///
    /// - Parameter kind: The kind of the geofences.
    /// - Returns: The version.
    /// - Throws: ``FleetStoreError``.
    public func replaceGeofences(
        of kind: Geofence.Kind, by geofences: [Geofence]
    ) throws(FleetStoreError) -> Int64 {
        var (ids, bodies): ([String], [String]) = ([], [])
        var shapes: [String?] = []
        for geofence in geofences where geofence.identity.kind == kind {
            ids.append(geofence.identity.id)
            bodies.append(try Self.encode(geofence))
            // A geofence is encoded without its shape.
            shapes.append(try geofence.shape.map { shape throws(FleetStoreError) in try Self.encode(shape) })
        }
        let parameters = [kind.rawValue, ValueText.array(ids), ValueText.array(bodies), ValueText.array(shapes)]
        let rows = try run([
            // Its row makes several programs wait for one another.
            Statement("SELECT fleet.geofences FROM waymark.fleet FOR UPDATE"),
            Statement(
                """
                WITH given AS (
                    SELECT DISTINCT ON (given.id) given.* FROM unnest($2::text[], $3::text[], $4::text[])
                        WITH ORDINALITY AS given (id, body, shape, number)
                    ORDER BY given.id, given.number DESC
                ), removed AS (
                    DELETE FROM waymark.geofence
                    WHERE geofence.kind = $1 AND geofence.id NOT IN (SELECT given.id FROM given) RETURNING 1
                ), written AS (
                    INSERT INTO waymark.geofence (kind, id, version, body, shape)
                    SELECT $1::text, given.id, fleet.geofences + 1, given.body, given.shape
                    FROM given, waymark.fleet
                    ON CONFLICT (kind, id) DO UPDATE
                        SET version = excluded.version, body = excluded.body, shape = excluded.shape
                        WHERE geofence.body <> excluded.body OR geofence.shape IS DISTINCT FROM excluded.shape
                    RETURNING 1
                )
                UPDATE waymark.fleet SET geofences = fleet.geofences + 1
                WHERE EXISTS (SELECT 1 FROM removed) OR EXISTS (SELECT 1 FROM written)
                """, parameters),
            Statement("SELECT fleet.geofences FROM waymark.fleet"),
        ])
        guard rows.count == 3 else { throw FleetStoreError(.damaged, "a statement has no answer") }
        return try rows[2].number(0, 0)
    }

    /// Returns all geofences with their versions, and the version of them all.
    ///
    /// - Throws: ``FleetStoreError``.
    public func geofences() throws(FleetStoreError) -> GeofenceIndex {
        let answers = try run([
            // Both statements see one version, because changes wait for this row.
            Statement("SELECT fleet.geofences FROM waymark.fleet FOR SHARE"),
            Statement(
                """
                SELECT geofence.version, geofence.body, geofence.shape FROM waymark.geofence
                ORDER BY geofence.kind COLLATE "C", geofence.id COLLATE "C"
                """),
        ])
        guard answers.count == 2 else { throw FleetStoreError(.damaged, "a statement has no answer") }
        let rows = answers[1]
        var geofences: [(geofence: Geofence, revision: Int64)] = []
        for row in rows.values.indices {
            var geofence = try Self.decode(Geofence.self, from: try rows.text(row, 1))
            if let text = rows.values[row][2] {
                let shape = try Self.decode(Shape.self, from: text)
                var whole = Geofence(identity: geofence.identity, title: geofence.title, shape: shape)
                whole.watch = geofence.watch
                whole.speedLimit = geofence.speedLimit
                whole.isAlarm = geofence.isAlarm
                geofence = whole
            }
            geofences.append((geofence, try rows.number(row, 0)))
        }
        return GeofenceIndex(geofences, revision: try answers[0].number(0, 0))
    }
}
#endif
