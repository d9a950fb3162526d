#if Companion
import Callers
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
import Time
import Tracking
import WebServer

@testable import People
@testable import Daemon
@testable import EventStream
@testable import Sights
@testable import Service

/// A daemon's methods over a store with something of every kind, and callers of every kind.
final class HostileWorld: Sendable {
    let clock = Clock()
    let callers: [Principal]
    let store: LocationDatabase
    /// The folder of the maps.
    let maps: TemporaryFolder
    let table: MethodTable<Principal>
    private let pipeline: LivePipeline
    private let hub: EventHub
    private let accounts: Accounts
    private let consumers: LogConsumers
    /// The path of the store, if it has one.
    var path: String? { store.path }
    private let made = Mutex(Made())
    private let failures = Failures()

    /// The failures of methods whose reason callers do not receive.
    private final class Failures: Sendable {
        private let list = Mutex<[String]>([])
        func add(_ failure: String) { list.withLock { $0.append(failure) } }
        func drain() -> [String] {
            list.withLock { list in
                defer { list = [] }
                return list
            }
        }
    }

    /// Returns the failures of methods since the last time.
    func drainFailures() -> [String] { failures.drain() }

    /// What the world has made so far, so that the next thing gets a name of its own.
    private struct Made {
        var count = 0
        /// The copy of the store that was begun last.
        var backup: String?
    }

    /// The callers, each with the place in ``callers``: an administrator and a guest, who are not signed in, and three
    /// people.
    enum Caller: Int, CaseIterable {
        case admin, guest, ada, bob, cai
    }

    subscript(caller: Caller) -> Principal { callers[caller.rawValue] }

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
    static let place: JSONValue =
        "2759794\tAmsterdam\tAmsterdam\tMokum\t52.37403\t4.88969\tP\tPPLC\tNL\t\t07\t\t\t\t741636\t\t13\tEurope/Amsterdam\t2023-01-01"
    private static let trip: JSONValue = "gps0@2026-05-01T10:00:00.000Z"

    /// - Parameters:
    ///   - store: A store from an earlier world, or an empty one; by default a temporary one.
    ///   - origin: The origin of the callers; by default each is a user of the machine.
    init(store: LocationDatabase? = nil, origin: Origin? = nil) async throws {
        self.store = try store ?? Stores.temporary()
        let store = self.store
        maps = try TemporaryFolder()
        hub = try await EventHub(journal: StoreJournal(store: store))
        pipeline = try LivePipeline(
            store: store, hub: hub, policy: .init(), commitPolicy: .init(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        accounts = Accounts(
            passwords: Passwords(parameters: .init(logRounds: 4, blockSize: 8, parallelism: 1)),
            clock: InstantClock())
        let features = Features(store: store, liveState: pipeline, accounts: accounts) { [clock] in clock.time }
        table = DaemonServers.methods(
            pipeline, hub: hub, features: features, file: "/etc/waymark/secret.yaml",
            web: WebDoor(maps: MapFolder(maps.path), features), connections: { 0 },
            reload: { [] }
        ) { [failures] method, error in failures.add("\(method): \(error)") }
        let rights: [Set<AccessRight>] = [[.read, .change], [.read], [.read], [.read], [.read]]
        callers = rights.enumerated().map { number, rights in
            Principal(
                number: number + 1, origin: origin ?? .user(UInt32(1000 + number)), rights: rights,
                connection: CountedSubscriptions())
        }
        consumers = LogConsumers(features.context, features.consumers)
        if try store.trip(id: Self.trip.text ?? "") == nil {
            try travel("gps0", from: Timestamp(milliseconds: 1_777_629_600_000))
        }
        try accounts.load(from: store)
    }

    /// Processes the log, as a daemon does all the time.
    func follow() async throws { try await consumers.catchUp() }

    /// Restores every account, sign-in and membership of gps0 that calls may have removed, and removes the groups of
    /// devices, which hide gps0.
    func restore() async throws {
        let now = clock.time
        try await store.write { db in
            for id in Self.people { try Self.add(id, named: id, at: now, in: db) }
            try db.execute(
                sql: """
                    UPDATE person SET password = NULL WHERE id IN ('ada', 'bob', 'cai');
                    DELETE FROM person_user;
                    DELETE FROM device_group;
                    DELETE FROM carried;
                    INSERT INTO carried SELECT 'gps0', number FROM person WHERE id IN ('ada', 'bob', 'cai');
                    """)
        }
        for (caller, person) in zip(callers.dropFirst(2), Self.people) { caller.identity = .init(person: person) }
        for caller in callers.prefix(2) { caller.identity = nil }
        let fix = Fix(time: now, coordinate: Coordinate(latitude: 52.37, longitude: 4.89).known)
        await pipeline.receive([.fixes([fix], device: "gps0")], isRecording: true)
    }

    /// Adds a person, unless there is one of this name.
    private static func add(_ id: String, named name: String, at now: Timestamp, in db: Database) throws {
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO person (id, first_name, last_name, email, joined, proven)
                VALUES (?, ?, 'Test', ?, ?, ?)
                """, arguments: [id, name, "\(id)@example.org", now.milliseconds, now.milliseconds])
    }

    /// Opens the session of a person, unless it is open, and returns its number; `nil` if there is no such person.
    static func openSession(of person: String, at now: Timestamp, in db: Database) throws -> String? {
        guard let index = people.firstIndex(of: person) else { return nil }
        let number = 7_000 + index
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO session (number, token, person, made, used)
                SELECT ?, randomblob(32), person.number, ?, ? FROM person WHERE person.id = ?
                """, arguments: [number, now.milliseconds, now.milliseconds, person])
        let isOpen = try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM session WHERE number = ?)", arguments: [number])
        return isOpen == true ? String(number) : nil
    }

    /// Adds a person whom nobody knows, and who has done nothing.
    ///
    /// - Returns: The person's id, and a caller who is signed in as this person.
    func newcomer(named name: String = "New") async throws -> (id: String, caller: Principal) {
        let (id, now) = ("new\(next())", clock.time)
        try await store.write { try Self.add(id, named: name, at: now, in: $0) }
        let caller = Principal(number: 9, origin: .user(3000), rights: [.read])
        caller.identity = .init(person: id)
        return (id, caller)
    }

    /// Makes ada and bob friends.
    func befriend() async throws {
        try await store.write { db in
            try db.execute(
                sql: """
                    INSERT OR IGNORE INTO friend SELECT one.number, other.number, 0 FROM person AS one, person AS other
                    WHERE (one.id, other.id) IN (VALUES ('ada', 'bob'), ('bob', 'ada'))
                    """)
        }
    }

    /// Returns a number that was not returned before.
    func next() -> Int {
        made.withLock {
            $0.count += 1
            return $0.count
        }
    }

    /// Restores the world, and makes what ``begun`` lists.
    ///
    /// - Returns: The results, each by the name that parameters have for its id.
    func refresh() async throws -> JSONValue {
        try await restore()
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
    static let picture =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg=="
    static let bytes = [UInt8](Data(base64Encoded: picture) ?? Data())

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

    static func digest(of bytes: [UInt8]) -> String {
        SHA256.hash(data: bytes).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    /// What a door serves; the cookie of a session is the person's id, and Cai is an administrator.
    ///
    /// A session ends with its account.
    var services: WebServer.Services {
        var services = WebServer.Services(
            methods: table, hub: hub,
            sessions: SessionResumption(methods: []) { [store, clock] token, caller in
                guard Self.people.contains(token) else { return false }
                let session = try await store.write { try Self.openSession(of: token, at: clock.time, in: $0) }
                guard let session else { return false }
                caller.identity = .init(person: token, session: session)
                return true
            }, identify: { [accounts] in accounts.connections.enter($0) })
        let administrators = Administrators()
        administrators.set(["cai"])
        services.administrators = administrators
        return services
    }

    /// Calls a method with a line, as a client does, and reads the line of the answer.
    ///
    /// - Parameter door: The way of the lines; by default directly to the methods.
    func call(
        _ method: String, _ parameters: JSONObject, from caller: Principal, through door: HostileDoor? = nil
    ) async throws -> JSONValue {
        let line = Request(id: .integer(1), method: method, parameters: .named(parameters)).line
            .replacing(Array(CallGenerator.zero.utf8), with: Array(#"\u0000"#.utf8))
        let answer =
            if let door { try await door.answer(line, caller) } else {
                await table.answer(to: line, from: caller).known
            }
        let value = try JSONValue(parsing: answer.span)
        if method == "backup.begin", let backup = value["result"]?["backup"]?.text {
            made.withLock { $0.backup = backup }
        }
        return value
    }

    /// Makes a call that is expected to succeed, directly to the methods.
    ///
    /// - Throws: ``Refused`` if it does not.
    @discardableResult
    func make(_ method: String, _ parameters: JSONObject = [:], as caller: Caller = .ada) async throws -> JSONValue {
        try await make(method, parameters, from: self[caller])
    }

    /// Makes a call that is expected to succeed, directly to the methods.
    ///
    /// - Throws: ``Refused`` if it does not.
    @discardableResult
    func make(_ method: String, _ parameters: JSONObject, from caller: Principal) async throws -> JSONValue {
        let answer = try await call(method, parameters, from: caller)
        guard let result = answer["result"] else {
            throw Refused(description: "\(method): \(String(decoding: JSONText(answer).bytes, as: UTF8.self))")
        }
        return result
    }

    /// A call was refused that prepares others.
    struct Refused: Error, CustomStringConvertible {
        let description: String
    }

    /// Ends the copy of the store that was begun last, if it is still there.
    func endBackup() async throws {
        guard let backup = made.withLock({ $0.backup }) else { return }
        _ = try await call("backup.end", ["backup": .string(backup)], from: self[.admin])
    }

    /// Stores two recorded trips of a device, ten minutes apart.
    ///
    /// - Returns: Their ids.
    @discardableResult
    func travel(_ device: String, from time: Timestamp) throws -> [String] {
        try [Int64(0), 600_000].map { start in
            let begin = time.advanced(byMilliseconds: start)
            var trip = TripSummary(device: device, start: begin)
            let fixes = (0..<60).map { second in
                Fix(
                    time: begin.advanced(byMilliseconds: Int64(second) * 1000),
                    coordinate: Coordinate(latitude: 52.37 + Double(second) * 1e-4, longitude: 4.89).known)
            }
            var pending = PendingCommit()
            pending.changes[device] = [.tripBegan(trip)] + fixes.map { .point($0, gap: $0 == fixes.first) }
            trip.end = fixes.last?.time
            trip.distance = .meters(656)
            trip.fixes = fixes.count
            pending.changes[device]?.append(.tripEnded(trip))
            _ = try store.commit(pending)
            return trip.id
        }
    }
}

/// The way of a line to the methods and back through a door, for those who call the methods through one.
struct HostileDoor {
    /// The methods that nobody can call through the door.
    var closed: Set<String> = []
    /// Sends a line on behalf of a caller, and returns the line of the answer.
    ///
    /// The caller says who is signed in at this moment.
    var answer: (_ line: [UInt8], _ caller: Principal) async throws -> [UInt8]
}

/// The subscriptions of a connection to which nothing is sent.
private actor CountedSubscriptions: Subscriptions {
    private var count = 0
    private var names: Set<String> = []

    func subscribe(
        _ principal: Principal, to filter: EventFilter, after seq: Int64?, last: Int64
    ) async throws -> (name: String, next: Int64) {
        count += 1
        names.insert("s\(count)")
        return ("s\(count)", (seq ?? last) + 1)
    }

    func unsubscribe(_ name: String) async throws -> Bool { names.remove(name) != nil }
}
#endif
