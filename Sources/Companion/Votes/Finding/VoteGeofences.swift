import GRDB
import Geodesy
import People
import Service
import Store
import Time
import Tracking

/// The geofences of open votes, except those of plans, which are nowhere.
///
/// Everybody within reach of a vote is notified of it.
///
/// The event log has only the id of a vote, and neither the subject nor the initiator, because events remain after
/// accounts are deleted.
struct VoteGeofences: GeofenceSource {
    let kind = Geofence.Kind(rawValue: Vote.kind)
    // A standard notification would give the distance to where the initiator stood.
    let notification: NotificationDraft.Kind? = nil

    private static let columns = "id, lat_e7, lon_e7, watched"

    func count(in db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM vote WHERE ended IS NULL AND vote.plan IS NULL") ?? 0
    }

    func forEach(in db: Database, _ body: (_ geofence: Geofence, _ revision: Int64) -> Void) throws {
        let rows = try NamedRow.soundRows(
            db.cachedStatement(
                sql: "SELECT \(Self.columns) FROM vote WHERE ended IS NULL AND vote.plan IS NULL ORDER BY number"))
        while let row = try rows.next() {
            if let geofence = Self.geofence(row) { body(geofence, row["watched"]) }
        }
    }

    func geofence(_ id: String, in db: Database) throws -> Geofence? {
        try NamedRow.fetchOne(
            db.cachedStatement(sql: "SELECT \(Self.columns) FROM vote WHERE id = ? AND vote.plan IS NULL"),
            arguments: [id]
        ).flatMap(Self.geofence)
    }

    private static func geofence(_ row: NamedRow) -> Geofence? {
        let id: String = row["id"]
        return Coordinate(latitudeE7: row["lat_e7"], longitudeE7: row["lon_e7"]).map { place in
            Geofence(identity: identity(id), title: "Vote \(id)", center: place, radius: Vote.reach)
        }
    }

    private static func identity(_ id: String) -> Geofence.Identity {
        Geofence.Identity(kind: Geofence.Kind(rawValue: Vote.kind), id: id)
    }

    /// Returns the geofence to add once a vote is open.
    static func watching(_ vote: Vote, in db: Database) throws -> [GeofenceChange] {
        let row = try NamedRow.fetchOne(
            db.cachedStatement(sql: "SELECT \(columns) FROM vote WHERE number = ?"), arguments: [vote.number])
        guard let row, let geofence = geofence(row) else { return [] }
        return [.watched(geofence, revision: row["watched"])]
    }

    /// Returns the geofence to remove once a vote has ended.
    static func removal(of id: String, in db: Database) throws -> GeofenceChange {
        .removed(identity(id), revision: try GeofenceRevision.next(in: db))
    }
}

/// A log consumer that notifies people when a device carries them within reach of an open vote, once per person and
/// vote.
struct NearbyVoteConsumer: LogConsumer {
    let name = "votes.nearby"

    func concerns(_ event: EventRecord) -> Bool {
        (event.type == "geofence.enter" || event.type == "geofence.cross") && event.device != nil
            && event.subject?.hasPrefix("\(Vote.kind)/") ?? false
    }

    func consume(_ event: EventRecord, in db: Database, _ consequences: inout Consequences) throws {
        guard let device = event.device, let id = event.subject.flatMap(SubjectID.init)?.id,
            let vote = try Vote.find(id, in: db), vote.ended == nil, event.time < vote.ends,
            // An event from an earlier recording does not put anybody near the vote now.
            event.time >= vote.opened.advanced(byMilliseconds: -VoteMethods.oldestFix)
        else { return }
        for id in try People.passengers(of: device, in: db) {
            guard let person = try People.find(id, in: db), person.number != vote.initiator,
                try Ballot.find(person.number, in: vote, in: db) == nil
            else { continue }
            var draft = NotificationDraft(
                to: id, .vote, at: event.time, key: "vote/\(vote.id)/\(vote.number)/near",
                text: "A vote is open around here: \(bold: vote.subject).", destination: vote.destination)
            draft.author = vote.initiator.map { .init($0, logText: "The vote \(vote.id) is open around here.") }
            consequences.notifications.append(draft)
        }
    }
}

/// The votes as subjects.
///
/// Only their initiator and admitted people see them, and those of a plan only its people.
///
/// They alone receive a vote's events, which give the distance between the initiator's position and a device.
struct VoteSubject: SubjectKind {
    let name = Vote.kind

    func subject(_ id: String, for viewer: Viewer, among subjects: Subjects, in db: Database) throws -> Subject? {
        guard let person = try People.number(of: viewer, in: db), let vote = try Vote.find(id, for: person, in: db)
        else {
            return nil
        }
        guard try vote.initiator == person || vote.plan != nil || Ballot.find(person, in: vote, in: db) != nil else {
            return nil
        }
        return Subject(
            id: SubjectID(kind: name, id: vote.id), title: vote.subject,
            owner: try vote.initiator.flatMap { try People.find(number: $0, in: db)?.id }, isRated: false)
    }
}
