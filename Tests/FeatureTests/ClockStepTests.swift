import Callers
import Daemon
import FeatureSupport
import GRDB
import RPC
import Store
import TestSupport
import Testing
import Time

@testable import People
@testable import Photos
@testable import Service

/// The daemon after a step of the system clock: an administrator sets it, NTP corrects it after a start without a
/// battery, or someone sets it by mistake.
@Suite struct ClockStepTests {
    private let core: CoreFixture

    /// One hour and ten years, forward and back, in milliseconds.
    private static let steps: [Int64] = [1, -1, 87_600, -87_600].map { $0 * 3_600_000 }

    init() throws {
        core = try CoreFixture()
        try core.people("bob")
    }

    private func step(by milliseconds: Int64) {
        core.clock.time = core.clock.time.advanced(byMilliseconds: milliseconds)
    }

    @Test(arguments: steps) func callsAndSessionsWorkAfterAClockStep(_ step: Int64) async throws {
        let (ada, token) = try await core.admit()
        let sight: JSONObject = ["id": "mill", "title": "Mill", "lat": 52.37, "lon": 4.89, "description": "Old."]
        try await core.call("sights.add", sight, from: ada)
        for part in [step, -step] {
            self.step(by: part)
            try await core.call("people.profile", [:], from: ada)
            let again = CoreFixture.connection(user: 1001)
            try await core.call(
                "people.signIn", ["account": "ada.l", "password": "analytical engine"], from: again)
            for rating in [1, 2] {
                try await core.call(
                    as: "bob", "reviews.put", ["subject": "sight/mill", "rating": .integer(Int64(rating))])
            }
            let upload = try await core.call(
                "uploads.begin", ["size": 3, "sha256": .string(String(repeating: "0", count: 64))], from: ada)
            try await core.call("uploads.cancel", ["upload": try #require(upload["upload"])], from: ada)
            try await core.call("sights.update", ["id": "mill", "title": "The mill"], from: ada)
            let account = CoreFixture.connection()
            try await core.call("people.sendCode", ["account": "bob"], from: account)
            let code = try core.code(to: "bob@example.org")
            try await core.call("people.signIn", ["account": "bob", "code": .string(code)], from: account)
            #expect(account.person == "bob")
        }
        // The two steps cancel out, so the session from before them is not half a year old and still holds.
        let resumed = CoreFixture.connection()
        try await core.call("people.resume", ["token": .string(token)], from: resumed)
        #expect(resumed.person == "ada.l")
    }

    @Test(arguments: steps) func aRateLimitLastsNoLongerThanItsSpanAfterAClockStep(_ step: Int64) async throws {
        func isAllowed() async throws -> Bool {
            let guess: JSONObject = ["account": "ada.l", "password": "a wrong guess"]
            return try await core.error("people.signIn", guess, from: CoreFixture.connection())?.code != .unavailable
        }
        try await core.admit()
        for _ in 0..<RateLimit.password.maximum { #expect(try await isAllowed()) }
        #expect(try await !isAllowed())
        for part in [step, -step] {
            self.step(by: part)
            var count = 0
            while count <= RateLimit.password.maximum, try await isAllowed() { count += 1 }
            #expect(count <= RateLimit.password.maximum)
        }
        self.step(by: RateLimit.password.span)
        #expect(try await isAllowed())
    }

    @Test func aWaitingMailIsRetriedWithinHoursAfterAStepBack() async throws {
        func delivery(_ command: String) -> MailDelivery {
            var settings = AccountSettings()
            settings.mailCommand = command
            return MailDelivery(core.context, Accounts(settings: settings))
        }
        let (outbox, now) = (core.features.accounts.outbox, core.clock.time)
        let mail = Mail(to: "ada@example.org", name: "Ada", subject: "Hello", body: "Dear Ada")
        try await core.context.editor.change { db, _ in try outbox.add(mail, at: now, in: db) }
        try await delivery("false").deliver()
        step(by: -10 * 366 * Timestamp.millisecondsPerDay)
        let next = try #require(try await delivery("true").nextTry())
        #expect(next.milliseconds - core.clock.time.milliseconds <= MailDelivery.longestWait)
        core.clock.time = max(core.clock.time, next)
        try await delivery("true").deliver()
        let state = try await core.call("mail.list")["mails"].elements.map { $0["state"].text }
        #expect(state == ["sent"])
    }

    @Test func idleUploadsExpireAnHourAfterAStepBack() async throws {
        func begin(_ number: Int) async throws -> RPCError? {
            let digest = String(repeating: "\(number)", count: 64)
            return try await core.error(as: "bob", "uploads.begin", ["size": 3, "sha256": .string(digest)])
        }
        for number in 1...Upload.maximumPerPerson { #expect(try await begin(number) == nil) }
        step(by: -10 * 366 * Timestamp.millisecondsPerDay)
        #expect(try await begin(8)?.code == .conflict)
        step(by: Upload.idleTimeout)
        #expect(try await begin(9) == nil)
    }

    @Test func signingInWhileTheClockIsAheadKeepsOtherSessions() async throws {
        let (_, token) = try await core.admit()
        let year = 366 * Timestamp.millisecondsPerDay
        step(by: year)
        try await core.call(
            "people.signIn", ["account": "ada.l", "password": "analytical engine"], from: CoreFixture.connection())
        step(by: -year)
        let resumed = CoreFixture.connection()
        try await core.call("people.resume", ["token": .string(token)], from: resumed)
        #expect(resumed.person == "ada.l")
    }
}
