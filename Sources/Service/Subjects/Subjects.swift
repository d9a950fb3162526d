public import GRDB
package import RPC
public import Store

/// A kind of things that people can react to.
public protocol SubjectKind: Sendable {
    /// What it is called in a ``SubjectID``.
    var name: String { get }

    /// Whether everybody may see all of them; where not, events of one go to those alone who may see it.
    var isPublic: Bool { get }

    /// The thing of an id; nil where there is none, or the viewer may not see it, which must look the same.
    ///
    /// - Parameter subjects: those of all kinds, for one that belongs to another.
    func subject(_ id: String, for viewer: Viewer, among subjects: Subjects, in db: Database) throws -> Subject?

    /// Those of some ids that there are and that the viewer may see; a kind that lists show does it by one query.
    func subjects(
        _ ids: [String], for viewer: Viewer, among subjects: Subjects, in db: Database
    ) throws -> [String: Subject]
}

extension SubjectKind {
    /// No.
    public var isPublic: Bool { false }

    /// One after another.
    public func subjects(
        _ ids: [String], for viewer: Viewer, among subjects: Subjects, in db: Database
    ) throws -> [String: Subject] {
        var found: [String: Subject] = [:]
        for id in ids { found[id] = try subject(id, for: viewer, among: subjects, in: db) }
        return found
    }
}

/// All that people can react to: the one place that reviews, reactions, photos and suggestions ask.
public struct Subjects: Sendable {
    private let kinds: [String: any SubjectKind]

    /// The subjects of these kinds.
    public init(_ kinds: [any SubjectKind]) {
        self.kinds = Dictionary(uniqueKeysWithValues: kinds.map { ($0.name, $0) })
    }

    /// The subject that a text names.
    ///
    /// - Throws: 4 naming `field` where the text names none, 1 where there is none or the viewer may not see it.
    public func find(
        _ text: String, field: String = "subject", for viewer: Viewer, in db: Database
    ) throws -> Subject {
        guard let id = SubjectID(text), let kind = kinds[id.kind] else {
            throw Refusal.invalid(
                field, "must be KIND/ID with a kind of \(kinds.keys.sorted().joined(separator: ", "))")
        }
        guard let subject = try kind.subject(id.id, for: viewer, among: self, in: db) else {
            throw Refusal.notFound("There is no \(id.kind) \(id.id).")
        }
        return subject
    }

    /// The subject of an id; nil where there is none, or the viewer may not see it.
    public func find(_ id: SubjectID, for viewer: Viewer, in db: Database) throws -> Subject? {
        try kinds[id.kind]?.subject(id.id, for: viewer, among: self, in: db)
    }

    /// Whether someone may be told of an event of a subject.
    ///
    /// What is no subject, or gone, is told as far as its kind is public; one that cannot be read is told to nobody.
    public func isVisible(_ text: String, to viewer: Viewer, in store: LocationDatabase) -> Bool {
        guard isRestricted(text), let id = SubjectID(text) else { return true }
        return (try? store.read { try find(id, for: viewer, in: $0) != nil }) ?? false
    }

    /// Whether not everybody may see all of the kind that a text names.
    public func isRestricted(_ text: String) -> Bool {
        guard let id = SubjectID(text), let kind = kinds[id.kind] else { return false }
        return !kind.isPublic
    }

    /// The subjects of some ids; those are left out that there are not, or that the viewer may not see.
    public func find(
        _ ids: [SubjectID], for viewer: Viewer, in db: Database
    ) throws -> [SubjectID: Subject] {
        var found: [SubjectID: Subject] = [:]
        for (name, ids) in Dictionary(grouping: Set(ids), by: \.kind) {
            guard let kind = kinds[name] else { continue }
            for (id, subject) in try kind.subjects(ids.map(\.id), for: viewer, among: self, in: db) {
                found[SubjectID(kind: name, id: id)] = subject
            }
        }
        return found
    }

    /// The parameter `subject`.
    package static let field = Field.required(
        "subject", .string(length: 3...SubjectID.longest), "What it is about, as KIND/ID, such as sight/old-mill.")

    package static let migration = StoreMigration(
        at: 13, name: "companion.subjects.1",
        sql: """
            -- What people have reacted to, as KIND/ID; what they have said goes with its row.
            CREATE TABLE subject (
                number INTEGER PRIMARY KEY,
                id TEXT NOT NULL UNIQUE CHECK (id LIKE '_%/_%')
            ) STRICT;
            """)

    /// The number of a subject in the table `subject`; nil where nobody has reacted to it.
    public static func number(of id: SubjectID, in db: Database) throws -> Int64? {
        try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT number FROM subject WHERE id = ?"), arguments: [id.description])
    }

    /// The number of a subject in the table `subject`, which it has from now on.
    public static func makeNumber(of id: SubjectID, in db: Database) throws -> Int64 {
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO subject (id) VALUES (?)").execute(arguments: [id.description]
        )
        guard let number = try number(of: id, in: db) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a subject is gone")
        }
        return number
    }

    /// Forgets all that people have said of a subject, which is gone.
    public static func remove(_ id: SubjectID, in db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM subject WHERE id = ?").execute(arguments: [id.description])
    }
}
