import GRDB
import Places
import RPC
import Service
import TextCoding

/// What a person wishes to be told, and when.
struct NotificationRules: Hashable, Sendable {
    /// What may come of a device and a sight, in the order of a visit.
    enum Happening: String, CaseIterable, Sendable {
        /// They will soon be there.
        case approach
        /// They have come within its radius.
        case enter
        /// They went through without a fix inside.
        case cross
        /// They have stayed for a while.
        case dwell
        /// They have left.
        case exit

        /// Of an event's type; nil for those of anything else.
        init?(eventType type: String) {
            guard type.hasPrefix("geofence.") else { return nil }
            self.init(rawValue: String(type.dropFirst("geofence.".count)))
        }
    }

    /// What they are not told about; of all else they are, whatever is new too.
    private var muted: Set<NotificationDraft.Kind> = []
    /// What of sights they are told.
    var happenings: Set<Happening> = [.approach, .enter, .dwell]
    /// The categories that a sight must be of one of; none for any, and for sights of no category.
    var categories: [String] = []
    /// The categories that a sight must not be of.
    var excluded: [String] = []
    /// When nothing is announced; nil for never.
    var quiet: QuietHours?
    /// Whether they are told only once before they have left a sight.
    var isOncePerVisit = true
    /// For how many seconds after they were told of a sight they are not told of it again.
    var coolDown: Int64 = 0

    /// The most categories in one of the lists: more is hardly a choice.
    static let mostCategories = 50
    /// The longest cool-down in seconds: a year.
    static let longestCoolDown: Int64 = 31_536_000

    /// Whether they are told of what is of a kind.
    func tells(_ kind: NotificationDraft.Kind) -> Bool { !muted.contains(kind) }

    /// Whether sights of a category are told of.
    func wants(category: String?) -> Bool {
        guard let category else { return categories.isEmpty }
        return (categories.isEmpty || categories.contains(category)) && !excluded.contains(category)
    }

    /// The rules of a person, by number.
    static func of(_ person: Int64, in db: Database) throws -> NotificationRules {
        var rules = NotificationRules()
        let statement = try db.cachedStatement(sql: "SELECT rules FROM notification_rules WHERE person = ?")
        guard let text = try String.fetchOne(statement, arguments: [person]),
            case .object(let kept)? = try? JSONValue(parsing: Array(text.utf8).span)
        else { return rules }
        rules.muted = Set(Change.words("muted", in: kept) ?? [])
        try rules.apply(Change(kept), isKept: true)
        return rules
    }

    /// How they are kept.
    private static let kept = Shape<NotificationRules>.object {
        choices
        Member("muted", .array(of: .text), "What they are not told about.") { $0.muted.map(\.rawValue).sorted() }
    }

    /// Keeps the rules of a person, by number.
    func keep(for person: Int64, in db: Database) throws {
        let text = String(decoding: Self.kept.text(of: self).bytes, as: UTF8.self)
        try db.cachedStatement(
            sql: "INSERT INTO notification_rules VALUES (?, ?) ON CONFLICT DO UPDATE SET rules = excluded.rules"
        ).execute(arguments: [person, text])
    }
}

extension NotificationRules {
    private static let category = Schema.string(length: 1...Sight.longestCategory)

    /// What an answer says of them.
    ///
    /// - Parameter kinds: all kinds of notifications.
    static func shape(among kinds: [NotificationDraft.Kind]) -> Shape<NotificationRules> {
        .object {
            Member("kinds", .array(of: .text(.kind(among: kinds)), count: 0...16), kindsDoc) { rules in
                kinds.filter(rules.tells).map(\.rawValue)
            }
            choices
        }
    }

    private static let kindsDoc = "What to be told about; none for nothing."

    /// What there is to choose besides the kinds.
    private static let choices: [Member<NotificationRules>] = [
        Member(
            "events", .array(of: .choice, count: 0...16),
            "What of sights: to come near one soon, to be there, to have gone through, stayed, left."
        ) { rules in Happening.allCases.filter(rules.happenings.contains) },
        Member(
            "categories", .array(of: .text(category), count: 0...mostCategories), "Only sights of these; none for all."
        ) { $0.categories },
        Member("excluded_categories", .array(of: .text(category), count: 0...mostCategories), "No sights of these.") {
            $0.excluded
        },
        .optional(
            "quiet", .text,
            "The hours in which nothing is announced, such as 22:00-07:00; left out where there are none."
        ) { $0.quiet?.text },
        .optional(
            "zone", .text,
            "By which clock: an offset such as +02:00, or a zone such as Europe/Amsterdam; left out without quiet hours."
        ) { $0.quiet?.zone.text },
        Member("once", .boolean, "Whether a sight is told only once before it was left.") { $0.isOncePerVisit },
        Member(
            "cool_down", .integer(.integer(in: 0...longestCoolDown)),
            "For how many seconds a sight is not told again after it was."
        ) { $0.coolDown },
    ]

    /// What is given of rules; nil is what stays as it is.
    struct Change: Sendable {
        var muted: Set<NotificationDraft.Kind>?
        var happenings: [Happening]?
        var categories: [String]?
        var excluded: [String]?
        /// Empty for none.
        var quiet: String?
        var zone: String?
        var isOncePerVisit: Bool?
        var coolDown: Int64?

        /// The members of the rules, all of them optional.
        ///
        /// - Parameter kinds: all kinds of notifications.
        static func parameter(among kinds: [NotificationDraft.Kind]) -> Parameter<Change> {
            let list = Schema.array(of: .kind(among: kinds), count: 0...16)
            return Parameter([.optional("kinds", list, kindsDoc)] + fields) { members in
                var change = Change(members)
                change.muted = members["kinds"].flatMap([String].init(json:)).map { told in
                    Set(kinds.filter { !told.contains($0.rawValue) })
                }
                return change
            }
        }

        private static let fields: [Field] =
            NotificationRules.choices.flatMap(\.fields).map { field in
                switch field.name {
                case "quiet":
                    .optional(
                        field.name, .string(length: 0...11),
                        "The hours in which nothing is announced, such as 22:00-07:00; an empty text for none.")
                case "zone":
                    .optional(
                        field.name, .string(length: 1...64),
                        """
                        By which clock: an offset such as +02:00, or a zone such as Europe/Amsterdam; the machine's if \
                        never set.
                        """)
                default: .optional(field.name, field.schema, field.doc)
                }
            }

        /// What members say, as far as it can be read.
        init(_ members: JSONObject) {
            func value<Value: JSONReadable>(_ name: String) -> Value? { members[name].flatMap(Value.init(json:)) }
            happenings = Self.words("events", in: members)
            categories = value("categories")
            excluded = value("excluded_categories")
            quiet = value("quiet")
            zone = value("zone")
            isOncePerVisit = value("once")
            coolDown = value("cool_down")
        }

        /// The choices that a member names, without those that there are no more.
        static func words<Choice: RawRepresentable>(
            _ name: String, in members: JSONObject
        ) -> [Choice]? where Choice.RawValue == String {
            members[name].flatMap([String].init(json:))?.compactMap(Choice.init(rawValue:))
        }
    }

    /// Sets what is given.
    ///
    /// - Parameter isKept: whether it was set before, and what has become of zones since is no fault of it.
    mutating func apply(_ change: Change, isKept: Bool = false) throws(Refusal) {
        muted = change.muted ?? muted
        if let given = change.happenings { happenings = Set(given) }
        categories = change.categories ?? categories
        excluded = change.excluded ?? excluded
        isOncePerVisit = change.isOncePerVisit ?? isOncePerVisit
        coolDown = change.coolDown ?? coolDown
        var zone = quiet?.zone
        if let given = change.zone {
            zone = QuietHours.ZoneName(given)
            guard zone != nil || isKept else {
                throw Refusal.invalid("zone", "must be an offset such as +02:00, or a zone such as Europe/Amsterdam")
            }
        }
        guard let hours = change.quiet ?? quiet?.text, !hours.isEmpty else {
            quiet = nil
            guard change.zone == nil else {
                throw Refusal.invalid("zone", "goes with quiet, which is not set")
            }
            return
        }
        quiet = QuietHours(hours, zone: zone ?? .ofMachine)
        guard quiet != nil else {
            throw Refusal.invalid("quiet", "must be two different times of the day, such as 22:00-07:00")
        }
    }
}

extension Schema {
    /// A kind of notifications.
    static func kind(among kinds: [NotificationDraft.Kind]) -> Schema { .choice(kinds.map(\.rawValue)) }
}
