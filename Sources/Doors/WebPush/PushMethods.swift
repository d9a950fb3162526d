import Callers
import GRDB
import RPC
import Service
import Store
import Time

/// The methods with which people choose the browsers that they are notified in.
struct PushMethods: Sendable {
    private let context: ServiceContext
    private let push: WebPush

    init(_ context: ServiceContext, _ push: WebPush) {
        self.context = context
        self.push = push
    }

    /// The longest key of a browser, in characters: 65 bytes in Base64 with padding.
    private static let longestKey = 88
    private static let shortestKey = 22

    /// All methods.
    var all: [Method<Principal>] {
        [
            .stored(
                "push.list", "Lists the browsers in which you are notified, and the key that a browser subscribes to.",
                answers: State.shape, right: .person, handler: list),
            .stored(
                "push.subscribe",
                "Notifies you in the browser of this session, also while the page is closed.",
                Parameter<String>.required(
                    "endpoint", .string(length: 1...PushSubscription.longestEndpoint),
                    "The address that the browser has from its push service."),
                Parameter<String>.required(
                    "p256dh", .string(length: Self.shortestKey...Self.longestKey), "The browser's public key."),
                Parameter<String>.required(
                    "auth", .string(length: Self.shortestKey...Self.longestKey), "The browser's secret."),
                answers: Browser.shape, errors: [.conflict, .invalidValue], right: .person, handler: subscribe),
            .stored(
                "push.remove", "No longer notifies you in a browser.", Self.browser,
                answers: .object { Member("browser", .text, "The browser's id.") { $0 } }, errors: [.notFound],
                right: .person, handler: remove),
            .stored(
                "push.test", "Sends a notification to a browser, to try whether it arrives.", Self.browser,
                answers: .object {
                    Member("service", .text, "The push service that has taken the notification.") { $0 }
                }, errors: [.notFound, .conflict], right: .person, handler: test),
        ]
    }

    private static let browser = Parameter<String>.required(
        "browser", .string(length: 1...20), "The browser's id.")

    /// A browser as its owner sees it.
    private struct Browser: Answerable, Sendable {
        var subscription: PushSubscription
        var isCurrent: Bool
        var fault: String?

        static let shape = AnswerShape<Browser>.object {
            Member("id", .text, "The id, for push.remove.") { String($0.subscription.number) }
            Member.optional("program", .text, "The browser, such as Firefox; absent if it is unknown.") {
                $0.subscription.program
            }
            Member.optional("system", .text, "The browser's system, such as Android; absent if it is unknown.") {
                $0.subscription.system
            }
            Member("service", .text, "The browser's push service.") { $0.subscription.service }
            Member("made", .time, "The time from which you are notified in it.") { $0.subscription.made }
            Member("current", .boolean, "Whether it is the browser of this session.") { $0.isCurrent }
            Member.optional(
                "fault", .text,
                """
                Why the last notification did not reach its push service; absent if it did, or if none was sent since \
                the start.
                """
            ) { $0.fault }
        }
    }

    /// The browsers of a person, and whether any can be added.
    private struct State: Answerable, Sendable {
        var key: PushKey?
        var browsers: [Browser]

        static let shape = AnswerShape<State>.object {
            Member.optional(
                "key", .text,
                "The public key that a browser subscribes to; absent if the administrator has switched this off."
            ) { $0.key?.text }
            Member("browsers", .array(of: Browser.shape), "The browsers, in the order in which they were added.") {
                $0.browsers
            }
        }
    }

    @Sendable private func list(_ call: Call<Principal>) async throws -> State {
        let (person, session, now) = (try call.person(), call.caller.identity?.session, context.now())
        let browsers = try await context.store.read {
            try PushSubscription.all(of: person, at: now, in: $0)
        }.map { shown($0, in: session) }
        guard push.settings.reach != .off else { return State(browsers: browsers) }
        // Reading works while the disk is full, when no key can be made.
        return State(key: try? await key(), browsers: browsers)
    }

    private func shown(_ subscription: PushSubscription, in session: String?) -> Browser {
        Browser(
            subscription: subscription, isCurrent: subscription.session == session,
            fault: push.faults[subscription.number])
    }

    /// Returns the key of the store, which is made when it is first needed.
    private func key() async throws -> PushKey {
        if let known = try await context.store.read({ try PushKey.stored(in: $0) }) { return known }
        return try await context.editor.change { db, _ in try PushKey.make(in: db) }
    }

    @Sendable private func subscribe(
        _ call: Call<Principal>, endpoint: String, key: String, secret: String
    ) async throws -> Browser {
        let person = try call.person()
        guard push.settings.reach != .off else { throw Self.off }
        guard let session = call.caller.identity?.session.flatMap({ Int64($0) }) else {
            throw Refusal.conflict("Only a browser in which you have signed in can be notified.")
        }
        do {
            _ = try PushEndpoint.url(endpoint, push.settings)
        } catch {
            throw Refusal.invalid("endpoint", "\(error)")
        }
        guard let keyBytes = Base64URL.bytes(key), let secretBytes = Base64URL.bytes(secret) else {
            throw Refusal.invalid("p256dh", "must be in Base64 for URLs, and so must auth")
        }
        guard BrowserKeys(key: keyBytes, secret: secretBytes) != nil else {
            throw Refusal.invalid(
                "p256dh", "must be an uncompressed point of P-256, and auth \(BrowserKeys.secretLength) bytes")
        }
        let (draft, now) = (
            PushSubscription.Draft(endpoint: endpoint, key: keyBytes, secret: secretBytes), context.now()
        )
        let added = try await context.editor.change { db, _ in
            // Without it, a signature of the messages would not be possible.
            _ = try PushKey.make(in: db)
            let others = try PushSubscription.all(of: person, at: now, in: db).count { $0.session != String(session) }
            guard others < PushSubscription.maximumCount else {
                throw Refusal.full(
                    "You are notified in \(others) browsers. Remove one of them first.",
                    limit: PushSubscription.maximumCount)
            }
            guard try PushSubscription.add(draft, of: person, in: session, at: now, in: db) else {
                throw Refusal.conflict("Another browser has that address, or this session has ended.")
            }
            return try PushSubscription.all(of: person, at: now, in: db).first { $0.session == String(session) }
        }
        guard let added else { throw Refusal.conflict("This session has ended.") }
        push.faults[added.number] = nil
        return shown(added, in: String(session))
    }

    @Sendable private func remove(_ call: Call<Principal>, _ id: String) async throws -> String {
        let person = try call.person()
        let isRemoved = try await context.editor.change { db, _ in
            try Int64(id).map { try PushSubscription.remove($0, of: person, in: db) } ?? false
        }
        guard isRemoved else { throw Self.absent(id) }
        return id
    }

    @Sendable private func test(_ call: Call<Principal>, _ id: String) async throws -> String {
        let (person, now) = (try call.person(), context.now())
        guard push.settings.reach != .off else { throw Self.off }
        let browser = try await context.editor.change { db, _ in
            let all = try PushSubscription.all(of: person, at: now, in: db)
            guard let browser = all.first(where: { String($0.number) == id }) else { throw Self.absent(id) }
            let number = try Int64.fetchOne(
                db.cachedStatement(sql: "SELECT person.number FROM person WHERE person.id = ?"), arguments: [person])
            try RateLimits.count(.pushTests, by: number ?? 0, now: now, in: db)
            return browser
        }
        let delivery = PushDelivery(settings: push.settings, key: try await key())
        let outcome = await delivery.send(
            PushText(test: now.description), to: browser, lifetime: PushSender.longestAge, at: now)
        try await push.note(outcome, of: browser, in: context)
        switch outcome {
        case .taken: return browser.service
        case .gone:
            throw Refusal.conflict(
                "The browser no longer takes notifications, and was removed. Switch them on again in it.",
                data: ["reason": "gone"])
        case .later(let fault, _), .refused(let fault):
            throw Refusal(.unavailable, "Nothing was sent: \(fault).", data: ["reason": "unreachable"])
        }
    }

    private static let off = Refusal(
        .unavailable, "The administrator has switched off notifications in browsers.", data: ["reason": "off"])

    private static func absent(_ id: String) -> Refusal {
        Refusal.notFound("You are not notified in a browser \(id). push.list lists the browsers.")
    }
}

extension WebPush {
    /// Keeps what came of an attempt, and removes a browser that is gone.
    func note(_ outcome: PushDelivery.Outcome, of browser: PushSubscription, in context: ServiceContext) async throws {
        switch outcome {
        case .taken: faults[browser.number] = nil
        case .later(let fault, _), .refused(let fault): faults[browser.number] = fault
        case .gone:
            faults[browser.number] = nil
            try await context.editor.change { db, _ in try browser.remove(in: db) }
        }
    }
}
