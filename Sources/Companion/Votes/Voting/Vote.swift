import Foundation
import GRDB
import Geodesy
import Plans
import RPC
import Service
import Store
import Time
import Tracking

/// A vote in the store.
struct Vote: Hashable, Sendable {
    /// The kind of a vote's subject and geofence.
    static let kind = "vote"
    /// The greatest distance from where a vote was opened at which people find it and are notified of it.
    static let reach = Distance.meters(1000)
    /// The allowed numbers of options.
    static let options = 2...20
    /// The allowed numbers of participants.
    ///
    /// A vote needs at least two, because the result of a single participant would reveal that person's choice.
    static let participants = 2...1000
    /// The longest subject or option, in bytes of UTF-8.
    static let longestText = 200
    /// The largest number of open votes of one person.
    static let maximumOpen = 20
    /// The largest number of ended votes that are kept of one initiator: those of a lifetime.
    ///
    /// Beyond it, the oldest are deleted.
    static let maximumKept = 2000

    /// The colour that distinguishes a vote from others.
    enum Colour: String, CaseIterable, Sendable {
        case red, orange, yellow, green, teal, blue, purple, pink, brown, grey
    }

    /// The longest time that a vote stays open.
    enum Limit: String, CaseIterable, Sendable {
        case tenMinutes = "10m"
        case hour = "1h"
        case day = "1d"
        case week = "1w"

        /// The limit in milliseconds.
        var milliseconds: Int64 {
            switch self {
            case .tenMinutes: 600_000
            case .hour: 3_600_000
            case .day: Timestamp.millisecondsPerDay
            case .week: 7 * Timestamp.millisecondsPerDay
            }
        }
    }

    /// The properties that the initiator sets.
    struct Draft: Hashable, Sendable {
        var subject: String
        var options: [String]
        var participants: Int
        var limit: Limit
        var colour: Colour
    }

    var number: Int64
    /// The id, seven digits.
    var id: String
    /// The initiator's row number in the table `person`; `nil` if the account was deleted.
    var initiator: Int64?
    var colour: Colour
    var subject: String
    var participants: Int
    var limit: Limit
    var opened: Timestamp
    /// The time at which the limit is reached.
    var ends: Timestamp
    /// The time at which the vote ended; `nil` while it is open.
    var ended: Timestamp?
    /// Where it was opened; `nil` for a vote of a plan.
    var place: Coordinate?
    /// The id of the plan to whose people it belongs; `nil` for a vote that was opened somewhere.
    var plan: String?
    /// The number of counted ballots so far; after the end, that of the result.
    var voted: Int
    /// The number of wrong passcodes that people have entered.
    var tries: Int
    /// Whether several people voted under the same name, and the initiator must check them.
    var hasConflict: Bool

    /// Returns whether the vote accepts ballots at a moment.
    ///
    /// A vote that has reached its limit does not, even before it was ended.
    func isOpen(at now: Timestamp) -> Bool { ended == nil && now < ends }

    /// The destination of notifications about the vote: the vote, or the plan to which it belongs.
    var destination: String {
        (plan.map { SubjectID(kind: "plan", id: $0) } ?? SubjectID(kind: Self.kind, id: id)).destination
    }

    /// The beginning of the keys of notifications about the vote.
    var keys: String { (plan.map { PlanCircle.keys(of: $0) } ?? "") + "vote/\(id)/\(number)/" }

    static let columns = """
        vote.number AS number, vote.id AS id, initiator, colour, vote.subject AS subject, participants, span, opened, ends,
        ended, lat_e7, lon_e7, voted, tries, vote.plan AS plan,
        EXISTS (SELECT 1 FROM vote_conflict WHERE vote_conflict.vote = vote.number) AS conflicted
        """

    /// Creates a vote from a row that has ``columns``.
    init(_ row: NamedRow) throws {
        guard let place = Coordinate(latitudeE7: row["lat_e7"], longitudeE7: row["lon_e7"]) else {
            throw row.damage("a vote has an invalid position")
        }
        let span: Int64 = row["span"]
        number = row["number"]
        id = row["id"]
        initiator = row["initiator"]
        colour = Colour(rawValue: row["colour"]) ?? .grey
        subject = row["subject"]
        participants = row["participants"]
        limit = Limit.allCases.first { $0.milliseconds == span } ?? .week
        opened = Timestamp(milliseconds: row["opened"])
        ends = Timestamp(milliseconds: row["ends"])
        ended = (row["ended"] as Int64?).map { Timestamp(milliseconds: $0) }
        plan = row["plan"]
        self.place = plan == nil ? place : nil
        voted = row["voted"]
        tries = row["tries"]
        hasConflict = row["conflicted"]
    }

    /// The SQL condition that the person `:me` may know of a vote: whoever has its id, or of a vote of a plan, only the
    /// people of that plan.
    static let isKnown = "(vote.plan IS NULL OR \(PlanCircle.contains("vote.plan")))"

    /// Returns the vote with an id; `nil` if there is none of which the person may know.
    static func find(_ id: String, for person: Int64, in db: Database) throws -> Vote? {
        try NamedRow.fetchOne(
            db.cachedStatement(sql: "SELECT \(columns) FROM vote WHERE vote.id = :id AND \(isKnown)"),
            arguments: ["id": id, "me": person]
        ).map { try Vote($0) }
    }

    /// Returns the vote with an id; `nil` if there is none.
    ///
    /// It is for work on nobody's behalf.
    static func find(_ id: String, in db: Database) throws -> Vote? {
        try NamedRow.fetchOne(
            db.cachedStatement(sql: "SELECT \(columns) FROM vote WHERE id = ?"), arguments: [id]
        ).map { try Vote($0) }
    }

    /// Returns the vote with an id.
    ///
    /// - Throws: ``Refusal/absent(_:id:)`` if there is none of which the person may know.
    static func get(_ id: String, for person: Int64, in db: Database) throws -> Vote {
        guard let vote = try find(id, for: person, in: db) else { throw Refusal.absent("vote", id: id) }
        return vote
    }

    /// Returns the vote with a row number.
    static func get(_ number: Int64, in db: Database) throws -> Vote {
        let row = try NamedRow.fetchOne(
            db.cachedStatement(sql: "SELECT \(columns) FROM vote WHERE number = ?"), arguments: [number])
        guard let row else { throw Refusal.absent("vote", id: String(number)) }
        return try Vote(row)
    }

    /// Returns the options in their order.
    ///
    /// The first one has the number 1.
    func options(in db: Database) throws -> [String] {
        try String.fetchAll(
            db.cachedStatement(sql: "SELECT text FROM vote_option WHERE vote = ? ORDER BY place"), arguments: [number])
    }

    /// Opens a vote.
    ///
    /// - Parameters:
    ///   - passcode: The hashed passcode; empty for a vote of a plan.
    ///   - place: Where it is opened; `nil` for a vote of a plan.
    ///   - plan: The id of the plan to whose people it belongs, if any.
    static func open(
        _ draft: Draft, passcode: String, by person: Int64, at place: Coordinate?, of plan: String? = nil,
        now: Timestamp, in db: Database
    ) throws -> Vote {
        let open = try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM vote WHERE initiator = ? AND ended IS NULL"),
            arguments: [person])
        guard open ?? 0 < maximumOpen else {
            throw Refusal.unavailable(
                "You have \(maximumOpen) open votes, the maximum. Wait until one of them has ended.")
        }
        try db.cachedStatement(
            sql: """
                INSERT INTO vote (id, initiator, colour, subject, folded, participants, passcode, seal, span, opened, ends,
                    lat_e7, lon_e7, watched, plan)
                VALUES (:id, :initiator, :colour, :subject, :folded, :participants, :passcode, :seal, :span, :opened,
                    :ends, :lat, :lon, :watched, :plan)
                """
        ).execute(arguments: [
            "id": try freeID(in: db), "initiator": person, "colour": draft.colour.rawValue, "subject": draft.subject,
            "folded": VoteText.folded(draft.subject), "participants": draft.participants, "passcode": passcode,
            "seal": BallotSeal.makeKey(), "span": draft.limit.milliseconds, "opened": now.milliseconds,
            "ends": now.advanced(byMilliseconds: draft.limit.milliseconds).milliseconds, "lat": place?.latitudeE7 ?? 0,
            "lon": place?.longitudeE7 ?? 0, "watched": try GeofenceRevision.next(in: db), "plan": plan,
        ])
        let number = db.lastInsertedRowID
        try db.cachedStatement(
            sql: """
                DELETE FROM vote WHERE number IN (
                    SELECT number FROM vote WHERE initiator = ? AND ended IS NOT NULL
                    ORDER BY number DESC LIMIT -1 OFFSET ?)
                """
        ).execute(arguments: [person, maximumKept])
        for (index, option) in draft.options.enumerated() {
            try db.cachedStatement(sql: "INSERT INTO vote_option (vote, place, text) VALUES (?, ?, ?)")
                .execute(arguments: [number, index + 1, option])
        }
        return try get(number, in: db)
    }

    /// Returns an unused id of seven random digits, so that nobody can guess the next one.
    private static func freeID(in db: Database) throws -> String {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<1000 {
            let id = String(Int.random(in: 1_000_000...9_999_999, using: &generator))
            let isTaken = try Bool.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT EXISTS (SELECT 1 FROM vote WHERE id = ?1) OR EXISTS (SELECT 1 FROM vote_gone WHERE vote = ?1)
                        """), arguments: [id])
            if isTaken == false { return id }
        }
        throw Refusal.unavailable("All vote ids of seven digits are in use.")
    }
}

/// The rules for texts in votes.
enum VoteText {
    /// Returns a single line of text without white space at both ends.
    ///
    /// - Throws: `Refusal.invalid` naming `field` if the text is empty, too long, or has control characters.
    static func line(_ given: String, _ field: String) throws(Refusal) -> String {
        let text = given.trimmingCharacters(in: .whitespacesAndNewlines).precomposedStringWithCanonicalMapping
        guard !text.isEmpty else { throw .invalid(field, "must not be empty") }
        guard text.utf8.count <= Vote.longestText else {
            throw .invalid(field, "must not be longer than \(Vote.longestText) bytes")
        }
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw .invalid(field, "must be one line of text")
        }
        return text
    }

    /// Returns the form of a text that searches compare: in lower case, without accents.
    static func folded(_ text: String) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
    }

    /// Returns the key of a name.
    ///
    /// Two names are the same if their keys are equal.
    ///
    /// The key ignores case, the amount of white space, and differences that Unicode compatibility decomposition
    /// removes.
    static func key(ofName name: String) -> String {
        // Letters such as a mathematical bold A have a lower case only once they are decomposed.
        name.decomposedStringWithCompatibilityMapping.lowercased().decomposedStringWithCompatibilityMapping
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

extension Vote.Draft {
    /// Creates a draft, and checks its properties in order.
    init(
        given subject: String, options: [String], participants: Int, limit: Vote.Limit, colour: Vote.Colour
    ) throws(Refusal) {
        self.subject = try VoteText.line(subject, "subject")
        self.options = []
        for option in options { self.options.append(try VoteText.line(option, "options")) }
        guard Set(self.options.map(VoteText.folded)).count == options.count else {
            throw .invalid("options", "must not have the same option twice")
        }
        guard Vote.options.contains(options.count) else {
            throw .invalid("options", "must be \(Vote.options.lowerBound) to \(Vote.options.upperBound)")
        }
        guard Vote.participants.contains(participants) else {
            throw .invalid(
                "participants", "must be \(Vote.participants.lowerBound) to \(Vote.participants.upperBound)")
        }
        (self.participants, self.limit, self.colour) = (participants, limit, colour)
    }
}
