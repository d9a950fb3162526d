import EventStream
import GRDB
import RPC
import Service
import Store

extension PlanMethods {
    var links: [Method<Principal>] {
        [
            .stored(
                "links.create",
                """
                Makes a link that opens a plan, or one location of it, to whoever has it: read only, without money, bookings \
                and contacts.
                """, .plan,
                Parameter<String?>.optional(
                    "location", .string(length: 1...64), "The id of the location; the whole plan if left out."),
                Parameter<Int>.optional(
                    "days", .integer(in: 1...Int64(PlanLink.mostDays)), default: PlanLink.defaultDays,
                    "How long it lasts, 30 if left out."),
                answers: NewLink.shape, errors: [.notFound, .notAllowed, .invalidValue, .unavailable], right: .person
            ) { call, id, location, days in
                try await change(call) { changing, _ in
                    let access = try changing.plan(id)
                    let number = try location.map { location in
                        let (other, number) = try changing.item("location", location)
                        guard other.plan == access.plan else {
                            throw Refusal.invalid("location", "must be one of the plan")
                        }
                        return number
                    }
                    let link = try PlanLink.create(
                        to: number, in: access, days: days, at: changing.now, in: changing.db)
                    return NewLink(secret: link.secret, number: link.number)
                }
            },
            .stored(
                "links.list", "The links of a plan that you have made; all of them where it is yours.", .plan,
                answers: Shape<[PlanLink]>.object {
                    Member("links", .array(of: PlanLink.shape), "The links.") { $0 }
                }, errors: [.notFound, .notAllowed], right: .person
            ) { call, id in
                let now = context.now()
                return try await read(call) { db, person in
                    try PlanLink.list(of: PlanAccess.plan(id, for: person, in: db), at: now, in: db)
                }
            },
            .stored(
                "links.revoke", "Ends a link at once.", .plan,
                Parameter<String>.required("number", .string(length: 1...20), "Its number, as links.list has it."),
                answers: .only("number", "Its number."), errors: [.notFound, .notAllowed], right: .person
            ) { call, id, number in
                try await change(call) { changing, _ in
                    try PlanLink.revoke(Int64(number) ?? 0, in: changing.plan(id), in: changing.db)
                    return number
                }
            },
            .stored(
                "links.open", "What a link shows, which is counted.",
                Parameter<String>.required("link", .string(length: 1...64), "The secret of the link."),
                answers: LinkContent.shape, errors: [.notFound], right: .read
            ) { _, secret in
                try await open(secret) { content, db in try LinkContent(content, in: db) }
            },
        ]
    }

    /// Calls `body` with the content of a link and counts the link as opened.
    ///
    /// The secret is checked in a read first. An invalid secret therefore never causes a write.
    func open<Value: Sendable>(
        _ secret: String, _ body: @escaping @Sendable (PlanLink.Content, Database) throws -> Value
    ) async throws -> Value {
        let now = context.now()
        _ = try await context.store.read { try PlanLink.look(secret, at: now, in: $0) }
        return try await context.editor.change { db, _ in try body(PlanLink.open(secret, at: now, in: db), db) }
    }
}

extension PlanLink: Answerable {
    static let shape = Shape<PlanLink>.object {
        Member("number", .text, "By which it is revoked.") { String($0.number) }
        Member.optional("location", .text, "The id of the location that it opens; the whole plan where left out.") {
            $0.location
        }
        Member("person", .text, "Who made it, by username.") { $0.person }
        Member("created", .time, "When it was made.") { $0.created }
        Member("expires", .time, "When it ends.") { $0.expires }
        Member("opened", .integer, "How often it was opened.") { $0.opened }
    }
}

/// A new link, with the secret that is shown only once.
struct NewLink: Sendable, Answerable {
    var secret: String
    var number: Int64

    static let shape = Shape<NewLink>.object {
        Member("link", .text, "The secret of the link, which is shown this once.") { $0.secret }
        Member("number", .text, "By which it is listed and revoked.") { String($0.number) }
    }
}

/// The answer of `links.open`: what a link shows.
struct LinkContent: Sendable, Answerable {
    var plan: Plan
    var locations: [LocationRow]
    var days: [ItineraryAnswer.Day]
    var photos: [ShownPhoto]

    static let shape = Shape<LinkContent>.object {
        Member("title", .text, "What the plan is called.") { $0.plan.fields.title }
        Member.optional("description", .text, "What there is to know about it.") { $0.plan.fields.description }
        Member.optional("destination", .text, "What its destination is called.") { $0.plan.fields.destination }
        [Member<PlannedSpan>].span("start", "end").of { $0.plan.fields.span }
        Member("locations", .array(of: LocationRow.shape), "The locations.") { $0.locations }
        ItineraryAnswer.member.of { ItineraryAnswer(days: $0.days) }
        Member(
            "photos", .array(of: ShownPhoto.shape),
            "The photos of the plan and of what is listed, in their order, at most \(ShownPhoto.most); the browser's door has them at s/LINK/photos/ID."
        ) { $0.photos }
    }

    init(_ content: PlanLink.Content, in db: Database) throws {
        let access = PlanAccess(guestOf: content.plan)
        plan = content.plan
        locations = try content.locations.map { try LocationRow($0, of: access, in: db) }
        photos = try ShownPhoto.list(of: content.subjects, in: db)
        days = Days(content.activities).days.map { day in
            .init(date: day.date?.text, items: day.items.map { ActivityRow($0, of: access, among: []) })
        }
    }
}

/// A photo that a link shows.
struct ShownPhoto: Sendable, Answerable {
    var id: String
    /// The id of its subject, as `KIND/ID`.
    var subject: String
    var caption: String?

    /// The most photos that one page shows.
    static let most = 500

    static let shape = Shape<ShownPhoto>.object {
        Member("id", .text, "What it is known by.") { $0.id }
        Member("subject", .text, "What it is of, as KIND/ID.") { $0.subject }
        Member.optional("caption", .text, "What it shows.") { $0.caption }
    }

    /// Returns the photos of subjects, in the order of the subjects and then of the photos, at most ``most``.
    static func list(of subjects: [SubjectID], in db: Database) throws -> [ShownPhoto] {
        let ids = JSONText(.array(subjects.map { .string($0.description) }))
        return try NamedRow.list(
            db.cachedStatement(
                sql: """
                    SELECT photo.number, subject.id AS subject, caption
                    FROM json_each(:subjects) AS shown JOIN subject ON subject.id = shown.value
                        JOIN photo ON photo.subject = subject.number
                    ORDER BY shown.key, photo.place LIMIT :most
                    """),
            arguments: ["subjects": String(decoding: ids.bytes, as: UTF8.self), "most": most]
        ) { row in
            ShownPhoto(id: String(row["number"] as Int64), subject: row["subject"], caption: row["caption"])
        }
    }
}
