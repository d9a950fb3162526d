import Accounts
import GRDB
import Service

/// Plans as what people react to, by whoever sees them.
struct PlanSubject: SubjectKind {
    let name = Plan.kind

    func subject(_ id: String, for viewer: Viewer, among subjects: Subjects, in db: Database) throws -> Subject? {
        let access: PlanAccess
        do {
            access = try PlanAccess.plan(id, for: People.number(of: viewer, in: db), in: db)
        } catch is PlanError {
            return nil
        }
        let plan = try Plan.get(access.plan, in: db)
        return Subject(
            id: plan.subject, title: plan.fields.title, owner: try People.find(number: plan.owner, in: db)?.id,
            information: plan.fields.description, image: try Subjects.cover(of: plan.subject, in: db),
            place: plan.fields.place, isOpen: access.edits)
    }
}

/// Locations of plans as what people react to, by whoever sees them.
struct LocationSubject: SubjectKind {
    let name = Location.kind

    func subject(_ id: String, for viewer: Viewer, among subjects: Subjects, in db: Database) throws -> Subject? {
        let (access, number): (PlanAccess, Int64)
        do {
            (access, number) = try PlanAccess.item(name, id, for: People.number(of: viewer, in: db), in: db)
        } catch is PlanError {
            return nil
        }
        let location = try Location.get(number, in: db)
        return Subject(
            id: location.subject, title: location.fields.name,
            owner: try location.person.flatMap { try People.find(number: $0, in: db)?.id },
            information: location.fields.description, image: try Subjects.cover(of: location.subject, in: db),
            place: location.fields.place, isOpen: access.edits)
    }
}

/// Activities of plans as what people react to, by whoever sees them.
struct ActivitySubject: SubjectKind {
    let name = Activity.kind

    func subject(_ id: String, for viewer: Viewer, among subjects: Subjects, in db: Database) throws -> Subject? {
        let (access, number): (PlanAccess, Int64)
        do {
            (access, number) = try PlanAccess.item(name, id, for: People.number(of: viewer, in: db), in: db)
        } catch is PlanError {
            return nil
        }
        let activity = try Activity.get(number, in: access, in: db)
        return Subject(
            id: activity.subject, title: activity.fields.title,
            owner: try activity.person.flatMap { try People.find(number: $0, in: db)?.id },
            information: activity.fields.description, image: try Subjects.cover(of: activity.subject, in: db),
            place: activity.fields.place, isOpen: access.edits)
    }
}
