#if Companion
import Callers
import Foundation
import GRDB
import Geodesy
import Glibc
import Logging
import RPC
import Store
import TestSupport
import Testing
import Time
import Tracking

@testable import People
@testable import Daemon
@testable import EventStream
@testable import Service

/// Checks for every method who sees what of plans and who may do what, against an oracle in plain words.
///
/// Ada has a plan at each level, with a location and an activity at each level. Their titles say where they are, so the
/// test can search every answer for what the caller must not see.
@Suite(.slow) struct PlanPrivacyTests {
    enum Walker: String, CaseIterable, Sendable {
        case nobody, stranger = "eve", friend = "fay", asked = "dan", reader = "bob", editor = "cai", granted = "gus"
        case owner = "ada", admin

        var isSignedIn: Bool { self != .nobody && self != .admin }
        var isMember: Bool { [.reader, .editor, .owner].contains(self) }
        var edits: Bool { [.editor, .granted, .owner].contains(self) }
        /// The narrowest level that they see: 0 is me, 1 is members, 2 is friends, 3 is everyone.
        var reach: Int {
            switch self {
            case .owner: 0
            case .reader, .editor, .granted: 1
            case .friend, .asked: 2
            case .nobody, .stranger, .admin: 3
            }
        }

        var connection: Principal {
            let rights: Set<AccessRight> = self == .admin ? [.read, .change] : [.read]
            let connection = Principal(number: 1, origin: .user(1000), rights: rights)
            if isSignedIn { connection.identity = .init(person: rawValue) }
            return connection
        }
    }

    private static let levels = ["me", "members", "friends", "everyone"]

    /// A text somewhere in the plans, and who may see it.
    private struct Secret: Sendable {
        var text: String
        var viewers: Set<Walker>

        init(_ text: String, _ isSeen: (Walker) -> Bool) {
            self.text = text
            viewers = Set(Walker.allCases.filter(isSeen))
        }
    }

    private static let secrets: [Secret] = levels.indices.flatMap { plan -> [Secret] in
        let name = "of-\(levels[plan])-plan"
        // A person who is asked to join a plan sees its title in the request.
        let title = Secret("title-\(name)") { plan >= $0.reach || $0 == .asked }
        let privates = ["expense-\(name)", "contact-\(name)", "booking-\(name)", "note-\(name)", "lake-\(plan)"].map {
            Secret($0) { plan >= $0.reach && $0.isMember }
        }
        let items = levels.indices.flatMap { item in
            ["location", "activity", "checklist", "task"].map { kind in
                Secret("\(levels[item])-\(kind)-\(name)") { plan >= $0.reach && item >= $0.reach }
            }
        }
        return [title] + privates + items
    }

    private struct World {
        var table: MethodTable<Principal>
        var store: LocationDatabase
        /// The ids of everything that was made, by the name of the parameter.
        var ids: [String: [JSONValue]]
        /// The secrets of links, in the order of their plans' levels.
        var links: [String]
    }

    private static func call(
        _ table: MethodTable<Principal>, _ walker: Walker, _ method: String, _ parameters: JSONObject
    ) async -> Result<JSONValue, RPCError> {
        let request = Request(id: .integer(1), method: method, parameters: .named(parameters))
        switch await table.dispatch(request, from: walker.connection) {
        case .success(let answer):
            return Result { () throws(RPCError) in
                do {
                    return try JSONValue(parsing: answer.bytes.span)
                } catch {
                    throw RPCError(.invalidRequest, "no JSON")
                }
            }
        case .failure(let error): return .failure(error)
        }
    }

    private static func text(_ result: Result<JSONValue, RPCError>) -> String {
        switch result {
        case .success(let value): String(decoding: JSONText(value).bytes, as: UTF8.self)
        case .failure(let error):
            error.message + (error.data.map { String(decoding: JSONText($0).bytes, as: UTF8.self) } ?? "")
        }
    }

    private static func world() async throws -> World {
        let store = try Stores.temporary()
        let visibility = EventVisibility(store)
        let hub = try await EventHub(journal: StoreJournal(store: store), visibility: visibility.allows)
        let pipeline = try LivePipeline(
            store: store, hub: hub, policy: .init(), commitPolicy: .init(), logger: Logger(label: "test"))
        let features = Features(store: store, liveState: pipeline)
        visibility.configure(features.context.subjects, features.context.editor)
        let table = DaemonServers.methods(
            pipeline, hub: hub, features: features, connections: { 0 }, reload: { [] }
        ) { Issue.record("\($0) failed: \($1)") }
        try await store.write { db in
            for walker in Walker.allCases where walker.isSignedIn {
                try db.execute(
                    sql: """
                        INSERT INTO person (id, first_name, last_name, email, joined, proven)
                        VALUES (?1, ?1, 'Test', ?1 || '@example.org', 1, 1)
                        """, arguments: [walker.rawValue])
            }
            try db.execute(
                sql: """
                    INSERT INTO friend SELECT one.number, other.number, 1 FROM person AS one, person AS other
                    WHERE one.number <> other.number AND 'ada' IN (one.id, other.id) AND 'eve' NOT IN (one.id, other.id);
                    INSERT INTO carried SELECT 'van', number FROM person WHERE id IN ('ada', 'bob', 'cai', 'dan', 'fay');
                    """)
        }
        func make(_ method: String, _ parameters: JSONObject, as walker: Walker = .owner) async throws -> JSONValue {
            try await call(table, walker, method, parameters).get()
        }
        var (ids, links): ([String: [JSONValue]], [String]) = ([:], [])
        for (number, level) in levels.enumerated() {
            let name = "of-\(level)-plan"
            let plan = try #require(
                try await make(
                    "plans.create",
                    [
                        "title": .string("title-\(name)"), "level": "members", "start": "2026-05-01",
                        "end": "2026-05-03",
                    ])["id"])
            ids["plan", default: []].append(plan)
            for (person, edits) in [(Walker.reader, false), (.editor, true), (.asked, false)] {
                let request: JSONObject = ["plan": plan, "person": .string(person.rawValue), "edits": .bool(edits)]
                _ = try await make("members.ask", request)
                if person != .asked { _ = try await make("members.confirm", ["plan": plan], as: person) }
            }
            _ = try await make("members.allow", ["plan": plan, "person": "gus", "edits": true])
            for itemLevel in levels {
                let location = try await make(
                    "locations.add",
                    [
                        "plan": plan, "name": .string("\(itemLevel)-location-\(name)"), "lat": 52, "lon": 5,
                        "level": .string(itemLevel),
                    ])
                ids["location", default: []].append(try #require(location["id"]))
                let activity = try await make(
                    "activities.add",
                    [
                        "plan": plan, "title": .string("\(itemLevel)-activity-\(name)"), "level": .string(itemLevel),
                        "tab": "food", "contact": .string("contact-\(name)"), "from": "2026-05-02T10:00",
                        "booking_code": .string("booking-\(name)"),
                    ])
                ids["activity", default: []].append(try #require(activity["id"]))
                let checklist = try await make(
                    "checklists.add",
                    [
                        "plan": plan, "title": .string("\(itemLevel)-checklist-\(name)"), "level": .string(itemLevel),
                    ])
                ids["checklist", default: []].append(try #require(checklist["id"]))
                let task = try await make(
                    "tasks.add",
                    [
                        "checklist": try #require(checklist["id"]), "title": .string("\(itemLevel)-task-\(name)"),
                    ])
                ids["task", default: []].append(try #require(task["id"]))
            }
            let expense: JSONObject = ["plan": plan, "title": .string("expense-\(name)"), "amount": "10"]
            ids["expense", default: []].append(try #require(try await make("expenses.add", expense)["id"]))
            let repayment: JSONObject = [
                "plan": plan, "from": "bob", "to": "ada", "amount": "1", "note": .string("note-\(name)"),
            ]
            ids["repayment", default: []].append(try #require(try await make("repayments.add", repayment)["id"]))
            links.append(try await make("links.create", ["plan": plan])["link"]?.text ?? "")
            // The id of the trip is the secret.
            try await store.write { db in
                try db.execute(
                    sql: """
                        INSERT OR IGNORE INTO device (name) VALUES ('van');
                        INSERT INTO trip (id, device, start, "end", distance_m, algorithm, settings)
                        SELECT ?, number, 0, 1, 5, 1, '{}' FROM device;
                        """, arguments: ["lake-\(number)"])
            }
            _ = try await make("plans.addTrip", ["plan": plan, "trip": .string("lake-\(number)")])
            // No method gives a plan with members the level me, but an older store may have such a plan.
            try await store.write { db in
                try db.execute(
                    sql: "UPDATE plan SET level = ?1, published = CASE ?1 WHEN 3 THEN 1 END WHERE id = ?2",
                    arguments: [number, plan.text])
            }
        }
        for kind in ["location", "activity", "plan"] {
            for id in ids[kind] ?? [] {
                let subject = JSONValue.string("\(kind)/\(id.text ?? "")")
                ids["subject", default: []].append(subject)
                _ = await call(table, .editor, "reviews.put", ["subject": subject, "rating": 4])
                _ = await call(table, .editor, "reactions.set", ["subject": subject, "kind": "like", "on": true])
            }
        }
        // The device passes all locations, which emits events and stamps them.
        var pending = PendingCommit()
        let time = Timestamp(milliseconds: 1_777_730_000_000)
        for neighbor in try store.geofences(of: FeatureList.standard.geofences).all {
            let sighting = Event.GeofenceSighting(geofence: neighbor.geofence, distance: .zero)
            pending.events.append(
                EventRecord(
                    Event(
                        kind: .enter(sighting, initial: false), time: time, device: "van",
                        place: neighbor.geofence.center)))
        }
        #expect(pending.events.count == 16)
        _ = try await store.commit(pending)
        try await LogConsumers(features.context, features.consumers).catchUp()
        return World(table: table, store: store, ids: ids, links: links)
    }

    /// Returns whether a method only reads.
    private static func looks(_ method: Method<Principal>) -> Bool {
        let verbs: Set<String> = [
            "list", "get", "explore", "itinerary", "calendar", "gpx", "journey", "sums", "balances", "search",
            "nearest",
            "ranking", "ratings", "visits", "summary", "mine", "profile", "share", "discover", "suggested", "trace",
            "followers", "following", "requests", "badge",
        ]
        return verbs.contains(String(method.name.drop { $0 != "." }.dropFirst()))
    }

    private static func isOfPlans(_ method: Method<Principal>) -> Bool {
        [
            "plans.", "locations.", "activities.", "checklists.", "tasks.", "members.", "expenses.", "repayments.",
            "links.",
        ]
        .contains { method.name.hasPrefix($0) }
    }

    /// Whether a method lists trips and devices, which as such are not secret.
    private static func tellsOfTrips(_ method: Method<Principal>) -> Bool {
        ["devices.", "trips.", "logbook.", "history.", "reports."].contains { method.name.hasPrefix($0) }
    }

    /// Returns the parameter sets with which to call a reading method.
    private static func parameters(of method: Method<Principal>, in world: World) -> [JSONObject] {
        var all: [JSONObject] = [[:]]
        let optional: [String: [JSONValue]] = [
            "of": ["own", "asked", "saved"], "text": ["plan", "location"], "tab": ["food"], "person": ["ada"],
            "types": [["*"]], "subject": world.ids["subject"] ?? [], "order": ["likes"],
        ]
        let required: [String: [JSONValue]] = ["person": ["ada"], "text": ["plan"], "kind": ["like"]]
        for field in method.parameters {
            // Trips and devices as such are not secret.
            let values = (world.ids[field.name] ?? (field.isRequired ? required : optional)[field.name] ?? [])
                .filter { field.schema.fault(in: $0) == nil }
            guard field.isRequired || !values.isEmpty else { continue }
            all = all.flatMap { parameters in
                (field.isRequired ? [] : [parameters])
                    + values.map { value in
                        var parameters = parameters
                        parameters[field.name] = value
                        return parameters
                    }
            }
        }
        return all
    }

    /// Whether a text contains another; Foundation's search takes most of the time of these tests.
    private static func contains(_ text: String, _ part: String) -> Bool {
        // Swift passes both with a zero at their end, which C's functions read to. A text with a zero within it is
        // left to Foundation.
        unsafe strlen(text) == text.utf8.count ? unsafe strstr(text, part) != nil : text.contains(part)
    }

    @Test func everyMethodShowsEachCallerOnlyWhatTheirLevelAllows() async throws {
        let world = try await Self.world()
        for walker in Walker.allCases {
            let forbidden = Self.secrets.filter { !$0.viewers.contains(walker) }.map(\.text)
            let allowed = Set(Self.secrets.filter { $0.viewers.contains(walker) }.map(\.text))
            var seen: Set<String> = []
            for method in world.table.methods
            where Self.looks(method) && !Self.tellsOfTrips(method) {
                for parameters in Self.parameters(of: method, in: world) {
                    let text = Self.text(await Self.call(world.table, walker, method.name, parameters))
                    for secret in forbidden where Self.contains(text, secret) {
                        Issue.record("\(walker) sees \(secret) by \(method.name) \(parameters)")
                    }
                    seen.formUnion(allowed.filter { Self.contains(text, $0) })
                }
            }
            // Everything that the caller may see must appear somewhere. Otherwise the walk has tested nothing.
            let unseen = allowed.subtracting(seen)
            #expect(unseen.isEmpty, "\(walker)")
        }
    }

    @Test func anItemTheCallerMayNotSeeLooksLikeOneThatDoesNotExist() async throws {
        let world = try await Self.world()
        for walker in Walker.allCases {
            for kind in ["plan", "location", "activity"] {
                for (place, id) in (world.ids[kind] ?? []).enumerated() {
                    let (plan, item) = kind == "plan" ? (place, 3) : (place / 4, place % 4)
                    let isSeen = plan >= walker.reach && item >= walker.reach
                    let method = kind == "activity" ? "activities.get" : "\(kind)s.get"
                    let result = await Self.call(world.table, walker, method, [kind: id])
                    let none = Self.text(await Self.call(world.table, walker, method, [kind: "none"]))
                    switch result {
                    case .success: #expect(isSeen, "\(walker) \(method) \(plan) \(item)")
                    case .failure(let error):
                        #expect(!isSeen && error.code == .notFound, "\(walker) \(method) \(plan) \(item)")
                        #expect(Self.text(result).replacing(id.text ?? "", with: "none") == none)
                    }
                }
            }
        }
    }

    /// What a caller needs for a change.
    private enum Right {
        case edits, member, editingMember, othersExpenses, owner, sees, circle
    }

    private static let changes: [(method: String, parameters: JSONObject, right: Right)] = [
        ("plans.update", ["title": "X"], .edits), ("plans.remove", [:], .owner),
        ("plans.swapDays", ["day": "2026-06-01", "other": "2026-06-02"], .edits),
        ("plans.publish", ["published": true], .owner), ("plans.addTrip", ["trip": "lake-0"], .editingMember),
        ("plans.removeTrip", ["trip": "lake-0"], .editingMember), ("members.ask", ["person": "eve"], .editingMember),
        ("members.invite", [:], .editingMember),
        ("members.handOver", ["person": "bob"], .owner), ("members.allow", ["person": "fay", "edits": true], .owner),
        ("members.change", ["person": "bob", "edits": true], .owner), ("locations.add", ["name": "X"], .edits),
        ("activities.add", ["title": "X"], .edits), ("expenses.add", ["title": "X", "amount": "1"], .member),
        (
            "expenses.add", ["title": "X", "amount": "1", "payers": [["person": "ada", "amount": "1"]]],
            .othersExpenses
        ),
        ("plans.bin", [:], .sees), ("plans.look", [:], .circle), ("votes.asked", [:], .circle),
        ("votes.ask", ["subject": "X", "options": ["A", "B"]], .edits), ("checklists.add", ["title": "X"], .edits),
        ("checklists.update", ["title": "X"], .edits), ("checklists.remove", [:], .edits),
        ("tasks.add", ["title": "X"], .edits), ("tasks.update", ["done": true], .edits),
        ("tasks.remove", [:], .edits),
        ("expenses.list", [:], .member), ("expenses.sums", [:], .member), ("expenses.balances", [:], .member),
        ("repayments.list", [:], .member), ("repayments.add", ["from": "bob", "to": "ada", "amount": "1"], .member),
        ("links.create", [:], .edits), ("links.list", [:], .edits), ("links.revoke", ["number": "1"], .edits),
        ("locations.update", ["name": "X"], .edits), ("locations.clear", [:], .edits),
        ("locations.remove", [:], .edits), ("activities.update", ["title": "X"], .edits),
        ("activities.remove", [:], .edits), ("plans.copy", [:], .sees),
    ]

    private static func may(_ walker: Walker, _ right: Right) -> Bool {
        switch right {
        case .edits: walker.edits
        case .member: walker.isMember
        case .editingMember: walker.isMember && walker.edits
        // A traveller who may only read enters what they have paid, and nothing for others.
        case .othersExpenses: walker.isMember && walker.edits
        case .owner: walker == .owner
        case .sees: true
        case .circle: walker.isMember || walker == .granted
        }
    }

    /// Returns the kind of object that a change takes.
    private static func kind(of method: String) -> String {
        switch method {
        case "locations.add", "activities.add", "checklists.add": "plan"
        case "tasks.add": "checklist"
        case _ where method.hasPrefix("locations."): "location"
        case _ where method.hasPrefix("activities."): "activity"
        case _ where method.hasPrefix("checklists."): "checklist"
        case _ where method.hasPrefix("tasks."): "task"
        default: "plan"
        }
    }

    @Test func everyChangeWithoutTheRightIsRefusedAndChangesNothing() async throws {
        let world = try await Self.world()
        func contents() throws -> [String] {
            try world.store.read { db in
                try [
                    "plan", "location", "activity", "plan_member", "plan_grant", "plan_trip", "expense", "repayment",
                    "checklist", "task", "vote",
                ]
                .flatMap { try Row.fetchAll(db, sql: "SELECT * FROM \($0)").map { "\($0)" } }
            }
        }
        let before = try contents()
        var refused = 0
        for walker in Walker.allCases {
            for change in Self.changes {
                let kind = Self.kind(of: change.method)
                for (place, id) in (world.ids[kind] ?? []).enumerated() {
                    let (plan, item) = kind == "plan" ? (place, 3) : (place / 4, place % 4)
                    let isSeen = plan >= walker.reach && item >= walker.reach
                    guard !isSeen || !walker.isSignedIn || !Self.may(walker, change.right) else { continue }
                    var parameters = change.parameters
                    parameters[kind] = id
                    let result = await Self.call(world.table, walker, change.method, parameters)
                    guard case .failure(let error) = result else {
                        Issue.record("\(walker) may call \(change.method) on \(kind) \(place)")
                        continue
                    }
                    let expected: RPCError.Code = !walker.isSignedIn ? .notAllowed : isSeen ? .notAllowed : .notFound
                    #expect(error.code == expected, "\(walker) \(change.method) \(kind) \(place): \(error.message)")
                    refused += 1
                }
            }
        }
        #expect(refused > 500)
        #expect(try contents() == before)
    }

    @Test func aLinkShowsOnlyWhatIsForEveryone() async throws {
        let world = try await Self.world()
        for (number, link) in world.links.enumerated() {
            let text = Self.text(await Self.call(world.table, .nobody, "links.open", ["link": .string(link)]))
            let name = "of-\(Self.levels[number])-plan"
            for secret in Self.secrets.map(\.text) {
                let isShown = ["title-\(name)", "everyone-location-\(name)", "everyone-activity-\(name)"]
                    .contains(secret)
                #expect(Self.contains(text, secret) == isShown, "\(secret) by the link of \(name)")
            }
        }
    }
}
#endif
