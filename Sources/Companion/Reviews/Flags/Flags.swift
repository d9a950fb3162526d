import GRDB
import Service
import Store

/// People's flags on subjects that should not be there, and the decisions of administrators.
///
/// All functions run in the caller's transaction.
///
/// An administrator can hide a subject, and ``flagsThatHide`` flags hide it until an administrator decides. The
/// subject's kind reads the table `flagged`, and shows a hidden subject only to its owner and to administrators.
/// Reviews are not subjects and have flags of their own.
enum Flags {
    /// The number of flags that hide a subject until an administrator decides, the same as for reviews.
    static let flagsThatHide = Reviews.flagsThatHide

    /// Adds a person's flag to a subject.
    ///
    /// A second flag of the same person has no effect.
    ///
    /// The subject is hidden once it has ``flagsThatHide`` open flags.
    ///
    /// - Returns: Whether the person had not flagged it before, and whether it is hidden now and was not.
    static func add(
        _ subject: SubjectID, by person: Int64, in db: Database
    ) throws -> (isNew: Bool, hides: Bool) {
        let number = try makeNumber(of: subject, in: db)
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO flag (flagged, person) VALUES (?, ?)")
            .execute(arguments: [number, person])
        let isNew = db.changesCount > 0
        try db.cachedStatement(sql: "UPDATE flagged SET hidden = 1 WHERE number = ? AND hidden = 0 AND flags >= ?")
            .execute(arguments: [number, flagsThatHide])
        return (isNew, db.changesCount > 0)
    }

    /// Hides or shows a subject, and settles all its open flags.
    static func decide(_ subject: SubjectID, isHidden: Bool, in db: Database) throws {
        let number = try makeNumber(of: subject, in: db)
        try db.cachedStatement(sql: "UPDATE flag SET settled = 1 WHERE flagged = ? AND settled = 0")
            .execute(arguments: [number])
        try db.cachedStatement(sql: "UPDATE flagged SET hidden = :hidden WHERE number = :number AND hidden <> :hidden")
            .execute(arguments: ["hidden": isHidden, "number": number])
    }

    private static func makeNumber(of subject: SubjectID, in db: Database) throws -> Int64 {
        let subject = try Subjects.makeNumber(of: subject, in: db)
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO flagged (subject) VALUES (?)").execute(arguments: [subject])
        let number = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT number FROM flagged WHERE subject = ?"), arguments: [subject])
        guard let number else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a flagged subject is gone") }
        return number
    }

    /// A subject with its flags.
    struct Entry: Sendable {
        /// The row number in the table `flagged`.
        var number: Int64
        var subject: SubjectID
        /// The number of open flags, which await a decision.
        var flags: Int
        var isHidden: Bool

        fileprivate static let select = """
            SELECT flagged.number AS number, subject.id AS subject, flags, hidden
            FROM flagged JOIN subject ON subject.number = flagged.subject
            """

        fileprivate init(_ row: NamedRow) throws {
            guard let subject = SubjectID(row["subject"]) else {
                throw row.damage("a flag with an invalid subject")
            }
            (number, flags, isHidden) = (row["number"], row["flags"], row["hidden"])
            self.subject = subject
        }
    }

    /// Returns the flags of a subject; `nil` if nobody has flagged it.
    static func entry(of subject: SubjectID, in db: Database) throws -> Entry? {
        try NamedRow.fetchOne(
            db.cachedStatement(sql: "\(Entry.select) WHERE subject.id = ?"), arguments: [subject.description]
        ).map { try Entry($0) }
    }

    /// Returns the subjects that await a decision, or all hidden ones, in the order in which they were first flagged.
    static func list(
        isHidden: Bool, after number: Int64?, atMost limit: Int, in db: Database
    ) throws -> [Entry] {
        return try NamedRow.soundList(
            db.cachedStatement(
                sql: """
                    \(Entry.select) WHERE \(isHidden ? "hidden = 1" : "flags > 0") AND flagged.number > ?
                    ORDER BY flagged.number LIMIT ?
                    """), arguments: [number ?? 0, StoreDamage.widened(limit)], Entry.init)
    }
}
