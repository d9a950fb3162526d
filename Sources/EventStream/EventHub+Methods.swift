public import RPC
import TextCoding

extension EventHub {
    /// The methods `events.subscribe`, `events.unsubscribe` and `events.list`.
    ///
    /// - Parameter kinds: the kinds of subjects that filters may name; with none given, any.
    public func methods(kinds: [String] = []) -> [Method<Principal>] {
        let start: [Field] = [
            .optional(
                "after", .integer(in: 0...Self.greatestNumber), "The number of the last event that is known already."),
            .optional(
                "log", .string(length: 0...64), "The name of the log that `after` is of, as given before."),
        ]
        let filter = EventFilter.fields(kinds: kinds)
        return [
            Method(
                "events.subscribe",
                "Sends every event after a number, first from the log and then as they come; without a number, only "
                    + "what comes.",
                parameters: start + filter,
                result: .object([
                    .required("subscription", .string, "Its name in this connection."),
                    .required("log", .string, "The name of the event log, to be given back with `after`."),
                    .required("next", .integer, "The number of the first event that can follow."),
                ]),
                errors: [.conflict, .unavailable, .cursorGone], right: .read, handler: subscribe),
            Method(
                "events.unsubscribe", "Ends a subscription; nothing of it follows the answer.",
                parameters: [.required("subscription", .string(length: 1...64), "Its name, such as s1.")],
                result: .object([.required("subscription", .string, "Its name.")]),
                errors: [.notFound], right: .read, handler: unsubscribe),
            Method(
                "events.list", "Kept events after a number, oldest first, a page at a time.",
                parameters: start + [
                    .optional("limit", .integer(in: 1...Int64(Self.maximumPage)), "At most so many, 100 if left out.")
                ] + filter,
                result: .object([
                    .required("log", .string, "The name of the event log, to be given back with `after`."),
                    .required("first", .integer, "The number of the first event kept."),
                    .required("last", .integer, "The number of the last event."),
                    .required(
                        "next", .integer,
                        "The number of the first event not looked at: the next page is after the one before it."),
                    .required("events", .array(of: .map(of: .any)), "The events."),
                ]),
                errors: [.conflict, .cursorGone], right: .read, handler: list),
        ]
    }

    /// What subscribers are told; see the interface for what an event holds.
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

    /// No log has an event of this number, which every JSON reader holds exactly (RFC 7493, section 2.2); the one after
    /// it is a number too.
    private static let greatestNumber: Int64 = (1 << 53) - 1
    /// The most events in one page.
    private static let maximumPage = 1_000
    /// How many bytes of events a page holds before it ends: half of what a line may have.
    private static let pageBytes = LineFraming.maximumLength / 2
    /// How many events are looked at for one page, so that a filter that leaves most out still answers soon.
    private static let maximumScan = 10_000

    @Sendable private func subscribe(_ call: Call<Principal>) async throws -> JSONText {
        let filter = try EventFilter(call)
        let bounds = try await journal.bounds()
        let after = try start(of: call, in: bounds)
        guard let subscriptions = call.caller.subscriptions else {
            throw RPCError.unavailable("This caller is sent no events. Connect to the socket for them.")
        }
        let (name, next) = try await subscriptions.subscribe(
            call.caller, to: filter, after: after, last: bounds.last)
        return .object { json in
            json.member("subscription", name)
            json.member("log", bounds.log)
            json.member("next", next)
        }
    }

    @Sendable private func unsubscribe(_ call: Call<Principal>) async throws -> JSONText {
        let name: String = try call.value("subscription")
        guard try await call.caller.subscriptions?.unsubscribe(name) ?? false else {
            throw RPCError.notFound("This connection has no subscription \(name).")
        }
        return .object { $0.member("subscription", name) }
    }

    @Sendable private func list(_ call: Call<Principal>) async throws -> JSONText {
        let filter = try EventFilter(call)
        let limit: Int = try call.optional("limit") ?? 100
        let bounds = try await journal.bounds()
        var cursor = try start(of: call, in: bounds) ?? bounds.first - 1
        var lines: [[UInt8]] = []
        var size = 0
        var scanned = 0
        scan: while scanned < Self.maximumScan {
            let page = try await journal.read(after: cursor, limit: policy.pageSize, for: call.caller)
            for entry in page {
                guard let seq = entry.seq, seq <= bounds.last else { break scan }
                if filter.matches(entry), isVisible(entry, call.caller) {
                    guard lines.count < limit, lines.isEmpty || size + entry.line.count <= Self.pageBytes else {
                        break scan
                    }
                    size += entry.line.count + 1
                    lines.append(entry.line)
                }
                cursor = seq
            }
            scanned += page.count
            guard page.count == policy.pageSize else { break }
        }
        return .object { json in
            json.member("log", bounds.log)
            json.member("first", bounds.first)
            json.member("last", bounds.last)
            json.member("next", cursor + 1)
            json.array("events") { json in
                for line in lines { json.raw(line) }
            }
        }
    }

    /// The number after which a call asks for events; nil where it names none.
    ///
    /// - Throws: 3 where it is another log's or newer than the log, 6 where it is older than what is kept.
    private func start(
        of call: Call<Principal>, in bounds: JournalBounds
    ) throws(RPCError) -> Int64? {
        let data: JSONValue = [
            "log": .string(bounds.log), "first": .integer(bounds.first), "last": .integer(bounds.last),
        ]
        if let log: String = try call.optional("log"), log != bounds.log {
            throw RPCError.conflict(
                "This is the event log \(bounds.log), not \(log): its numbers mean other events. Start anew.",
                data: data)
        }
        guard let after: Int64 = try call.optional("after") else { return nil }
        if after > bounds.last {
            throw RPCError.conflict(
                "The log's last event is \(bounds.last), and \(after) is newer. It is another log's; start anew.",
                data: data)
        }
        if after < bounds.first - 1 {
            throw RPCError.cursorGone(after: after, first: bounds.first, last: bounds.last)
        }
        return after
    }
}
