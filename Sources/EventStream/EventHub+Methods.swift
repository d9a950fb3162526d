public import RPC
import TextCoding
public import Tracking

extension EventHub {
    /// Returns the display names of events by their numbers.
    ///
    /// Events without a name are omitted.
    public typealias Naming = @Sendable (_ entries: [EventRecord]) async throws -> [Int64: String]

    /// Returns the methods `events.subscribe`, `events.unsubscribe` and `events.list`.
    ///
    /// - Parameters:
    ///   - kinds: The kinds of subjects that filters may name. If it is empty, any kind is allowed.
    ///   - naming: Supplies the names of trips and stops for `events.list`.
    public func methods(kinds: [String] = [], naming: Naming? = nil) -> [Method<Principal>] {
        let filter = EventFilter.parameter(kinds: kinds)
        return [
            Method(
                "events.subscribe",
                "Sends every event after a number, first from the log and then as they come; without a number, only "
                    + "what comes.",
                Self.start, filter,
                answers: .object {
                    Member("subscription", .text, "Its name in this connection.") { $0.name }
                    Member("log", .text, "The name of the event log, to be given back with `after`.") { $0.log }
                    Member("next", .integer, "The number of the first event that can follow.") { $0.next }
                }, errors: [.conflict, .unavailable, .cursorGone], right: .read, handler: subscribe),
            Method(
                "events.unsubscribe", "Ends a subscription; nothing of it follows the answer.",
                Parameter<String>.required("subscription", .string(length: 1...64), "Its name, such as s1."),
                answers: .object { Member("subscription", .text, "Its name.") { $0 } }, errors: [.notFound],
                right: .read, handler: unsubscribe),
            Method(
                "events.list", "Kept events after a number, oldest first, a page at a time.", Self.start,
                Parameter<Int>.optional(
                    "limit", .integer(in: 1...Self.maximumPage), default: 100, "At most so many, 100 if left out."),
                filter, answers: EventPage.shape, errors: [.conflict, .cursorGone], right: .read
            ) { call, start, limit, filter in
                try await self.list(call, from: start, limit: limit, filter: filter, naming: naming)
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
            "after", .integer(in: 0...greatestNumber), "The number of the last event that is known already.")
        let log = Parameter<String?>.optional(
            "log", .string(length: 0...64), "The name of the log that `after` is of, as given before.")
        return Parameter(after.fields + log.fields) { members throws(Refusal) in
            Start(after: try after.value(in: members), log: try log.value(in: members))
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
        /// The number of the last event examined.
        var cursor: Int64
        /// The events, byte for byte as in the log.
        var lines: [[UInt8]]
        /// The display names of events, by their numbers.
        var names: [Int64: String]

        static let shape = Shape<EventPage>.object {
            Member("log", .text, "The name of the event log, to be given back with `after`.") { $0.bounds.log }
            Member("first", .integer, "The number of the first event kept.") { $0.bounds.first }
            Member("last", .integer, "The number of the last event.") { $0.bounds.last }
            Member(
                "next", .integer,
                "The number of the first event not looked at: the next page is after the one before it."
            ) { $0.cursor + 1 }
            Member("events", .array(of: event), "The events.") { $0.lines }
            Member.optional(
                "names", named,
                "By number of event: what its trip or stop is called, as Utrecht → Amsterdam and near Woerden, where that is known."
            ) { $0.names.isEmpty ? nil : $0.names }
        }

        private static let named = Shape<[Int64: String]>(.map(of: .string)) { names, json in
            json.object { json in
                for (seq, name) in names.sorted(by: { $0.key < $1.key }) { json.member("\(seq)", name) }
            }
        }

        private static let event = Shape<[UInt8]>(.map(of: .any)) { $1.raw($0) }
    }

    /// The notifications that subscribers receive.
    ///
    /// The interface's description defines the content of an event.
    public var notifications: [NotificationDeclaration] {
        let name = Field.required("subscription", .string, "The subscription's name.")
        return [
            NotificationDeclaration(
                "event", "An event that a subscription asked for.",
                parameters: [name, .required("event", .map(of: .any), "The event.")]),
            NotificationDeclaration(
                "cursor", "Many events, or some a while ago, were left out by the subscription's filter.",
                parameters: [
                    name, .required("seq", .integer, "All events up to this one were sent or left out."),
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
        guard let subscriptions = call.caller.subscriptions else {
            throw Refusal.unavailable("This caller is sent no events. Connect to the socket for them.")
        }
        let (name, next) = try await subscriptions.subscribe(
            call.caller, to: filter, after: after, last: bounds.last)
        return Subscribed(name: name, log: bounds.log, next: next)
    }

    @Sendable private func unsubscribe(_ call: Call<Principal>, name: String) async throws -> String {
        guard try await call.caller.subscriptions?.unsubscribe(name) ?? false else {
            throw Refusal.notFound("This connection has no subscription \(name).")
        }
        return name
    }

    @Sendable private func list(
        _ call: Call<Principal>, from start: Start, limit: Int, filter: EventFilter, naming: Naming?
    ) async throws -> EventPage {
        let bounds = try await journal.bounds()
        var cursor = try Self.number(start, in: bounds) ?? bounds.first - 1
        var entries: [EventRecord] = []
        var size = 0
        var scanned = 0
        scan: while scanned < Self.maximumScan {
            let page = try await journal.read(after: cursor, limit: policy.pageSize, for: call.caller)
            for entry in page {
                guard let seq = entry.seq, seq <= bounds.last else { break scan }
                if filter.matches(entry), isVisible(entry, call.caller) {
                    guard entries.count < limit, entries.isEmpty || size + entry.line.count <= Self.pageBytes else {
                        break scan
                    }
                    size += entry.line.count + 1
                    entries.append(entry)
                }
                cursor = seq
            }
            scanned += page.count
            guard page.count == policy.pageSize else { break }
        }
        return EventPage(
            bounds: bounds, cursor: cursor, lines: entries.map(\.line), names: try await naming?(entries) ?? [:])
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
                "This is the event log \(bounds.log), not \(log): its numbers mean other events. Start anew.",
                data: data)
        }
        guard let after = start.after else { return nil }
        if after > bounds.last {
            throw Refusal.conflict(
                "The log's last event is \(bounds.last), and \(after) is newer. It is another log's; start anew.",
                data: data)
        }
        if after < bounds.first - 1 {
            throw Refusal.cursorGone(after: after, first: bounds.first, last: bounds.last)
        }
        return after
    }
}
