import GRDB
import Geodesy
import People
import Service
import Store

/// Finds places by name among the locations of the plans that have the caller as a member.
///
/// The cost grows with the number of these locations. Those of other plans are neither read nor found.
struct LocationPlaces: FoundPlaceSource {
    func places(
        named text: String, near center: Coordinate?, for viewer: Viewer, limit: Int, in db: Database
    ) throws -> [FoundPlace] {
        let folded = PlanText.folded([text]).split { $0.isWhitespace }.joined(separator: " ")
        guard let person = try People.number(of: viewer, in: db), !folded.isEmpty else { return [] }
        let found = try NamedRow.soundList(
            db.cachedStatement(
                sql: """
                    SELECT location.id, location.name, location.lat_e7, location.lon_e7, location.start_zone, plan.zone
                    FROM plan_member JOIN plan ON plan.number = plan_member.plan
                    JOIN location ON location.plan = plan.number
                    WHERE plan_member.person = :me AND plan_member.state = 'member' AND location.lat_e7 IS NOT NULL
                        AND instr(' ' || replace(location.folded, char(10), ' '), ' ' || :text) > 0
                        AND \(PlanAccessRules.sees("location"))
                    ORDER BY location.name, location.number LIMIT :limit
                    """),
            // SQLite knows no distances: with a centre, all of them are read.
            arguments: ["me": person, "text": folded, "limit": center == nil ? StoreDamage.widened(limit) : -1]
        ) { row in
            row.place.map { place in
                FoundPlace(
                    id: row["id"], kind: Location.kind, name: row["name"], place: place,
                    zone: row["start_zone"] ?? row["zone"])
            }
        }.compactMap(\.self)
        guard let center else { return found }
        let near = found.map { ($0, Sphere.distance(from: center, to: $0.place)) }
            .sorted { ($0.1.meters, $0.0.id) < ($1.1.meters, $1.0.id) }
        return near.prefix(limit).map(\.0)
    }
}
