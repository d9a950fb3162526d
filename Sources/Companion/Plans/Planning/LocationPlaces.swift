import Accounts
import GRDB
import Geodesy
import Service
import Store

/// Finds places by name among the locations of the plans that have the caller as a member.
struct LocationPlaces: FoundPlaceSource {
    func places(named text: String, for viewer: Viewer, limit: Int, in db: Database) throws -> [FoundPlace] {
        let folded = PlanText.folded([text]).split { $0.isWhitespace }.joined(separator: " ")
        guard let person = try People.number(of: viewer, in: db), !folded.isEmpty else { return [] }
        return try NamedRow.soundList(
            db.cachedStatement(
                sql: """
                    SELECT location.id, location.name, location.lat_e7, location.lon_e7, location.start_zone, plan.zone
                    FROM plan_member JOIN plan ON plan.number = plan_member.plan
                    JOIN location ON location.plan = plan.number
                    WHERE plan_member.person = :me AND plan_member.state = 'member' AND location.lat_e7 IS NOT NULL
                        AND instr(' ' || replace(location.folded, char(10), ' '), ' ' || :text) > 0
                        AND \(PlanAccessRules.sees("location"))
                    ORDER BY location.name, location.number LIMIT :limit
                    """), arguments: ["me": person, "text": folded, "limit": StoreDamage.widened(limit)]
        ) { row in
            row.place.map { place in
                FoundPlace(
                    id: row["id"], kind: Location.kind, name: row["name"], place: place,
                    zone: row["start_zone"] ?? row["zone"])
            }
        }.compactMap(\.self)
    }
}
