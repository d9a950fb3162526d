import Foundation
import GRDB
import Positioning
import RPC
import Service

/// A link that opens a plan, or one location of it, to whoever has it: read only, until it expires or is revoked.
struct PlanLink: Sendable {
    /// Its number, by which it is listed and revoked.
    var number: Int64
    /// The id of the location that it opens; nil for the whole plan.
    var location: String?
    /// The id of who made it.
    var person: String
    var created: Timestamp
    var expires: Timestamp
    /// How often it was opened.
    var opened: Int

    /// How long a link lasts unless said.
    static let defaultDays = 30
    /// The longest.
    static let mostDays = 3650
    /// As many links a plan has at most.
    static let mostOfPlan = 100
    /// The bits of a secret, in bytes.
    private static let length = 16

    /// Makes a link.
    ///
    /// - Returns: its secret, which is kept nowhere.
    static func create(
        to location: Int64?, in access: PlanAccess, days: Int = defaultDays, at now: Timestamp, in db: Database
    ) throws -> (secret: String, number: Int64) {
        try access.checkEdits()
        guard (1...mostDays).contains(days) else { throw Refusal.invalid("days", "must be 1 to \(mostDays)") }
        try db.cachedStatement(sql: "DELETE FROM plan_link WHERE expires <= ?").execute(arguments: [now.milliseconds])
        let count = try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM plan_link WHERE plan = ?"), arguments: [access.plan])
        guard count ?? 0 < mostOfPlan else {
            throw Refusal.unavailable(
                "The plan \(access.id) has \(mostOfPlan) links, as many as may be; revoke one first.")
        }
        let secret = Data(Secret.random(length)).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        let expires = now.advanced(byMilliseconds: Int64(clamping: days) * Timestamp.millisecondsPerDay)
        try db.cachedStatement(
            sql: "INSERT INTO plan_link (plan, location, person, digest, created, expires) VALUES (?, ?, ?, ?, ?, ?)"
        ).execute(arguments: [
            access.plan, location, access.person, Secret.digest(secret), now.milliseconds, expires.milliseconds,
        ])
        return (secret, db.lastInsertedRowID)
    }

    /// The links of a plan that a caller may revoke: all for the owner, else their own.
    static func list(of access: PlanAccess, at now: Timestamp, in db: Database) throws -> [PlanLink] {
        try access.checkEdits()
        return try NamedRow.list(
            db.cachedStatement(
                sql: """
                    SELECT plan_link.*, location.id AS location_id, person.id AS person_id FROM plan_link
                    JOIN person ON person.number = plan_link.person
                    LEFT JOIN location ON location.number = plan_link.location
                    WHERE plan_link.plan = :plan AND plan_link.expires > :now
                        AND (:isOwner OR plan_link.person = :me)
                    ORDER BY plan_link.number
                    """),
            arguments: [
                "plan": access.plan, "now": now.milliseconds, "isOwner": access.isOwner, "me": access.person,
            ]
        ) { row in
            PlanLink(
                number: row["number"], location: row["location_id"], person: row["person_id"],
                created: Timestamp(milliseconds: row["created"]), expires: Timestamp(milliseconds: row["expires"]),
                opened: row["opened"])
        }
    }

    /// Ends a link at once.
    static func revoke(_ number: Int64, in access: PlanAccess, in db: Database) throws {
        try access.checkEdits()
        try db.cachedStatement(
            sql: "DELETE FROM plan_link WHERE number = :number AND plan = :plan AND (:isOwner OR person = :me)"
        ).execute(arguments: [
            "number": number, "plan": access.plan, "isOwner": access.isOwner, "me": access.person,
        ])
        guard db.changesCount > 0 else { throw Refusal.absent("link", id: String(number)) }
    }

    /// What a link shows: nothing that is for fewer than everybody by a level of its own, and no money, bookings, contacts
    /// or addresses of people.
    struct Content: Sendable {
        var plan: Plan
        var locations: [Location]
        /// None where the link is of one location.
        var activities: [Activity]
        /// Whether the link is of the whole plan.
        var isOfPlan: Bool

        /// What it shows the photos of: the plan where it is of the whole, locations, activities.
        var subjects: [SubjectID] {
            (isOfPlan ? [plan.subject] : []) + locations.map(\.subject) + activities.map(\.subject)
        }
    }

    /// What a link shows, which is counted as opened.
    ///
    /// - Throws: ``Refusal/absent(_:id:)`` where there is none of that secret, or it has expired.
    static func open(_ secret: String, at now: Timestamp, in db: Database) throws -> Content {
        let content = try look(secret, at: now, in: db)
        try db.cachedStatement(sql: "UPDATE plan_link SET opened = opened + 1 WHERE digest = ?")
            .execute(arguments: [Secret.digest(secret)])
        return content
    }

    /// What a link shows, which is not counted.
    ///
    /// - Throws: ``Refusal/absent(_:id:)`` where there is none of that secret, or it has expired.
    static func look(_ secret: String, at now: Timestamp, in db: Database) throws -> Content {
        let row = try NamedRow.fetchOne(
            db.cachedStatement(sql: "SELECT plan, location FROM plan_link WHERE digest = ? AND expires > ?"),
            arguments: [Secret.digest(secret), now.milliseconds])
        guard let row else { throw Refusal.absent("link", id: "like that; it has expired or was revoked") }
        let (plan, location): (Int64, Int64?) = (row["plan"], row["location"])
        let locations = try NamedRow.list(
            db.cachedStatement(
                sql: """
                    SELECT * FROM location
                    WHERE plan = :plan AND CASE WHEN :location IS NULL THEN level = 3 ELSE number = :location END
                    ORDER BY position, number
                    """), arguments: ["plan": plan, "location": location]
        ) { try Location($0) }
        let activities = try NamedRow.list(
            db.cachedStatement(
                sql: """
                    SELECT activity.*, NULL AS links, NULL AS members FROM activity
                    WHERE plan = :plan AND level = 3 AND :location IS NULL
                    ORDER BY coalesce(start_time, end_time, 9223372036854775807), number
                    """), arguments: ["plan": plan, "location": location]
        ) { try Activity($0, seesPrivate: false) }
        return Content(
            plan: try Plan.get(plan, in: db), locations: locations, activities: activities, isOfPlan: location == nil)
    }
}
