import Callers
import FeatureSupport
import GRDB
import RPC
import TestSupport
import Testing
import Time

@testable import Daemon
@testable import People
@testable import Service
@testable import Store

/// People and strangers in one network, such as that of a van.
@Suite struct SharedNetworkTests {
    private let pauses = InstantClock()
    private let core: CoreFixture
    private static let network: Int64 = -1_000_000
    private static let wrong: JSONValue = "wrong horse"
    private static let right: JSONValue = "correct horse"

    init() async throws {
        core = try CoreFixture(pauses: pauses)
        try core.people("ada", "bob", "cai", "dan")
        let kept = try await core.features.accounts.passwords.hash("correct horse", for: .process)
        try await core.store.write { try $0.execute(sql: "UPDATE person SET password = ?", arguments: [kept]) }
    }

    /// A new connection from an address in the network.
    private static func host(_ number: Int64) -> Principal {
        Principal(
            number: 1, origin: .address(network, host: network - number, network: network), rights: [.read])
    }

    private func error(
        _ method: String, _ parameters: JSONObject, from host: Int64
    ) async throws -> RPCError? {
        try await core.error(method, parameters, from: Self.host(host))
    }

    private func wait(_ seconds: Int64) {
        core.clock.time = core.clock.time.advanced(byMilliseconds: seconds * 1000)
    }

    /// Lets many addresses guess in vain until the network has failed too often.
    private func spendAttempts() async throws {
        for number in 0..<Int64(RateLimit.failuresOfNetwork.maximum) {
            let name = JSONValue.string("x\(number)@example.org")
            let error = try await error(
                "people.signIn", ["account": name, "password": Self.wrong], from: 10 + number % 30)
            #expect(error?.code == .notFound)
        }
    }

    @Test(.slow) func `an hour of guesses by many addresses keeps nobody out and finds little`() async throws {
        var random = SeededGenerator(seed: TestTier.seed)
        var (told, guesses) = (0, ["ada": 0, "bob": 0])
        for step in 1...180 {
            wait(20)
            for _ in 0..<5 {
                let host = Int64.random(in: 1...30, using: &random)
                let name = JSONValue.string("x\(Int.random(in: 0..<100_000, using: &random))@example.org")
                let account: JSONValue = Bool.random(using: &random) ? "ada" : "bob"
                let error =
                    switch Int.random(in: 0..<5, using: &random) {
                    case 0: try await error("people.signIn", ["account": account, "password": Self.wrong], from: host)
                    case 1: try await error("people.signIn", ["account": name, "password": Self.wrong], from: host)
                    case 2: try await error("people.sendCode", ["account": account], from: host)
                    case 3: try await error("people.sendCode", ["account": name], from: host)
                    default:
                        try await error(
                            "people.signUp",
                            [
                                "first_name": "X", "last_name": "Y", "terms": true,
                                "email": Bool.random(using: &random) ? name : "bob@example.org",
                                "password": Self.right, "password_again": Self.right,
                            ], from: host)
                    }
                guard let code = error?.code, code != .unavailable else { continue }
                told += 1
                if code == .notAllowed, case .string(let id) = account { guesses[id, default: 0] += 1 }
            }
            guard step % 30 == 0 else { continue }
            // People whom nobody has tried to be come in at once, with their password or with a code.
            let (cai, dan) = (Self.host(98), Self.host(99))
            try await core.call("people.signIn", ["account": "cai", "password": Self.right], from: cai)
            #expect(cai.person == "cai")
            try await core.call("people.sendCode", ["account": "dan@example.org"], from: dan)
            let code = JSONValue.string(try core.code(to: "dan@example.org"))
            try await core.call("people.signIn", ["account": "dan", "code": code], from: dan)
            #expect(dan.person == "dan")
        }
        // An hour touches at most five spans of a quarter of an hour.
        #expect(told <= 5 * RateLimit.failuresOfNetwork.maximum)
        #expect(guesses.values.allSatisfy { $0 <= 5 * RateLimit.passwordOfNetwork.maximum })
        let mails = try await core.store.read { db in
            try Int.fetchAll(db, sql: "SELECT count(*) FROM mail GROUP BY recipient")
        }
        #expect(mails.allSatisfy { $0 <= RateLimit.address.maximum })
    }

    @Test func `one address cannot use up the attempts of its network`() async throws {
        for number in 0..<200 {
            let error = try await error(
                "people.signIn", ["account": .string("x\(number)"), "password": Self.wrong], from: 1)
            #expect(error?.code == (number < RateLimit.failures.maximum ? .notFound : .unavailable))
        }
        // Others still learn that they have mistyped something.
        let typo = try await error("people.signIn", ["account": "adda", "password": Self.right], from: 2)
        #expect(typo?.code == .notFound)
        // So does the person at the same address, with the right password.
        let own = Self.host(1)
        try await core.call("people.signIn", ["account": "ada", "password": Self.right], from: own)
        #expect(own.person == "ada")
    }

    @Test func `after many failures a wrong password and an unknown account are alike`() async throws {
        try await spendAttempts()
        let passwords = core.features.accounts.passwords
        var answers: [RPCError?] = []
        var hashed: [Int] = []
        var slept: [Duration] = []
        for account in ["ada", "bob@example.org", "nobody", "nobody@example.org"] as [JSONValue] {
            let (hashedBefore, sleptBefore) = (await passwords.count, pauses.slept)
            answers.append(try await error("people.signIn", ["account": account, "password": Self.wrong], from: 5))
            answers.append(try await error("people.signIn", ["account": account, "code": "123456"], from: 5))
            hashed.append(await passwords.count - hashedBefore)
            slept.append(pauses.slept - sleptBefore)
            let answer = try await core.call("people.sendCode", ["account": account], from: Self.host(6))
            #expect(answer["until"] != nil)
        }
        #expect(answers[0]?.code == .unavailable)
        #expect(answers[0]?.data?["retry_after"] != nil)
        #expect(answers.allSatisfy { $0 == answers[0] })
        #expect(slept.allSatisfy { $0 == .seconds(4) })
        // Made-up names cost no processor time.
        #expect(hashed == [1, 1, 0, 0])
        let mails = try await core.store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM mail") }
        #expect(mails == 2)
        let signUp = try await error(
            "people.signUp",
            [
                "first_name": "X", "last_name": "Y", "terms": true, "email": "ada@example.org",
                "password": Self.right, "password_again": Self.right,
            ], from: 7)
        #expect(signUp?.code == .unavailable)
        // Whoever is invited can sign up all the same.
        var joining = CoreFixture.joining
        joining["code"] = try await core.call(as: "ada", "people.invite")["code"]
        try await core.call("people.join", joining, from: Self.host(7))
        wait(RateLimit.failuresOfNetwork.span / 1000)
        #expect(try await error("people.signIn", ["account": "nobody", "password": "x"], from: 5)?.code == .notFound)
    }

    @Test func `an unknown account costs as much work as a wrong password`() async throws {
        let passwords = core.features.accounts.passwords
        for account in ["ada", "nobody", "nobody@example.org"] as [JSONValue] {
            let before = await passwords.count
            _ = try await error("people.signIn", ["account": account, "password": Self.wrong], from: 1)
            #expect(await passwords.count == before + 1, "\(account)")
        }
    }

    @Test func `questions about addresses are counted in every method`() async throws {
        let taken: JSONObject = [
            "first_name": "X", "last_name": "Y", "terms": true, "email": "bob@example.org", "password": Self.right,
            "password_again": Self.right,
        ]
        let signedUp = try await core.call("people.signUp", CoreFixture.ada, from: Self.host(50))
        let invitation = try await core.call(as: "ada", "people.invite")
        let cai = Self.host(1)
        cai.identity = .init(person: "cai")
        var joining = taken
        joining["code"] = invitation["code"]
        let correction: JSONObject = ["ticket": try #require(signedUp["ticket"]), "email": "bob@example.org"]
        let questions: [(method: String, parameters: JSONObject, caller: Principal)] = [
            ("people.signUp", taken, Self.host(1)), ("people.correct", correction, Self.host(1)),
            ("people.changeEmail", ["email": "bob@example.org"], cai),
        ]
        for number in 0..<RateLimit.failures.maximum {
            let (method, parameters, caller) = questions[number % questions.count]
            #expect(try await core.error(method, parameters, from: caller)?.code == .conflict, "\(method)")
        }
        for (method, parameters, caller) in questions {
            #expect(try await core.error(method, parameters, from: caller)?.code == .unavailable, "\(method)")
        }
        // An invitation has a count of its own.
        for number in 0...RateLimit.failures.maximum {
            let code = try await core.error("people.join", joining, from: Self.host(1))?.code
            #expect(code == (number < RateLimit.failures.maximum ? .conflict : .unavailable))
        }
        // Nobody else is kept from signing up.
        var other = taken
        other["email"] = "new@example.org"
        try await core.call("people.signUp", other, from: Self.host(2))
    }

    @Test func `a stranger does not replace the code of a neighbour`() async throws {
        let dan = Self.host(99)
        try await core.call("people.sendCode", ["account": "dan"], from: dan)
        let code = JSONValue.string(try core.code(to: "dan@example.org"))
        for _ in 0..<3 { try await core.call("people.sendCode", ["account": "dan"], from: Self.host(1)) }
        for _ in 0..<6 { _ = try await error("people.signIn", ["account": "dan", "code": "0"], from: 1) }
        try await core.call("people.signIn", ["account": "dan", "code": code], from: dan)
        #expect(dan.person == "dan")
    }

    @Test func `a network cannot use up the mails of those with accounts`() async throws {
        var refused = 0
        for number in 0..<100 {
            let form: JSONObject = [
                "first_name": "X", "last_name": "Y", "terms": true, "email": .string("x\(number)@example.org"),
                "password": Self.right, "password_again": Self.right,
            ]
            if try await error("people.signUp", form, from: Int64(number % 50)) != nil { refused += 1 }
        }
        #expect(refused == 100 - RateLimit.strangersOfNetwork.maximum)
        try await core.call("people.sendCode", ["account": "dan"], from: Self.host(99))
    }

    @Test func `many devices behind a proxy server can sign up, a single one cannot for all`() async throws {
        for (origin, limit) in [(Origin.address(-2), RateLimit.mailsOfProxy), (Self.host(1).origin, .mails)] {
            for number in 0...limit.maximum {
                let form: JSONObject = [
                    "first_name": "X", "last_name": "Y", "terms": true, "email": .string("x\(number)@example.org"),
                    "password": Self.right, "password_again": Self.right,
                ]
                let caller = Principal(number: 1, origin: origin, rights: [.read])
                let error = try await core.error("people.signUp", form, from: caller)
                #expect((error == nil) == (number < limit.maximum))
            }
            wait(RateLimit.mails.span / 1000)
        }
    }
}
