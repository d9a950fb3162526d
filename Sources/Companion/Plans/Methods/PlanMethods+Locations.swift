import Callers
import GRDB
import Gazetteer
import Geodesy
import RPC
import Service

extension PlanMethods {
    private static let fields: [Field] =
        Location.Field.fields(through: .description) + GivenFields.place + [
            .optional(
                "radius_m", .number(in: 0...Location.greatestRadius.meters),
                "The radius of the location in metres, 100 by default.")
        ] + Location.Field.fields(after: .description)
        + GivenFields.time("from", "The beginning of the visit") + GivenFields.time("to", "The end of the visit") + [
            GivenFields.level
        ]

    var locations: [Method<Principal>] { readingLocations + changingLocations }

    private var readingLocations: [Method<Principal>] {
        [
            .stored(
                "locations.list",
                "Lists the locations of a plan that you see, in the order of the plan, one page at a time.",
                .plan,
                Parameter<String?>.optional(
                    "text", .string(length: 0...PlanText.longestLine),
                    "A text that the name or the address must contain, ignoring case and accents."),
                Parameter<PageRequest<PageKey>>.page(of: "locations.list", upTo: Self.largestPage, default: 50),
                answers: .page("locations", "The locations."), errors: [.notFound, .invalidValue], right: .read
            ) { call, id, text, asked in
                try await read(call) { db, person in
                    let access = try PlanAccess.plan(id, for: person, in: db)
                    var page = asked.page(of: LocationRow.self)
                    let rows = try LocationRow.list(
                        of: access, containing: text, after: asked.after.map { ($0.rank, $0.number) },
                        limit: asked.limit + 1, in: db)
                    for row in rows {
                        let key = PageKey(rank: row.location.position, number: row.location.number)
                        guard page.append(row, at: key) else { break }
                    }
                    return page
                }
            },
            .stored(
                "locations.get", "Returns a location with the ids of the locations before and after it.", .location,
                answers: LocationDetails.shape, errors: [.notFound], right: .read
            ) { call, id in
                try await read(call) { db, person in
                    let (access, number) = try PlanAccess.item("location", id, for: person, in: db)
                    return try LocationDetails(number, of: access, in: db)
                }
            },
        ]
    }

    private var changingLocations: [Method<Principal>] {
        [
            .stored(
                "locations.add", "Adds a location to a plan, after all others.", .plan,
                Parameter<String>.required("name", .string(length: 1...PlanText.longestLine), "The name."),
                GivenFields.parameter(Self.fields), answers: LocationDetails.shape,
                errors: [.notFound, .notAllowed, .invalidValue, .unavailable], right: .person
            ) { call, id, name, given in
                try await change(call) { changing, consequences in
                    let access = try changing.plan(id)
                    let fields = try given.made(to: Location.Fields(name: name), in: access, in: changing.db)
                    try changing.spend([fields.name, fields[.address]] + fields.values.prose)
                    let number = try Location.create(fields, in: access, at: changing.now, in: changing.db)
                    try changing.did(.added, .location, number, in: access, &consequences)
                    return try LocationDetails(number, of: access, in: changing.db)
                }
            },
            .stored(
                "locations.update",
                """
                Changes the given fields of a location and keeps the others. If its level was everyone and becomes \
                narrower, the links to it end.
                """, .location,
                GivenFields.parameter(
                    [.optional("name", .string(length: 1...PlanText.longestLine), "The name.")] + Self.fields),
                Parameter<Int64?>.revision, answers: LocationDetails.shape,
                errors: [.notFound, .notAllowed, .conflict, .invalidValue, .unavailable], right: .person
            ) { call, id, given, revision in
                try await change(call) { changing, consequences in
                    let (access, number) = try changing.item("location", id)
                    let old = try Location.get(number, in: changing.db)
                    let fields = try given.made(to: old.fields, in: access, in: changing.db)
                    try changing.spend([fields.name, fields[.address]] + fields.values.prose)
                    try changing.changes(.location, number, in: access, &consequences) {
                        try given.saving(over: { try LocationDetails(number, of: access, in: changing.db) }) {
                            try Location.update(number, in: access, to: fields, from: revision, in: changing.db)
                        }
                    }
                    return try LocationDetails(number, of: access, in: changing.db)
                }
            },
            .stored(
                "locations.move", "Moves a location in the order of its plan, directly before or after another one.",
                .location,
                Parameter<String?>.optional(
                    "before", .string(length: 1...64), "The id of the location before which it is placed."),
                Parameter<String?>.optional(
                    "after", .string(length: 1...64), "The id of the location after which it is placed."),
                answers: LocationDetails.shape, errors: [.notFound, .notAllowed, .invalidValue], right: .person
            ) { call, id, before, after in
                guard (before == nil) != (after == nil) else {
                    throw Refusal.invalid(
                        before == nil ? "before" : "after", "give either before or after, not both")
                }
                return try await change(call) { changing, consequences in
                    let (access, number) = try changing.item("location", id)
                    let anchor = try changing.item("location", before ?? after ?? "").number
                    try changing.moves(.location, number, in: access, &consequences) {
                        try Location.move(
                            number, in: access, to: before == nil ? .after(anchor) : .before(anchor), in: changing.db)
                    }
                    return try LocationDetails(number, of: access, in: changing.db)
                }
            },
            .stored(
                "locations.clear", "Removes the stamp from a location, so that the next pass stamps it again.",
                .location,
                answers: LocationDetails.shape, errors: [.notFound, .notAllowed], right: .person
            ) { call, id in
                try await change(call) { changing, consequences in
                    let (access, number) = try changing.item("location", id)
                    try changing.changes(.location, number, in: access, &consequences) {
                        try Location.clearStamp(number, in: access, in: changing.db)
                    }
                    return try LocationDetails(number, of: access, in: changing.db)
                }
            },
            .stored(
                "locations.remove", "Removes a location with its photos, which stay in the bin for 30 days.",
                .location,
                answers: .only("location", "The location's id."), errors: [.notFound, .notAllowed], right: .person,
                question: "Remove the location with its photos?"
            ) { call, id in
                try await change(call) { changing, consequences in
                    let (access, number) = try changing.item("location", id)
                    try changing.removes(.location, number, in: access, &consequences) {
                        try Location.remove(number, in: access, at: changing.now, in: changing.db)
                    }
                    return id
                }
            },
        ]
    }
}

extension GivenFields {
    /// Returns `old` with the given fields applied.
    fileprivate func made(to old: Location.Fields, in access: PlanAccess, in db: Database) throws -> Location.Fields {
        var fields = old
        try set(&fields.name, "name")
        try set(&fields.values)
        fields.place = try place(old.place)
        if let radius: Double = try value("radius_m") { fields.radius = .meters(radius) }
        // The default zone is that of the location's own place.
        let there = try fields.place.flatMap { try PlaceNames.zone(at: $0, in: db) }
        let zone = try there.flatMap { Zone($0) } ?? Plan.get(access.plan, in: db).fields.zone
        try set(&fields.span.start, "from", zone: zone)
        try set(&fields.span.end, "to", zone: zone)
        try set(&fields.level)
        return fields
    }
}
