import RPC
import SocketServer

/// A watch that follows a daemon's events over its restarts, and loses and repeats none.
final class EventWatch {
    private let daemon: SocketOption
    private let filter: JSONObject
    private let wantsNames: Bool
    private let show: (JSONValue, _ name: String?) throws -> Void
    /// The log to which the cursor belongs; `nil` before the first answer.
    private var log: String?
    /// The number of the last event delivered or skipped; `nil` to begin with the next new event.
    private var cursor: Int64?
    /// The number of events still to deliver; `nil` for all.
    private var left: Int?

    /// The first wait before connecting again; a restart takes about as long.
    private static let firstWait = Duration.milliseconds(100)
    /// The longest wait between two attempts; events that had to wait anyway may arrive this late.
    private static let longestWait = Duration.seconds(5)

    /// Creates a watch, which does not connect yet.
    ///
    /// - Parameters:
    ///   - filter: The events wanted, as `events.subscribe` takes them.
    ///   - after: The number of the event before the first one wanted; `nil` to begin with the next new event.
    ///   - limit: The number of events to deliver; `nil` for all.
    ///   - wantsNames: Whether to request the names of trips and stops, too.
    init(
        _ daemon: SocketOption, filter: JSONObject, after: Int64?, limit: Int?, wantsNames: Bool,
        show: @escaping (JSONValue, _ name: String?) throws -> Void
    ) {
        self.daemon = daemon
        self.filter = filter
        cursor = after
        left = limit
        self.wantsNames = wantsNames
        self.show = show
    }

    /// Follows the events until the limit is reached or the task is cancelled.
    ///
    /// - Throws: `SocketError` if there is no daemon at the beginning, `RPCError` if it refuses, and the errors of
    ///   `show`.
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
                // The daemon is still down.
            } catch  where Task.isCancelled {
                return
            }
            try? await Task.sleep(for: wait)
            wait = min(wait * 2, Self.longestWait)
        }
    }

    private var isDone: Bool { left == 0 || Task.isCancelled }

    /// Delivers the events of one connection until it ends.
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
                try show(event, wantsNames ? try await Self.name(of: event, by: client) : nil)
                if let seq = event["seq"].flatMap(Int64.init(json:)) { cursor = seq }
                left = left.map { $0 - 1 }
            case "cursor": cursor = parameters["seq"].flatMap(Int64.init(json:)) ?? cursor
            default: break
            }
        }
    }

    /// Returns the name of the trip or stop of an event, if it is known.
    private static func name(of event: JSONValue, by client: SocketClient) async throws -> String? {
        guard let seq = event["seq"].flatMap(Int64.init(json:)), let type = event.text("type"),
            type.hasPrefix("trip.") || type.hasPrefix("stop.")
        else { return nil }
        do {
            let page = try await client.call("events.list", ["after": .integer(seq - 1), "limit": 1])
            return page["names"]?.text("\(seq)")
        } catch is RPCError {
            // The line is useful without a name.
            return nil
        }
    }

    /// Moves the cursor to events that are available, if the error is about the cursor; returns whether it was.
    private func skip(_ error: RPCError) -> Bool {
        switch error.code {
        case .cursorGone:
            guard let first = error.data?["first"].flatMap(Int64.init(json:)) else { return false }
            Failure.note("waymark: events up to \(first - 1) are no longer kept; going on with \(first)")
            cursor = first - 1
        case .conflict:
            guard cursor != nil else { return false }
            Failure.note("waymark: \(error.message) Continuing with new events.")
            (cursor, log) = (nil, nil)
        default: return false
        }
        return true
    }

    /// Whether an error may pass, for a daemon that was there before.
    private static func mayPass(_ error: any Error) -> Bool {
        switch error {
        case let error as RPCError: error.code == .unavailable
        case let error as SocketError: error.code != .notPermitted && error.code != .pathTooLong
        default: false
        }
    }
}
