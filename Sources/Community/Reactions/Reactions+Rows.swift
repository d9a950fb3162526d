import GRDB
import Positioning
import Service

extension Reactions {
    /// How many have marked a subject, and how someone has.
    package struct Marks: Hashable, Sendable {
        /// How many love it.
        var hearts = 0
        /// How many like it.
        var likes = 0
        /// How many want to find it again.
        var saves = 0
        /// How someone has marked it.
        var own: Set<Kind> = []
    }

    /// How people have marked a subject, and how the person of a number has.
    ///
    /// - Complexity: O(*n*) for *n* marks of the subject.
    static func marks(of subject: SubjectID, for person: Int64?, in db: Database) throws -> Marks {
        var marks = Marks()
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT kind, count(*), coalesce(max(person = ?), 0) FROM reaction
                    WHERE subject = (SELECT number FROM subject WHERE id = ?) GROUP BY kind
                    """), arguments: [person, subject.description])
        while let row = try rows.next() {
            guard let kind = Kind(rawValue: row[0]) else { continue }
            switch kind {
            case .heart: marks.hearts = row[1]
            case .like: marks.likes = row[1]
            case .save: marks.saves = row[1]
            }
            if row[2] { marks.own.insert(kind) }
        }
        return marks
    }

    /// Marks a subject, or takes the mark back; once is as good as twice.
    static func set(
        _ kind: Kind, of subject: SubjectID, by person: Int64, to isOn: Bool, at time: Timestamp, in db: Database
    ) throws {
        guard isOn else {
            try db.cachedStatement(
                sql: """
                    DELETE FROM reaction
                    WHERE subject = (SELECT number FROM subject WHERE id = ?) AND kind = ? AND person = ?
                    """
            ).execute(arguments: [subject.description, kind.rawValue, person])
            return
        }
        try db.cachedStatement(
            sql: "INSERT OR IGNORE INTO reaction (subject, kind, person, time) VALUES (?, ?, ?, ?)"
        ).execute(arguments: [
            try Subjects.makeNumber(of: subject, in: db), kind.rawValue, person, time.milliseconds,
        ])
    }

    /// Calls `body` with the number and time of each mark of a kind, and the number of whose it is, the last first, as
    /// long as it returns true.
    static func forEach(
        _ kind: Kind, of subject: SubjectID, before number: Int64?, in db: Database,
        _ body: (Int64, Timestamp, Int64) throws -> Bool
    ) throws {
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT number, time, person FROM reaction
                    WHERE subject = (SELECT number FROM subject WHERE id = ?) AND kind = ? AND number < ?
                    ORDER BY number DESC
                    """), arguments: [subject.description, kind.rawValue, number ?? .max])
        while let row = try rows.next() {
            guard try body(row[0], Timestamp(milliseconds: row[1]), row[2]) else { break }
        }
    }

    /// Calls `body` with the number and time of each mark of a kind that a person has made, and its subject, the last
    /// first, as long as it returns true.
    static func forEach(
        _ kind: Kind, by person: Int64, before number: Int64?, in db: Database,
        _ body: (Int64, Timestamp, SubjectID) throws -> Bool
    ) throws {
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT reaction.number, time, subject.id FROM reaction JOIN subject ON subject.number = subject
                    WHERE person = ? AND kind = ? AND reaction.number < ? ORDER BY reaction.number DESC
                    """), arguments: [person, kind.rawValue, number ?? .max])
        while let row = try rows.next() {
            guard let subject = SubjectID(row[2]) else { continue }
            guard try body(row[0], Timestamp(milliseconds: row[1]), subject) else { break }
        }
    }
}
