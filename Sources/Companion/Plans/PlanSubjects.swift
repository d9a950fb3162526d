import GRDB
import Geodesy
import People
import RPC
import Service
import Subjects

/// A kind of subject that plans add: plans, their locations or their activities.
struct PlanSubject: SubjectKind {
    let name: String
    /// Finds the subject of an id for a person, or for nobody if the person is `nil`.
    ///
    /// Throws a refusal of kind `notFound` if that person sees no such subject.
    private let find: @Sendable (_ id: String, _ person: Int64?, _ db: Database) throws -> Found

    /// The properties that all three kinds share.
    private struct Found {
        var title: String
        var owner: Int64?
        var information: String?
        var place: Coordinate?
        /// Whether the caller may change it.
        var edits: Bool
    }

    /// The kinds of subjects that plans add.
    static let all = [
        PlanSubject(name: Plan.kind) { id, person, db in
            let access = try PlanAccess.plan(id, for: person, in: db)
            let plan = try Plan.get(access.plan, in: db)
            return Found(
                title: plan.fields.title, owner: plan.owner, information: plan.fields[.description],
                place: plan.fields.place, edits: access.edits)
        },
        PlanSubject(name: Location.kind) { id, person, db in
            let (access, number) = try PlanAccess.item(Location.kind, id, for: person, in: db)
            let location = try Location.get(number, in: db)
            return Found(
                title: location.fields.name, owner: location.person, information: location.fields[.description],
                place: location.fields.place, edits: access.edits)
        },
        PlanSubject(name: Activity.kind) { id, person, db in
            let (access, number) = try PlanAccess.item(Activity.kind, id, for: person, in: db)
            let activity = try Activity.get(number, in: access, in: db)
            return Found(
                title: activity.fields.title, owner: activity.person, information: activity.fields[.description],
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
