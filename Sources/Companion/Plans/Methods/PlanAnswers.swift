import GRDB
import Geodesy
import Money
import Positioning
import RPC
import Service
import Subjects
import TextCoding

extension PlannedTime: Answerable {
    /// A time with its resolution by the tz database, so that the time is resolved only once.
    private typealias Resolved = (time: PlannedTime, resolution: Resolution)

    static let shape = AnswerShape<Resolved>.object {
        Member("at", .text, "The planned time: a day, or a day and the local time.") { $0.time.text }
        Member("zone", .text, "The time zone.") { $0.time.zone.name }
        Member("time", .time, "The moment according to the tz database; for a whole day, its first moment.") {
            $0.resolution.time
        }
        Member.optional("shown", .text, "The local time at that moment; present only if clocks skip the planned time.")
        {
            $0.resolution.clock == $0.time.clock ? nil : $0.resolution.clock.description
        }
    }.of { (time: PlannedTime) in (time, time.resolve()) }
}

extension AnswerShape where Value == Level {
    static var level: AnswerShape { AnswerShape(.choice(Level.names)) { $1.string($0.name) } }
}

extension [Member<PlannedSpan>] {
    /// The members for the beginning and the end of a span, under the given names.
    static func span(_ start: String, _ end: String) -> Self {
        [
            .optional(start, PlannedTime.shape, "The planned beginning.") { $0.start },
            .optional(end, PlannedTime.shape, "The planned end.") { $0.end },
        ]
    }
}

extension Member {
    /// The members `lat` and `lon` of a place, omitted if there is none.
    static func optionalPlace(_ place: @escaping @Sendable (Owner) -> Coordinate?) -> [Member] {
        [
            .optional("lat", .number(.latitude, decimals: 7), "Degrees north.") { place($0)?.latitude },
            .optional("lon", .number(.longitude, decimals: 7), "Degrees east.") { place($0)?.longitude },
        ]
    }
}

/// A person in answers about plans.
struct PlanPerson: Sendable, Answerable {
    var id: String
    var name: String

    static let shape = AnswerShape<PlanPerson>.object {
        Member("id", .text, "The username.") { $0.id }
        Member("name", .text, "First and last name.") { $0.name }
    }
}

extension PlanMember: Answerable {
    static let shape = AnswerShape<PlanMember>.object {
        Member("member", .text, "The member's number in the plan's accounts.") { String($0.number) }
        Member.optional("id", .text, "The username; absent if the account was deleted.") { $0.id }
        Member.optional("name", .text, "First and last name; absent if the account was deleted.") { $0.name }
        Member.optional("picture", .text, "The id of the photo that is the profile picture; absent if there is none.") {
            $0.picture
        }
        Member(
            "state", .text(.choice(["asked", "member", "left"])),
            "The state: member, asked (not answered yet), or left (no longer a member, but has expenses or repayments)."
        ) { $0.state.rawValue }
        Member(
            "role", .text(.choice(["owner", "editor", "reader"])),
            "The role: the owner and editors may change the plan, readers may not."
        ) {
            $0.isOwner ? "owner" : $0.edits ? "editor" : "reader"
        }
        Member("travels", .boolean, "Whether they travel: travellers are counted, stamp locations, pay and owe.") {
            $0.travels
        }
    }
}

extension PlanList.Entry: Answerable {
    static let members: [Member<PlanList.Entry>] =
        Plan.members.of(\.plan) + [
            Member("owner", PlanPerson.shape, "The owner.") { PlanPerson(id: $0.owner, name: $0.ownerName) },
            .optional("first_location", .text, "The name of the first location that you see.") { $0.firstLocation },
            .optional("picture", .text, "The id of the photo that represents it.") { $0.picture },
            Member("liked", .boolean, "Whether you like it.") { $0.isLiked },
            Member("saved", .boolean, "Whether you have saved it.") { $0.isSaved },
        ] + Member.optionalPlace { $0.pin }

    static let shape = AnswerShape<PlanList.Entry>.object(members)
}

extension Plan {
    static let members: [Member<Plan>] =
        [
            Member("id", .text, "The id.") { $0.id },
            Member("revision", .integer, "The revision, which starts at 1 and grows by 1 with each change.") {
                $0.revision
            },
            Member("title", .text, "The title.") { $0.fields.title },
        ] + Plan.Field.members(through: .destination) { $0.fields.values } + [
            Member("zone", .text, "The time zone of times without their own.") { $0.fields.zone.name }
        ] + [Member<PlannedSpan>].span("start", "end").of { $0.fields.span } + [
            Member("postal_codes", .array(of: .text), "The postal codes.") { $0.fields.postalCodes }
        ] + Plan.Field.members(after: .destination) { $0.fields.values } + [
            Member("currency", .text, "The currency of balances and sums.") { $0.fields.currency.code },
            Member("level", .level, "The level: who sees it.") { $0.fields.level },
            .optional("published", .time, "The time of publication; absent if it is not published.") { $0.published },
            Member("likes", .integer, "The number of people who like it.") { $0.likes },
            Member("created", .time, "The time of creation.") { $0.created },
        ]
}

/// The details of one plan, as its page shows them.
struct PlanDetails: Sendable, Answerable {
    var entry: PlanList.Entry
    var people: [PlanMember]
    var locations: Int
    var photos: Int
    var rating: RatingSummary
    var edits: Bool
    var isMember: Bool

    static let shape = AnswerShape<PlanDetails>.object(
        PlanList.Entry.members.of { $0.entry } + [
            Member(
                "members", .array(of: PlanMember.shape),
                "The members; also the people who are asked, if you are a member."
            ) {
                $0.people
            },
            Member("locations", .integer, "The number of locations that you see.") { $0.locations },
            Member("photos", .integer, "The number of photos of the plan itself.") { $0.photos },
            Member("rating", RatingSummary.shape, "The summary of its ratings.") { $0.rating },
            Member("may_edit", .boolean, "Whether you may change it.") { $0.edits },
            Member("member", .boolean, "Whether you are a member.") { $0.isMember },
        ])

    init(_ access: PlanAccess, in db: Database) throws {
        var list = PlanList(scope: .one(access.plan))
        list.limit = 1
        guard let entry = try list.entries(for: access.person, in: db).first else {
            throw Refusal.absent("plan", id: access.id)
        }
        self.entry = entry
        let all = try PlanMember.list(of: access.plan, in: db)
        people = all.filter { $0.state == .member || access.seesPrivate && $0.state == .asked }
        locations = try Location.count(of: access, in: db)
        photos = try Subjects.photoCount(of: entry.plan.subject, in: db)
        rating = try Subjects.rating(of: entry.plan.subject, in: db)
        edits = access.edits
        isMember = access.seesPrivate
    }
}

/// A location as the caller sees it.
struct LocationRow: Sendable, Answerable {
    var location: Location
    /// The id of the plan.
    var plan: String
    var photos: Int
    /// The id of the photo that represents the location.
    var picture: String?

    static let members: [Member<LocationRow>] =
        [
            Member("id", .text, "The id.") { $0.location.id },
            Member("plan", .text, "The plan's id.") { $0.plan },
            Member("revision", .integer, "The revision, which starts at 1 and grows by 1 with each change.") {
                $0.location.revision
            },
            Member("name", .text, "The name.") { $0.location.fields.name },
        ] + Location.Field.members(through: .description) { $0.location.fields.values } + [
            Member("radius_m", .number(decimals: 3), "The radius of the location, in metres.") {
                $0.location.fields.radius.meters
            }
        ] + Location.Field.members(after: .description) { $0.location.fields.values } + [
            Member("level", .level, "The level: who sees it, among those who see the plan.") {
                $0.location.fields.level
            },
            .optional("passed", .time, "The time at which a traveller first passed it.") { $0.location.passed },
            .optional("departed", .time, "The time at which that traveller left it.") { $0.location.departed },
            Member("photos", .integer, "The number of photos.") { $0.photos },
            .optional("picture", .text, "The id of the photo that represents it.") { $0.picture },
        ] + Member.optionalPlace { $0.location.fields.place }
        + [Member<PlannedSpan>].span("from", "to").of { $0.location.fields.span }

    static let shape = AnswerShape<LocationRow>.object(members)

    /// Returns the locations of a plan that the caller sees; see ``Location/list(of:containing:after:limit:in:)``.
    static func list(
        of access: PlanAccess, containing text: String?, after key: (position: Int64, number: Int64)?, limit: Int,
        in db: Database
    ) throws -> [LocationRow] {
        let subject = "'\(Location.kind)/' || location.id"
        let columns = """
            location.*, \(Subjects.photoCount(of: subject)) AS photos, \(Subjects.cover(of: subject)) AS picture
            """
        return try Location.rows(columns, of: access, containing: text, after: key, limit: limit, in: db) { row in
            LocationRow(
                location: try Location(row), plan: access.id, photos: row["photos"],
                picture: (row["picture"] as Int64?).map { String($0) })
        }
    }

    /// Returns these locations of a plan in their order, with one query for the photos of all of them.
    static func list(_ locations: [Location], of access: PlanAccess, in db: Database) throws -> [LocationRow] {
        let subjects = JSONText(.array(locations.map { .string($0.subject.description) }))
        let photos = try NamedRow.list(
            db.cachedStatement(
                sql: """
                    SELECT \(Subjects.photoCount(of: "shown.value")) AS photos,
                        \(Subjects.cover(of: "shown.value")) AS picture
                    FROM json_each(:subjects) AS shown ORDER BY shown.key
                    """), arguments: ["subjects": String(decoding: subjects.bytes, as: UTF8.self)]
        ) { row in (count: row["photos"] as Int, picture: row["picture"] as Int64?) }
        return zip(locations, photos).map { location, photos in
            LocationRow(
                location: location, plan: access.id, photos: photos.count, picture: photos.picture.map { String($0) })
        }
    }

    private init(location: Location, plan: String, photos: Int, picture: String?) {
        (self.location, self.plan, self.photos, self.picture) = (location, plan, photos, picture)
    }

    init(_ location: Location, of access: PlanAccess, in db: Database) throws {
        self.location = location
        plan = access.id
        photos = try Subjects.photoCount(of: location.subject, in: db)
        picture = try Subjects.cover(of: location.subject, in: db)
    }
}

/// A location with the ids of its visible neighbours in the order of the plan.
struct LocationDetails: Sendable, Answerable {
    var row: LocationRow
    var previous: String?
    var next: String?

    static let shape = AnswerShape<LocationDetails>.object(
        LocationRow.members.of { $0.row } + [
            .optional("previous", .text, "The id of the previous location that you see.") { $0.previous },
            .optional("next", .text, "The id of the next location that you see.") { $0.next },
        ])

    init(_ number: Int64, of access: PlanAccess, in db: Database) throws {
        row = try LocationRow(Location.get(number, in: db), of: access, in: db)
        (previous, next) = try Location.neighbors(of: number, in: access, in: db)
    }
}

/// An activity as the caller sees it.
struct ActivityRow: Sendable, Answerable {
    var activity: Activity
    /// The id of the plan.
    var plan: String
    /// The usernames of the participants whose accounts still exist; `nil` if the caller is not a member.
    var people: [String]?

    static let shape = AnswerShape<ActivityRow>.object(
        [
            Member("id", .text, "The id.") { $0.activity.id },
            Member("plan", .text, "The plan's id.") { $0.plan },
            Member("revision", .integer, "The revision, which starts at 1 and grows by 1 with each change.") {
                $0.activity.revision
            },
            Member("tab", .choice, "The tab.") { $0.activity.tab },
            Member("title", .text, "The title.") { $0.activity.fields.title },
        ] + Activity.Field.members { $0.activity.fields.values } + [
            Member("level", .level, "The level: who sees it, among those who see the plan.") {
                $0.activity.fields.level
            },
            Member("links", .array(of: .text), "The ids of the linked items.") { $0.activity.links },
            .optional("people", .array(of: .text), "The usernames of the participants; present only for members.") {
                $0.people
            },
            .optional("until", .text, "The end in words, such as until 02:10 next day.") { $0.activity.until },
        ] + Member.optionalPlace { $0.activity.fields.place }
            + [Member<PlannedSpan>].span("from", "to").of { $0.activity.fields.span })

    /// - Parameter members: the members of the plan.
    init(_ activity: Activity, of access: PlanAccess, among members: [PlanMember]) {
        self.activity = activity
        plan = access.id
        people = access.seesPrivate ? members.filter { activity.members.contains($0.number) }.compactMap(\.id) : nil
    }
}

/// The answer of `plans.itinerary`.
struct ItineraryAnswer: Sendable, Answerable {
    struct Day: Sendable {
        var date: String?
        var items: [ActivityRow]
    }

    var days: [Day]

    static let member = Member<ItineraryAnswer>(
        "days",
        .array(
            of: AnswerShape<Day>.object {
                Member.optional("day", .text, "The day; absent from the last entry, whose items have no day.") {
                    $0.date
                }
                Member("items", .array(of: ActivityRow.shape), "The items that begin on the day, in the order of time.")
                { $0.items }
            }), "The days that have items."
    ) { $0.days }

    static let shape = AnswerShape<ItineraryAnswer>.object([member])
}
