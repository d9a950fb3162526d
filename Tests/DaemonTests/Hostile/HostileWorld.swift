import Crypto
import Foundation
import GRDB
import Geodesy
import Logging
import Positioning
import RPC
import Receivers
import Store
import Synchronization
import TestSupport
import Testing
import Tracking
import WebServer

@testable import Accounts
@testable import Daemon
@testable import EventStream
@testable import Places
@testable import Service

/// A daemon's methods over a store with something of every kind, and callers of every kind.
final class HostileWorld: Sendable {
    let clock = Clock()
    let callers: [Principal]
    private let store: LocationDatabase
    private let pipeline: LivePipeline
    private let hub: EventHub
    private let table: MethodTable<Principal>
    private let consumers: LogConsumers
    /// The path of the store, if it has one.
    var path: String? { store.path }

    /// A clock that the test moves.
    final class Clock: Sendable {
        private let now = Mutex(Timestamp(milliseconds: 1_777_629_600_000))
        var time: Timestamp { now.withLock { $0 } }
        func move(bySeconds seconds: Int64) {
            now.withLock { $0 = $0.advanced(byMilliseconds: seconds * 1000) }
        }
    }

    private static let people = ["ada", "bob", "cai"]

    /// Values that a caller may know from elsewhere.
    static let known: [String: [JSONValue]] = [
        "id": ["mill", "1", "2", trip], "sight": ["mill"], "subject": ["sight/mill", "person/ada", "photo/1"],
        "person": ["ada", "bob", "cai"], "to": ["ada", "bob"], "device": ["gps0"], "geofence": ["sight/mill"],
        "trip": [trip], "ids": [[trip]], "with": [trip], "password": ["correct horse"],
        "password_again": ["correct horse"], "email": ["new@example.org"], "email_again": ["new@example.org"],
        "time": ["2026-05-01T10:00:10Z"], "at": ["2026-05-01T10:00:10Z"], "lat": [52.37, 52], "lon": [4.89, 5],
        "format": ["csv", "gpx"], "data": ["AAAA", "iVBORw0KGgo="], "subscription": ["s1"], "terms": [true],
        "passcode": ["1234"], "option": [1], "text": [place],
    ]
    /// A line of GeoNames' tables.
    private static let place: JSONValue =
        "2759794\tAmsterdam\tAmsterdam\tMokum\t52.37403\t4.88969\tP\tPPLC\tNL\t\t07\t\t\t\t741636\t\t13\tEurope/Amsterdam\t2023-01-01"
    private static let trip: JSONValue = "gps0@2026-05-01T10:00:00.000Z"

    /// - Parameter store: A store from an earlier world, or an empty one; by default a temporary one.
    init(store: LocationDatabase? = nil, report: @escaping MethodTable<Principal>.FailureReport) async throws {
        self.store = try store ?? Stores.temporary()
        let store = self.store
        hub = try await EventHub(journal: StoreJournal(store: store))
        pipeline = try LivePipeline(
            store: store, hub: hub, policy: .init(), commitPolicy: .init(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let accounts = Accounts(
            passwords: Passwords(parameters: .init(logRounds: 4, blockSize: 8, parallelism: 1)),
            clock: InstantClock())
        let features = Features(store: store, liveState: pipeline, accounts: accounts) { [clock] in clock.time }
        table = DaemonServers.methods(
            pipeline, hub: hub, features: features, file: "/etc/waymark/secret.yaml", connections: { 0 },
            reload: { [] }, report: report)
        let rights: [Set<AccessRight>] = [[.read, .change], [.read], [.read], [.read], [.read]]
        callers = rights.enumerated().map { number, rights in
            Principal(
                number: number + 1, origin: .user(UInt32(1000 + number)), rights: rights)
        }
        consumers = LogConsumers(features.context, features.consumers)
        if try store.trip(id: Self.trip.text ?? "") == nil { try travel() }
        try accounts.load(from: store)
    }

    /// Processes the log, as a daemon does all the time.
    func follow() async throws { try await consumers.catchUp() }

    /// Restores every account, sign-in and membership of gps0 that calls may have removed, and makes what ``begun``
    /// lists.
    ///
    /// - Returns: The results, each by the name that parameters have for its id.
    func refresh() async throws -> JSONValue {
        let now = clock.time.milliseconds
        try await store.write { db in
            for id in Self.people {
                try db.execute(
                    sql: """
                        INSERT OR IGNORE INTO person (id, first_name, last_name, email, joined, proven)
                        VALUES (?, ?, 'Test', ?, ?, ?)
                        """, arguments: [id, id, "\(id)@example.org", now, now])
            }
        }
        for (caller, person) in zip(callers.dropFirst(2), Self.people) { caller.identity = .init(person: person) }
        callers[0].identity = nil
        let fix = Fix(time: clock.time, coordinate: Coordinate(latitude: 52.37, longitude: 4.89).known)
        await pipeline.take([.fixes([fix], device: "gps0")], isRecording: true)
        for caller in callers.dropFirst(2) { _ = try await call("devices.join", ["device": "gps0"], from: caller) }
        var made = JSONObject()
        for step in Self.begun {
            var parameters = step.parameters
            for name in step.taken { parameters[name] = made[name]?[name == "upload" ? name : "id"] }
            let answer = try await call(step.method, parameters, from: callers[step.caller])
            if let result = answer["result"] { made[step.name] = result }
        }
        return .object(made)
    }

    /// A call that makes something.
    struct Step {
        /// The name that parameters have for its id.
        var name: String
        var method: String
        var parameters: JSONObject
        /// The parameters that are ids of earlier results.
        var taken: [String] = []
        /// The index of the caller; by default Ada.
        var caller = 2
    }

    /// A PNG of one grey pixel.
    private static let picture =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg=="
    private static let bytes = [UInt8](Data(base64Encoded: picture) ?? Data())

    /// The calls that make something, in order.
    static let begun = [
        Step(
            name: "sight", method: "sights.add",
            parameters: ["title": "Mill", "description": "Old.", "lat": 52.37, "lon": 4.89]),
        Step(name: "requested", method: "friends.request", parameters: ["person": "bob"]),
        Step(name: "friend", method: "friends.confirm", parameters: ["person": "ada"], caller: 3),
        Step(name: "request", method: "friends.request", parameters: ["person": "cai"], caller: 3),
        Step(
            name: "plan", method: "plans.create",
            parameters: ["title": "Holland", "start": "2026-05-01", "end": "2026-05-03", "currency": "EUR"]),
        Step(name: "published", method: "plans.publish", parameters: ["published": true], taken: ["plan"]),
        Step(
            name: "asked", method: "members.ask", parameters: ["person": "bob", "edits": true], taken: ["plan"]),
        Step(name: "confirmed", method: "members.confirm", parameters: [:], taken: ["plan"], caller: 3),
        Step(
            name: "location", method: "locations.add", parameters: ["name": "Mill", "lat": 52.37, "lon": 4.89],
            taken: ["plan"]),
        Step(
            name: "location", method: "locations.add",
            parameters: ["name": "Harbour", "lat": 52.38, "lon": 4.9, "from": "2026-05-02T10:00"], taken: ["plan"]),
        Step(
            name: "activity", method: "activities.add", parameters: ["title": "Lunch", "from": "2026-05-01T12:00"],
            taken: ["plan"]),
        Step(
            name: "expense", method: "expenses.add",
            parameters: [
                "title": "Fuel", "amount": "60.00", "currency": "EUR",
                "payers": [["person": "ada", "amount": "60.00"]],
                "shares": [["person": "ada", "share": "1"], ["person": "bob", "share": "2"]], "split": "parts",
            ], taken: ["plan"]),
        Step(
            name: "repayment", method: "repayments.add", parameters: ["from": "bob", "to": "ada", "amount": "1.00"],
            taken: ["plan"]),
        Step(name: "link", method: "links.create", parameters: ["days": 7], taken: ["plan"]),
        Step(
            name: "vote", method: "votes.open",
            parameters: [
                "subject": "Lunch", "participants": 3, "limit": "1w", "passcode": "1234", "options": ["Pizza", "Soup"],
            ]),
        Step(name: "post", method: "posts.add", parameters: ["text": "For the opera", "voting": true]),
        Step(
            name: "product", method: "posts.addProduct",
            parameters: [
                "name": "Boots", "brand": "Bally", "price": "100", "currency": "EUR", "link": "https://example.org/",
            ]),
        Step(
            name: "upload", method: "uploads.begin",
            parameters: ["size": .integer(Int64(bytes.count)), "sha256": .string(digest(of: bytes))]),
        Step(
            name: "appended", method: "uploads.append",
            parameters: ["offset": 0, "data": .string(picture)], taken: ["upload"]),
        Step(name: "finished", method: "uploads.finish", parameters: [:], taken: ["upload"]),
        Step(name: "photo", method: "photos.add", parameters: ["subject": "sight/mill"], taken: ["upload"]),
        Step(
            name: "suggestion", method: "suggestions.send", parameters: ["subject": "sight/mill", "to": "bob"]),
        Step(
            name: "review", method: "reviews.put", parameters: ["subject": "sight/mill", "rating": 4], caller: 3),
    ]

    private static func digest(of bytes: [UInt8]) -> String {
        SHA256.hash(data: bytes).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    /// What a door serves; the cookie of a session is the person's id, and Cai is an administrator.
    var services: WebServer.Services {
        var services = WebServer.Services(
            methods: table, hub: hub,
            sessions: SessionResumption(methods: []) { token, caller in
                guard Self.people.contains(token) else { return false }
                caller.identity = .init(person: token, session: token)
                return true
            })
        let administrators = Administrators()
        administrators.set(["cai"])
        services.administrators = administrators
        return services
    }

    /// Calls a method with a line, as a client does, and reads the line of the answer.
    func call(_ method: String, _ parameters: JSONObject, from caller: Principal) async throws -> JSONValue {
        let line = Request(id: .integer(1), method: method, parameters: .named(parameters)).line
        let answer = await table.answer(to: line, from: caller).known
        return try JSONValue(parsing: answer.span)
    }

    /// Stores two recorded trips of gps0.
    private func travel() throws {
        for start in [Int64(0), 600_000] {
            let begin = Timestamp(milliseconds: 1_777_629_600_000 + start)
            var trip = TripSummary(device: "gps0", start: begin)
            let fixes = (0..<60).map { second in
                Fix(
                    time: begin.advanced(byMilliseconds: Int64(second) * 1000),
                    coordinate: Coordinate(latitude: 52.37 + Double(second) * 1e-4, longitude: 4.89).known)
            }
            var pending = PendingCommit()
            pending.changes["gps0"] = [.tripBegan(trip)] + fixes.map { .point($0, gap: $0 == fixes.first) }
            trip.end = fixes.last?.time
            trip.distance = .meters(656)
            trip.fixes = fixes.count
            pending.changes["gps0"]?.append(.tripEnded(trip))
            _ = try store.commit(pending)
        }
    }
}
