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

@testable import Accounts
@testable import Daemon
@testable import EventStream
@testable import Places
@testable import Service

/// Calls made up from what `rpc.discover` says, as nobody, as people and as an administrator: none ends the process,
/// fails inside, or is answered with what the document does not allow.
///
/// `FUZZ_CALLS=1000000 swift test --filter StructuredFuzzTests` makes so many calls and says what it saw; `FUZZ_SEED`
/// begins elsewhere.
@Suite struct StructuredFuzzTests {
    private static let calls = variable("FUZZ_CALLS") ?? 6_000
    private static let seed = UInt64(variable("FUZZ_SEED") ?? 1)
    /// A call that takes longer than this, in a long run, is a hang.
    private static let longest = Duration.seconds(1)
    /// How many calls are made in one world: what they write must not make the next ones slow.
    private static let callsInAWorld = 2_000

    private static func variable(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    @Test func madeUpCallsGetWhatTheDocumentAllows() async throws {
        var tally = Tally()
        for world in 0..<max(1, Self.calls / Self.callsInAWorld) {
            try await Self.play(seed: Self.seed &+ UInt64(world), &tally)
        }
        #expect(tally.answered > Self.calls / 10, "the calls must get somewhere: \(tally)")
        #expect(tally.methodsAnswered.count > 60, "most methods must answer something: \(tally)")
        if Self.variable("FUZZ_CALLS") != nil { print(tally) }
    }

    private static func play(seed: UInt64, _ tally: inout Tally) async throws {
        let failures = Mutex<[String]>([])
        let world = try await HostileWorld { method, error in failures.withLock { $0.append("\(method): \(error)") } }
        let document = try await world.call("rpc.discover", [:], from: world.callers[0])
        let methods = DocumentedMethod.all(of: document["result"] ?? .null).filter { $0.name != "rpc.discover" }
        #expect(methods.count > 90)
        var calls = CallGenerator(methods, seed: seed, knowing: HostileWorld.known)
        var random = SeededGenerator(seed: ~seed)
        for number in 0..<min(Self.calls, callsInAWorld) {
            let (method, parameters) = calls.next()
            let caller = world.callers[Int.random(in: 0..<world.callers.count, using: &random)]
            world.clock.move(bySeconds: [0, 1, 1, 60, 3_600, 86_400][Int.random(in: 0..<6, using: &random)])
            let begin = ContinuousClock.now
            let answer = try await world.call(method.name, parameters, from: caller)
            let time = ContinuousClock.now - begin
            func what() -> Comment { "seed \(seed), call \(number): \(method.name) \(text(parameters).prefix(2_000))" }
            tally.count(method.name, answer, time)
            if let result = answer["result"] {
                let fault = DocumentedSchema.fault(in: result, of: method.result)
                #expect(fault == nil, what())
                calls.learn(result)
            } else {
                let code = answer["error"]?["code"]?.whole
                // A line with U+0000 in it is refused before its method is looked at.
                let isUnreadable = code == -32_700 && text(parameters).contains(#"\u0000"#)
                #expect(isUnreadable || code.map(method.errors.contains) ?? false, what())
                #expect(code != -32_603, what())
            }
            let failed = failures.withLock { $0 }
            #expect(failed.isEmpty, what())
            failures.withLock { $0 = [] }
            if Self.variable("FUZZ_CALLS") != nil { #expect(time < longest, what()) }
            if number % 100 == 99 { try await world.refresh() }
        }
    }

    private static func text(_ parameters: JSONObject) -> String {
        String(decoding: JSONText(.object(parameters)).bytes, as: UTF8.self)
    }

    /// What came of the calls.
    private struct Tally: CustomStringConvertible {
        var calls = 0
        var answered = 0
        var methodsAnswered: Set<String> = []
        var codes: [Int64: Int] = [:]
        var slowest: (method: String, time: Duration) = ("", .zero)

        mutating func count(_ method: String, _ answer: JSONValue, _ time: Duration) {
            calls += 1
            if let code = answer["error"]?["code"]?.whole {
                codes[code, default: 0] += 1
            } else {
                answered += 1
                methodsAnswered.insert(method)
            }
            if time > slowest.time { slowest = (method, time) }
        }

        var description: String {
            let codes = codes.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
            return "\(calls) calls, \(answered) answered by \(methodsAnswered.count) methods; errors \(codes); "
                + "slowest \(slowest.method) \(slowest.time)"
        }
    }
}

/// A daemon's methods over a store of their own, with something of everything in it, and callers of every kind.
final class HostileWorld: Sendable {
    let clock = Clock()
    let callers: [Principal]
    private let store: LocationDatabase
    private let table: MethodTable<Principal>

    /// A clock that the test moves.
    final class Clock: Sendable {
        private let now = Mutex(Timestamp(milliseconds: 1_777_629_600_000))
        var time: Timestamp { now.withLock { $0 } }
        func move(bySeconds seconds: Int64) {
            now.withLock { $0 = $0.advanced(byMilliseconds: seconds * 1000) }
        }
    }

    private static let people = ["ada", "bob", "cai"]

    /// What a caller may know from elsewhere.
    static let known: [String: [JSONValue]] = [
        "id": ["mill", "1", "2", trip], "sight": ["mill"], "subject": ["sight/mill", "person/ada", "photo/1"],
        "person": ["ada", "bob", "cai"], "to": ["ada", "bob"], "device": ["gps0"], "geofence": ["sight/mill"],
        "trip": [trip], "ids": [[trip]], "with": [trip], "password": ["correct horse"],
        "password_again": ["correct horse"], "email": ["new@example.org"], "email_again": ["new@example.org"],
        "time": ["2026-05-01T10:00:10Z"], "at": ["2026-05-01T10:00:10Z"], "lat": [52.37, 52], "lon": [4.89, 5],
        "format": ["csv", "gpx"], "data": ["AAAA", "iVBORw0KGgo="], "subscription": ["s1"], "terms": [true],
    ]
    private static let trip: JSONValue = "gps0@2026-05-01T10:00:00.000Z"

    init(report: @escaping MethodTable<Principal>.FailureReport) async throws {
        store = try Storehouse.temporary()
        let hub = try await EventHub(journal: StoreJournal(store: store))
        let pipeline = try LivePipeline(
            store: store, hub: hub, policy: .init(), commitPolicy: .init(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let accounts = Accounts(
            passwords: Passwords(parameters: .init(logRounds: 4, blockSize: 8, parallelism: 1)))
        let features = Features(store: store, present: pipeline, accounts: accounts) { [clock] in clock.time }
        table = Interface.methods(
            pipeline, hub: hub, features: features, connections: { 0 }, reload: { [] }, report: report)
        let rights: [Set<AccessRight>] = [[.read, .change], [.read], [.read], [.read], [.read]]
        callers = rights.enumerated().map { number, rights in
            Principal(
                number: number + 1, origin: .user(UInt32(1000 + number)), rights: rights)
        }
        try await refresh()
        try await store.write { db in
            let mill = Sight(
                id: "mill", title: "Mill", place: Coordinate(latitude: 52.37, longitude: 4.89).known,
                information: "Old.", owner: "ada")
            _ = try SightStore.put([mill], in: db)
        }
        try travel()
        let fix = Fix(time: clock.time, coordinate: Coordinate(latitude: 52.37, longitude: 4.89).known)
        await pipeline.take([.fixes([fix], device: "gps0")], isRecording: false)
    }

    /// Has everybody have an account and act through a connection, who may have lost them.
    func refresh() async throws {
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
    }

    /// Calls a method by a line, as a client does, and reads the answer's line.
    func call(_ method: String, _ parameters: JSONObject, from caller: Principal) async throws -> JSONValue {
        let line = Request(id: .integer(1), method: method, parameters: .named(parameters)).line
        let answer = await table.answer(to: line, from: caller).known
        return try JSONValue(parsing: answer.span)
    }

    /// Two recorded trips of gps0.
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
