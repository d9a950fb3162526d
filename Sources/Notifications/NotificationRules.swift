import GRDB
import Places
import RPC
import Service
import TextCoding

/// What a person wishes to be told, and when.
struct NotificationRules: Hashable, Sendable {
    /// What may come of a device and a sight, in the order of a visit.
    enum Happening: String, CaseIterable {
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

    /// What they are told about; those that they have muted are not among them, whatever is new is.
    var kinds: Set<NotificationDraft.Kind> {
        get { Set(NotificationDraft.Kind.allCases).subtracting(muted) }
        set { muted = Set(NotificationDraft.Kind.allCases).subtracting(newValue) }
    }
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
        try rules.change(by: kept, isKept: true)
        return rules
    }

    /// Keeps the rules of a person, by number.
    func keep(for person: Int64, in db: Database) throws {
        var json = JSONWriter()
        json.object { json in
            writeMembers(to: &json)
            json.names("muted", muted.map(\.rawValue).sorted())
        }
        try db.cachedStatement(
            sql: "INSERT INTO notification_rules VALUES (?, ?) ON CONFLICT DO UPDATE SET rules = excluded.rules"
        ).execute(arguments: [person, json.text])
    }
}

extension NotificationRules {
    private static let category = Schema.string(length: 1...Sight.longestCategory)

    /// What may be set, each of which stays as it is where it is left out.
    static let parameters: [Field] = [
        .optional(
            "kinds", .array(of: .choice(NotificationDraft.Kind.allCases.map(\.rawValue)), count: 0...16),
            "What to be told about; none for nothing."),
        .optional(
            "events", .array(of: .choice(Happening.allCases.map(\.rawValue)), count: 0...16),
            "What of sights: to come near one soon, to be there, to have gone through, stayed, left."),
        .optional(
            "categories", .array(of: category, count: 0...mostCategories), "Only sights of these; none for all."),
        .optional(
            "excluded_categories", .array(of: category, count: 0...mostCategories), "No sights of these."),
        .optional(
            "quiet", .string(length: 0...11),
            "The hours in which nothing is announced, such as 22:00-07:00; an empty text for none."),
        .optional(
            "zone", .string(length: 1...64),
            "By which clock: an offset such as +02:00, or a zone such as Europe/Amsterdam; the machine's if never set."),
        .optional("once", .boolean, "Whether a sight is told only once before it was left."),
        .optional(
            "cool_down", .integer(in: 0...longestCoolDown),
            "For how many seconds a sight is not told again after it was."),
    ]

    /// All rules.
    static let schema = Schema.object(
        parameters.map { field in
            ["quiet", "zone"].contains(field.name)
                ? .optional(field.name, .string, field.doc + " Left out where there are none.")
                : .required(field.name, field.schema, field.doc)
        })

    /// Sets what is given.
    ///
    /// - Parameter isKept: whether it was set before, and what has become of zones since is no fault of it.
    mutating func change(by given: JSONObject, isKept: Bool = false) throws(RPCError) {
        func list(_ name: String) -> [String]? { given[name].flatMap([String].init(json:)) }
        if isKept {
            muted = Set((list("muted") ?? []).compactMap(NotificationDraft.Kind.init(rawValue:)))
        } else if let given = list("kinds") {
            kinds = Set(given.compactMap(NotificationDraft.Kind.init(rawValue:)))
        }
        if let given = list("events") { happenings = Set(given.compactMap(Happening.init(rawValue:))) }
        if let given = list("categories") { categories = given }
        if let given = list("excluded_categories") { excluded = given }
        if let given = given["once"].flatMap(Bool.init(json:)) { isOncePerVisit = given }
        if let given = given["cool_down"].flatMap(Int64.init(json:)) { coolDown = given }
        var zone = quiet?.zone
        if let given = given["zone"].flatMap(String.init(json:)) {
            zone = QuietHours.ZoneName(given)
            guard zone != nil || isKept else {
                throw RPCError.invalid("zone", "must be an offset such as +02:00, or a zone such as Europe/Amsterdam")
            }
        }
        guard let hours = given["quiet"].flatMap(String.init(json:)) ?? quiet?.text, !hours.isEmpty else {
            quiet = nil
            guard given["zone"] == nil else {
                throw RPCError.invalid("zone", "goes with quiet, which is not set")
            }
            return
        }
        quiet = QuietHours(hours, zone: zone ?? .ofMachine)
        guard quiet != nil else {
            throw RPCError.invalid("quiet", "must be two different times of the day, such as 22:00-07:00")
        }
    }

    func writeMembers(to json: inout JSONWriter) {
        json.names("kinds", NotificationDraft.Kind.allCases.filter(kinds.contains).map(\.rawValue))
        json.names("events", Happening.allCases.filter(happenings.contains).map(\.rawValue))
        json.names("categories", categories)
        json.names("excluded_categories", excluded)
        json.member("quiet", quiet?.text)
        json.member("zone", quiet?.zone.text)
        json.member("once", isOncePerVisit)
        json.member("cool_down", coolDown)
    }
}

extension JSONWriter {
    fileprivate mutating func names(_ key: String, _ names: [String]) {
        array(key) { json in
            for name in names { json.string(name) }
        }
    }
}
