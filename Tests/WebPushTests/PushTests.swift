import Callers
import Daemon
import FeatureSupport
import Foundation
import GRDB
import RPC
import Store
import TestSupport
import Testing
import Time
import Tracking
import WebClient

@testable import Notifications
@testable import Service
@testable import WebPush

/// Notifications in browsers: what is sent, to whom, and what becomes of those that do not arrive.
@Suite struct PushTests {
    private let core: CoreFixture
    private let browser = FakeBrowser()

    init() throws {
        core = try CoreFixture(push: WebPush(PushSettings(.anywhere, support: nil)))
        try core.people("ada", "bob", "cai")
    }

    /// A signal that arrives once; the log does not grow afterwards.
    private var once: AsyncStream<Void> {
        AsyncStream {
            $0.yield(); $0.finish()
        }
    }

    /// Opens a session of a person.
    private func session(_ person: String) async throws -> Principal {
        let number = try await core.store.write { [now = core.clock.time.milliseconds] db in
            try db.execute(
                sql: """
                    INSERT INTO session (token, person, made, used, program, system)
                    SELECT randomblob(32), number, ?, ?, 'Firefox', 'Linux' FROM person WHERE id = ?
                    """,
                arguments: [now, now, person])
            return db.lastInsertedRowID
        }
        let connection = CoreFixture.connection(as: person)
        connection.identity = .init(person: person, session: "\(number)")
        return connection
    }

    /// Notifies a person in the browser of a new session; returns that.
    @discardableResult
    private func subscribe(
        _ person: String = "ada", at endpoint: String, _ browser: FakeBrowser? = nil, from given: Principal? = nil
    ) async throws -> (session: Principal, answer: JSONValue) {
        let browser = browser ?? self.browser
        let connection = if let given { given } else { try await session(person) }
        let answer = try await core.call(
            "push.subscribe",
            ["endpoint": .string(endpoint), "p256dh": .string(browser.key), "auth": .string(browser.auth)],
            from: connection)
        return (connection, answer)
    }

    private func sender(_ clock: any Clock<Duration> = InstantClock()) throws -> PushSender {
        try PushSender(core.features.push, core.context, methods: core.features.methods, clock: clock)
    }

    /// Sends what `body` notifies people of.
    private func send(
        _ clock: any Clock<Duration> = InstantClock(), _ body: () async throws -> Void
    ) async throws {
        let sender = try sender(clock)
        try await body()
        await sender.run(once) { Issue.record("\($0)") }
    }

    private func browsers(of person: String = "ada") async throws -> [JSONValue] {
        try await core.call(as: person, "push.list")["browsers"].elements
    }

    private func json(_ message: PushService.Message, _ browser: FakeBrowser? = nil) throws -> JSONValue {
        try JSONValue(parsing: Array((browser ?? self.browser).text(of: message.body).utf8).span)
    }

    @Test func aNotificationReachesEveryBrowserOfThePersonAndOnlyThose() async throws {
        let service = try await PushService()
        try await core.have(sight: "mill")
        let (other, bobs) = (FakeBrowser(), FakeBrowser())
        try await subscribe(at: service.endpoint("one"))
        try await subscribe(at: service.endpoint("two"), other)
        try await subscribe("bob", at: service.endpoint("bob"), bobs)
        try await send { try await core.tell("ada", key: "a", text: "The <mill> burns.") }
        let newest = try await core.newest(of: "ada")
        let messages = service.messages.sorted { $0.target < $1.target }
        #expect(messages.map(\.target) == ["/push/one", "/push/two"])
        for (message, browser) in zip(messages, [browser, other]) {
            let shown = try json(message, browser)
            #expect(shown["text"] == "The &lt;mill&gt; burns.")
            #expect(shown["kind"] == "notice" && shown["destination"] == "waymark://sight/mill")
            #expect(shown["id"].text == newest)
            #expect(throws: (any Error).self) { try bobs.text(of: message.body) }
            #expect(message.headers["ttl"] == "900" && message.headers["urgency"] == "normal")
            #expect(message.headers["content-encoding"] == "aes128gcm" && message.headers["topic"] == nil)
            #expect(message.headers["content-type"] == "application/octet-stream")
            #expect(message.headers["authorization"]?.hasPrefix("vapid t=") == true)
        }
        // What is sent reads nothing for the person.
        #expect(try await core.badge(of: "ada") == 1)
        try await service.stop()
    }

    @Test func aSightThatComesNearIsUrgentAndPeopleWhoAreGatheredReplaceEachOther() async throws {
        let service = try await PushService()
        try await core.have(sight: "mill", of: "ada")
        try await core.have(sight: "dam")
        try await core.board("ada")
        try await subscribe(at: service.endpoint())
        try await send {
            try await core.log(.approach, "dam")
            try await core.followers.catchUp()
        }
        #expect(service.messages.last?.headers["urgency"] == "high")
        try await send {
            for person in ["bob", "cai"] {
                try await core.call(
                    as: person, "reactions.set", ["subject": "sight/mill", "kind": "heart", "on": true])
            }
        }
        // Bob's is told with Cai's, because the notification had gained Cai before it was sent.
        let gathered = service.messages.dropFirst()
        #expect(gathered.count == 1)
        let message = try #require(gathered.first)
        let shown = try json(message)
        #expect(shown["count"] == 2 && shown["about"] == "Mill")
        let topic = try #require(message.headers["topic"])
        #expect(topic.utf8.count == 32 && shown["tag"].text == topic)
        #expect(message.headers["urgency"] == "normal")
        try await service.stop()
    }

    @Test func whatIsOldOrQuietOrReadIsNotSent() async throws {
        let service = try await PushService()
        try await core.have(sight: "mill")
        try await subscribe(at: service.endpoint())
        core.clock.time = moment(2000)
        try await send {
            try await core.tell("ada", key: "old", at: 1000)
            try await core.tell("ada", key: "read", at: 1990)
            try await core.call(as: "ada", "notifications.read", ["notification": .string(core.newest(of: "ada"))])
            try await core.tell("ada", key: "gone", at: 1990)
            try await core.call(as: "ada", "notifications.remove", ["notification": .string(core.newest(of: "ada"))])
            try await core.call(as: "ada", "notifications.setRules", ["quiet": "00:00-23:59", "zone": "UTC"])
            try await core.tell("ada", key: "quiet", at: 1990)
        }
        #expect(service.messages.isEmpty)
        try await core.call(as: "ada", "notifications.setRules", ["quiet": ""])
        try await send { try await core.tell("ada", key: "late", at: 1600) }
        #expect(service.messages.map { $0.headers["ttl"] } == ["500"])
        try await service.stop()
    }

    @Test(arguments: ["404 Not Found", "410 Gone"]) func aBrowserThatIsGoneIsRemoved(_ answer: String) async throws {
        let service = try await PushService(answer)
        try await core.have(sight: "mill")
        try await subscribe(at: service.endpoint())
        try await send { try await core.tell("ada", key: "a") }
        #expect(try await browsers().isEmpty)
        try await send { try await core.tell("ada", key: "b") }
        #expect(service.messages.count == 1)
        try await service.stop()
    }

    @Test func aServiceThatFailsIsTriedAgainLaterAndLater() async throws {
        let service = try await PushService("503 Later", "429 Too Many Requests\r\nRetry-After: 60", "500 No")
        try await core.have(sight: "mill")
        try await subscribe(at: service.endpoint())
        let clock = InstantClock()
        try await send(clock) { try await core.tell("ada", key: "a") }
        // The service has asked for 60 s.
        #expect(clock.slept == .seconds(85))
        #expect(service.messages.map { $0.headers["ttl"] } == ["900", "895", "835", "815"])
        #expect(try await browsers().first?["fault"] == nil)
        try await service.stop()
    }

    @Test func aServiceThatDoesNotWorkIsGivenUpAndThePersonSeesIt() async throws {
        let service = try await PushService()
        try await core.have(sight: "mill")
        try await subscribe(at: service.endpoint())
        try await service.stop()
        let clock = InstantClock()
        try await send(clock) { try await core.tell("ada", key: "a") }
        let slept: Duration = .seconds(615)
        // 5, 10, 20, 40, 80, 160 and 300 s.
        #expect(clock.slept == slept)
        #expect(try await browsers().first?["fault"].text?.hasPrefix("127.0.0.1 cannot be reached") == true)
    }

    @Test func aServiceThatRefusesIsNotTriedAgain() async throws {
        let service = try await PushService("403 Forbidden", "307 Elsewhere\r\nLocation: http://127.0.0.1:1/")
        try await core.have(sight: "mill")
        try await subscribe(at: service.endpoint())
        for key in ["a", "b"] {
            try await send { try await core.tell("ada", key: key) }
            #expect(try await browsers().first?["fault"].text?.contains("has answered") == true)
        }
        #expect(service.messages.count == 2)
        try await service.stop()
    }

    @Test func aBrowserGoesWithItsSessionAndWithItsPerson() async throws {
        try await core.call(as: "ada", "push.list")
        let (one, _) = try await subscribe(at: "https://push.example.org/1", FakeBrowser())
        try await subscribe(at: "https://push.example.org/2", FakeBrowser())
        #expect(try await browsers().count == 2)
        try await core.call("people.signOut", ["generate": true], from: one)
        #expect(try await browsers().map { $0["service"] } == ["push.example.org"])
        try await core.store.write { try $0.execute(sql: "DELETE FROM person WHERE id = 'ada'") }
        let left = try await core.store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM push_subscription") }
        #expect(left == 0)
    }

    @Test func thePersonSeesAndRemovesTheirBrowsersAndNobodyElse() async throws {
        let (session, answer) = try await subscribe(at: "https://push.example.org/1")
        #expect(answer["program"] == "Firefox" && answer["system"] == "Linux" && answer["current"] == true)
        let list = try await core.call("push.list", [:], from: session)
        #expect(list["browsers"].elements == [answer])
        let id = try #require(answer["id"])
        for method in ["push.remove", "push.test"] {
            #expect(try await core.error(as: "bob", method, ["browser": id])?.code == .notFound)
            #expect(try await core.error(as: "ada", method, ["browser": "x"])?.code == .notFound)
        }
        try await core.call(as: "ada", "push.remove", ["browser": id])
        #expect(try await browsers().isEmpty)
        let error = try await core.error(
            as: "ada", "push.subscribe",
            [
                "endpoint": "https://push.example.org/1", "p256dh": .string(browser.key),
                "auth": .string(browser.auth),
            ])
        #expect(error?.code == .conflict)
    }

    @Test func theKeyOfTheStoreStaysAndIsNobodysElse() async throws {
        let key = try #require(try await core.call(as: "ada", "push.list")["key"].text)
        #expect(try await core.call(as: "bob", "push.list")["key"].text == key)
        #expect(Base64URL.bytes(key)?.count == 65)
        let another = try CoreFixture()
        try another.people("ada")
        #expect(try await another.call(as: "ada", "push.list")["key"].text != key)
    }

    @Test func aBrowserIsOneOfWhoWasLastSignedInThere() async throws {
        let endpoint = "https://push.example.org/1"
        try await subscribe(at: endpoint)
        try await subscribe("bob", at: endpoint)
        #expect(try await browsers().isEmpty)
        #expect(try await browsers(of: "bob").count == 1)
        // Who only knows the address does not take it.
        let thief = FakeBrowser(secret: Array(repeating: 8, count: 16))
        let error = await #expect(throws: RPCError.self) { try await subscribe("cai", at: endpoint, thief) }
        #expect(error?.code == .conflict)
        #expect(try await browsers(of: "bob").count == 1)
    }

    @Test func thePersonHasNoMoreBrowsersThanTheMost() async throws {
        for number in 0..<PushSubscription.maximumCount {
            try await subscribe(at: "https://push.example.org/\(number)", FakeBrowser())
        }
        let error = await #expect(throws: RPCError.self) {
            try await subscribe(at: "https://push.example.org/more", FakeBrowser())
        }
        #expect(error?.code == .unavailable)
        #expect(try await browsers().count == PushSubscription.maximumCount)
    }

    @Test func aTestSaysWhetherItWasSent() async throws {
        let service = try await PushService("201 Created", "410 Gone")
        let (session, answer) = try await subscribe(at: service.endpoint())
        let id = try #require(answer["id"])
        #expect(try await core.call("push.test", ["browser": id], from: session)["service"] == "127.0.0.1")
        #expect(try json(try #require(service.messages.first))["kind"] == "test")
        #expect(try await core.error(as: "ada", "push.test", ["browser": id])?.code == .conflict)
        #expect(try await browsers().isEmpty)
        let again = try await subscribe(at: service.endpoint(), from: session).answer
        try await service.stop()
        let error = try await core.error(as: "ada", "push.test", ["browser": #require(again["id"])])
        #expect(error?.code == .unavailable && error?.data?["reason"] == "unreachable")
    }

    @Test(arguments: [
        "http://push.example.org/1", "http://127.0.0.1:8470/rpc", "https://127.0.0.1/", "https://localhost/",
        "https://[::1]/", "https://10.1.2.3/", "https://192.168.4.1:8470/rpc", "https://172.31.255.255/",
        "https://169.254.169.254/latest/meta-data", "https://[fe80::1]/", "https://[fd00::1]/", "https://[::]/",
        "https://[::ffff:192.168.4.1]/", "https://[64:ff9b::a00:1]/", "https://[2002:a00:1::]/", "https://0.0.0.0/",
        "https://100.64.0.1/", "https://224.0.0.1/", "https://2130706433/", "https://0x7f000001/", "https://127.1/",
        "https://van.local/", "https://router.lan/", "https://router/", "https://metadata.google.internal/",
        "https://a:b@push.example.org/", "ftp://push.example.org/", "/push", "https://push.example.org/#1", "",
        "https://push.example.org/\r\nHost: x",
    ]) func aHostileAddressIsRefused(_ endpoint: String) {
        #expect(throws: WebFailure.self) { try PushEndpoint.url(endpoint, PushSettings()) }
    }

    @Test func aHostileAddressIsNotStored() async throws {
        let core = try CoreFixture()
        try core.people("ada")
        let connection = CoreFixture.connection(as: "ada")
        connection.identity = .init(person: "ada", session: "1")
        let error = try await core.error(
            "push.subscribe",
            ["endpoint": "https://10.0.0.1/", "p256dh": .string(browser.key), "auth": .string(browser.auth)],
            from: connection)
        #expect(error?.code == .invalidValue && error?.data?["field"] == "endpoint")
    }

    @Test(arguments: [
        "https://fcm.googleapis.com/fcm/send/abc:APA91b", "https://updates.push.services.mozilla.com/wpush/v2/gAAA",
        "https://web.push.apple.com/QGuQyavXutnMH", "https://wns2-par02p.notify.windows.com/w/?token=BQYA",
        "https://8.8.8.8/",
        "https://[2a00:1450:4001::1]:8443/x",
    ]) func theAddressesOfBrowsersAreTaken(_ endpoint: String) throws {
        #expect(throws: Never.self) { try PushEndpoint.url(endpoint, PushSettings()) }
    }

    @Test func nothingIsSentIfTheAdministratorSaysSo() async throws {
        let core = try CoreFixture(push: WebPush(PushSettings(.off, support: nil)))
        try core.people("ada")
        let answer = try await core.call(as: "ada", "push.list")
        #expect(answer["key"] == nil && answer["browsers"].elements.isEmpty)
        #expect(try core.features.push.sender(core.context, methods: core.features.methods) == nil)
        let error = try await core.error(
            as: "ada", "push.subscribe",
            [
                "endpoint": "https://push.example.org/1", "p256dh": .string(browser.key),
                "auth": .string(browser.auth),
            ])
        #expect(error?.code == .unavailable && error?.data?["reason"] == "off")
    }

    @Test func theQueueIsBoundedAndTurnsAreTaken() async throws {
        let queue = PushQueue()
        for _ in 0..<PushQueue.maximumCount { #expect(await queue.enter()) }
        #expect(await queue.enter() == false)
        await queue.leave()
        #expect(await queue.enter())
        for _ in 0..<PushQueue.maximumPerService { await queue.begin("slow") }
        // Another service has turns of its own.
        await queue.begin("quick")
        async let waiting: Void = queue.begin("slow")
        await queue.end("slow")
        await waiting
    }
}
