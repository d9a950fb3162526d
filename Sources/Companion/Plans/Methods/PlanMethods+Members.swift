import Callers
import GRDB
import People
import RPC
import Service

extension PlanMethods {
    var members: [Method<Principal>] { joining + changingMembers }

    private static let people = AnswerShape<[PlanMember]>.object {
        Member("members", .array(of: PlanMember.shape), "The members, in the order in which they were asked.") { $0 }
    }

    private var joining: [Method<Principal>] {
        [
            .stored(
                "members.list",
                """
                Lists the members of a plan. Members also see people who are asked, and people who left but have \
                expenses or repayments.
                """,
                .plan,
                answers: Self.people, errors: [.notFound], right: .read
            ) { call, id in
                try await read(call) { db, person in
                    let access = try PlanAccess.plan(id, for: person, in: db)
                    return try PlanMember.list(of: access.plan, in: db)
                        .filter { access.seesPrivate || $0.state == .member }
                }
            },
            .stored(
                "members.ask",
                """
                Asks a friend of yours to join a plan, and notifies them. Until they answer, they see its title, days \
                and destination, even if only members see the plan.
                """, .plan, .member,
                Parameter<Bool>.optional(
                    "edits", .boolean, default: false, "Whether they may change the plan, false by default."),
                Parameter<Bool>.optional(
                    "travels", .boolean, default: true,
                    "Whether they travel: travellers are counted, stamp locations, pay and owe. True by default."),
                answers: .only("person", "The username."),
                errors: [.notFound, .notAllowed, .conflict, .unavailable], right: .person
            ) { call, id, other, edits, travels in
                try await change(call) { changing, consequences in
                    let (access, other) = (try changing.plan(id), try People.get(other, in: changing.db))
                    try PlanMember.ask(
                        other, edits: edits, travels: travels, in: access, at: changing.now, in: changing.db)
                    try Budget.count(
                        context.limits.ofRequests, by: changing.viewer, at: changing.now, in: changing.db)
                    changing.pagesChange(of: id, &consequences)
                    consequences.notifications.append(
                        Self.request(
                            to: other, by: changing, Plan.kind, access,
                            title: try Plan.get(
                                access.plan, in: changing.db
                            ).fields.title))
                    return other.id
                }
            },
            .stored(
                "members.invite",
                """
                Creates a code with which people join a plan in one step: they sign up, become your friends, and are \
                members who travel. Whoever has the code sees the plan's title and days, even if only members see it.
                """, .plan,
                Parameter<Bool>.optional(
                    "edits", .boolean, default: false, "Whether they may change the plan, false by default."),
                InvitationExtent.parameter, InvitationLink.parameter,
                answers: NewInvitation.shape, errors: [.notFound, .notAllowed, .conflict, .invalidValue, .unavailable],
                right: .person
            ) { call, id, edits, extent, link in
                let link = link.at(context.webAddress())
                return try await change(call) { changing, _ in
                    let access = try changing.plan(id)
                    try PlanMember.checkInviting(to: access, edits: edits, in: changing.db)
                    return try Invitations.create(
                        by: changing.person.number, to: SubjectID(kind: Plan.kind, id: access.id), edits: edits,
                        for: extent, link: link, at: changing.now, in: changing.db)
                }
            }.conversing(NewInvitation.conversation),
            .stored(
                "members.confirm", "Accepts a request to join a plan, which makes you a member.", .plan,
                answers: .only("plan", "The plan's id."), errors: [.notFound], right: .person
            ) { call, id in
                try await change(call) { changing, consequences in
                    _ = try PlanMember.confirm(id, by: changing.person.number, in: changing.db)
                    consequences.withdrawn.append(.init(of: changing.person.id, keys: Self.keys(ofRequestsFor: id)))
                    changing.pagesChange(of: id, &consequences)
                    return id
                }
            },
            .stored(
                "members.decline", "Declines a request to join a plan. Nobody is notified.", .plan,
                answers: .only("plan", "The plan's id."), errors: [.notFound], right: .person
            ) { call, id in
                try await change(call) { changing, consequences in
                    try PlanMember.decline(id, by: changing.person.number, in: changing.db)
                    consequences.withdrawn.append(.init(of: changing.person.id, keys: Self.keys(ofRequestsFor: id)))
                    changing.pagesChange(of: id, &consequences)
                    return id
                }
            },
        ]
    }

    private var changingMembers: [Method<Principal>] {
        [
            .stored(
                "members.change", "Changes whether a member may change the plan, and whether they travel.", .plan,
                .member,
                Parameter<Bool?>.optional("edits", .boolean, "Whether they may change the plan; unchanged by default."),
                Parameter<Bool?>.optional(
                    "travels", .boolean,
                    "Whether they travel: travellers are counted, stamp locations, pay and owe. Unchanged by default."
                ),
                answers: .only("person", "The username."), errors: [.notFound, .notAllowed, .conflict], right: .person
            ) { call, id, other, edits, travels in
                try await change(call) { changing, consequences in
                    let other = try People.get(other, in: changing.db)
                    try PlanMember.change(
                        other, edits: edits, travels: travels, in: changing.plan(id), in: changing.db)
                    changing.pagesChange(of: id, &consequences)
                    return other.id
                }
            },
            .stored(
                "members.remove",
                """
                Removes a member whose balance is zero, who may be yourself, or withdraws a request to join. Whoever has \
                the code of an invitation can join again until it expires or is revoked.
                """, .plan, .member,
                answers: .only("person", "The username."), errors: [.notFound, .notAllowed, .conflict], right: .person,
                question: "Remove this member from the plan?"
            ) { call, id, other in
                try await change(call) { changing, consequences in
                    let other = try People.get(other, in: changing.db)
                    try PlanMember.remove(other, in: changing.plan(id), in: changing.db)
                    for keys in [Self.keys(ofRequestsFor: id), PlanCircle.keys(of: id)] {
                        consequences.withdrawn.append(.init(of: other.id, keys: keys))
                    }
                    changing.pagesChange(of: id, &consequences)
                    return other.id
                }
            },
            .stored(
                "members.handOver", "Makes a member the owner of your plan. You stay a member who may change it.",
                .plan, .member, answers: .only("person", "The username."),
                errors: [.notFound, .notAllowed, .invalidValue], right: .person,
                question: "Hand the plan over to this member? They will own it."
            ) { call, id, other in
                try await change(call) { changing, consequences in
                    let other = try People.get(other, in: changing.db)
                    try PlanMember.handOver(to: other, in: changing.plan(id), at: changing.now, in: changing.db)
                    changing.pagesChange(of: id, &consequences)
                    return other.id
                }
            },
            .stored(
                "members.allow",
                """
                Allows a friend to change your plan without being a member, or ends that permission. They then see the \
                items of the level members, but no money, bookings or contacts.
                """,
                .plan,
                .member,
                Parameter<Bool>.required(
                    "edits", .boolean, "Whether they may change the plan; false ends the permission."),
                answers: .only("person", "The username."), errors: [.notFound, .notAllowed], right: .person
            ) { call, id, other, edits in
                try await change(call) { changing, consequences in
                    let other = try People.get(other, in: changing.db)
                    try PlanMember.grant(other, edits, in: changing.plan(id), at: changing.now, in: changing.db)
                    if try !PlanCircle.contains(other.number, plan: id, in: changing.db) {
                        consequences.withdrawn.append(.init(of: other.id, keys: PlanCircle.keys(of: id)))
                    }
                    changing.pagesChange(of: id, &consequences)
                    return other.id
                }
            },
        ]
    }

    /// Returns the prefix of the keys of the notifications that ask people to join a plan.
    static func keys(ofRequestsFor plan: String) -> String { "plan-request/\(plan)/" }

    /// Returns the notification that asks a person to join a plan.
    private static func request(
        to other: Person, by changing: ChangeContext, _ kind: String, _ access: PlanAccess, title: String
    ) -> NotificationDraft {
        let person = changing.person
        var draft = NotificationDraft(
            to: other.id, .plan, at: changing.now, key: "\(keys(ofRequestsFor: access.id))\(changing.now)",
            text: "\(bold: person.name) asks you to join \(bold: title).",
            destination: SubjectID(kind: kind, id: access.id).destination)
        draft.author = .init(person.number, logText: "\(bold: person.id) asks you to join a plan.")
        draft.action = (
            "Confirm", .call(method: "members.confirm", parameters: #"{"plan":"\#(access.id)"}"#)
        )
        return draft
    }
}
