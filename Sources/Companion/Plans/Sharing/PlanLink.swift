import Foundation
import GRDB
import RPC
import Service
import TextCoding
import Time

/// A read-only link that shows a plan, or one location of it, to everybody who has it until it expires or is revoked.
struct PlanLink: Sendable {
    /// The number by which the link is listed and revoked.
    var number: Int64
    /// The id of the location that the link shows; `nil` for the whole plan.
    var location: String?
    /// The id of the person who created the link.
    var person: String
    var created: Timestamp
    var expires: Timestamp
    /// The number of times that the link was opened.
    var opened: Int

    /// The default lifetime of a link, in days.
    static let defaultDays = 30
    /// The longest lifetime of a link, in days.
    static let maximumDays = 3650
    /// The most links of a plan.
    static let maximumPerPlan = 100
    /// The number of random bytes in a secret.
    private static let length = 16

    /// Creates a link.
    ///
    /// - Parameter days: the lifetime of the link, from 1 to ``maximumDays``.
    /// - Returns: the secret and the number of the link. The store keeps only the SHA-256 of the secret.
    static func create(
        to location: Int64?, in access: PlanAccess, days: Int = defaultDays, at now: Timestamp, in db: Database
    ) throws -> (secret: String, number: Int64) {
        try access.checkEdits()
        guard (1...maximumDays).contains(days) else { throw Refusal.invalid("days", "must be 1 to \(maximumDays)") }
        try db.cachedStatement(sql: "DELETE FROM plan_link WHERE expires <= ?").execute(arguments: [now.milliseconds])
        let count = try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM plan_link WHERE plan = ?"), arguments: [access.plan])
        guard count ?? 0 < maximumPerPlan else {
            throw Refusal.unavailable(
                "The plan \(access.id) has \(maximumPerPlan) links, the maximum. Revoke one first.")
        }
        let secret = Base64.encodeForURL(Secret.random(length))
        let expires = now.advanced(byMilliseconds: Int64(clamping: days) * Timestamp.millisecondsPerDay)
        try db.cachedStatement(
            sql: "INSERT INTO plan_link (plan, location, person, digest, created, expires) VALUES (?, ?, ?, ?, ?, ?)"
        ).execute(arguments: [
            access.plan, location, access.person, Secret.digest(secret), now.milliseconds, expires.milliseconds,
        ])
        return (secret, db.lastInsertedRowID)
    }

    /// Returns the links of a plan that the caller may revoke: all for the owner, otherwise the caller's own.
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

    /// Revokes a link immediately.
    static func revoke(_ number: Int64, in access: PlanAccess, in db: Database) throws {
        try access.checkEdits()
        try db.cachedStatement(
            sql: "DELETE FROM plan_link WHERE number = :number AND plan = :plan AND (:isOwner OR person = :me)"
        ).execute(arguments: [
            "number": number, "plan": access.plan, "isOwner": access.isOwner, "me": access.person,
        ])
        guard db.changesCount > 0 else { throw Refusal.absent("link", id: String(number)) }
    }

    /// Ends all links to a location that everyone could see so far; nobody has confirmed that they show it from now on.
    static func endAll(to location: Int64, in db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM plan_link WHERE location = ?").execute(arguments: [location])
    }

    /// The content that a link shows.
    ///
    /// A link to the whole plan shows only the items whose own level is ``Level/everyone``. A link to one location
    /// shows that location, for whoever created it has confirmed that if its level is narrower; see
    /// ``endAll(to:in:)``. No link shows money, bookings, contacts or members. A link shows nothing while
    /// the person who created it may not change the plan, or does not see the location.
    struct Content: Sendable {
        var plan: Plan
        var locations: [Location]
        /// The activities; empty if the link is to one location.
        var activities: [Activity]
        /// Whether the link is to the whole plan.
        var isOfPlan: Bool

        /// The subjects whose photos the link shows.
        ///
        /// They are the locations, the activities, and, for a link to the whole plan, the plan itself.
        var subjects: [SubjectID] {
            (isOfPlan ? [plan.subject] : []) + locations.map(\.subject) + activities.map(\.subject)
        }
    }

    /// Counts a link as opened.
    static func countOpening(_ secret: String, in db: Database) throws {
        try db.cachedStatement(sql: "UPDATE plan_link SET opened = opened + 1 WHERE digest = ?")
            .execute(arguments: [Secret.digest(secret)])
    }

    /// Returns the content of a link.
    ///
    /// - Throws: ``Refusal/absent(_:id:)`` if there is no link with that secret, or if it has expired.
    static func look(_ secret: String, at now: Timestamp, in db: Database) throws -> Content {
        let row = try NamedRow.fetchOne(
            db.cachedStatement(sql: "SELECT plan_link.plan, plan_link.location FROM \(valid)"),
            arguments: ["digest": Secret.digest(secret), "now": now.milliseconds])
        guard let row else { throw Refusal.absent("link", id: "with this secret; it may have expired or been revoked") }
        let (plan, location): (Int64, Int64?) = (row["plan"], row["location"])
        let locations = try NamedRow.soundList(
            db.cachedStatement(
                sql: """
                    SELECT * FROM location
                    WHERE plan = :plan AND CASE WHEN :location IS NULL THEN level = 3 ELSE number = :location END
                    ORDER BY position, number
                    """), arguments: ["plan": plan, "location": location]
        ) { try Location($0) }
        let activities = try NamedRow.soundList(
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

    /// The links with the secret `:digest` that show something at the time `:now`, each joined to its plan.
    ///
    /// A link has not expired, and the person who created it could still create it.
    private static let valid = """
        plan_link JOIN plan ON plan.number = plan_link.plan
        WHERE plan_link.digest = :digest AND plan_link.expires > :now
            AND \(PlanAccessRules.seesPlan) AND \(PlanAccessRules.edits)
            AND (plan_link.location IS NULL OR EXISTS (
                SELECT 1 FROM location
                WHERE location.number = plan_link.location AND \(PlanAccessRules.seesItem("location"))))
        """.replacing(":me", with: "plan_link.person")

    /// Returns whether a link shows the photos of a subject, without reading what else the link shows.
    ///
    /// - Returns: Whether the subject is one of ``Content/subjects``; false if there is no link with that secret, or if
    ///   it has expired.
    static func shows(
        _ subject: SubjectID, by secret: String, at now: Timestamp, in db: Database
    ) throws -> Bool {
        let condition: String
        switch subject.kind {
        case Plan.kind: condition = "plan_link.location IS NULL AND plan.id = :id"
        case Location.kind:
            condition = """
                EXISTS (
                    SELECT 1 FROM location WHERE location.id = :id AND location.plan = plan_link.plan AND
                        CASE WHEN plan_link.location IS NULL THEN location.level = 3
                        ELSE location.number = plan_link.location END)
                """
        case Activity.kind:
            condition = """
                plan_link.location IS NULL AND EXISTS (
                    SELECT 1 FROM activity
                    WHERE activity.id = :id AND activity.plan = plan_link.plan AND activity.level = 3)
                """
        default: return false
        }
        return try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM \(valid) AND \(condition))"),
            arguments: ["digest": Secret.digest(secret), "now": now.milliseconds, "id": subject.id]) ?? false
    }
}
