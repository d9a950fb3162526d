import GRDB
import Synchronization

@testable import Service

/// Subjects of ada that only some people may see.
final class SecretKind: SubjectKind {
    let name = "secret"
    private let people = Mutex<Set<String>>(["ada", "bob"])

    /// The people who may see them.
    var confidants: Set<String> {
        get { people.withLock { $0 } }
        set { people.withLock { $0 = newValue } }
    }

    func subject(_ id: String, for viewer: Viewer, among subjects: Subjects, in db: Database) throws -> Subject? {
        guard let person = viewer.person, confidants.contains(person) else { return nil }
        return Subject(id: SubjectID(kind: name, id: id), title: "Secret \(id)", owner: "ada")
    }
}

/// Subjects that cannot be rated.
struct UnratedKind: SubjectKind {
    let name = "fact"

    func subject(_ id: String, for viewer: Viewer, among subjects: Subjects, in db: Database) throws -> Subject? {
        Subject(id: SubjectID(kind: name, id: id), title: "Fact \(id)", owner: nil, isRated: false)
    }
}
