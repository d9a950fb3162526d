public import GRDB
package import RPC
public import Store

/// A kind of subjects that people can react to.
public protocol SubjectKind: Sendable {
    /// The name of the kind in a ``SubjectID``.
    var name: String { get }

    /// Whether everybody may see all subjects of this kind.
    ///
    /// If not, only people who may see a subject receive its events.
    var isPublic: Bool { get }

    /// Returns the subject with an id; `nil` if there is none, or the viewer may not see it.
    ///
    /// Callers cannot tell the two cases apart.
    ///
    /// - Parameter subjects: The subjects of all kinds, for a subject that belongs to another one.
    func subject(_ id: String, for viewer: Viewer, among subjects: Subjects, in db: Database) throws -> Subject?

    /// Returns those subjects among `ids` that exist and that the viewer may see, by their ids.
    ///
    /// A kind that appears in lists should implement it with a single query.
    func subjects(
        _ ids: [String], for viewer: Viewer, among subjects: Subjects, in db: Database
    ) throws -> [String: Subject]
}

extension SubjectKind {
    /// The default is `false`.
    public var isPublic: Bool { false }

    /// Looks up the ids one after another.
    public func subjects(
        _ ids: [String], for viewer: Viewer, among subjects: Subjects, in db: Database
    ) throws -> [String: Subject] {
        var found: [String: Subject] = [:]
        for id in ids { found[id] = try subject(id, for: viewer, among: subjects, in: db) }
        return found
    }
}

/// The subjects of all kinds.
///
/// Reviews, reactions, photos and suggestions look up subjects here only.
public struct Subjects: Sendable {
    private let kinds: [String: any SubjectKind]

    /// Creates the subjects of `kinds`, which must have different names.
    public init(_ kinds: [any SubjectKind]) {
        self.kinds = Dictionary(uniqueKeysWithValues: kinds.map { ($0.name, $0) })
    }

    /// Returns the subject that a text names.
    ///
    /// - Throws: Error 4 (invalid value), naming `field`, if the text is malformed or the kind is unknown. Error 1
    ///   (not found) if there is no such subject or the viewer may not see it.
    public func find(
        _ text: String, field: String = "subject", for viewer: Viewer, in db: Database
    ) throws -> Subject {
        guard let id = SubjectID(text), let kind = kinds[id.kind] else {
            throw Refusal.invalid(
                field, "must be KIND/ID, where KIND is one of \(kinds.keys.sorted().joined(separator: ", "))")
        }
        guard let subject = try kind.subject(id.id, for: viewer, among: self, in: db) else {
            throw Refusal.notFound("There is no \(id.kind) \(id.id).")
        }
        return subject
    }

    /// Returns the subject with an id; `nil` if there is none, or the viewer may not see it.
    public func find(_ id: SubjectID, for viewer: Viewer, in db: Database) throws -> Subject? {
        try kinds[id.kind]?.subject(id.id, for: viewer, among: self, in: db)
    }

    /// Returns whether a viewer may receive events that depend on the subject that `text` names.
    ///
    /// Everybody may if `text` names no known kind. Otherwise the subject must exist and the viewer must be allowed to
    /// see it. The result is `false` if the store cannot be read.
    public func isVisible(_ text: String, to viewer: Viewer, in store: LocationDatabase) -> Bool {
        guard let id = SubjectID(text), kinds[id.kind] != nil else { return true }
        return (try? store.read { try find(id, for: viewer, in: $0) != nil }) ?? false
    }

    /// Returns whether `text` names a kind whose subjects not everybody may see.
    public func isRestricted(_ text: String) -> Bool {
        guard let id = SubjectID(text), let kind = kinds[id.kind] else { return false }
        return !kind.isPublic
    }

    /// Returns those subjects among `ids` that exist and that the viewer may see.
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

    /// The required parameter `subject`.
    package static let field = Field.required(
        "subject", .string(length: 3...SubjectID.longest), "The subject, as KIND/ID, such as sight/old-mill.")

    package static let migration = StoreMigration(
        at: 13, name: "companion.subjects.1",
        sql: """
            -- What people have reacted to, as KIND/ID; what they have said goes with its row.
            CREATE TABLE subject (
                number INTEGER PRIMARY KEY,
                id TEXT NOT NULL UNIQUE CHECK (id LIKE '_%/_%')
            ) STRICT;
            """)

    /// Returns the number of a subject in the table `subject`; `nil` if it has no row.
    public static func number(of id: SubjectID, in db: Database) throws -> Int64? {
        try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT number FROM subject WHERE id = ?"), arguments: [id.description])
    }

    /// Returns the number of a subject in the table `subject`.
    ///
    /// Inserts the row if it is missing.
    public static func makeNumber(of id: SubjectID, in db: Database) throws -> Int64 {
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO subject (id) VALUES (?)").execute(arguments: [id.description]
        )
        guard let number = try number(of: id, in: db) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a subject is missing")
        }
        return number
    }

    /// Deletes the row of a subject that no longer exists, and with it all that people said about the subject.
    public static func remove(_ id: SubjectID, in db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM subject WHERE id = ?").execute(arguments: [id.description])
    }
}
