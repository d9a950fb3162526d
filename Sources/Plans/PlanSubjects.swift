import Accounts
import GRDB
import Geodesy
import RPC
import Service

/// Plans, their locations and their activities as what people react to, by whoever sees them.
struct PlanSubject: SubjectKind {
    let name: String
    /// What there is of an id for a person, nil for nobody; an error of plans where they see none.
    private let find: @Sendable (_ id: String, _ person: Int64?, _ db: Database) throws -> Found

    /// What is the same of all three.
    private struct Found {
        var title: String
        var owner: Int64?
        var information: String?
        var place: Coordinate?
        /// Whether the caller may change it.
        var edits: Bool
    }

    /// The three kinds.
    static let all = [
        PlanSubject(name: Plan.kind) { id, person, db in
            let access = try PlanAccess.plan(id, for: person, in: db)
            let plan = try Plan.get(access.plan, in: db)
            return Found(
                title: plan.fields.title, owner: plan.owner, information: plan.fields.description,
                place: plan.fields.place, edits: access.edits)
        },
        PlanSubject(name: Location.kind) { id, person, db in
            let (access, number) = try PlanAccess.item(Location.kind, id, for: person, in: db)
            let location = try Location.get(number, in: db)
            return Found(
                title: location.fields.name, owner: location.person, information: location.fields.description,
                place: location.fields.place, edits: access.edits)
        },
        PlanSubject(name: Activity.kind) { id, person, db in
            let (access, number) = try PlanAccess.item(Activity.kind, id, for: person, in: db)
            let activity = try Activity.get(number, in: access, in: db)
            return Found(
                title: activity.fields.title, owner: activity.person, information: activity.fields.description,
                place: activity.fields.place, edits: access.edits)
        },
    ]

    func subject(_ id: String, for viewer: Viewer, among subjects: Subjects, in db: Database) throws -> Subject? {
        let found: Found
        do {
            found = try find(id, People.number(of: viewer, in: db), db)
        } catch let refusal as Refusal where refusal.kind == .notFound {
            return nil
        }
        let subject = SubjectID(kind: name, id: id)
        return Subject(
            id: subject, title: found.title, owner: try found.owner.flatMap { try People.find(number: $0, in: db)?.id },
            information: found.information, image: try Subjects.cover(of: subject, in: db), place: found.place,
            isOpen: found.edits)
    }
}
