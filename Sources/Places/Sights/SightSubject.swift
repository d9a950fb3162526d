package import GRDB
package import Service

/// Sights as what people react to; everybody may see them.
package struct SightSubject: SubjectKind {
    /// What they are called in a ``SubjectID``.
    package static let kind = "sight"

    package var name: String { Self.kind }

    package func subject(_ id: String, for viewer: Viewer, among subjects: Subjects, in db: Database) throws -> Subject?
    {
        try SightStore.sight(id: id, in: db).map { sight in
            let id = SubjectID(kind: name, id: sight.id)
            return Subject(
                id: id, title: sight.title, owner: sight.owner, information: sight.information,
                image: try Subjects.cover(of: id, in: db), place: sight.place)
        }
    }
}
