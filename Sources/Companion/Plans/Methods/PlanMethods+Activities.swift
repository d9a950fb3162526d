import Callers
import GRDB
import RPC
import Service

extension PlanMethods {
    private static let fields: [Field] =
        Activity.Field.fields() + GivenFields.place + GivenFields.time("from", "The beginning")
        + GivenFields.time("to", "The end") + [
            GivenFields.level,
            .optional(
                "links", .array(of: .string(length: 1...64), count: 0...Activity.maximumLinks),
                "The ids of all linked items in other tabs, replacing previous ones; only in the tab itinerary."
            ),
            .optional(
                "people", .array(of: .string(length: 1...200), count: 0...PlanMember.maximumPerPlan),
                "The usernames of all participants, replacing previous ones; only members see them."),
        ]

    var activities: [Method<Principal>] { readingActivities + changingActivities }

    private var readingActivities: [Method<Principal>] {
        [
            .stored(
                "activities.list", "Lists the activities that you see in one tab of a plan, in the order of time.",
                .plan,
                Parameter<Activity.Tab>.optional("tab", default: .itinerary, "The tab, itinerary by default."),
                Parameter<PageRequest<PageKey>>.page(of: "activities.list", upTo: Self.largestPage, default: 50),
                answers: .page("activities", "The activities."), errors: [.notFound, .invalidValue], right: .read
            ) { call, id, tab, asked in
                try await read(call) { db, person in
                    let access = try PlanAccess.plan(id, for: person, in: db)
                    let members = try PlanMember.list(of: access.plan, in: db)
                    var page = asked.page(of: ActivityRow.self)
                    let activities = try Activity.list(
                        of: access, tab: tab, after: asked.after.map { ($0.rank, $0.number) }, limit: asked.limit + 1,
                        in: db)
                    for activity in activities {
                        let key = PageKey(rank: activity.rank, number: activity.number)
                        guard page.append(ActivityRow(activity, of: access, among: members), at: key) else { break }
                    }
                    return page
                }
            },
            .stored(
                "activities.get", "Returns an activity.", .activity, answers: ActivityRow.shape, errors: [.notFound],
                right: .read
            ) { call, id in
                try await read(call) { db, person in
                    let (access, number) = try PlanAccess.item("activity", id, for: person, in: db)
                    return try ActivityRow(number, of: access, in: db)
                }
            },
        ]
    }

    private var changingActivities: [Method<Principal>] {
        [
            .stored(
                "activities.add", "Adds an activity to a tab of a plan.", .plan,
                Parameter<String>.required("title", .string(length: 1...PlanText.longestLine), "The title."),
                Parameter<Activity.Tab>.optional("tab", default: .itinerary, "The tab, itinerary by default."),
                GivenFields.parameter(Self.fields), answers: ActivityRow.shape,
                errors: [.notFound, .notAllowed, .invalidValue, .unavailable], right: .person
            ) { call, id, title, tab, given in
                try await change(call) { changing, consequences in
                    let access = try changing.plan(id)
                    let fields = try given.made(to: Activity.Fields(title: title), in: access, in: changing.db)
                    try changing.spend([fields.title] + fields.values.prose)
                    let number = try Activity.create(fields, tab: tab, in: access, at: changing.now, in: changing.db)
                    try given.relate(number, in: access, in: changing.db)
                    try changing.did(.added, .activity, number, in: access, &consequences)
                    return try ActivityRow(number, of: access, in: changing.db)
                }
            },
            .stored(
                "activities.update", "Changes the given fields of an activity and keeps the others.", .activity,
                GivenFields.parameter(
                    [.optional("title", .string(length: 1...PlanText.longestLine), "The title.")] + Self.fields),
                Parameter<Int64?>.revision, answers: ActivityRow.shape,
                errors: [.notFound, .notAllowed, .conflict, .invalidValue, .unavailable], right: .person
            ) { call, id, given, revision in
                try await change(call) { changing, consequences in
                    let (access, number) = try changing.item("activity", id)
                    let old = try Activity.get(number, in: access, in: changing.db).fields
                    let fields = try given.made(to: old, in: access, in: changing.db)
                    try changing.spend([fields.title] + fields.values.prose)
                    try changing.changes(.activity, number, in: access, &consequences) {
                        try given.saving(over: { try ActivityRow(number, of: access, in: changing.db) }) {
                            try Activity.update(number, in: access, to: fields, from: revision, in: changing.db)
                        }
                        try given.relate(number, in: access, in: changing.db)
                    }
                    return try ActivityRow(number, of: access, in: changing.db)
                }
            },
            .stored(
                "activities.remove",
                "Removes an activity with its expenses, photos and links, which stay in the bin for 30 days.",
                .activity,
                answers: .only("activity", "The activity's id."), errors: [.notFound, .notAllowed], right: .person,
                question: "Remove the activity with its expenses and photos?"
            ) { call, id in
                try await change(call) { changing, consequences in
                    let (access, number) = try changing.item("activity", id)
                    try changing.removes(.activity, number, in: access, &consequences) {
                        try Activity.remove(number, in: access, at: changing.now, in: changing.db)
                    }
                    return id
                }
            },
        ]
    }
}

extension ActivityRow {
    /// Creates the row of the activity with a number, which the caller must be able to see.
    init(_ number: Int64, of access: PlanAccess, in db: Database) throws {
        self.init(
            try Activity.get(number, in: access, in: db), of: access,
            among: try PlanMember.list(of: access.plan, in: db))
    }
}

extension GivenFields {
    /// Returns `old` with the given fields applied.
    fileprivate func made(to old: Activity.Fields, in access: PlanAccess, in db: Database) throws -> Activity.Fields {
        let zone = try Plan.get(access.plan, in: db).fields.zone
        var fields = old
        try set(&fields.title, "title")
        try set(&fields.values)
        fields.place = try place(old.place)
        try set(&fields.span.start, "from", zone: zone)
        try set(&fields.span.end, "to", zone: zone)
        try set(&fields.level)
        return fields
    }

    /// Sets the links and the participants of an activity, if they are given.
    fileprivate func relate(_ number: Int64, in access: PlanAccess, in db: Database) throws {
        if let links: [String] = try value("links") { try Activity.link(number, to: links, in: access, in: db) }
        if let people: [String] = try value("people") {
            try access.checkMember()
            let members = try people.map { try PlanMember.named($0, "people", of: access.plan, in: db).number }
            try Activity.setMembers(members, of: number, in: access, in: db)
        }
    }
}
