import GRDB
import Service
package import Time

/// The last notification of a person about a nearby subject, and the progress of their visit since.
package struct Visit: Hashable, Sendable {
    /// The progress of a visit.
    enum Phase: String {
        /// The person was notified ahead, and may never arrive.
        case ahead
        /// The person is there.
        case inside
        /// The person has left.
        case ended
    }

    /// The device whose event caused the notification.
    ///
    /// It is one of possibly several devices that carry the person.
    var device: String
    /// When the person was last notified.
    package var time: Timestamp
    var phase: Phase

    /// The time in seconds after which a person who was notified of an approach counts as having gone elsewhere.
    ///
    /// It is several times the lookahead of approaches.
    private static let longestWay = 900.0
    /// The time after which a visit counts as ended, in seconds.
    ///
    /// The device may be gone for good, and then there is no exit event.
    private static let longestStay = 86_400.0

    /// Whether the visit is still in progress at a time.
    func isInProgress(at now: Timestamp) -> Bool {
        switch phase {
        case .ahead: isWithin(Self.longestWay, at: now)
        case .inside: isWithin(Self.longestStay, at: now)
        case .ended: false
        }
    }

    /// Whether the person was notified less than `seconds` ago.
    ///
    /// A time before the notification belongs to another journey, so the result is `false`.
    func isWithin(_ seconds: Double, at now: Timestamp) -> Bool {
        let passed = Double(now.milliseconds - time.milliseconds) / 1000
        return 0 <= passed && passed < seconds
    }
}

extension Visit {
    /// Returns the last visit of the person with a number to a subject given as `KIND/ID`, or `nil` if there is none.
    static func last(of person: Int64, to subject: String, in db: Database) throws -> Visit? {
        let statement = try db.cachedStatement(
            sql: "SELECT device, time, phase FROM visit WHERE person = ? AND subject = ?")
        return try NamedRow.fetchOne(statement, arguments: [person, subject]).map { row in
            Visit(
                device: row["device"], time: Timestamp(milliseconds: row["time"]),
                phase: Phase(rawValue: row["phase"]) ?? .ended)
        }
    }

    /// Stores the visit as the last one, and deletes the person's visits that no rule needs any more.
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
