import GRDB
import RPC
import Service
import Sights
import TextCoding

/// A person's choices of what they are notified of, and when.
struct NotificationRules: Hashable, Sendable {
    /// What can happen between a device and a sight, in the order of a visit.
    enum Trigger: String, CaseIterable, Sendable {
        /// The device will soon reach the sight.
        case approach
        /// The device has entered the sight's radius.
        case enter
        /// The device has passed through the radius without a fix inside.
        case cross
        /// The device has stayed at the sight for a while.
        case dwell
        /// The device has left.
        case exit

        /// Creates the trigger of an event's type, or `nil` if the type is not that of a geofence event.
        init?(eventType type: String) {
            guard type.hasPrefix("geofence.") else { return nil }
            self.init(rawValue: String(type.dropFirst("geofence.".count)))
        }
    }

    /// The kinds of which the person is not notified.
    ///
    /// The person is notified of all other kinds, including those that later versions add.
    private var muted: Set<NotificationDraft.Kind> = []
    /// The triggers at sights of which the person is notified.
    var triggers: Set<Trigger> = [.approach, .enter, .dwell]
    /// The categories of sights of which the person is notified.
    ///
    /// If empty, the person is notified of all sights, including those without a category.
    var categories: [String] = []
    /// The categories of sights of which the person is not notified.
    var excluded: [String] = []
    /// The hours in which notifications are not announced, or `nil` for none.
    var quiet: QuietHours?
    /// Whether the person is notified of a sight only once per visit.
    var isOncePerVisit = true
    /// The minimum time between two notifications of the same sight, in seconds.
    var coolDown: Int64 = 0

    /// The maximum number of categories in each of the lists.
    static let maximumCategories = 50
    /// The maximum for ``coolDown``, in seconds: a year.
    static let longestCoolDown: Int64 = 31_536_000

    /// Whether the person is notified of things of a kind.
    func isEnabled(_ kind: NotificationDraft.Kind) -> Bool { !muted.contains(kind) }

    /// Whether the person is notified of sights of a category, where `nil` stands for sights without one.
    func wants(category: String?) -> Bool {
        guard let category else { return categories.isEmpty }
        return (categories.isEmpty || categories.contains(category)) && !excluded.contains(category)
    }

    /// Returns the rules of the person with a number, or the defaults if they have set none.
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

    /// The shape in which the store keeps the rules.
    ///
    /// It lists the muted kinds, where answers list the others.
    private static let kept = AnswerShape<NotificationRules>.object {
        choices
        Member("muted", .array(of: .text), "The kinds of which the person is not notified.") {
            $0.muted.map(\.rawValue).sorted()
        }
    }

    /// Stores the rules for the person with a number.
    func keep(for person: Int64, in db: Database) throws {
        let text = String(decoding: Self.kept.text(of: self).bytes, as: UTF8.self)
        try db.cachedStatement(
            sql: "INSERT INTO notification_rules VALUES (?, ?) ON CONFLICT DO UPDATE SET rules = excluded.rules"
        ).execute(arguments: [person, text])
    }
}

extension NotificationRules {
    private static let category = Schema.string(length: 1...Sight.longestCategory)

    /// Returns the shape of an answer with the rules.
    ///
    /// - Parameter kinds: All kinds of notifications.
    static func shape(among kinds: [NotificationDraft.Kind]) -> AnswerShape<NotificationRules> {
        .object {
            Member("kinds", .array(of: .text(.kind(among: kinds)), count: 0...32), kindsDoc) { rules in
                kinds.filter(rules.isEnabled).map(\.rawValue)
            }
            Member("all_kinds", .array(of: .text), "All kinds among which you can choose.") { _ in
                kinds.map(\.rawValue)
            }
            choices
        }
    }

    private static let kindsDoc = "The kinds of which you are notified; an empty list for none."

    /// The members that answers, the store and changes have in common.
    private static let choices: [Member<NotificationRules>] = [
        Member(
            "events", .array(of: .choice, count: 0...16),
            "The events at sights of which you are notified: nearing, entering, passing through, staying, leaving."
        ) { rules in Trigger.allCases.filter(rules.triggers.contains) },
        Member(
            "categories", .array(of: .text(category), count: 0...maximumCategories),
            "The categories of sights of which you are notified; an empty list for all."
        ) { $0.categories },
        Member(
            "excluded_categories", .array(of: .text(category), count: 0...maximumCategories),
            "The categories of sights of which you are not notified."
        ) {
            $0.excluded
        },
        .optional(
            "quiet", .text,
            "The hours in which nothing is announced, such as 22:00-07:00; absent if there are none."
        ) { $0.quiet?.text },
        .optional(
            "zone", .text,
            """
            The time zone of the quiet hours: an offset such as +02:00, or a name such as Europe/Amsterdam; absent \
            without quiet hours.
            """
        ) { $0.quiet?.zone.text },
        Member("once", .boolean, "Whether you are notified of a sight only once until you have left it.") {
            $0.isOncePerVisit
        },
        Member(
            "cool_down", .integer(.integer(in: 0...longestCoolDown)),
            "The minimum time between two notifications of the same sight, in seconds."
        ) { $0.coolDown },
    ]

    /// A change of the rules.
    ///
    /// Properties that are `nil` leave the rules as they are.
    struct Change: Sendable {
        var muted: Set<NotificationDraft.Kind>?
        var triggers: [Trigger]?
        var categories: [String]?
        var excluded: [String]?
        /// The quiet hours as text.
        ///
        /// An empty text removes them.
        var quiet: String?
        var zone: String?
        var isOncePerVisit: Bool?
        var coolDown: Int64?

        /// Returns the parameter of a change, whose members are all optional.
        ///
        /// - Parameter kinds: All kinds of notifications.
        static func parameter(among kinds: [NotificationDraft.Kind]) -> Parameter<Change> {
            let list = Schema.array(of: .kind(among: kinds), count: 0...32)
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
                        "The hours in which nothing is announced, such as 22:00-07:00; an empty text means none.")
                case "zone":
                    .optional(
                        field.name, .string(length: 1...64),
                        """
                        The time zone of the quiet hours: an offset such as +02:00, or a name such as \
                        Europe/Amsterdam; the machine's if never set.
                        """)
                default: .optional(field.name, field.schema, field.doc)
                }
            }

        /// Reads the members of a JSON object.
        ///
        /// Members that cannot be read are ignored.
        init(_ members: JSONObject) {
            func value<Value: JSONReadable>(_ name: String) -> Value? { members[name].flatMap(Value.init(json:)) }
            triggers = Self.words("events", in: members)
            categories = value("categories")
            excluded = value("excluded_categories")
            quiet = value("quiet")
            zone = value("zone")
            isOncePerVisit = value("once")
            coolDown = value("cool_down")
        }

        /// Returns the choices that a member lists, without those that do not exist any more.
        static func words<Choice: RawRepresentable>(
            _ name: String, in members: JSONObject
        ) -> [Choice]? where Choice.RawValue == String {
            members[name].flatMap([String].init(json:))?.compactMap(Choice.init(rawValue:))
        }
    }

    /// Applies a change.
    ///
    /// - Parameter isKept: Whether the values come from the store. Then a time zone that is not known any more is
    ///   ignored.
    /// - Throws: `Refusal` (`.invalidValue`) if the quiet hours or the time zone are not valid, or if there is a time
    ///   zone without quiet hours.
    mutating func apply(_ change: Change, isKept: Bool = false) throws(Refusal) {
        muted = change.muted ?? muted
        if let given = change.triggers { triggers = Set(given) }
        categories = change.categories ?? categories
        excluded = change.excluded ?? excluded
        isOncePerVisit = change.isOncePerVisit ?? isOncePerVisit
        coolDown = change.coolDown ?? coolDown
        var zone = quiet?.zone
        if let given = change.zone {
            zone = QuietHours.ZoneName(given)
            guard zone != nil || isKept else {
                throw Refusal.invalid(
                    "zone", "must be an offset such as +02:00, or a time zone such as Europe/Amsterdam")
            }
        }
        guard let hours = change.quiet ?? quiet?.text, !hours.isEmpty else {
            quiet = nil
            guard change.zone == nil else {
                throw Refusal.invalid("zone", "requires quiet, which is not set")
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
    /// Returns the schema of a kind of notifications.
    static func kind(among kinds: [NotificationDraft.Kind]) -> Schema { .choice(kinds.map(\.rawValue)) }
}
