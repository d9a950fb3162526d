import EventStream
import HTTPTypes
import HummingbirdCore
import NIOCore
import RPC

/// The events over HTTP, as the HTML standard has server-sent events: `GET /events`.
struct EventDoor: Sendable {
    let hub: EventHub
    let fan: EventFan
    let sessions: WebSessions
    let report: @Sendable (any Error) -> Void

    /// How long a reader may take for what waits for it, before it is cut off; it comes again and goes on.
    private static let patience = TimeAmount.seconds(60)
    /// How often something is said, so that nobody in between takes the connection for dead.
    static let interval = Duration.seconds(15)

    /// Says that time passes, until the task is cancelled.
    func beat(_ clock: any Clock<Duration>) async {
        while (try? await clock.sleep(for: Self.interval)) != nil { fan.beat() }
    }

    /// The answer, which goes on until the reader goes.
    func answer(_ path: RequestPath, to request: WebRequest, from guest: Guest) async -> Answer {
        do {
            let filter = try EventFilter(query: path)
            let given = request.headers[.lastEventID] ?? path["after"]
            let (caller, _) = try await sessions.caller(guest, SessionCookie.token(in: request.headers[.cookie]))
            let bounds = try await hub.journal.bounds()
            let start = EventCursor.start(given, in: bounds)
            var answer = Answer(
                .ok, [.contentType: "text/event-stream", .cacheControl: "no-store", .accelBuffering: "no"],
                ResponseBody { writer in
                    try await stream(start, bounds, filter, caller, guest, request, &writer)
                })
            answer.isStream = true
            return answer
        } catch let refusal as Refusal {
            return .error(refusal)
        } catch {
            report(error)
            return .text(.serviceUnavailable, "The events cannot be read at the moment.")
        }
    }

    private func stream(
        _ start: EventCursor.Start, _ bounds: JournalBounds, _ filter: EventFilter, _ caller: Principal, _ guest: Guest,
        _ request: WebRequest, _ writer: inout any ResponseBodyWriter
    ) async throws {
        let (reader, after) = fan.subscribe(caller, to: filter, after: start.after, last: bounds.last)
        defer { fan.remove(reader) }
        try await request.body.consumeWithInboundCloseHandler { _ in
            var opening = EventText(log: bounds.log)
            opening.begin(after: after, reset: start.reason, bounds)
            try await Self.write(opening.buffer, to: guest, &writer)
            do {
                while let messages = try await reader.next() {
                    var text = EventText(log: bounds.log)
                    for message in messages { text.add(message) }
                    if messages.isEmpty { text.greet() }
                    try await Self.write(text.buffer, to: guest, &writer)
                }
            } catch is SubscriptionReader.Lost {
                // Coming again, the reader is told what is kept.
            }
        } onInboundClosed: {
            reader.end()
        }
        try await writer.finish(nil)
    }

    private static func write(
        _ buffer: ByteBuffer, to guest: Guest, _ writer: inout any ResponseBodyWriter
    ) async throws {
        let cut = guest.channel.eventLoop.scheduleTask(in: patience) { guest.channel.close(promise: nil) }
        defer { cut.cancel() }
        try await writer.write(buffer)
    }
}

extension HTTPField.Name {
    /// `Last-Event-ID`: up to where a reader has got.
    static var lastEventID: Self { Self("Last-Event-ID") ?? .origin }
    /// `X-Accel-Buffering`, by which a server in front of the door is told to pass on what comes at once.
    static var accelBuffering: Self { Self("X-Accel-Buffering") ?? .origin }
}

/// Up to where a reader of events has got: `LOG:SEQ`.
enum EventCursor {
    /// Where a subscription begins.
    struct Start: Equatable, Sendable {
        /// After which event; nil for what comes from now on.
        var after: Int64?
        /// Why that is not where the reader had got; nil where it is.
        var reason: String?
    }

    /// Where a reader begins that has got so far.
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
