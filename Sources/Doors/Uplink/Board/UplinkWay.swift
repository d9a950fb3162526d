import WebClient

/// The way from a board to its centre.
struct UplinkWay: Sendable {
    /// Sends a body to the centre, and returns the answer.
    var send: BoardUplink.Transport
    /// Asks the centre what it has, with a body; an answer that is there already counts if it has no less than the board
    /// knows.
    var ask: @Sendable (_ body: [UInt8], _ own: EventChain) async throws -> WebReply
    /// Waits, at most for a time.
    var pause: @Sendable (Duration) async -> Void
    /// The longest event that is sent as its bytes; of a longer one, only the digest is.
    var longestEvent = Int.max
    /// How long further events are waited for before a batch is sent.
    var gathering = Duration.zero

    /// Creates a way on which each body has one answer.
    init(_ clock: any Clock<Duration>, gathering: Duration, _ send: @escaping BoardUplink.Transport) {
        self.send = send
        self.gathering = gathering
        ask = { body, _ in try await send(body) }
        pause = { try? await clock.sleep(for: $0) }
    }

    /// Creates the way over a broker.
    init(_ exchange: BrokerExchange) {
        send = { try await exchange.send($0) }
        ask = { try await exchange.send($0, orAbove: $1) }
        pause = { await exchange.pause($0) }
        longestEvent = UplinkMessage.longestEvent
    }
}
