import GRDB
package import Service

/// People as what photos are of, each their own; everybody may see that they are there.
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
    /// The person as a subject: what pictures are attached to.
    package var subject: SubjectID { SubjectID(kind: "person", id: id) }
}
