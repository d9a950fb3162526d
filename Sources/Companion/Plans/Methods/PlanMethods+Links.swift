import Callers
import GRDB
import People
import RPC
import Service
import Store

extension PlanMethods {
    var links: [Method<Principal>] {
        [
            .stored(
                "links.create",
                """
                Creates a read-only link that shows a plan, or one location of it, to everyone who has the link. Of a \
                plan it shows what has the level everyone, and never money, bookings or contacts.
                """, .plan,
                Parameter<String?>.optional(
                    "location", .string(length: 1...64), "The id of the location; the whole plan by default."),
                Parameter<Int>.optional(
                    "days", .integer(in: 1...Int64(PlanLink.maximumDays)), default: PlanLink.defaultDays,
                    "The lifetime of the link in days, 30 by default."),
                .optional(
                    "confirm", .boolean, default: false,
                    """
                    Whether to show a location whose level is narrower than everyone, after you were asked. The members \
                    are notified, unless only you see the location.
                    """),
                answers: NewLink.shape, errors: [.notFound, .notAllowed, .conflict, .invalidValue, .unavailable],
                right: .person
            ) { call, id, location, days, isConfirmed in
                try await change(call) { changing, consequences in
                    let access = try changing.plan(id)
                    let shown = try location.map { location in
                        let (other, number) = try changing.item("location", location)
                        guard other.plan == access.plan else {
                            throw Refusal.invalid("location", "must be a location of the plan")
                        }
                        return (number: number, location: try Location.get(number, in: changing.db))
                    }
                    try access.checkEdits()
                    let level = shown?.location.fields.level ?? .everyone
                    guard level == .everyone || isConfirmed else {
                        throw Refusal.conflict(
                            "The location has the level \(level.name), and the link would show it to everyone who has "
                                + "the link. Set its level to everyone, or set confirm to true; members who see the "
                                + "location are then notified.",
                            data: ["reason": "level", "level": .string(level.name)])
                    }
                    let link = try PlanLink.create(
                        to: shown?.number, in: access, days: days, at: changing.now, in: changing.db)
                    if let shown, level != .everyone, level != .me {
                        consequences.notifications += try Self.announcements(
                            of: link.number, to: shown.location, by: changing, access)
                    }
                    return NewLink(secret: link.secret, number: link.number, server: context.webAddress())
                }
            },
            .stored(
                "links.list", "Lists the links to a plan that you created, or all of them if you own the plan.",
                .plan,
                answers: AnswerShape<[PlanLink]>.object {
                    Member("links", .array(of: PlanLink.shape), "The links.") { $0 }
                }, errors: [.notFound, .notAllowed], right: .person
            ) { call, id in
                let now = context.now()
                return try await read(call) { db, person in
                    try PlanLink.list(of: PlanAccess.plan(id, for: person, in: db), at: now, in: db)
                }
            },
            .stored(
                "links.revoke", "Revokes a link immediately.", .plan,
                Parameter<String>.required(
                    "number", .string(length: 1...20), "The link's number, as listed by links.list."),
                answers: .only("number", "The link's number."), errors: [.notFound, .notAllowed], right: .person
            ) { call, id, number in
                try await change(call) { changing, _ in
                    try PlanLink.revoke(Int64(number) ?? 0, in: changing.plan(id), in: changing.db)
                    return number
                }
            },
            .stored(
                "links.open", "Returns what a link shows, and counts the link as opened.",
                Parameter<String>.required("link", .string(length: 1...64), "The secret of the link."),
                answers: LinkContent.shape, errors: [.notFound], right: .read
            ) { _, secret in
                try await open(secret) { content, db in try LinkContent(content, in: db) }
            },
        ]
    }

    /// Returns the notifications for the other members of a plan about a link that shows a location to more people than
    /// its level does.
    private static func announcements(
        of link: Int64, to location: Location, by changing: ChangeContext, _ access: PlanAccess
    ) throws -> [NotificationDraft] {
        let (person, place) = (changing.person, location.fields.name)
        return try PlanMember.list(of: access.plan, in: changing.db).compactMap { member in
            guard member.state == .member, let id = member.id, id != person.id else { return nil }
            var draft = NotificationDraft(
                to: id, .plan, at: changing.now, key: "plan-link/\(access.id)/\(link)",
                text: "\(bold: person.name) made a link that shows \(bold: place) to everyone who has the link.",
                destination: SubjectID(kind: Location.kind, id: location.id).destination)
            draft.author = .init(
                person.number, logText: "\(bold: person.id) made a link that shows a location to everyone who has it.")
            return draft
        }
    }

    /// Calls `body` with the content of a link and counts the link as opened.
    ///
    /// An invalid secret never causes a write. While the store cannot be written, the link still opens, uncounted.
    func open<Value: Sendable>(
        _ secret: String, _ body: @escaping @Sendable (PlanLink.Content, Database) throws -> Value
    ) async throws -> Value {
        let now = context.now()
        let value = try await context.store.read { try body(PlanLink.look(secret, at: now, in: $0), $0) }
        try await context.editor.note { db, _ in try PlanLink.countOpening(secret, in: db) }
        return value
    }
}

extension PlanLink: Answerable {
    static let shape = AnswerShape<PlanLink>.object {
        Member("number", .text, "The number by which the link is revoked.") { String($0.number) }
        Member.optional("location", .text, "The id of the location that it shows; absent for the whole plan.") {
            $0.location
        }
        Member("person", .text, "The username of the person who created it.") { $0.person }
        Member("created", .time, "The time of creation.") { $0.created }
        Member("expires", .time, "The time of expiry.") { $0.expires }
        Member("opened", .integer, "The number of times that it was opened.") { $0.opened }
    }
}

/// A new link, with the secret that is shown only once.
struct NewLink: Sendable, Answerable {
    var secret: String
    var number: Int64
    /// The address of the browser's door.
    var server: String

    static let shape = AnswerShape<NewLink>.object {
        Member("link", .text, "The secret of the link, which is returned only this once.") { $0.secret }
        Member("number", .text, "The number by which the link is listed and revoked.") { String($0.number) }
        Member("url", .text, "The address at which a browser opens the link, if the daemon serves browsers.") {
            "\($0.server)/s/\($0.secret)"
        }
    }
}

/// The answer of `links.open`: what a link shows.
struct LinkContent: Sendable, Answerable {
    var plan: Plan
    var locations: [LocationRow]
    var days: [ItineraryAnswer.Day]
    var photos: [ShownPhoto]

    static let shape = AnswerShape<LinkContent>.object {
        Member("title", .text, "The title of the plan.") { $0.plan.fields.title }
        Member.optional("description", .text, "The description.") { $0.plan.fields[.description] }
        Member.optional("destination", .text, "The name of the destination.") { $0.plan.fields[.destination] }
        [Member<PlannedSpan>].span("start", "end").of { $0.plan.fields.span }
        Member("locations", .array(of: LocationRow.shape), "The locations.") { $0.locations }
        ItineraryAnswer.member.of { ItineraryAnswer(days: $0.days) }
        Member(
            "photos", .array(of: ShownPhoto.shape),
            """
            The photos of all that the link shows, in order, at most \(ShownPhoto.maximumCount). The browser's door serves \
            them at s/LINK/photos/ID.
            """
        ) { $0.photos }
    }

    init(_ content: PlanLink.Content, in db: Database) throws {
        let access = PlanAccess(guestOf: content.plan)
        plan = content.plan
        locations = try LocationRow.list(content.locations, of: access, in: db)
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
    static let maximumCount = 500

    static let shape = AnswerShape<ShownPhoto>.object {
        Member("id", .text, "The id.") { $0.id }
        Member("subject", .text, "The id of its subject, as KIND/ID.") { $0.subject }
        Member.optional("caption", .text, "The caption.") { $0.caption }
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
            arguments: ["subjects": String(decoding: ids.bytes, as: UTF8.self), "most": maximumCount]
        ) { row in
            ShownPhoto(id: String(row["number"] as Int64), subject: row["subject"], caption: row["caption"])
        }
    }
}
