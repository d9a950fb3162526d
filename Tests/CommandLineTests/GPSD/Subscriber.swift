import RPC
import SocketServer

/// A subscriber to all events of a daemon.
///
/// It waits forever for an event that does not come; the time limits of the suites turn that into a failure.
final class Subscriber {
    private let client: SocketClient
    /// The durable events so far, in order.
    private(set) var events: [JSONValue] = []
    /// How many of them ``event()`` has returned.
    private var taken = 0
    private var lastPositions: [String: JSONValue] = [:]

    /// A change of a receiver's state.
    struct Change: Equatable {
        var type: String
        var device: String
        var reason: String?
    }

    /// The error for a daemon that has ended.
    struct Ended: Error {}

    private init(_ client: SocketClient) { self.client = client }

    /// Subscribes to a daemon for as long as `body` runs.
    static func to<Value: Sendable>(
        _ daemon: RunningDaemon, _ body: (Subscriber) async throws -> Value
    ) async throws -> Value {
        try await SocketClient.connect(to: daemon.socket) { client in
            // Positions have their own subscription, because a subscription that catches up has none.
            _ = try await client.call("events.subscribe", ["types": ["position"]])
            _ = try await client.call("events.subscribe", ["after": 0])
            return try await body(Subscriber(client))
        }
    }

    /// The changes of receivers among the events.
    var changes: [Change] { events.compactMap { Change($0) } }

    /// The events other than changes of receivers.
    var travel: [JSONValue] { events.filter { Change($0) == nil } }

    nonisolated(nonsending) func call(_ method: String) async throws -> JSONValue { try await client.call(method) }

    /// Returns the next durable event.
    nonisolated(nonsending) func event() async throws -> JSONValue {
        while taken == events.count { try await hear() }
        taken += 1
        return events[taken - 1]
    }

    /// Returns the next change of a receiver and skips other events.
    nonisolated(nonsending) func change() async throws -> Change {
        while true { if let change = Change(try await event()) { return change } }
    }

    /// Waits for a position of a device at a time or later.
    @discardableResult
    nonisolated(nonsending) func position(of device: String, from time: String) async throws -> JSONValue {
        while true {
            if let position = lastPositions[device], let its = position["time"]?.text, its >= time { return position }
            try await hear()
        }
    }

    /// Receives events until the daemon ends.
    nonisolated(nonsending) func hearAll() async throws {
        do {
            while true { try await hear() }
        } catch is Ended {}
    }

    private nonisolated(nonsending) func hear() async throws {
        guard let (_, parameters) = try await client.notification() else { throw Ended() }
        guard let event = parameters["event"] else { return }
        if event["type"] == "position", let device = event["device"]?.text {
            lastPositions[device] = event
        } else {
            events.append(event)
        }
    }
}

extension Subscriber.Change {
    /// Reads a receiver's change from an event; fails if the event is something else.
    init?(_ event: JSONValue) {
        guard let type = event["type"]?.text, type.hasPrefix("source."), let device = event["device"]?.text else {
            return nil
        }
        self.init(type: type, device: device, reason: event["reason"]?.text)
    }

    static func online(_ device: String) -> Self { Self(type: "source.online", device: device) }

    static func offline(_ device: String, _ reason: String) -> Self {
        Self(type: "source.offline", device: device, reason: reason)
    }
}

extension Command.Outcome {
    /// The events of a replay without those that close what is open at its end, which a daemon does not emit.
    var eventsBeforeTheEnd: [JSONValue] {
        get throws {
            var events = try lines.map { try JSONValue(parsing: Array($0.utf8).span) }
            let end = events.last?.decided
            while let last = events.last, last["type"] == "trip.end" || last["type"] == "stop.end", last.decided == end
            {
                events.removeLast()
            }
            return events
        }
    }
}

extension JSONValue {
    /// The time at which the event was decided, as text.
    fileprivate var decided: String? { (self["decided"] ?? self["time"])?.text }

    /// The event's line without its number.
    var unnumbered: String {
        let line = String(decoding: JSONText(self).bytes, as: UTF8.self)
        guard line.hasPrefix("{\"seq\":"), let comma = line.firstIndex(of: ",") else { return line }
        return "{" + line[line.index(after: comma)...]
    }
}
