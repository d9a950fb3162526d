package import GRDB
import RPC
package import Service
import Subjects
import TextCoding

/// The sights as subjects that people react to.
///
/// Everybody may see them.
package struct SightSubject: SubjectKind {
    /// The kind of a sight's ``SubjectID``.
    package static let kind = "sight"

    package var name: String { Self.kind }
    package let isPublic = true

    package func subject(_ id: String, for viewer: Viewer, among subjects: Subjects, in db: Database) throws -> Subject?
    {
        try SightStore.sight(id: id, in: db).map { sight in
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
        var found: [String: Subject] = [:]
        while let row = try rows.next() {
            let sight = try Sight(row)
            found[sight.id] = Subject(
                id: SubjectID(kind: name, id: sight.id), title: sight.title, owner: sight.owner,
                information: sight.information, image: (row["cover"] as Int64?).map(String.init), place: sight.place)
        }
        return found
    }
}
