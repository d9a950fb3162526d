package import GRDB
import RPC
package import Service
import Subjects
import TextCoding

/// The sights as subjects that people react to.
///
/// Everybody may see them, except those that tell where a hidden device is; see ``SightAccess``. An event about a sight
/// names its device, which restricts it, so the kind is public; that a sight has changed is told to those who see it.
package struct SightSubject: SubjectKind {
    /// The kind of a sight's ``SubjectID``.
    package static let kind = "sight"

    package var name: String { Self.kind }
    package let isPublic = true

    package func subject(_ id: String, for viewer: Viewer, among subjects: Subjects, in db: Database) throws -> Subject?
    {
        guard let found = try SightStore.sight(id: id, in: db) else { return nil }
        return try SightAccess(for: viewer, in: db).shown(found).map { sight in
            let id = SubjectID(kind: name, id: sight.id)
            return Subject(
                id: id, title: sight.title, owner: sight.owner, information: sight.information,
                image: try Subjects.cover(of: id, in: db), place: sight.place)
        }
    }

    package func subjects(
        _ ids: [String], for viewer: Viewer, among subjects: Subjects, in db: Database
    ) throws -> [String: Subject] {
        let list = JSONText.array { json in for id in ids { json.string(id) } }
        let rows = try NamedRow.soundRows(
            db.cachedStatement(
                sql: """
                    SELECT \(SightStore.columns), \(Subjects.cover(of: "'\(Self.kind)/' || sight.id")) AS cover
                    FROM json_each(:ids) AS asked CROSS JOIN sight ON sight.id = asked.value
                    """), arguments: ["ids": String(decoding: list.bytes, as: UTF8.self)])
        let access = try SightAccess(for: viewer, in: db)
        var found: [String: Subject] = [:]
        while let row = try rows.next() {
            let sight = try Sight(row)
            guard access.sees(sight) else { continue }
            found[sight.id] = Subject(
                id: SubjectID(kind: name, id: sight.id), title: sight.title, owner: sight.owner,
                information: sight.information, image: (row["cover"] as Int64?).map(String.init), place: sight.place)
        }
        return found
    }
}
