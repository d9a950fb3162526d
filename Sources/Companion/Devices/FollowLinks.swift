import Foundation
import GRDB
import RPC
import Service
import Store
import TextCoding
import Time

/// A link that shows where a device is, to everybody who has it, until it ends.
///
/// All functions run in the caller's transaction. The store keeps only the SHA-256 of a link's secret.
struct FollowLink: Sendable {
    /// The number by which the link is listed and ended.
    var number: Int64
    /// The name of the device.
    var device: String
    /// The id of the person who made the link; `nil` if an administrator did who is nobody.
    var person: String?
    var created: Timestamp
    var ends: Timestamp
    /// How often the link was opened first; an open page asks again and again.
    var opened: Int

    /// The longest life of a link, in seconds: a week, after which one asks again.
    static let longestLife = 7 * 86_400.0
    /// The most links of a device at a time.
    static let maximumCount = 100
    /// The number of random bytes in a secret.
    private static let length = 16

    static let migration = StoreMigration(
        at: 59, name: "places.following.1",
        sql: """
            -- Links that show where a device is until they end; the secret itself is kept nowhere.
            CREATE TABLE follow_link (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                device TEXT NOT NULL,
                person INTEGER REFERENCES person (number) ON DELETE CASCADE,
                digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
                created INTEGER NOT NULL,
                ends INTEGER NOT NULL,
                opened INTEGER NOT NULL DEFAULT 0
            ) STRICT;
            CREATE INDEX follow_link_by_person ON follow_link (person);
            -- The groups of devices that a sight is watched for besides its devices, as a JSON array of ids.
            ALTER TABLE sight ADD COLUMN device_groups TEXT;
            CREATE INDEX sight_by_devices ON sight (number) WHERE devices IS NOT NULL OR device_groups IS NOT NULL;
            """)

    /// Creates a link, and deletes those that have ended.
    ///
    /// - Returns: The secret and the link.
    /// - Throws: `Refusal.unavailable` if the device has ``maximumCount`` links.
    static func create(
        to device: String, by person: String?, until ends: Timestamp, at now: Timestamp, in db: Database
    ) throws -> (secret: String, link: FollowLink) {
        try db.cachedStatement(sql: "DELETE FROM follow_link WHERE ends <= ?").execute(arguments: [now.milliseconds])
        let count = try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM follow_link WHERE device = ?"), arguments: [device])
        guard count ?? 0 < maximumCount else {
            throw Refusal.unavailable(
                "\(device) has \(maximumCount) links, the maximum. End one with follow.end first.")
        }
        let secret = Base64.encodeForURL(Secret.random(length))
        try db.cachedStatement(
            sql: """
                INSERT INTO follow_link (device, person, digest, created, ends)
                VALUES (?, (SELECT person.number FROM person WHERE person.id = ?), ?, ?, ?)
                """
        ).execute(arguments: [device, person, Secret.digest(secret), now.milliseconds, ends.milliseconds])
        return (
            secret,
            FollowLink(
                number: db.lastInsertedRowID, device: device, person: person, created: now, ends: ends, opened: 0)
        )
    }

    /// Returns the links that have not ended, oldest first: all for administrators, and a person's own.
    static func list(for viewer: Viewer, at now: Timestamp, in db: Database) throws -> [FollowLink] {
        try NamedRow.list(
            db.cachedStatement(
                sql: """
                    SELECT \(columns) FROM follow_link LEFT JOIN person ON person.number = follow_link.person
                    WHERE follow_link.ends > :now AND (:decides OR person.id = :me) ORDER BY follow_link.number
                    """), arguments: ["now": now.milliseconds, "decides": viewer.isAdmin, "me": viewer.person],
            FollowLink.init)
    }

    /// Deletes a link, which ends it immediately.
    ///
    /// - Throws: `Refusal.notFound` if there is none that the viewer may end.
    static func end(_ number: Int64, for viewer: Viewer, in db: Database) throws {
        try db.cachedStatement(
            sql: """
                DELETE FROM follow_link WHERE follow_link.number = :number AND (
                    :decides OR follow_link.person = (SELECT person.number FROM person WHERE person.id = :me))
                """
        ).execute(arguments: ["number": number, "decides": viewer.isAdmin, "me": viewer.person])
        guard db.changesCount > 0 else {
            throw Refusal.notFound("You have no link \(number). follow.list lists your links.")
        }
    }

    /// Returns the link with a secret; `nil` if there is none or it has ended.
    static func find(_ secret: String, at now: Timestamp, in db: Database) throws -> FollowLink? {
        try NamedRow.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT \(columns) FROM follow_link LEFT JOIN person ON person.number = follow_link.person
                    WHERE follow_link.digest = ? AND follow_link.ends > ?
                    """), arguments: [Secret.digest(secret), now.milliseconds]
        ).map(FollowLink.init)
    }

    /// Counts a link as opened.
    static func countOpening(_ number: Int64, in db: Database) throws {
        try db.cachedStatement(sql: "UPDATE follow_link SET opened = opened + 1 WHERE number = ?")
            .execute(arguments: [number])
    }

    private static let columns = """
        follow_link.number AS number, follow_link.device AS device, person.id AS person,
            follow_link.created AS created, follow_link.ends AS ends, follow_link.opened AS opened
        """
}

extension FollowLink {
    init(_ row: NamedRow) {
        number = row["number"]
        device = row["device"]
        person = row["person"]
        created = Timestamp(milliseconds: row["created"])
        ends = Timestamp(milliseconds: row["ends"])
        opened = row["opened"]
    }
}
