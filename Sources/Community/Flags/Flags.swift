import GRDB
import Service
import Store

/// What people find should not be there, of any kind that can be hidden; within a transaction of its caller.
///
/// A subject is hidden by ``flagsThatHide`` flags until an administrator has looked, or by such a decision. Its kind
/// reads that in the table `flagged`, and shows a hidden one only to whose it is and to those who decide. Reviews, which
/// are no subjects, have flags of their own.
enum Flags {
    /// As many people's flags hide a subject until someone decides, as with reviews.
    static let flagsThatHide = Reviews.flagsThatHide

    static let migration = StoreMigration(
        at: 40, name: "companion.flags.1",
        sql: """
            -- What people have flagged, the first first. flags counts the open ones, and is kept by triggers.
            CREATE TABLE flagged (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                subject INTEGER NOT NULL UNIQUE REFERENCES subject (number) ON DELETE CASCADE,
                hidden INTEGER NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1)),
                flags INTEGER NOT NULL DEFAULT 0 CHECK (flags >= 0)
            ) STRICT;
            CREATE INDEX flagged_to_decide ON flagged (number) WHERE flags > 0;
            CREATE INDEX flagged_hidden ON flagged (number) WHERE hidden = 1;

            -- Who finds that it should not be there; settled once it was decided upon.
            CREATE TABLE flag (
                flagged INTEGER NOT NULL REFERENCES flagged (number) ON DELETE CASCADE,
                person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
                settled INTEGER NOT NULL DEFAULT 0 CHECK (settled IN (0, 1)),
                PRIMARY KEY (flagged, person)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX flag_by_person ON flag (person);

            CREATE TRIGGER flag_added AFTER INSERT ON flag BEGIN
                UPDATE flagged SET flags = flags + (NEW.settled = 0) WHERE number = NEW.flagged;
            END;
            CREATE TRIGGER flag_settled AFTER UPDATE OF settled ON flag BEGIN
                UPDATE flagged SET flags = flags + OLD.settled - NEW.settled WHERE number = NEW.flagged;
            END;
            CREATE TRIGGER flag_removed AFTER DELETE ON flag BEGIN
                UPDATE flagged SET flags = flags - (OLD.settled = 0) WHERE number = OLD.flagged;
            END;
            """)

    /// Adds someone's flag to a subject; a second one of theirs changes nothing.
    ///
    /// It is hidden from ``flagsThatHide`` flags on that are not yet decided upon.
    static func add(_ subject: SubjectID, by person: Int64, in db: Database) throws {
        let number = try makeNumber(of: subject, in: db)
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO flag (flagged, person) VALUES (?, ?)")
            .execute(arguments: [number, person])
        try db.cachedStatement(sql: "UPDATE flagged SET hidden = 1 WHERE number = ? AND hidden = 0 AND flags >= ?")
            .execute(arguments: [number, flagsThatHide])
    }

    /// Decides upon a subject: whether it is hidden, whatever the flags were that it has.
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
        /// Its number in the table `flagged`.
        var number: Int64
        var subject: SubjectID
        /// How many flags nobody has decided upon.
        var flags: Int
        var isHidden: Bool

        fileprivate static let select = """
            SELECT flagged.number AS number, subject.id AS subject, flags, hidden
            FROM flagged JOIN subject ON subject.number = flagged.subject
            """

        fileprivate init(_ row: NamedRow) throws {
            guard let subject = SubjectID(row["subject"]) else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a flag of nothing")
            }
            (number, flags, isHidden) = (row["number"], row["flags"], row["hidden"])
            self.subject = subject
        }
    }

    /// How a subject stands; without flags where nobody has flagged it.
    static func entry(of subject: SubjectID, in db: Database) throws -> Entry? {
        try NamedRow.fetchOne(
            db.cachedStatement(sql: "\(Entry.select) WHERE subject.id = ?"), arguments: [subject.description]
        ).map { try Entry($0) }
    }

    /// Those that are to be decided upon, or all that are hidden, the first flagged first.
    static func list(
        isHidden: Bool, after number: Int64?, atMost limit: Int, in db: Database
    ) throws -> [Entry] {
        return try NamedRow.list(
            db.cachedStatement(
                sql: """
                    \(Entry.select) WHERE \(isHidden ? "hidden = 1" : "flags > 0") AND flagged.number > ?
                    ORDER BY flagged.number LIMIT ?
                    """), arguments: [number ?? 0, limit], Entry.init)
    }
}
