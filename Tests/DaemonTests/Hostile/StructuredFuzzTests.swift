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

/// Calls generated from `rpc.discover`, without signing in, as people and as an administrator.
///
/// No call ends the process, fails internally, or has an answer that the document does not allow. `WAYMARK_TESTS=soak`
/// makes a million calls, or as many as `FUZZ_CALLS` says, and prints a summary. `WAYMARK_SEED` changes the calls.
@Suite(.slow) struct StructuredFuzzTests {
    private static let calls =
        ProcessInfo.processInfo.environment["FUZZ_CALLS"].flatMap(Int.init) ?? (TestTier.isSoak ? 1_000_000 : 4_000)
    /// Whether this is a long run, which looks for hangs and has the machine to itself.
    private static let isLong = calls > 4_000
    /// The longest that a call may take in a long run; a slower call counts as a hang.
    private static let longest = Duration.seconds(1)
    /// The number of calls in one world, limited because what calls write makes later ones slower.
    private static let callsInAWorld = 2_000

    @Test func generatedCallsGetAnswersThatTheDocumentAllows() async throws {
        var tally = Tally()
        for world in 0..<max(1, Self.calls / Self.callsInAWorld) {
            try await Self.play(seed: TestTier.seed &+ UInt64(world), &tally)
        }
        #expect(tally.answered > Self.calls / 10, "the calls must get somewhere: \(tally)")
        #expect(tally.methodsAnswered.count > 100, "most methods must answer something: \(tally)")
        if Self.isLong { print(tally) }
    }

    /// The same calls through `POST /rpc` as browsers and programs make them: with a cookie or without one, alone or in
    /// a batch, and sometimes from a page of another server.
    @Test func generatedCallsThroughTheBrowsersDoorGetAllowedAnswers() async throws {
        var tally = Tally()
        for world in 0..<max(1, Self.calls / Self.callsInAWorld) {
            try await Self.playThroughDoor(seed: TestTier.seed &+ UInt64(world), &tally)
        }
        #expect(tally.answered > Self.calls / 12, "the calls must get somewhere: \(tally)")
        #expect(tally.methodsAnswered.count > 80, "most methods must answer something: \(tally)")
        if Self.isLong { print("through HTTP: \(tally)") }
    }

    private static func playThroughDoor(seed: UInt64, _ tally: inout Tally) async throws {
        let failures = Mutex<[String]>([])
        let world = try await HostileWorld { method, error in failures.withLock { $0.append("\(method): \(error)") } }
        let document = try await world.call("rpc.discover", [:], from: world.callers[0])
        let methods = DocumentedMethod.all(of: document["result"] ?? .null).filter { $0.name != "rpc.discover" }
        var calls = CallGenerator(methods, seed: seed, knowing: HostileWorld.known)
        calls.learn(try await world.refresh())
        tally.methods = Set(methods.map(\.name))
        let folder = try TemporaryFolder()
        _ = try folder.file("index.html", "")
        var settings = WebSettings(listen: try #require(WebAddress("127.0.0.1:0")))
        settings.pages = folder.path
        let door = try await WebServer(
            settings, to: world.services, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let serving = Task { try await door.run() }
        defer { serving.cancel() }
        try await HTTPBrowser.connect(to: door.port) { browser in
            try await play(through: browser, door.port, world, &calls, &tally, seed) {
                failures.withLock { failures in
                    defer { failures = [] }
                    return failures
                }
            }
        }
    }

    private static func play(
        through browser: HTTPBrowser, _ port: Int, _ world: HostileWorld, _ calls: inout CallGenerator,
        _ tally: inout Tally, _ seed: UInt64, failures: () -> [String]
    ) async throws {
        var random = SeededGenerator(seed: ~seed)
        var number = 0
        while number < min(Self.calls, callsInAWorld) {
            let isBatch = Int.random(in: 0..<3, using: &random) == 0
            let made = (0..<(isBatch ? Int.random(in: 1...8, using: &random) : 1)).map { _ in calls.next() }
            let cookies: [String?] = [nil, nil, "ada", "ada", "bob", "cai", "cai", "nobody", ""]
            let cookie = cookies[Int.random(in: 0..<cookies.count, using: &random)]
            world.clock.move(bySeconds: [0, 1, 1, 60, 3_600, 86_400][Int.random(in: 0..<6, using: &random)])
            let lines = made.enumerated().map { place, call in
                Request(id: .integer(Int64(place)), method: call.method.name, parameters: .named(call.parameters)).line
                    .dropLast()
            }
            let joined = Array(lines.joined(separator: [UInt8(ascii: ",")]))
            let body = isBatch ? [UInt8(ascii: "[")] + joined + [UInt8(ascii: "]")] : joined
            func what() -> Comment {
                "seed \(seed), call \(number) of \(cookie ?? "-"): \(String(decoding: body.prefix(2_000), as: UTF8.self))"
            }
            if Int.random(in: 0..<50, using: &random) == 0 {
                let refused = try await HTTPBrowser.connect(to: port) { browser in
                    try await browser.post(body, cookie: cookie, from: "evil.example").status
                }
                #expect(refused == 403, what())
            }
            let begin = ContinuousClock.now
            let (status, answer) = try await browser.post(body, cookie: cookie)
            let time = ContinuousClock.now - begin
            number += made.count
            #expect(status == 200, what())
            let parsed = try JSONValue(parsing: answer.span)
            let answers = isBatch ? parsed.elements ?? [parsed] : [parsed]
            let isUnreadable = parsed["error"]?["code"]?.whole == -32_700 && answer.count < 1_000
            #expect(answers.count == made.count || isUnreadable, what())
            for (call, answer) in zip(made, answers) {
                tally.count(call.method.name, answer, time)
                if let result = answer["result"] {
                    let fault = DocumentedSchema.fault(in: result, of: call.method.result)
                    #expect(fault == nil, what())
                    calls.learn(result, under: String(call.method.name.prefix { $0 != "." }))
                } else {
                    let code = answer["error"]?["code"]?.whole
                    #expect(isUnreadable || code.map(call.method.errors.contains) ?? false, what())
                    #expect(code != -32_603, what())
                }
            }
            let failed = failures()
            #expect(failed.isEmpty, what())
            if number % 100 < made.count { calls.learn(try await world.refresh()) }
        }
    }

    private static func play(seed: UInt64, _ tally: inout Tally) async throws {
        let failures = Mutex<[String]>([])
        let world = try await HostileWorld { method, error in failures.withLock { $0.append("\(method): \(error)") } }
        let document = try await world.call("rpc.discover", [:], from: world.callers[0])
        let methods = DocumentedMethod.all(of: document["result"] ?? .null).filter { $0.name != "rpc.discover" }
        #expect(methods.count > 90)
        var calls = CallGenerator(methods, seed: seed, knowing: HostileWorld.known)
        let made = try await world.refresh()
        #expect(HostileWorld.begun.filter { made[$0.name] == nil }.map(\.method) == [])
        calls.learn(made)
        tally.methods = Set(methods.map(\.name))
        var random = SeededGenerator(seed: ~seed)
        for number in 0..<min(Self.calls, callsInAWorld) {
            let (method, parameters) = calls.next()
            let caller = world.callers[[0, 0, 1, 2, 2, 2, 3, 3, 4, 4][Int.random(in: 0..<10, using: &random)]]
            world.clock.move(bySeconds: [0, 1, 1, 60, 3_600, 86_400][Int.random(in: 0..<6, using: &random)])
            let begin = ContinuousClock.now
            let answer = try await world.call(method.name, parameters, from: caller)
            let time = ContinuousClock.now - begin
            func what() -> Comment { "seed \(seed), call \(number): \(method.name) \(text(parameters).prefix(2_000))" }
            tally.count(method.name, answer, time)
            if let result = answer["result"] {
                let fault = DocumentedSchema.fault(in: result, of: method.result)
                #expect(fault == nil, what())
                calls.learn(result, under: String(method.name.prefix { $0 != "." }))
            } else {
                let code = answer["error"]?["code"]?.whole
                // A line that contains U+0000 is refused before its method is looked up.
                let isUnreadable = code == -32_700 && text(parameters).contains(#"\u0000"#)
                #expect(isUnreadable || code.map(method.errors.contains) ?? false, what())
                #expect(code != -32_603, what())
            }
            let failed = failures.withLock { $0 }
            #expect(failed.isEmpty, what())
            failures.withLock { $0 = [] }
            if isLong { #expect(time < longest, what()) }
            if number % 100 == 99 { calls.learn(try await world.refresh()) }
        }
    }

    private static func text(_ parameters: JSONObject) -> String {
        String(decoding: JSONText(.object(parameters)).bytes, as: UTF8.self)
    }

    /// The results of the calls.
    private struct Tally: CustomStringConvertible {
        var calls = 0
        var answered = 0
        var methods: Set<String> = []
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
            return "\(calls) calls, \(answered) answered by \(methodsAnswered.count) of \(methods.count) methods, "
                + "never by \(methods.subtracting(methodsAnswered).sorted().joined(separator: ", ")); errors \(codes); "
                + "slowest \(slowest.method) \(slowest.time)"
        }
    }
}
