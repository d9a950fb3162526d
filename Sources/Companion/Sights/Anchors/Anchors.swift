import GRDB
import Geodesy
import Service
import Store
import Time
import Tracking

/// The anchors of devices, and the rule that drops one by itself whenever a device stops.
///
/// An anchor is a sight of the category `anchor` that is watched for one device and gives an alarm. All functions run in
/// the caller's transaction.
///
/// An anchor that dropped by itself never goes by itself: leaving it is an alarm first, also under way. It is raised by a
/// person, or when the alarm is acknowledged. Until then no stop drops another one, so that a device which drags and comes
/// to rest elsewhere goes on giving the alarm.
enum Anchors {
    /// The category of the sights that are anchors.
    static let category = "anchor"
    /// The radius in metres unless another is given: a short chain, and the boat at its end.
    static let usualRadius = 40.0

    static let migration = StoreMigration(
        at: 57, name: "places.anchors.1",
        sql: """
            -- The devices whose anchor drops by itself when they stop, with the radius of its circle. The sight is the
            -- anchor that dropped last, until it is raised. It is unmet until the device was seen in it, then met, and left
            -- once the device has left it, which is an alarm.
            CREATE TABLE anchor_rule (
                device INTEGER PRIMARY KEY REFERENCES device (number),
                radius_m REAL NOT NULL CHECK (radius_m > 0),
                sight INTEGER REFERENCES sight (number) ON DELETE SET NULL,
                state TEXT NOT NULL DEFAULT 'unmet' CHECK (state IN ('unmet', 'met', 'left'))
            ) STRICT;
            CREATE INDEX anchor_rule_by_sight ON anchor_rule (sight) WHERE sight IS NOT NULL;
            CREATE INDEX sight_anchor ON sight (devices) WHERE category = 'anchor';
            -- Stops of before are no reason to drop one.
            INSERT INTO follower SELECT 'anchors', next_seq - 1 FROM log;
            """)

    /// What is known of the anchor that a device drops by itself.
    struct Rule: Sendable {
        /// The number of the device.
        var device: Int64
        var radius: Distance
        /// The id of the anchor that dropped last, unless it was raised.
        var sight: String?
        /// Whether the device was seen inside of that anchor, or has left it.
        var state: State

        enum State: String, Sendable {
            case unmet, met, left
        }
    }

    /// Returns the rule of a device; `nil` if its anchor does not drop by itself.
    static func rule(of device: String, in db: Database) throws -> Rule? {
        let row = try NamedRow.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT anchor_rule.device AS device, anchor_rule.radius_m AS radius, sight.id AS sight,
                        anchor_rule.state AS state
                    FROM anchor_rule JOIN device ON device.number = anchor_rule.device
                        LEFT JOIN sight ON sight.number = anchor_rule.sight
                    WHERE device.name = ?
                    """), arguments: [device])
        return row.map { row in
            let (number, radius): (Int64, Double) = (row["device"], row["radius"])
            let state: String = row["state"]
            return Rule(
                device: number, radius: .meters(radius), sight: row["sight"],
                state: Rule.State(rawValue: state) ?? .unmet)
        }
    }

    /// Makes the anchor of a device drop by itself in circles of a radius; `nil` ends that.
    ///
    /// An anchor that is down stays.
    static func setRule(_ radius: Double?, of device: String, in db: Database) throws {
        let number = try Devices.add(device, to: db)
        guard let radius else {
            return try db.execute(sql: "DELETE FROM anchor_rule WHERE device = ?", arguments: [number])
        }
        try db.execute(
            sql: """
                INSERT INTO anchor_rule (device, radius_m) VALUES (?, ?)
                ON CONFLICT (device) DO UPDATE SET radius_m = excluded.radius_m
                """, arguments: [number, radius])
    }

    /// Returns the anchors of a device.
    static func all(of device: String, in db: Database) throws -> [Sight] {
        var rules = SightRules()
        rules.devices = [device]
        return try NamedRow.soundList(
            db.cachedStatement(
                sql: """
                    SELECT \(SightStore.columns) FROM sight WHERE category = 'anchor' AND devices = ? ORDER BY number
                    """), arguments: [rules.devicesText]
        ) { try Sight($0) }
    }

    /// Notes that a device was seen in the anchor that it dropped by itself, or has left it.
    static func note(_ state: Rule.State, of sight: String, device: String, in db: Database) throws {
        try db.cachedStatement(
            sql: """
                UPDATE anchor_rule SET state = ?1
                WHERE device = (SELECT number FROM device WHERE name = ?2)
                    AND sight = (SELECT number FROM sight WHERE id = ?3)
                """
        ).execute(arguments: [state.rawValue, device, sight])
    }

    /// Drops the anchor of a device that has stopped, unless one is down that still gives an alarm.
    static func drop(_ device: String, in db: Database, _ consequences: inout Consequences) throws {
        guard let rule = try Self.rule(of: device, in: db), let place = try openStop(device, in: db) else {
            return
        }
        for anchor in try all(of: device, in: db) {
            let isOwn = anchor.id == rule.sight
            // One that the device was never seen in cannot give an alarm.
            guard !anchor.rules.isAlarm || isOwn && rule.state == .unmet else { return }
            if isOwn, let change = try SightStore.remove(anchor.id, in: db) { consequences.geofences.append(change) }
        }
        let title = "Anchor of \(device)"
        var anchor = Sight(
            id: try Slug.id(for: title) { try !SightStore.contains($0, in: db) }, title: title, place: place,
            radius: rule.radius, category: category, information: "Dropped by itself.")
        anchor.rules.devices = [device]
        anchor.rules.isAlarm = true
        consequences.geofences += try SightStore.put([anchor], in: db).changes
        try db.execute(
            sql: """
                UPDATE anchor_rule SET sight = (SELECT number FROM sight WHERE id = ?), state = 'unmet' WHERE device = ?
                """, arguments: [anchor.id, rule.device])
    }

    /// Ends the alarms of some anchors of a device.
    ///
    /// One that dropped by itself and that the device has left is raised, and drops again where the device has stopped
    /// meanwhile. The others keep their circle.
    static func acknowledge(
        _ anchors: [Sight], of device: String, in db: Database, _ consequences: inout Consequences
    ) throws {
        let rule = try Self.rule(of: device, in: db)
        for var anchor in anchors {
            guard anchor.id != rule?.sight || rule?.state != .left else {
                guard let change = try SightStore.remove(anchor.id, in: db) else { continue }
                consequences.geofences.append(change)
                guard rule != nil, let stop = try openStop(device, in: db),
                    Sphere.distance(from: stop, to: anchor.place) > anchor.radius
                else { continue }
                try drop(device, in: db, &consequences)
                continue
            }
            guard anchor.rules.isAlarm else { continue }
            anchor.rules.isAlarm = false
            consequences.geofences += try SightStore.put([anchor], in: db).changes
        }
    }

    /// Returns the place of the open stop of a device; `nil` if it is not at one.
    private static func openStop(_ device: String, in db: Database) throws -> Coordinate? {
        try Travels.stop(ofDevice: device, at: Timestamp(milliseconds: .max), in: db)?.place
    }
}
