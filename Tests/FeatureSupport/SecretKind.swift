package import GRDB
import Synchronization

@testable package import Service

/// Subjects of ada that only some people may see.
package final class SecretKind: SubjectKind {
    package let name = "secret"
    private let people = Mutex<Set<String>>(["ada", "bob"])

    package init() {}

    /// The people who may see them.
    package var confidants: Set<String> {
        get { people.withLock { $0 } }
        set { people.withLock { $0 = newValue } }
    }

    package func subject(_ id: String, for viewer: Viewer, among subjects: Subjects, in db: Database) throws -> Subject?
    {
        guard let person = viewer.person, confidants.contains(person) else { return nil }
        return Subject(id: SubjectID(kind: name, id: id), title: "Secret \(id)", owner: "ada")
    }
}

/// Subjects that cannot be rated.
package struct UnratedKind: SubjectKind {
    package let name = "fact"

    package init() {}

    package func subject(_ id: String, for viewer: Viewer, among subjects: Subjects, in db: Database) throws -> Subject?
    {
        Subject(id: SubjectID(kind: name, id: id), title: "Fact \(id)", owner: nil, isRated: false)
    }
}
