import GRDB
package import Service

/// People as subjects of photos.
///
/// Everybody may see that a person exists, and the person owns the subject.
struct PersonSubject: SubjectKind {
    let name = "person"
    let isPublic = true

    func subject(_ id: String, for viewer: Viewer, among subjects: Subjects, in db: Database) throws -> Subject? {
        try People.find(id, in: db).map { person in
            Subject(id: person.subject, title: person.name, owner: person.id, isRated: false)
        }
    }
}

extension Person {
    /// The person as a subject that photos are attached to.
    package var subject: SubjectID { SubjectID(kind: "person", id: id) }
}
