import GRDB
import Service

/// Photos as subjects that people react to.
///
/// A viewer who may see a photo's subject may see the photo.
struct PhotoSubject: SubjectKind {
    let name = Self.kind

    static let kind = "photo"

    func subject(
        _ id: String, for viewer: Viewer, among subjects: Subjects, in db: Database
    ) throws -> Subject? {
        guard let photo = try Photo.find(id, in: db),
            let subject = try subjects.find(photo.subject, for: viewer, in: db)
        else { return nil }
        return Subject(
            id: SubjectID(kind: name, id: photo.id), title: photo.caption ?? "A photo of \(subject.title)",
            owner: photo.person)
    }
}
