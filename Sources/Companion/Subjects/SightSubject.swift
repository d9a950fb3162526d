import GRDB

/// Sights as what people react to; everybody may see them.
struct SightSubject: SubjectKind {
    /// What they are called in a ``SubjectID``.
    static let kind = "sight"

    var name: String { Self.kind }

    func subject(_ id: String, for viewer: Viewer, in db: Database) throws -> Subject? {
        try SightStore.sight(id: id, in: db).map { sight in
            let id = SubjectID(kind: name, id: sight.id)
            return Subject(
                id: id, title: sight.title, owner: sight.owner, information: sight.information,
                image: try Photos.cover(of: id, in: db), place: sight.place)
        }
    }
}
