public import Callers
public import RPC
import TextCoding
import Time
import Tracking

extension EventHub {
    /// Returns the methods `events.subscribe`, `events.unsubscribe` and `events.list`.
    ///
    /// - Parameters:
    ///   - kinds: The kinds of subjects that filters may name. If it is empty, any kind is allowed.
    ///   - translate: Converts an error of the journal to a refusal; `nil` leaves the error unchanged.
    public func methods(
        kinds: [String] = [], translate: @escaping @Sendable (any Error) -> Refusal? = { _ in nil }
    ) -> [Method<Principal>] {
        let filter = EventFilter.parameter(kinds: kinds)
        return [
            Method(
                "events.subscribe",
                "Sends the events after a number, first from the log, then new ones as they occur; without a number, "
                    + "only new ones.",
                Self.start, filter,
                answers: .object {
                    Member("subscription", .text, "The subscription's name in this connection.") { $0.name }
                    Member("log", .text, "The name of the event log, to pass as `log` with `after`.") { $0.log }
                    Member("next", .integer, "The number of the first event that the subscription can send.") {
                        $0.next
                    }
                }, errors: [.conflict, .unavailable, .cursorGone], right: .read, translate: translate,
                handler: subscribe),
            Method(
                "events.unsubscribe", "Ends a subscription; none of its events follows the answer.",
                Parameter<String>.required(
                    "subscription", .string(length: 1...64), "The subscription's name, such as s1."),
                answers: .object { Member("subscription", .text, "The subscription's name.") { $0 } },
                errors: [.notFound],
                right: .read, handler: unsubscribe),
            Method(
                "events.list",
                "Lists stored events, oldest first or newest first, a page at a time.", Self.start, Self.span,
                Parameter<Int>.optional(
                    "limit", .integer(in: 1...Self.maximumPage), default: 100,
                    "The maximum number of events, 100 by default."),
                filter, answers: EventPage.shape, errors: [.conflict, .unavailable, .cursorGone], right: .read,
                translate: translate
            ) { call, start, span, limit, filter in
                try await self.list(call, from: start, span, limit: limit, filter: filter)
            },
        ]
    }

    /// The position where a subscriber begins: an event's number, and the log that the number belongs to.
    private struct Start: Sendable {
        var after: Int64?
        var log: String?
    }

    private static let start: Parameter<Start> = {
        let after = Parameter<Int64?>.optional(
            "after", .integer(in: 0...greatestNumber), "The number of the last event that you already have.")
        let log = Parameter<String?>.optional(
            "log", .string(length: 0...64), "The name of the log that `after` belongs to, as returned before.")
        return Parameter(after.fields + log.fields) { members throws(Refusal) in
            Start(after: try after.value(in: members), log: try log.value(in: members))
        }
    }()

    /// The part of the log that a call lists, and in which order.
    private struct Span: Sendable {
        var from: Timestamp?
        var until: Timestamp?
        var isNewestFirst = false
        /// The number before which the events are, if the newest come first.
        var before: Int64?

        func holds(_ entry: EventRecord) -> Bool {
            from.map { entry.time >= $0 } ?? true && until.map { entry.time < $0 } ?? true
        }
    }

    private static let span: Parameter<Span> = {
        func time(_ name: String, _ doc: String) -> Parameter<Timestamp?> {
            Parameter<String?>.optional(name, .string(length: 1...64, format: "date-time"), doc).map {
                text throws(Refusal) in
                guard let text else { return nil }
                guard let time = Timestamp(rfc3339: text) else {
                    throw Refusal.invalid(name, "must be an RFC 3339 time such as 2026-05-01T10:00:00Z")
                }
                return time
            }
        }
        let from = time("from", "The earliest time of the events.")
        let until = time("until", "The time before which the events are.")
        let newest = Parameter<Bool>.optional(
            "newest", .boolean, default: false,
            "Whether to list the newest first; then `before` takes the place of `after`."
        )
        let before = Parameter<Int64?>.optional(
            "before", .integer(in: 1...greatestNumber),
            "The number before which to list the newest first, such as that of the last event you already have.")
        return Parameter(from.fields + until.fields + newest.fields + before.fields) { members throws(Refusal) in
            let span = Span(
                from: try from.value(in: members), until: try until.value(in: members),
                isNewestFirst: try newest.value(in: members), before: try before.value(in: members))
            guard span.before == nil || span.isNewestFirst else {
                throw Refusal.invalid("before", "needs newest; give after to list the oldest first")
            }
            return span
        }
    }()

    /// The answer of `events.subscribe`.
    private struct Subscribed: Sendable {
        var name: String
        var log: String
        var next: Int64
    }

    /// A page of the log, the answer of `events.list`.
    private struct EventPage: Sendable {
        var bounds: JournalBounds
        /// The number of the first event not examined: 0 if the newest come first, and there is none left.
        var next: Int64
        /// The events, byte for byte as in the log.
        var lines: [[UInt8]]
        /// The display names of events, by their numbers.
        var names: [Int64: String]

        static let shape = AnswerShape<EventPage>.object {
            Member("log", .text, "The name of the event log, to pass as `log` with `after`.") { $0.bounds.log }
            Member("first", .integer, "The number of the first event stored.") { $0.bounds.first }
            Member("last", .integer, "The number of the last event.") { $0.bounds.last }
            Member(
                "next", .integer,
                "The number of the first event not examined; for the next page, pass the number before it as `after`. "
                    + "With `newest`, pass the number after it as `before`; it is less than `first` on the last page."
            ) { $0.next }
            Member("events", .array(of: event), "The events.") { $0.lines }
            Member.optional(
                "names", named,
                "By event number, the name of its trip or stop, such as Utrecht → Amsterdam or near Woerden; events "
                    + "without a name are absent."
            ) { $0.names.isEmpty ? nil : $0.names }
        }

        private static let named = AnswerShape<[Int64: String]>(.map(of: .string)) { names, json in
            json.object { json in
                for (seq, name) in names.sorted(by: { $0.key < $1.key }) { json.member("\(seq)", name) }
            }
        }

        private static let event = AnswerShape<[UInt8]>(.map(of: .any)) { $1.raw($0) }
    }

    /// The notifications that subscribers receive.
    ///
    /// The interface's description defines the content of an event.
    public var notifications: [NotificationDeclaration] {
        let name = Field.required("subscription", .string, "The subscription's name.")
        return [
            NotificationDeclaration(
                "event", "An event that matches a subscription.",
                parameters: [name, .required("event", .map(of: .any), "The event.")]),
            NotificationDeclaration(
                "cursor",
                "Sent after a subscription's filter has skipped many events, or some time after it has skipped one.",
                parameters: [
                    name, .required("seq", .integer, "All events up to this number were sent or skipped."),
                ]),
        ]
    }

    /// The maximum number in `after`; no log reaches it.
    ///
    /// Every JSON reader represents it exactly, and also the number after it (RFC 7493, section 2.2).
    private static let greatestNumber: Int64 = (1 << 53) - 1
    /// The maximum number of events in one page.
    private static let maximumPage: Int64 = 1_000
    /// The maximum size of a page's events in bytes: half the maximum length of a line.
    private static let pageBytes = LineFraming.maximumLength / 2
    /// The maximum number of events examined for one page, so that a selective filter still gets a quick answer.
    private static let maximumScan = 10_000

    @Sendable private func subscribe(
        _ call: Call<Principal>, from start: Start, filter: EventFilter
    ) async throws -> Subscribed {
        let bounds = try await journal.bounds()
        let after = try Self.number(start, in: bounds)
        guard let subscriptions = call.caller.connection as? any Subscriptions else {
            throw Refusal.unavailable("This caller cannot receive events. Connect to the Unix socket instead.")
        }
        let (name, next) = try await subscriptions.subscribe(
            call.caller, to: filter, after: after, last: bounds.last)
        return Subscribed(name: name, log: bounds.log, next: next)
    }

    @Sendable private func unsubscribe(_ call: Call<Principal>, name: String) async throws -> String {
        let subscriptions = call.caller.connection as? any Subscriptions
        guard try await subscriptions?.unsubscribe(name) ?? false else {
            throw Refusal.notFound("This connection has no subscription \(name).")
        }
        return name
    }

    @Sendable private func list(
        _ call: Call<Principal>, from start: Start, _ span: Span, limit: Int, filter: EventFilter
    ) async throws -> EventPage {
        let isBackward = span.isNewestFirst
        let query = filter.query(from: span.from, until: span.until)
        func search(from place: Int64, limit: Int) async throws -> EventSearch {
            try await journal.search(
                query, from: place, isBackward ? .backward : .forward, limit: limit, for: call.caller)
        }
        // Mostly the first events suffice; a caller who may see few of them gets the rest in larger pieces.
        // It says the bounds of the log, too, so that a short list reads the store once.
        var step = try await search(
            from: isBackward ? span.before ?? .max : start.after ?? 0, limit: min(limit + 1, policy.pageSize))
        var isRead = true
        let bounds = step.bounds
        let after = try Self.number(start, in: bounds)
        guard !isBackward || after == nil else {
            throw Refusal.invalid("after", "must be omitted with newest; give before")
        }
        var cursor =
            isBackward
            ? min(span.before ?? bounds.last + 1, bounds.last + 1) : after ?? bounds.first - 1
        var entries: [EventRecord] = []
        var mayHaveNames = false
        var size = 0
        var examined = 0
        scan: while examined < Self.maximumScan, isBackward ? cursor > bounds.first : cursor < bounds.last {
            if !isRead { step = try await search(from: cursor, limit: policy.pageSize) }
            isRead = false
            if step.mayHaveNames { mayHaveNames = true }
            for entry in step.events {
                guard let seq = entry.seq, seq <= bounds.last else { break scan }
                if filter.matches(entry), span.holds(entry), isVisible(entry, call.caller) {
                    guard entries.count < limit, entries.isEmpty || size + entry.line.count <= Self.pageBytes else {
                        break scan
                    }
                    size += entry.line.count + 1
                    entries.append(shown(entry, call.caller))
                }
                cursor = isBackward ? entry.firstSeq ?? seq : seq
            }
            // The log may have lost its beginning, or grown, since its bounds were read.
            guard isBackward ? step.reached < cursor : step.reached > cursor else {
                guard !step.events.isEmpty else { break }
                examined += step.examined
                continue
            }
            cursor = isBackward ? step.reached : min(step.reached, bounds.last)
            examined += step.examined
        }
        // Only what the caller may see is named, because a name takes searches.
        return EventPage(
            bounds: bounds, next: isBackward ? max(0, cursor - 1) : cursor + 1, lines: entries.map(\.line),
            names: mayHaveNames ? try await journal.names(of: entries, for: call.caller) : [:])
    }

    /// Returns the number after which a call requests events; `nil` if the call gives none.
    ///
    /// - Throws: Error 3 (conflict) if the number belongs to another log or is beyond the end of this one. Error 6
    ///   (cursor gone) if events after it are no longer stored.
    private static func number(_ start: Start, in bounds: JournalBounds) throws(Refusal) -> Int64? {
        let data: JSONValue = [
            "log": .string(bounds.log), "first": .integer(bounds.first), "last": .integer(bounds.last),
        ]
        if let log = start.log, log != bounds.log {
            throw Refusal.conflict(
                "This event log is \(bounds.log), not \(log), so its numbers mean other events. "
                    + "Start over without after and log.",
                data: data)
        }
        guard let after = start.after else { return nil }
        if after > bounds.last {
            throw Refusal.conflict(
                "The last event of this log is \(bounds.last), so \(after) belongs to another log. "
                    + "Start over without after.",
                data: data)
        }
        if after < bounds.first - 1 {
            throw Refusal.cursorGone(after: after, first: bounds.first, last: bounds.last)
        }
        return after
    }
}
