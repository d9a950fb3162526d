import Callers
import NIOCore
import NIOEmbedded
import RPC
import Testing

@testable import EventStream
@testable import SocketServer

/// A subscriber on a connection in memory.
final class EventListener: Sendable {
    private let hub: EventHub
    private let channel = NIOAsyncTestingChannel()
    private let subscriber: Subscriber

    /// Subscribes to events that fit the filter from now on, as a person or without signing in.
    init(to hub: EventHub, as person: String? = nil, filter: EventFilter = EventFilter()) async throws {
        self.hub = hub
        subscriber = Subscriber(channel, EventFeeds(hub), of: Quota(16)) { Issue.record("\($0)") }
        let connection = Principal(
            number: 1, origin: .user(0), rights: [.read], connection: subscriber)
        connection.identity = person.map { Principal.Identity(person: $0) }
        _ = try await subscriber.subscribe(connection, to: filter, after: nil, last: 0)
        try await channel.eventLoop.submit { [subscriber] in subscriber.start() }.get()
    }

    /// Ends the connection, so that it no longer holds the hub.
    func hangUp() async throws {
        try await channel.eventLoop.submit { [subscriber] in subscriber.end() }.get()
        _ = try await channel.finish(acceptAlreadyClosed: true)
    }

    /// Returns the events that have been sent since the last call, after all published ones have arrived.
    func told() async throws -> [String] {
        while await hub.statistics.catchingUp > 0 { await Task.yield() }
        var lines: [Substring] = []
        while let batch = try await channel.readOutbound(as: ByteBuffer.self) {
            lines += String(buffer: batch).split(separator: "\n")
        }
        let opening = #"{"jsonrpc":"2.0","method":"event","params":{"subscription":"s1","event":"#
        return lines.compactMap { $0.hasPrefix(opening) ? String($0.dropFirst(opening.count).dropLast(2)) : nil }
    }
}
