import Callers
import GRDB
import People
import RPC
import Service
import Store
import TextCoding
import Time

/// The methods of plans.
struct PlanMethods: Sendable {
    let context: ServiceContext

    /// The most rows in one page.
    static let largestPage = 200

    private let lookers: PlanLookers

    init(_ context: ServiceContext, _ lookers: PlanLookers = PlanLookers()) {
        (self.context, self.lookers) = (context, lookers)
    }

    /// All methods of plans.
    var all: [Method<Principal>] {
        plans + journey + sharing + members + locations + activities + checklists + money + links + files + bin
            + history
            + looking(lookers)
    }

    /// Runs `body` in a read of the store, with the number of the signed-in person, or `nil` if nobody is signed in.
    func read<Value: Sendable>(
        _ call: Call<Principal>, _ body: @escaping @Sendable (Database, Int64?) throws -> Value
    ) async throws -> Value {
        let viewer = call.viewer
        return try await context.store.read { db in
            try body(db, People.number(of: viewer, in: db))
        }
    }

    /// The context of a change.
    struct ChangeContext {
        let db: Database
        /// The signed-in person, who makes the change.
        let person: Person
        let now: Timestamp
        let viewer: Viewer

        /// Counts texts against the amount of text that one person may write.
        func spend(_ texts: [String?]) throws {
            try Budget.spend(texts: texts, by: viewer, at: now, in: db)
        }
    }

    /// Runs `body` in a write transaction as the signed-in person.
    func change<Value: Sendable>(
        _ call: Call<Principal>, _ body: @escaping @Sendable (ChangeContext, inout Consequences) throws -> Value
    ) async throws -> Value {
        let (viewer, id, now) = (call.viewer, try call.person(), context.now())
        return try await context.editor.change { db, consequences in
            let changing = ChangeContext(db: db, person: try People.get(id, in: db), now: now, viewer: viewer)
            return try body(changing, &consequences)
        }
    }
}

extension GivenFields {
    /// Saves the given fields by calling `body`.
    ///
    /// If someone else has changed the object in the meantime, throws a conflict whose data contains both versions.
    ///
    /// - Parameter current: returns the stored version as the caller sees it.
    func saving<Answer: Answerable>(over current: () throws -> Answer, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let refusal as Refusal {
            guard let revision = refusal.newerRevision else { throw refusal }
            let now = try JSONValue(parsing: Answer.shape.text(of: current()).bytes.span)
            throw Refusal.conflict(
                refusal.message,
                data: ["revision": revision, "current": now, "yours": .object(members)])
        }
    }
}

extension Parameter where Value == String {
    /// Returns a required parameter for an id.
    static func id(_ name: String, _ doc: String) -> Parameter { .required(name, .string(length: 1...64), doc) }

    static var plan: Parameter { .id("plan", "The plan's id.") }
    static var location: Parameter { .id("location", "The location's id.") }
    static var activity: Parameter { .id("activity", "The activity's id.") }
    static var expense: Parameter { .id("expense", "The expense's id.") }
    static var repayment: Parameter { .id("repayment", "The repayment's id.") }
    static var member: Parameter { .required("person", .string(length: 1...200), "The person's username.") }
}

extension Parameter where Value == Int64? {
    /// The revision that the caller has read.
    static var revision: Parameter {
        .optional(
            "revision", .integer(in: 1...1_000_000_000),
            "The revision that you have read; if there is a newer one, the call changes nothing. Any by default."
        )
    }
}

extension AnswerShape where Value == String {
    /// Returns the shape of an answer with a single text, such as the id of a removed object.
    static func only(_ name: String, _ doc: String) -> AnswerShape { .object { Member(name, .text, doc) { $0 } } }
}

/// The fields of an object that a call gives.
///
/// An omitted field keeps its value. An empty text removes the value.
struct GivenFields: Sendable {
    private let members: JSONObject

    init(_ members: JSONObject) { self.members = members }

    /// Returns a parameter that consists of `fields`.
    static func parameter(_ fields: [Field]) -> Parameter<GivenFields> {
        Parameter(fields) { members throws(Refusal) in GivenFields(members) }
    }

    func value<Value: JSONReadable>(_ name: String) throws(Refusal) -> Value? { try members.value(name) }

    func set(_ text: inout String?, _ name: String) throws(Refusal) {
        if let given: String = try members.value(name) { text = given.isEmpty ? nil : given }
    }

    func set<Value: JSONReadable>(_ value: inout Value, _ name: String) throws(Refusal) {
        if let given: Value = try members.value(name) { value = given }
    }

    func set<Value: JSONReadable>(_ value: inout Value?, _ name: String) throws(Refusal) {
        if let given: Value = try members.value(name) { value = given }
    }

    func set(_ level: inout Level, _ name: String = "level") throws(Refusal) {
        if let given: String = try members.value(name) { level = Level(name: given) ?? level }
    }

    /// Sets a planned time from the fields `name` and `name_zone`, if they are given.
    ///
    /// An empty text removes the time. If no zone is given, the time keeps its zone; a new time gets the zone `usual`.
    func set(_ time: inout PlannedTime?, _ name: String, zone usual: Zone) throws(Refusal) {
        let zoneName: String? = try members.value("\(name)_zone")
        var zone = time?.zone ?? usual
        if let zoneName { zone = try Zone(given: zoneName, "\(name)_zone") }
        let text: String? = try members.value(name)
        guard text != "" else { return time = nil }
        guard let text = text ?? (zoneName == nil ? nil : time?.clock.description) else { return }
        do {
            time = try PlannedTime(text, in: zone)
        } catch {
            throw Refusal.invalid(name, error.reason)
        }
    }

    static func time(_ name: String, _ doc: String) -> [Field] {
        [
            .optional(
                name, .string(length: 0...40),
                """
                \(doc): a day, or a day and the local time, such as 2026-05-01T10:00, with an offset if clocks show it \
                twice; an empty text removes it.
                """),
            .optional(
                "\(name)_zone", .string(length: 1...Zone.longest),
                "The zone of that time, such as Europe/Paris; by default the plan's, or that of a location's place."),
        ]
    }

    static let level = Field.optional(
        "level", .choice(Level.names),
        "The level: who sees it among those who see the plan: me, members, friends or everyone; everyone by default."
    )

    /// The fields `lat` and `lon` of a place.
    static let place: [Field] = [
        .optional("lat", .latitude, "Degrees north."), .optional("lon", .longitude, "Degrees east."),
    ]
}

extension Zone {
    /// Creates the zone that a parameter names; throws a refusal of `field` if there is no such zone.
    init(given name: String, _ field: String) throws(Refusal) {
        guard let zone = Zone(name) else {
            throw Refusal.invalid(field, "must be a time zone of the tz database, such as Europe/Amsterdam")
        }
        self = zone
    }
}
