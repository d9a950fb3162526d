import Callers
import GRDB
import Gazetteer
import Geodesy
import Money
import People
import RPC
import Service
import Time

extension PlanMethods {
    private static let title = Field.optional("title", .string(length: 1...PlanText.longestLine), "The title.")

    private static let fields: [Field] =
        Plan.Field.fields(through: .destination) + GivenFields.place + [
            .optional(
                "zone", .string(length: 1...Zone.longest),
                """
                The time zone of times without their own, such as Europe/Amsterdam; for a new plan, by default that of \
                its place if known, otherwise UTC.
                """),
            .optional(
                "start", .string(length: 0...40),
                "The first day, with a time if it is known, such as 2026-05-01T10:00; an empty text removes it."),
            .optional("end", .string(length: 0...40), "The last day, with a time if it is known."),
        ] + Plan.Field.fields(after: .destination) + [
            .optional(
                "postal_codes",
                .array(of: .string(length: 0...Plan.longestPostalCode), count: 0...Plan.maximumPostalCodes),
                "All postal codes, in place of the previous ones."),
            .optional("currency", .string(length: 3...3), "The currency of balances and sums, EUR by default."),
            .optional(
                "level", .choice(Level.names),
                "The level: who sees it, which is me, members, friends or everyone; friends by default."),
        ]

    var plans: [Method<Principal>] {
        [
            .stored(
                "plans.create", "Creates a plan, with you as its owner and first member.",
                Parameter<String>.required("title", .string(length: 1...PlanText.longestLine), "The title."),
                GivenFields.parameter(Self.fields), answers: PlanDetails.shape, errors: [.invalidValue, .unavailable],
                right: .person
            ) { call, title, given in
                try await change(call) { changing, consequences in
                    let usual = try given.place(nil).flatMap { try PlaceNames.zone(at: $0, in: changing.db) }
                    let zone = try given.value("zone").map { try Zone(given: $0, "zone") } ?? Zone(usual: usual)
                    let currency = try Currency(given: given.value("currency") ?? "EUR")
                    let empty = Plan.Fields(title: title, zone: zone, currency: currency)
                    let fields = try given.made(to: empty)
                    try changing.spend([title] + fields.values.prose)
                    let number = try Plan.create(fields, by: changing.person.number, at: changing.now, in: changing.db)
                    try changing.did(.added, .plan, number, in: changing.plan(number), &consequences)
                    return try PlanDetails(changing.plan(number), in: changing.db)
                }
            },
            .stored(
                "plans.get", "Returns a plan with its members.", .plan, answers: PlanDetails.shape, errors: [.notFound],
                right: .read
            ) { call, id in
                try await read(call) { try PlanDetails(PlanAccess.plan(id, for: $1, in: $0), in: $0) }
            },
            .stored(
                "plans.list",
                "Lists your plans, plans that you are asked to join or have saved, or a person's plans that you see.",
                Parameter<Scope>.optional(
                    "of", default: .own, "The plans to list: own, asked or saved; own by default."),
                Parameter<String?>.optional(
                    "person", .string(length: 1...200), "The username of a person whose plans are listed instead."),
                Parameter<String?>.optional(
                    "text", .string(length: 0...PlanText.longestLine),
                    "A text that the title, description or destination must contain, ignoring case and accents."),
                Parameter<PlanList.Order>.optional(
                    "order", default: .newest, "The order: newest, likes or start; newest by default."),
                Parameter<PageRequest<PageKey>>.page(of: "plans.list", upTo: Self.largestPage, default: 50),
                answers: .page("plans", "The plans."), errors: [.notFound, .notAllowed, .invalidValue], right: .read
            ) { call, scope, person, text, order, asked in
                if person == nil { _ = try call.person() }
                return try await page(call, asked) { db in
                    let scope =
                        try person.map { PlanList.Scope.of(try People.getNumber(of: $0, in: db)) } ?? scope.scope
                    var list = PlanList(scope: scope, order: order)
                    list.text = text
                    return list
                }
            },
            .stored(
                "plans.explore", "Lists published plans, one page at a time.",
                Parameter<String?>.optional(
                    "text", .string(length: 0...PlanText.longestLine),
                    "A text that the title, description or destination must contain, ignoring case and accents."),
                Parameter<String?>.optional(
                    "postal_code", .string(length: 1...Plan.longestPostalCode),
                    "A postal code that the plans must have."),
                Parameter<Timestamp?>.time("from", "Only plans that end at this moment or later."),
                Parameter<Timestamp?>.time("to", "Only plans that begin at this moment or earlier."),
                Parameter<Int?>.optional(
                    "people", .integer(in: 1...Int64(Plan.maximumPeople)), "The number of travellers."),
                Parameter<PlanList.Order>.optional(
                    "order", default: .newest, "The order: newest, likes or start; newest by default."),
                Parameter<PageRequest<PageKey>>.page(of: "plans.explore", upTo: Self.largestPage, default: 50),
                answers: .page("plans", "The plans."), errors: [.invalidValue], right: .read
            ) { call, text, postalCode, from, to, people, order, asked in
                try await page(call, asked) { _ in
                    PlanList(
                        scope: .published, order: order, text: text, postalCode: postalCode, from: from, to: to,
                        people: people)
                }
            },
            .stored(
                "plans.update", "Changes the given fields of a plan and keeps the others.", .plan,
                GivenFields.parameter([Self.title] + Self.fields), Parameter<Int64?>.revision,
                answers: PlanDetails.shape,
                errors: [.notFound, .notAllowed, .conflict, .invalidValue, .unavailable], right: .person
            ) { call, id, given, revision in
                try await change(call) { changing, consequences in
                    let access = try changing.plan(id)
                    let fields = try given.made(to: Plan.get(access.plan, in: changing.db).fields)
                    try changing.spend([fields.title] + fields.values.prose)
                    try changing.changes(.plan, access.plan, in: access, &consequences) {
                        try given.saving(over: { try PlanDetails(access, in: changing.db) }) {
                            try Plan.update(access, to: fields, from: revision, at: changing.now, in: changing.db)
                        }
                    }
                    return try PlanDetails(changing.plan(id), in: changing.db)
                }
            },
            .stored(
                "plans.remove", "Removes your plan with all its contents, which stay in the bin for 30 days.", .plan,
                answers: .only("plan", "The plan's id."), errors: [.notFound, .notAllowed], right: .person,
                question: "Remove the plan with its locations, activities, expenses and photos?"
            ) { call, id in
                try await change(call) { changing, consequences in
                    let access = try changing.plan(id)
                    let members = try PlanMember.list(of: access.plan, in: changing.db)
                    let asked = members.filter { $0.state == .asked }
                    try Plan.remove(access, at: changing.now, in: changing.db)
                    consequences.withdrawn += asked.compactMap(\.id).map {
                        .init(of: $0, keys: Self.keys(ofRequestsFor: access.id))
                    }
                    consequences.changed(
                        SubjectID(kind: Plan.kind, id: access.id), at: changing.now, onlyFor: members.compactMap(\.id))
                    return id
                }
            },
        ]
    }

    var sharing: [Method<Principal>] {
        [
            .stored(
                "plans.shift",
                """
                Moves the days of a plan, its locations and everything in it by a number of days. Clock times stay; \
                expenses, stamps and trips keep their days.
                """, .plan,
                Parameter<Int>.required(
                    "days", .integer(in: -PlanShift.maximumDays...PlanShift.maximumDays),
                    "The number of days; a negative number moves the plan to earlier days."),
                answers: PlanDetails.shape, errors: [.notFound, .notAllowed, .invalidValue], right: .person
            ) { call, id, days in
                try await change(call) { changing, _ in
                    try PlanShift.move(
                        changing.plan(id), byDays: Int64(clamping: days), at: changing.now, in: changing.db)
                    return try PlanDetails(changing.plan(id), in: changing.db)
                }
            },
            .stored(
                "plans.swapDays",
                """
                Exchanges two days of a plan: the locations, items and entries of lists that begin on either move to the \
                other. Clock times stay; expenses, stamps and trips keep their days. The same call again undoes it.
                """, .plan,
                Parameter<String>.required("day", .string(length: 10...10), "A day, such as 2026-05-01."),
                Parameter<String>.required("other", .string(length: 10...10), "The other day."),
                answers: PlanDetails.shape, errors: [.notFound, .notAllowed, .invalidValue], right: .person
            ) { call, id, day, other in
                func date(_ name: String, _ text: String) throws -> CalendarDate {
                    guard let date = CalendarDate(text: text) else {
                        throw Refusal.invalid(name, "must be a day, such as 2026-05-01")
                    }
                    return date
                }
                let (day, other) = (try date("day", day), try date("other", other))
                return try await change(call) { changing, _ in
                    try PlanShift.swap(day, other, in: changing.plan(id), at: changing.now, in: changing.db)
                    return try PlanDetails(changing.plan(id), in: changing.db)
                }
            },
            .stored(
                "plans.publish", "Shows your plan to everybody, or only to those who saw it before it was published.",
                .plan,
                Parameter<Bool>.required(
                    "published", .boolean, "Whether the plan is published; false restores its previous level."),
                answers: PlanDetails.shape,
                errors: [.notFound, .notAllowed], right: .person
            ) { call, id, isPublished in
                try await change(call) { changing, consequences in
                    let access = try changing.plan(id)
                    try changing.changes(.plan, access.plan, in: access, &consequences) {
                        try Plan.publish(access, isPublished, at: changing.now, in: changing.db)
                    }
                    return try PlanDetails(changing.plan(id), in: changing.db)
                }
            },
            .stored(
                "plans.copy",
                """
                Creates a plan of yours from another that you see. It has the same structure, texts and days, but no \
                people, money, bookings, contacts, stamps or photos. It is not published. Copying another person's plan \
                that is not published makes a plan that only you see.
                """, .plan,
                Parameter<String?>.optional(
                    "title", .string(length: 1...PlanText.longestLine), "The title; by default the other plan's."),
                Parameter<String?>.optional(
                    "start", .string(length: 10...10),
                    "The first day, such as 2026-05-01; by default the other plan's."),
                answers: PlanDetails.shape, errors: [.notFound, .invalidValue, .unavailable], right: .person
            ) { call, id, title, start in
                try await change(call) { changing, consequences in
                    var day: CalendarDate?
                    if let start {
                        guard let date = CalendarDate(text: start) else {
                            throw Refusal.invalid("start", "must be a day such as 2026-05-01")
                        }
                        day = date
                    }
                    let number = try Template.copy(
                        changing.plan(id), title: title, start: day, by: changing.person.number, at: changing.now,
                        in: changing.db)
                    try changing.did(.added, .plan, number, in: changing.plan(number), &consequences)
                    return try PlanDetails(changing.plan(number), in: changing.db)
                }
            },
            .stored(
                "plans.itinerary",
                "Returns the items of all tabs of a plan by day, each once on the day on which it begins.",
                .plan, answers: ItineraryAnswer.shape, errors: [.notFound], right: .read
            ) { call, id in
                try await read(call) { db, person in
                    let access = try PlanAccess.plan(id, for: person, in: db)
                    let members = try PlanMember.list(of: access.plan, in: db)
                    return ItineraryAnswer(
                        days: try Activity.itinerary(of: access, in: db).days.map { day in
                            .init(
                                date: day.date?.text,
                                items: day.items.map { ActivityRow($0, of: access, among: members) })
                        })
                }
            },
            .stored(
                "plans.calendar", "Returns a plan as an iCalendar file (RFC 5545), which other programs read.", .plan,
                answers: .only("calendar", "The file."), errors: [.notFound], right: .read
            ) { call, id in
                try await read(call) { try PlanExport.calendar(of: PlanAccess.plan(id, for: $1, in: $0), in: $0) }
            },
            .stored(
                "plans.gpx", "Returns the locations of a plan as GPX waypoints.", .plan,
                answers: .only("gpx", "The file."), errors: [.notFound], right: .read
            ) { call, id in
                try await read(call) { db, person in
                    String(
                        decoding: try PlanExport.gpx(of: PlanAccess.plan(id, for: person, in: db), in: db),
                        as: UTF8.self)
                }
            },
        ]
    }

    /// The plans that `plans.list` returns.
    private enum Scope: String, CaseIterable, Sendable {
        case own, asked, saved

        var scope: PlanList.Scope {
            switch self {
            case .own: .own
            case .asked: .asked
            case .saved: .saved
            }
        }
    }

    private func page(
        _ call: Call<Principal>, _ asked: PageRequest<PageKey>,
        _ list: @escaping @Sendable (Database) throws -> PlanList
    ) async throws -> Page<PlanList.Entry> {
        try await read(call) { db, person in
            var list = try list(db)
            list.limit = asked.limit + 1
            list.after = asked.after.map { ($0.rank, $0.number) }
            var page = asked.page(of: PlanList.Entry.self)
            for entry in try list.entries(for: person, in: db) {
                guard page.append(entry, at: PageKey(rank: entry.rank, number: entry.plan.number)) else { break }
            }
            return page
        }
    }
}

extension PlanMethods.ChangeContext {
    /// Returns the caller's access to the plan with an id.
    func plan(_ id: String) throws -> PlanAccess { try PlanAccess.plan(id, for: person.number, in: db) }

    /// Returns the caller's access to the plan with a number.
    func plan(_ number: Int64) throws -> PlanAccess { try plan(Plan.get(number, in: db).id) }

    /// Returns the caller's access to the plan of a location or an activity, and the number of that item.
    func item(_ table: String, _ id: String) throws -> (access: PlanAccess, number: Int64) {
        try PlanAccess.item(table, id, for: person.number, in: db)
    }

    /// Returns the caller's access to the plan of an expense or a repayment, and the number of that entry.
    func money(_ table: String, _ id: String) throws -> (access: PlanAccess, number: Int64) {
        try PlanAccess.money(table, id, for: person.number, in: db)
    }
}

extension GivenFields {
    /// Returns the given place, or `old` if neither `lat` nor `lon` is given.
    ///
    /// If only one of them is given, the other comes from `old`.
    func place(_ old: Coordinate?) throws(Refusal) -> Coordinate? {
        let (latitude, longitude): (Double?, Double?) = (try value("lat"), try value("lon"))
        guard latitude != nil || longitude != nil else { return old }
        guard let latitude = latitude ?? old?.latitude else {
            throw Refusal.invalid("lat", "is missing; give it together with lon")
        }
        guard let longitude = longitude ?? old?.longitude else {
            throw Refusal.invalid("lon", "is missing; give it together with lat")
        }
        guard let place = Coordinate(latitude: latitude, longitude: longitude) else {
            throw Refusal.invalid("lat", "must form a valid position together with lon")
        }
        return place
    }

    /// Returns `old` with the given fields applied.
    fileprivate func made(to old: Plan.Fields) throws(Refusal) -> Plan.Fields {
        var fields = old
        try set(&fields.title, "title")
        try set(&fields.values)
        fields.place = try place(old.place)
        if let name: String = try value("zone") { fields.zone = try Zone(given: name, "zone") }
        try set(&fields.span.start, "start", zone: fields.zone)
        try set(&fields.span.end, "end", zone: fields.zone)
        if let codes: [String] = try value("postal_codes") { fields.postalCodes = codes }
        if let code: String = try value("currency") { fields.currency = try Currency(given: code) }
        try set(&fields.level)
        return fields
    }
}
