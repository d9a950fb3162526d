import GRDB
import People
import RPC
import Service
import Store
import Time

extension Reactions {
    /// The numbers of marks on a subject, and the marks of one person.
    package struct Marks: Hashable, Sendable {
        /// The number of hearts.
        var hearts = 0
        /// The number of likes.
        var likes = 0
        /// The number of saves.
        var saves = 0
        /// The kinds of marks that the person has put on the subject.
        var own: Set<Kind> = []
    }

    /// Returns the numbers of marks on a subject, and the marks of the given person.
    ///
    /// - Complexity: O(*n*) for *n* marks on the subject.
    static func marks(of subject: SubjectID, for person: Int64?, in db: Database) throws -> Marks {
        var marks = Marks()
        let rows = try NamedRow.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT kind, count(*) AS count, coalesce(max(person = ?), 0) AS own FROM reaction
                    WHERE subject = (SELECT number FROM subject WHERE id = ?) GROUP BY kind
                    """), arguments: [person, subject.description])
        while let row = try rows.next() {
            guard let kind = Kind(rawValue: row["kind"]) else { continue }
            switch kind {
            case .heart: marks.hearts = row["count"]
            case .like: marks.likes = row["count"]
            case .save: marks.saves = row["count"]
            }
            if row["own"] { marks.own.insert(kind) }
        }
        return marks
    }

    /// Adds a person's mark to a subject, or removes it.
    ///
    /// Repeating the call has no effect.
    ///
    /// - Returns: Whether the mark was not so before.
    static func set(
        _ kind: Kind, of subject: SubjectID, by person: Int64, to isOn: Bool, at time: Timestamp, in db: Database
    ) throws -> Bool {
        guard isOn else {
            try db.cachedStatement(
                sql: """
                    DELETE FROM reaction
                    WHERE subject = (SELECT number FROM subject WHERE id = ?) AND kind = ? AND person = ?
                    """
            ).execute(arguments: [subject.description, kind.rawValue, person])
            return db.changesCount > 0
        }
        try db.cachedStatement(
            sql: "INSERT OR IGNORE INTO reaction (subject, kind, person, time) VALUES (?, ?, ?, ?)"
        ).execute(arguments: [
            try Subjects.makeNumber(of: subject, in: db), kind.rawValue, person, time.milliseconds,
        ])
        return db.changesCount > 0
    }

    /// Calls `body` with the marks of a kind on a subject, newest first, until `body` returns false.
    ///
    /// - Parameter me: The number of the viewer; `nil` if nobody is signed in.
    static func forEach(
        _ kind: Kind, of subject: SubjectID, for me: Int64?, before number: Int64?, atMost limit: Int, in db: Database,
        _ body: (Reaction) throws -> Bool
    ) throws {
        let statement = try db.cachedStatement(
            sql: """
                SELECT reaction.number, reaction.time, \(PersonRow.columns())
                FROM reaction JOIN person ON person.number = reaction.person
                WHERE reaction.subject = (SELECT number FROM subject WHERE id = :subject) AND kind = :kind
                    AND reaction.number < :before
                ORDER BY reaction.number DESC LIMIT :limit
                """)
        let rows = try NamedRow.soundRows(
            statement,
            arguments: [
                "subject": subject.description, "kind": kind.rawValue, "before": number ?? .max,
                "limit": StoreDamage.widened(limit),
                "me": me,
            ])
        while let row = try rows.next() {
            guard try body(Reaction(row)) else { break }
        }
    }

    /// Returns the marks of a kind that a person has put on subjects, newest first.
    static func marks(
        _ kind: Kind, by person: Int64, before number: Int64?, atMost limit: Int, in db: Database
    ) throws -> [(number: Int64, time: Timestamp, subject: SubjectID)] {
        return try NamedRow.soundList(
            db.cachedStatement(
                sql: """
                    SELECT reaction.number, time, subject.id AS subject
                    FROM reaction JOIN subject ON subject.number = reaction.subject
                    WHERE person = :person AND kind = :kind AND reaction.number < :before
                    ORDER BY reaction.number DESC LIMIT :limit
                    """),
            arguments: [
                "person": person, "kind": kind.rawValue, "before": number ?? .max, "limit": StoreDamage.widened(limit),
            ]
        ) { row in
            guard let subject = SubjectID(row["subject"]) else {
                throw row.damage("a reaction with an invalid subject")
            }
            return (row["number"], Timestamp(milliseconds: row["time"]), subject)
        }
    }
}

/// A mark, and the person who put it there.
struct Reaction: Answerable, Sendable {
    /// The row number in the table `reaction`.
    var number: Int64
    var person: PersonRow
    var time: Timestamp

    static let shape = AnswerShape<Reaction>.object {
        Member("person", PersonRow.shape, "The person.") { $0.person }
        Member("time", .time, "The time of the mark.") { $0.time }
    }

    fileprivate init(_ row: NamedRow) {
        number = row["number"]
        person = PersonRow(row)
        time = Timestamp(milliseconds: row["time"])
    }
}
