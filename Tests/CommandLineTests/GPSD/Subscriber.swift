import RPC
import SocketServer

/// A subscriber to everything that a daemon tells.
///
/// It waits without end for what does not come; the time limits of the suites make that a failure.
final class Subscriber {
    private let client: SocketClient
    /// The durable events that were told, in order.
    private(set) var events: [JSONValue] = []
    /// How many of them were asked for.
    private var taken = 0
    private var lastPositions: [String: JSONValue] = [:]

    /// What became of a receiver.
    struct Change: Equatable {
        var type: String
        var device: String
        var reason: String?
    }

    /// The daemon has ended.
    struct Ended: Error {}

    private init(_ client: SocketClient) { self.client = client }

    /// Subscribes to a daemon for as long as `body` runs.
    static func to<Value: Sendable>(
        _ daemon: RunningDaemon, _ body: (Subscriber) async throws -> Value
    ) async throws -> Value {
        try await SocketClient.connect(to: daemon.socket) { client in
            // Positions apart, since there are none while a subscription catches up.
            _ = try await client.call("events.subscribe", ["types": ["position"]])
            _ = try await client.call("events.subscribe", ["after": 0])
            return try await body(Subscriber(client))
        }
    }

    /// What of them tells of receivers.
    var changes: [Change] { events.compactMap { Change($0) } }

    /// Those of them that tell of the way, and not of receivers.
    var travel: [JSONValue] { events.filter { Change($0) == nil } }

    /// Calls a method.
    nonisolated(nonsending) func call(_ method: String) async throws -> JSONValue { try await client.call(method) }

    /// The next durable event.
    nonisolated(nonsending) func event() async throws -> JSONValue {
        while taken == events.count { try await hear() }
        taken += 1
        return events[taken - 1]
    }

    /// The next event that tells of a receiver; others are passed over.
    nonisolated(nonsending) func change() async throws -> Change {
        while true { if let change = Change(try await event()) { return change } }
    }

    /// Waits for a position of a device at a time or after it.
    @discardableResult
    nonisolated(nonsending) func position(of device: String, from time: String) async throws -> JSONValue {
        while true {
            if let position = lastPositions[device], let its = position["time"]?.text, its >= time { return position }
            try await hear()
        }
    }

    /// Hears the daemon to its end.
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
    /// What an event tells of a receiver; nil where it tells of something else.
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
    /// The events of a replay without those that close what is open at its end, since a daemon closes nothing.
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
    /// When an event was decided, as text.
    fileprivate var decided: String? { (self["decided"] ?? self["time"])?.text }

    /// An event's line without its number.
    var unnumbered: String {
        let line = String(decoding: JSONText(self).bytes, as: UTF8.self)
        guard line.hasPrefix("{\"seq\":"), let comma = line.firstIndex(of: ",") else { return line }
        return "{" + line[line.index(after: comma)...]
    }
}
