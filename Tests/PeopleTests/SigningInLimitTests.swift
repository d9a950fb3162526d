import Callers
import Dispatch
import FeatureSupport
import RPC
import Store
import Testing

@testable import People
@testable import Service

@Suite struct SigningInLimitTests {
    @Test func aUserWithTooManyHashesIsRefusedWhileOthersAreServed() async throws {
        let passwords = Passwords(parameters: .init(logRounds: 1, blockSize: 1, parallelism: 1))
        let gate = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<(1 + Passwords.maximumWaitingPerOrigin) {
                group.addTask {
                    try await passwords.work(for: .user(1)) {
                        gate.wait()
                        gate.signal()
                    }
                }
            }
            while await passwords.load != (1, Passwords.maximumWaitingPerOrigin) { await Task.yield() }
            await #expect(throws: Refusal.self) { try await passwords.work(for: .user(1)) {} }
            // Another work place is free for other users.
            for user: UInt32 in 2..<10 { try await passwords.work(for: .user(user)) {} }
            #expect(await passwords.load == (1, Passwords.maximumWaitingPerOrigin))
            gate.signal()
            try await group.waitForAll()
        }
        #expect(await passwords.load == (0, 0))
    }

    @Test func aCancelledCallerLeavesTheQueue() async throws {
        let passwords = Passwords(parameters: .init(logRounds: 1, blockSize: 1, parallelism: 1))
        let gate = DispatchSemaphore(value: 0)
        let first = Task { try await passwords.work(for: .user(1)) { gate.wait() } }
        while await passwords.load != (1, 0) { await Task.yield() }
        let second = Task { try await passwords.work(for: .user(1)) { Issue.record("it has no turn") } }
        while await passwords.load != (1, 1) { await Task.yield() }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(await passwords.load == (1, 0))
        gate.signal()
        try await first.value
        #expect(await passwords.load == (0, 0))
    }

    @Test func `signing up is counted before the password is hashed`() async throws {
        let core = try CoreFixture()
        try await core.store.write { db in
            try RateLimits.count(.hashing, RateLimit.hashing.maximum, by: 1000, now: core.clock.time, in: db)
        }
        let error = try await core.error("people.signUp", CoreFixture.ada, from: CoreFixture.connection())
        #expect(error?.code == .unavailable)
        #expect(error?.data?["retry_after"] == 900)
        // The refused sign-up was not counted or stored, and another user of the machine may sign up.
        try await core.call("people.signUp", CoreFixture.ada, from: CoreFixture.connection(user: 1001))
    }

    @Test func correctPasswordsCountTowardsTheLimitToo() async throws {
        let core = try CoreFixture()
        try await core.admit()
        let parameters: JSONObject = ["account": "ada.l", "password": "analytical engine"]
        try await core.call("people.signIn", parameters, from: CoreFixture.connection())
        try await core.store.write { db in
            let number = try People.get("ada.l", in: db).number
            // One for signing in.
            try RateLimits.count(
                .hashingOfAccount, RateLimit.hashingOfAccount.maximum - 1, by: 1000, at: String(number),
                now: core.clock.time, in: db)
        }
        let error = try await core.error("people.signIn", parameters, from: CoreFixture.connection())
        #expect(error?.data?["limit"] == .integer(Int64(RateLimit.hashingOfAccount.maximum)))
        try await core.call("people.signIn", parameters, from: CoreFixture.connection(user: 1001))
    }

    @Test func `users together cannot flood an address`() async throws {
        let core = try CoreFixture()
        try core.people("ada")
        for number in 0..<RateLimit.address.maximum {
            let user = UInt32(1000 + number / RateLimit.mail.maximum)
            try await core.call("people.sendCode", ["account": "ada"], from: CoreFixture.connection(user: user))
        }
        let error = try await core.error(
            "people.sendCode", ["account": "ada"], from: CoreFixture.connection(user: 2000))
        #expect(error?.data?["retry_after"] == 3600)
    }
}
