import GRDB

/// People as what photos are of, each their own; everybody may see that they are there.
struct PersonSubject: SubjectKind {
    let name = "person"

    func subject(_ id: String, for viewer: Viewer, in db: Database) throws -> Subject? {
        try People.find(id, in: db).map { person in
            Subject(id: person.subject, title: person.name, owner: person.id, isRated: false)
        }
    }
}

extension Person {
    /// The person as a subject: what pictures are attached to.
    var subject: SubjectID { SubjectID(kind: "person", id: id) }
}

/// What photos have to do with people; the room of photos fills it in.
enum PersonPhotos {
    /// The id of the photo that is a person's picture: the cover of their subject; nil where there is none.
    static func picture(of person: Person, in db: Database) throws -> String? { nil }

    /// How many photos a person has taken in, as many as the list of theirs has.
    static func count(of person: Person, in db: Database) throws -> Int { 0 }
}
