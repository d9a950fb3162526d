import Callers
import Deadlines
import EventStream
import HTTPTypes
import HummingbirdCore
import NIOCore
import RPC
import Service
import Store
import Tracking

/// The events over HTTP, as server-sent events of the HTML standard: `GET /events`.
struct EventEndpoint: Sendable {
    let hub: EventHub
    let fanOut: EventFanOut
    let sessions: WebSessions
    let report: @Sendable (any Error) -> Void

    /// The time in which a reader must accept data that waits for it, or be disconnected.
    ///
    /// It can reconnect and continue.
    private static let writeTimeout = Duration.seconds(60)
    /// The time after events were sent in which others gather, to be sent together.
    ///
    /// Where a thousand devices report, each reader would be woken a thousand times a second otherwise. It is shorter
    /// than a browser takes to draw, and an event after a pause is sent at once.
    static let gathering = Duration.milliseconds(20)
    /// The interval of comments that keep a connection from looking dead to proxies.
    static let interval = Duration.seconds(15)

    /// Sends a comment to all readers at each interval, until the task is cancelled.
    func sendHeartbeats(_ clock: any Clock<Duration>) async {
        while (try? await clock.sleep(for: Self.interval)) != nil { fanOut.sendHeartbeats() }
    }

    /// Returns the answer, which lasts until the reader disconnects.
    func answer(_ path: RequestPath, to request: WebRequest, from client: Client) async -> Answer {
        do {
            let filter = try EventFilter(query: path)
            let given = request.headers[.lastEventID] ?? path["after"]
            let (caller, _) = try await sessions.caller(client, SessionCookie.token(in: request.headers[.cookie]))
            let bounds = try await hub.journal.bounds()
            let start = EventCursor.start(given, in: bounds)
            var answer = Answer(
                .ok, [.contentType: "text/event-stream", .cacheControl: "no-store", .accelBuffering: "no"],
                ResponseBody { writer in
                    try await stream(start, bounds, filter, caller, client, request, &writer)
                })
            answer.isStream = true
            return answer
        } catch let refusal as Refusal {
            return .error(refusal)
        } catch {
            if let refusal = (error as? StoreError)?.refusal { return .error(refusal) }
            // A reader who has gone is no failure.
            if !(error is CancellationError) { report(error) }
            return .text(.serviceUnavailable, "The events cannot be read at the moment. Try again later.")
        }
    }

    private func stream(
        _ start: EventCursor.Start, _ bounds: JournalBounds, _ filter: EventFilter, _ caller: Principal,
        _ client: Client,
        _ request: WebRequest, _ writer: inout any ResponseBodyWriter
    ) async throws {
        let (reader, after) = fanOut.subscribe(caller, to: filter, after: start.after, last: bounds.last)
        defer { fanOut.remove(reader) }
        try await request.body.consumeWithInboundCloseHandler { _ in
            var opening = EventText(log: bounds.log)
            opening.begin(after: after, reset: start.reason, bounds)
            try await Self.write(opening.buffer, to: client, &writer)
            do {
                while let messages = try await reader.next() {
                    var text = EventText(log: bounds.log)
                    for message in messages { text.add(message) }
                    if messages.isEmpty { text.greet() }
                    try await Self.write(text.buffer, to: client, &writer)
                    try? await Task.sleep(for: Self.gathering)
                }
            } catch is SubscriptionReader.Lost {
                // The reader reconnects, and then learns which events are still stored.
            }
        } onInboundClosed: {
            reader.end()
        }
        try await writer.finish(nil)
    }

    private static func write(
        _ buffer: ByteBuffer, to client: Client, _ writer: inout any ResponseBodyWriter
    ) async throws {
        let cut = DeadlineClock.shared.after(writeTimeout) { client.channel.close(promise: nil) }
        defer { cut.end() }
        try await writer.write(buffer)
    }
}

extension HTTPField.Name {
    /// `Last-Event-ID`: the position of the last event that a reader has received.
    static let lastEventID = Self("Last-Event-ID") ?? .origin
    /// `X-Accel-Buffering`, which asks a server in front of this one to pass data on at once.
    static let accelBuffering = Self("X-Accel-Buffering") ?? .origin
}

/// A reader's position in the events: `LOG:SEQ`.
enum EventCursor {
    /// The start of a subscription.
    struct Start: Equatable, Sendable {
        /// The last event before the subscription; `nil` to receive only new events.
        var after: Int64?
        /// The reason why the subscription does not continue from the reader's position; `nil` if it does.
        var reason: String?
    }

    /// Returns the start of a subscription for a reader's position.
    static func start(_ given: String?, in bounds: JournalBounds) -> Start {
        guard let given, !given.isEmpty else { return Start() }
        guard let colon = given.lastIndex(of: ":"), let seq = Int64(given[colon...].dropFirst()), seq >= 0 else {
            return Start(reason: "unreadable")
        }
        if given[..<colon] != bounds.log { return Start(reason: "log") }
        if seq > bounds.last { return Start(reason: "newer") }
        if seq < bounds.first - 1 { return Start(reason: "gone") }
        return Start(after: seq)
    }
}
