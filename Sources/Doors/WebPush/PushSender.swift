import Callers
import RPC
import Service
import Store
import Time
import Tracking

/// What sends each new notification to the browsers of its person.
///
/// A notification is sent at most once to each browser. Those from before the start, and those that wait at the end,
/// are not sent: they would be late, and the notification centre has them. A push service that fails is tried again,
/// later and later, until the notification is no news any more.
public struct PushSender: Sendable {
    private let push: WebPush
    private let context: ServiceContext
    private let notifications: MethodTable<Principal>
    private let clock: any Clock<Duration>
    /// The number of the last event that was in the log at the start.
    private let start: Int64
    private let queue = PushQueue()

    /// The age at which a notification is no news any more, in seconds.
    static let longestAge = 900
    /// The most attempts for one notification and browser.
    static let mostAttempts = 8
    /// The first and the longest time to wait after a failure, in seconds.
    static let (firstWait, longestWait) = (5, 300)
    /// The number of events that are read from the log at a time.
    private static let batch = 256

    /// - Parameter clock: Measures the time to wait after a failure.
    init(
        _ push: WebPush, _ context: ServiceContext, methods: [Method<Principal>], clock: any Clock<Duration>
    ) throws {
        self.push = push
        self.context = context
        self.clock = clock
        var table = MethodTable<Principal>(title: "Notifications", version: "1")
        table.add(methods.filter { $0.name == "notifications.get" })
        notifications = table
        start = try context.store.logExtent().last
    }

    /// Sends new notifications until the task is cancelled.
    ///
    /// - Parameters:
    ///   - updates: A stream with an element each time the log has grown.
    ///   - report: Receives error messages, which contain no notification's text.
    public func run(_ updates: AsyncStream<Void>, report: @escaping @Sendable (String) -> Void = { _ in }) async {
        await withDiscardingTaskGroup { group in
            var place = start
            for await _ in updates {
                do {
                    var isMore = true
                    while isMore, !Task.isCancelled {
                        let events = try await context.store.read { [place] in
                            try EventLog.events(after: place, limit: Self.batch, in: $0)
                        }
                        place = events.last?.seq ?? place
                        isMore = events.count == Self.batch
                        for event in events where event.type == "notification" {
                            for message in try await messages(of: event) {
                                guard await queue.enter() else {
                                    report("push services are too slow: a notification was not sent to a browser")
                                    continue
                                }
                                group.addTask {
                                    await deliver(message, report)
                                    await queue.leave()
                                }
                            }
                        }
                    }
                } catch {
                    if !Task.isCancelled { report("notifications cannot be read for browsers: \(error)") }
                }
            }
        }
    }

    /// A notification on its way to a browser.
    private struct Message: Sendable {
        var text: PushText
        var browser: PushSubscription
        var delivery: PushDelivery
        /// The seconds until the notification is no news any more.
        var remaining: Int
    }

    /// Returns what an event sends to browsers.
    private func messages(of event: EventRecord) async throws -> [Message] {
        guard let person = event.recipient else { return [] }
        let now = context.now()
        let age = now.seconds(since: event.time)
        guard abs(age) <= Double(Self.longestAge) else { return [] }
        let (browsers, key) = try await context.store.read { db in
            let browsers = try PushSubscription.all(of: person, at: now, in: db)
            return (browsers, browsers.isEmpty ? nil : try PushKey.stored(in: db))
        }
        guard let key, let text = try await text(of: event, for: person) else { return [] }
        let remaining = min(Self.longestAge, Self.longestAge - Int(age))
        let delivery = PushDelivery(settings: push.settings, key: key)
        return browsers.map { Message(text: text, browser: $0, delivery: delivery, remaining: remaining) }
    }

    /// Returns what the notification centre shows a person of a notification; `nil` if it is read or gone already.
    private func text(of event: EventRecord, for person: String) async throws -> PushText? {
        guard let announced = try? JSONValue(parsing: event.line.span)["notification"], let id = announced["id"] else {
            return nil
        }
        let request = Request(id: nil, method: "notifications.get", parameters: .named(["notification": id]))
        switch await notifications.dispatch(request, from: .acting(as: person)) {
        case .success(let answer):
            let shown = try JSONValue(parsing: answer.bytes.span)
            return shown["state"] == "read" ? nil : PushText(shown, announced: announced, by: event)
        case .failure(let error) where error.code == .unavailable: throw error
        // It was removed, or has gained somebody since, of which another event tells.
        case .failure: return nil
        }
    }

    /// Sends a message, with as many attempts as are of use.
    private func deliver(_ message: Message, _ report: @Sendable (String) -> Void) async {
        var (wait, remaining) = (Self.firstWait, message.remaining)
        for _ in 0..<Self.mostAttempts {
            await queue.begin(message.browser.service)
            var outcome: PushDelivery.Outcome?
            if !Task.isCancelled {
                outcome = await message.delivery.send(
                    message.text, to: message.browser, lifetime: remaining, at: context.now())
            }
            await queue.end(message.browser.service)
            guard !Task.isCancelled, let outcome else { return }
            do {
                try await push.note(outcome, of: message.browser, in: context)
            } catch {
                report("a push service no longer knows a browser, which cannot be removed now: \(error)")
            }
            guard case .later(_, let asked) = outcome else { return }
            let pause = max(wait, asked ?? 0)
            guard pause <= remaining else { return }
            remaining -= pause
            wait = min(2 * wait, Self.longestWait)
            try? await clock.sleep(for: .seconds(pause))
        }
    }
}
