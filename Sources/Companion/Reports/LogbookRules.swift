import GRDB
import Geodesy
import Service
import Store
import Time

/// Rules of the logbook: what trips are for by the sights where they begin and end.
///
/// A trip from or to a sight of the role `business` is a business trip, and one between `home` and `work` is a commute.
/// A rule never replaces what somebody has said by hand.
enum LogbookRules {
    /// What a sight is to the drivers.
    enum Role: String, Hashable, Sendable, CaseIterable {
        case home, work, business
    }

    /// A sight with a role.
    struct Place: Hashable, Sendable {
        var sight: String
        var title: String
        var role: Role
        var center: Coordinate
        var radius: Distance

        func holds(_ place: Coordinate) -> Bool { Sphere.distance(from: center, to: place) <= radius }
    }

    /// The most sights with a role: each trip is compared with all of them.
    static let mostPlaces = 500

    /// Returns the sights with a role, by id.
    static func places(in db: Database) throws -> [Place] {
        try NamedRow.soundList(
            db.cachedStatement(
                sql: """
                    SELECT id, title, role, lat_e7, lon_e7, radius_m
                    FROM logbook_place JOIN sight ON sight.number = logbook_place.sight ORDER BY id LIMIT ?
                    """),
            arguments: [StoreDamage.widened(mostPlaces)]
        ) { row -> Place? in
            let latitude: Int32 = row["lat_e7"]
            guard let role = Role(rawValue: row["role"]),
                let center = Coordinate(latitudeE7: latitude, longitudeE7: row["lon_e7"])
            else { return nil }
            return Place(
                sight: row["id"], title: row["title"], role: role, center: center, radius: .meters(row["radius_m"]))
        }.compactMap { $0 }
    }

    /// Gives a sight a role, or takes it away.
    ///
    /// - Returns: Whether there is such a sight.
    static func set(_ role: Role?, ofSight id: String, in db: Database) throws -> Bool {
        let sight = try Int64.fetchOne(
            db, sql: "SELECT number FROM sight WHERE id = ?", arguments: [Identifier.normal(id)])
        guard let sight else { return false }
        guard let role else {
            try db.execute(sql: "DELETE FROM logbook_place WHERE sight = ?", arguments: [sight])
            return true
        }
        try db.execute(
            sql: """
                INSERT INTO logbook_place (sight, role) VALUES (?, ?)
                ON CONFLICT (sight) DO UPDATE SET role = excluded.role
                """, arguments: [sight, role.rawValue])
        return true
    }

    /// Returns what a trip between two places is for; an empty entry if no rule says.
    static func entry(from start: Coordinate, to end: Coordinate, by places: [Place]) -> TripLog.Entry {
        let (left, reached) = (places.filter { $0.holds(start) }, places.filter { $0.holds(end) })
        if let customer = (reached + left).first(where: { $0.role == .business }) {
            return TripLog.Entry(purpose: .business, reason: customer.title)
        }
        func goes(_ from: Role, _ to: Role) -> Bool {
            left.contains { $0.role == from } && reached.contains { $0.role == to }
        }
        return TripLog.Entry(purpose: goes(.home, .work) || goes(.work, .home) ? .commute : nil)
    }

    /// Enters what the rules say of a trip, unless somebody has said something by hand.
    ///
    /// - Returns: Whether the entry has changed.
    static func apply(toTrip id: String, by places: [Place], at now: Timestamp, in db: Database) throws -> Bool {
        guard let ends = try Travels.ends(ofTrip: id, in: db) else { return false }
        return try TripLog.propose(entry(from: ends.start, to: ends.end, by: places), ofTrip: id, at: now, in: db)
    }
}
