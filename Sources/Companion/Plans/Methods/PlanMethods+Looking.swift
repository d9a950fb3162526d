import Callers
import GRDB
import People
import RPC
import Service

extension PlanMethods {
    /// The method by which the people of a plan see who looks at it.
    func looking(_ lookers: PlanLookers) -> [Method<Principal>] {
        [
            .stored(
                "plans.look",
                """
                Tells the other people of a plan that you look at it now, and returns who else does. It counts for 40 \
                seconds, and nothing is stored. Only for members, and friends who may change the plan.
                """, .plan,
                Parameter<Bool>.optional(
                    "leaving", .boolean, default: false, "Whether you do not look at it any more; false by default."),
                answers: AnswerShape<[PersonRow]>.object {
                    Member("people", .array(of: PersonRow.shape), "The others who look at it.") { $0 }
                }, errors: [.notFound, .notAllowed], right: .person
            ) { call, id, isLeaving in
                let (me, now, viewer) = (try call.person(), context.now(), call.viewer)
                return try await read(call) { db, _ in
                    let person = try People.getNumber(of: me, in: db)
                    try PlanCircle.check(person, plan: id, in: db)
                    let access = try PlanAccess.plan(id, for: person, in: db)
                    return try lookers.look(person, at: access.plan, now: now, isLeaving: isLeaving)
                        // Whoever has left the plan since is seen no more.
                        .filter { try PlanCircle.contains($0, plan: id, in: db) }
                        .map { try People.row(of: $0, for: viewer, in: db) }
                }
            }
        ]
    }
}
