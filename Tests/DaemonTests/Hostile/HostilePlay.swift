#if Companion
import Callers
import Foundation
import RPC
import Service
import Synchronization
import TestSupport
import Testing

/// Generated calls in one world, and what must be true of each answer.
///
/// Each method first gets calls that fit, in the situation that it needs, until one is accepted. Then come calls of
/// every kind, in situations and outside of them.
struct HostilePlay {
    private let world: HostileWorld
    /// The way of the generated calls; directly to the methods if `nil`.
    private let door: HostileDoor?
    private let seed: UInt64
    /// The longest that a call may take, or make the processor busy; if it takes both, it counts as a hang.
    ///
    /// On a machine that is busy with other work, a call waits longer than it works.
    private let longest: Duration?

    /// The methods that are not called: the document is read at the start, and a push service is another server.
    private static let left: Set = ["rpc.discover", "push.test"]
    /// How often a method is tried until a call is accepted.
    private static let maximumTries = 12

    /// Creates a play.
    ///
    /// - Parameter door: The way of the generated calls, if they do not go directly to the methods.
    init(in world: HostileWorld, seed: UInt64, longest: Duration? = nil, through door: HostileDoor? = nil) {
        self.world = world
        self.door = door
        self.seed = seed
        self.longest = longest
    }

    /// Gives each method calls until one is accepted, then makes `count` calls of every kind.
    func run(_ count: Int, _ tally: inout Tally) async throws {
        let document = try await world.call("rpc.discover", [:], from: world[.admin])
        let methods = DocumentedMethod.all(of: document["result"] ?? .null)
            .filter { !Self.left.contains($0.name) && !(door?.closed.contains($0.name) ?? false) }
        #expect(methods.count > 90)
        var calls = CallGenerator(methods, seed: seed, knowing: HostileWorld.known)
        let made = try await world.refresh()
        #expect(HostileWorld.begun.filter { made[$0.name] == nil }.map(\.method) == [])
        calls.learn(made)
        tally.methods = Set(methods.map(\.name))
        var random = SeededGenerator(seed: ~seed)
        for method in methods.shuffled(using: &random) {
            for number in 0..<Self.maximumTries {
                let caller = world.callers[number % world.callers.count]
                if try await make(calls.fitting(method), as: caller, &calls, &random, &tally) { break }
            }
        }
        for number in 0..<count {
            _ = try await make(calls.next(), &calls, &random, &tally)
            if number % 100 == 99 { calls.learn(try await world.refresh()) }
        }
    }

    /// Makes a call, and checks the answer.
    ///
    /// - Returns: Whether the call was accepted.
    private func make(
        _ draft: CallGenerator.Draft, as someone: Principal? = nil, _ calls: inout CallGenerator,
        _ random: inout SeededGenerator,
        _ tally: inout Tally
    ) async throws -> Bool {
        let method = draft.method
        world.clock.move(bySeconds: [0, 1, 1, 60, 3_600, 86_400][Int.random(in: 0..<6, using: &random)])
        var caller = world.callers[[0, 0, 1, 2, 2, 2, 3, 3, 4, 4][Int.random(in: 0..<10, using: &random)]]
        if let someone { caller = someone }
        var situation: HostileWorld.Situation?
        if draft.isInSituation {
            do {
                situation = try await world.situation(for: method.name)
            } catch let error as HostileWorld.Refused {
                tally.refusals[method.name] = error.description
            }
        }
        if let situation { caller = world[situation.caller] }
        let parameters = calls.parameters(of: draft, given: situation?.parameters)
        let (begin, busy) = (ContinuousClock.now, clock())
        let answer = try await world.call(method.name, parameters, from: caller, through: door)
        let time = min(ContinuousClock.now - begin, .seconds(Double(clock() - busy) / Double(CLOCKS_PER_SEC)))
        let number = tally.calls
        func what() -> Comment {
            let (parameters, answer) = (Self.text(parameters).prefix(2_000), Self.text(answer).prefix(500))
            return "seed \(seed), call \(number): \(method.name) \(parameters): \(answer)"
        }
        tally.count(method.name, answer, time)
        if let result = answer["result"] {
            #expect(DocumentedSchema.fault(in: result, of: method.result) == nil, what())
            calls.learn(result, under: String(method.name.prefix { $0 != "." }))
        } else {
            let code = answer["error"]?["code"]?.whole
            // A line that contains U+0000 is refused before its method is looked up.
            let isUnreadable = code == -32_700 && Self.text(parameters).contains(CallGenerator.zero)
            #expect(isUnreadable || code.map(method.errors.contains) ?? false, what())
            #expect(code != -32_603, what())
        }
        let failures = world.drainFailures()
        #expect(failures.isEmpty, what())
        if let longest { #expect(time < longest, what()) }
        return answer["result"] != nil
    }

    private static func text(_ parameters: JSONObject) -> String { text(.object(parameters)) }

    private static func text(_ value: JSONValue) -> String { String(decoding: JSONText(value).bytes, as: UTF8.self) }

    /// The results of the calls.
    struct Tally: CustomStringConvertible {
        var calls = 0
        var answered = 0
        var methods: Set<String> = []
        var methodsAnswered: Set<String> = []
        /// Why the situation of a method could not be made, the last time.
        var refusals: [String: String] = [:]
        var codes: [Int64: Int] = [:]
        var slowest: (method: String, time: Duration) = ("", .zero)

        /// The methods that have refused every call, each with the reason why its situation could not be made.
        var neverAnswered: [String] {
            methods.subtracting(methodsAnswered).sorted().map { name in
                refusals[name].map { "\(name) (\($0))" } ?? name
            }
        }

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
            return "\(calls) calls, \(answered) answered by \(methodsAnswered.count) of \(methods.count) methods; "
                + "never by [\(neverAnswered.joined(separator: ", "))]; errors \(codes); "
                + "slowest \(slowest.method) \(slowest.time)"
        }
    }
}
#endif
