import GRDB
package import Positioning
import Service

/// That a person was told of something near, and what has become of their visit since.
package struct Visit: Hashable, Sendable {
    /// How far it has come.
    enum Phase: String {
        /// They were told ahead, and may never come there.
        case ahead
        /// They are there.
        case inside
        /// They have left.
        case ended
    }

    /// Whose visit it is: of several devices that carry them, the one by which they were told.
    var device: String
    /// When they were last told.
    package var time: Timestamp
    var phase: Phase

    /// So long after they were told ahead, they are held to have gone elsewhere, in seconds: several times what anybody
    /// looks ahead.
    private static let longestWay = 900.0
    /// So long after they were told, a visit is held to have ended, in seconds: its device may be gone for good, and with
    /// it the exit.
    private static let longestStay = 86_400.0

    /// Whether they have not left since.
    func goesOn(at now: Timestamp) -> Bool {
        switch phase {
        case .ahead: isWithin(Self.longestWay, at: now)
        case .inside: isWithin(Self.longestStay, at: now)
        case .ended: false
        }
    }

    /// Whether they were told less than so many seconds ago; a time before that is another journey's.
    func isWithin(_ seconds: Double, at now: Timestamp) -> Bool {
        let passed = Double(now.milliseconds - time.milliseconds) / 1000
        return 0 <= passed && passed < seconds
    }
}

extension Visit {
    /// The last of a person, by number, to a subject as `KIND/ID`.
    static func last(of person: Int64, to subject: String, in db: Database) throws -> Visit? {
        let statement = try db.cachedStatement(
            sql: "SELECT device, time, phase FROM visit WHERE person = ? AND subject = ?")
        return try NamedRow.fetchOne(statement, arguments: [person, subject]).map { row in
            Visit(
                device: row["device"], time: Timestamp(milliseconds: row["time"]),
                phase: Phase(rawValue: row["phase"]) ?? .ended)
        }
    }

    /// Keeps it as the last, and forgets those that matter to no rule any more.
    func keep(of person: Int64, to subject: String, in db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO visit VALUES (?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET device = excluded.device, time = excluded.time, phase = excluded.phase
                """
        ).execute(arguments: [person, subject, device, time.milliseconds, phase.rawValue])
        try db.cachedStatement(sql: "DELETE FROM visit WHERE person = ? AND time < ?").execute(arguments: [
            person, time.milliseconds - NotificationRules.longestCoolDown * 1000,
        ])
    }

    /// Ends the visits of a device to a subject.
    static func end(of device: String, to subject: String, in db: Database) throws {
        try db.cachedStatement(
            sql: "UPDATE visit SET phase = 'ended' WHERE device = ? AND subject = ? AND phase <> 'ended'"
        ).execute(arguments: [device, subject])
    }
}
