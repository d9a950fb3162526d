import RPC
import SocketServer

/// Follows a daemon's events over its restarts: none is lost, and none told twice.
final class EventWatch {
    private let daemon: SocketOption
    private let filter: JSONObject
    private let wantsNames: Bool
    private let tell: (JSONValue, _ name: String?) throws -> Void
    /// The log that the cursor is of; nil before the first answer.
    private var log: String?
    /// The number of the last event told or left out; nil for whatever comes.
    private var cursor: Int64?
    /// How many events are still to be told; nil for all.
    private var left: Int?

    /// How long after an end the daemon is looked for the first time: a restart takes about so long.
    private static let firstWait = Duration.milliseconds(100)
    /// The longest time between two looks: nobody minds events that come so late, after they had to wait anyway.
    private static let longestWait = Duration.seconds(5)

    /// A watch that has yet to begin.
    ///
    /// - Parameters:
    ///   - filter: which events, as `events.subscribe` takes it.
    ///   - after: the number of the event before the first one wanted; nil for whatever comes.
    ///   - limit: how many are told; nil for all.
    ///   - wantsNames: whether what trips and stops are called is asked for too.
    init(
        _ daemon: SocketOption, filter: JSONObject, after: Int64?, limit: Int?, wantsNames: Bool,
        tell: @escaping (JSONValue, _ name: String?) throws -> Void
    ) {
        self.daemon = daemon
        self.filter = filter
        cursor = after
        left = limit
        self.wantsNames = wantsNames
        self.tell = tell
    }

    /// Follows until enough events are told or the task is cancelled.
    ///
    /// - Throws: `SocketError` where there is no daemon at the beginning, `RPCError` where it refuses, and what telling
    ///   throws.
    func run() async throws {
        var wait = Self.firstWait
        while !isDone {
            do {
                try await daemon.connect { try await self.follow($0) }
                guard !isDone else { return }
                wait = Self.firstWait
                Failure.note("waymark: the daemon ended the connection; waiting for it")
            } catch let error as RPCError where skip(error) {
                continue
            } catch let error where log != nil && Self.mayPass(error) {
                // It is still away.
            } catch  where Task.isCancelled {
                return
            }
            try? await Task.sleep(for: wait)
            wait = min(wait * 2, Self.longestWait)
        }
    }

    private var isDone: Bool { left == 0 || Task.isCancelled }

    /// Tells what one connection brings, to its end.
    private func follow(_ client: SocketClient) async throws {
        let isBack = log != nil
        var parameters = filter
        parameters["after"] = cursor.map { .integer($0) }
        parameters["log"] = log.map { .string($0) }
        let answer = try await client.call("events.subscribe", parameters)
        log = answer.text("log")
        if cursor == nil { cursor = answer["next"].flatMap(Int64.init(json:)).map { $0 - 1 } }
        if isBack { Failure.note("waymark: the daemon is back") }
        while !isDone, let (method, parameters) = try await client.notification() {
            switch method {
            case "event":
                guard let event = parameters["event"] else { break }
                try tell(event, wantsNames ? try await Self.name(of: event, by: client) : nil)
                if let seq = event["seq"].flatMap(Int64.init(json:)) { cursor = seq }
                left = left.map { $0 - 1 }
            case "cursor": cursor = parameters["seq"].flatMap(Int64.init(json:)) ?? cursor
            default: break
            }
        }
    }

    /// What the trip or stop of an event is called, where that is known.
    private static func name(of event: JSONValue, by client: SocketClient) async throws -> String? {
        guard let seq = event["seq"].flatMap(Int64.init(json:)), let type = event.text("type"),
            type.hasPrefix("trip.") || type.hasPrefix("stop.")
        else { return nil }
        do {
            let page = try await client.call("events.list", ["after": .integer(seq - 1), "limit": 1])
            return page["names"]?.text("\(seq)")
        } catch is RPCError {
            // A name is a nicety.
            return nil
        }
    }

    /// Goes on where events are to be had, if that is what an error is about.
    private func skip(_ error: RPCError) -> Bool {
        switch error.code {
        case .cursorGone:
            guard let first = error.data?["first"].flatMap(Int64.init(json:)) else { return false }
            Failure.note("waymark: events up to \(first - 1) are no longer kept; going on with \(first)")
            cursor = first - 1
        case .conflict:
            guard cursor != nil else { return false }
            Failure.note("waymark: \(error.message) Going on with what comes now.")
            (cursor, log) = (nil, nil)
        default: return false
        }
        return true
    }

    /// Whether a daemon that was there may be there again.
    private static func mayPass(_ error: any Error) -> Bool {
        switch error {
        case let error as RPCError: error.code == .unavailable
        case let error as SocketError: error.code != .notPermitted && error.code != .pathTooLong
        default: false
        }
    }
}
