import Deadlines
public import Store
public import Tracking
package import WebClient

/// The uplink of a board: it sends the log to a centre in batches, and keeps what the centre has acknowledged.
///
/// The log is the queue, so an outage costs no memory. The centre's answer decides where the next batch begins, and the
/// chain of digests proves each time that both have the same events.
public struct BoardUplink: Sendable {
    /// What the uplink reports about itself.
    public struct Report: Hashable, Sendable {
        /// Why the last attempt failed, as a clause; `nil` if it succeeded.
        public var fault: String?
        /// The number of events that the centre has not acknowledged.
        public var behind: Int64
        /// The number of events that were deleted from the log before the centre had them, in the last batch.
        public var lost: Int64 = 0
    }

    /// Sends a body to the centre, and returns the answer.
    package typealias Transport = @Sendable (_ body: [UInt8]) async throws -> WebReply

    private let store: LocationDatabase
    private let reader: UplinkReader
    private let way: UplinkWay

    /// The longest time for a batch, which is short enough for a slow network.
    private static let longestExchange = Duration.seconds(60)
    /// The first and the longest time to wait after a failure.
    private static let (firstWait, longestWait) = (Duration.seconds(1), Duration.seconds(300))
    /// How long further events are waited for before a batch goes over HTTPS, whose heads are half as long as an event.
    private static let gathering = Duration.seconds(1)

    /// Creates the uplink to a centre with an address; `nil` if the settings have none.
    ///
    /// - Parameter leaves: Whether the bytes of an event may leave the board; of any other event, only its digest does.
    public init?(
        to settings: UplinkSettings, store: LocationDatabase,
        leaves: @escaping @Sendable (EventRecord) -> Bool
    ) {
        guard let url = settings.url else { return nil }
        let client = WebClient(url, authority: settings.authority, compresses: true)
        self.init(store: store, leaves: leaves, clock: .deadlines, gathering: Self.gathering) { body in
            let word = String(decoding: try settings.secret.read(), as: UTF8.self)
            return try await client.post(
                body, headers: ["Authorization": "Bearer \(word)"], within: Self.longestExchange)
        }
    }

    /// Creates the uplink to a centre over a broker.
    ///
    /// - Parameter leaves: Whether the bytes of an event may leave the board; of any other event, only its digest does.
    public init(
        over exchange: BrokerExchange, store: LocationDatabase, leaves: @escaping @Sendable (EventRecord) -> Bool
    ) { self.init(store: store, leaves: leaves, way: UplinkWay(exchange)) }

    private init(store: LocationDatabase, leaves: @escaping @Sendable (EventRecord) -> Bool, way: UplinkWay) {
        self.store = store
        reader = UplinkReader(store: store, leaves: leaves, longestEvent: way.longestEvent)
        self.way = way
    }

    /// Creates an uplink over any transport.
    package init(
        store: LocationDatabase, leaves: @escaping @Sendable (EventRecord) -> Bool, clock: any Clock<Duration>,
        gathering: Duration = .zero, transport: @escaping Transport
    ) { self.init(store: store, leaves: leaves, way: UplinkWay(clock, gathering: gathering, transport)) }

    /// Sends events until the task is cancelled.
    ///
    /// - Parameters:
    ///   - updates: A stream with an element at the beginning, and each time the log has grown.
    ///   - told: Called after each attempt.
    public func run(_ updates: AsyncStream<Void>, told: @escaping @Sendable (Report) -> Void = { _ in }) async {
        var place: UplinkAnswer?
        var traces = TraceReader(store: store, leaves: reader.leaves)
        var wait = Self.firstWait
        for await _ in updates {
            if place != nil, way.gathering > .zero { await way.pause(way.gathering) }
            while !Task.isCancelled {
                do {
                    let isMeeting = place == nil
                    if isMeeting { traces.restart() }
                    let from = if let place { place } else { try await meet() }
                    place = from
                    let batch = try await reader.batch(after: from.chain)
                    var part: TraceBatch?
                    if batch.items.isEmpty { part = try await next(&traces, after: from) }
                    if !batch.items.isEmpty {
                        place = try await send(batch, after: from)
                    } else if let part {
                        let answer = try await send(part, after: from)
                        // A trace that the centre cannot read must not hold up the others.
                        if answer?.traces?.next != part.seq { traces.note(part) }
                        place = answer ?? from
                    }
                    wait = Self.firstWait
                    let isIdle = batch.items.isEmpty && part == nil
                    if !isIdle || isMeeting {
                        told(Report(fault: nil, behind: try await behind(place?.chain), lost: batch.missing))
                    }
                    if isIdle { break }
                } catch {
                    guard !Task.isCancelled else { break }
                    place = nil
                    let behind = (try? await behind(nil)) ?? 0
                    told(Report(fault: (error as? WebFailure)?.description ?? "has failed (\(error))", behind: behind))
                    await way.pause(wait)
                    wait = min(wait * 2, Self.longestWait)
                }
            }
        }
    }

    private func behind(_ place: EventChain?) async throws -> Int64 {
        try await store.read { db in
            let log = try EventLog.extent(in: db)
            return try log.last - (place ?? UplinkPlaces.acknowledged(of: log.name, in: db)).seq
        }
    }

    /// Asks the centre what it has, with a batch without events.
    private func meet() async throws -> UplinkAnswer {
        let own = try await store.read { try UplinkPlaces.acknowledged(of: EventLog.extent(in: $0).name, in: $0) }
        let answer = try Self.answer(try await way.ask(UplinkBatch(after: own).bytes, own), after: own.seq)
        return UplinkAnswer(chain: try await settle(answer.chain, own), traces: answer.traces)
    }

    /// Sends a batch, and returns what the centre has then.
    ///
    /// - Throws: ``WebFailure`` if the centre has not taken it.
    private func send(_ batch: UplinkBatch, after from: UplinkAnswer) async throws -> UplinkAnswer {
        var answer = try Self.answer(try await way.send(batch.bytes), after: batch.first - 1)
        if answer.chain == batch.chain {
            let (chain, marks) = (answer.chain, batch.marks(after: from.chain))
            try await store.write { try UplinkPlaces.set(chain, marks: marks, in: $0) }
        } else {
            answer.chain = try await settle(answer.chain, from.chain)
        }
        guard answer.chain.seq > from.chain.seq else {
            throw WebFailure("has not taken the events after \(from.chain.seq)")
        }
        return answer
    }

    /// Returns the next part of a trace to send; `nil` if there is none, or the centre takes none.
    private func next(_ traces: inout TraceReader, after from: UplinkAnswer) async throws -> TraceBatch? {
        guard let place = from.traces else { return nil }
        let part = try await traces.next(after: place, upTo: from.chain)
        // The log keeps the events from here on. A commit for each of them would wear the card.
        let (log, reached) = (from.chain.log, traces.reached)
        let kept = try await store.read { try UplinkPlaces.traces(of: log, in: $0) }
        if kept.map({ reached - $0 >= UplinkPlaces.markDistance || reached < $0 }) ?? true {
            try await store.write { try UplinkPlaces.setTraces(reached, of: log, in: $0) }
        }
        return part
    }

    /// Sends a part of a trace, and returns what the centre has then; `nil` if it cannot read the part.
    ///
    /// - Throws: ``WebFailure`` if the centre has not taken it.
    private func send(_ part: TraceBatch, after from: UplinkAnswer) async throws -> UplinkAnswer? {
        let reply = try await way.send(part.bytes)
        guard reply.status != 400 else { return nil }
        let answer = try Self.answer(reply, after: from.chain.seq)
        guard answer.chain == from.chain, let place = answer.traces, place != from.traces else {
            throw WebFailure("has not taken the trace of \(part.trip.summary.id)")
        }
        if place.next == nil {
            let log = part.log
            try await store.write { try UplinkPlaces.setTraces(place.done, of: log, in: $0) }
        }
        return answer
    }

    /// Reads what the centre answers.
    ///
    /// - Parameter seq: The number of the last event that the body supposes at the centre.
    private static func answer(_ reply: WebReply, after seq: Int64) throws -> UplinkAnswer {
        switch reply.status {
        case 200: return try UplinkAnswer(reply.body)
        case 401: throw WebFailure("does not know this board's secret")
        case 409: throw WebFailure("has other events than this board up to \(seq)")
        default: throw WebFailure("has answered \(reply.status)")
        }
    }

    /// Returns the centre's place, after it was compared with the log of this board.
    ///
    /// The centre may have more than this board knows, because an answer was lost, or less, because it was restored from a
    /// backup.
    ///
    /// - Throws: ``WebFailure`` if the centre has other events.
    private func settle(_ answer: EventChain, _ own: EventChain) async throws -> EventChain {
        guard answer.log == own.log else { throw WebFailure("has answered for another log") }
        guard answer != own else { return own }
        let (log, start) = try await store.read { db in
            let start = try own.seq <= answer.seq ? own : UplinkPlaces.mark(upTo: answer.seq, of: own.log, in: db)
            return (try EventLog.extent(in: db), start)
        }
        guard answer.seq <= log.last else {
            throw WebFailure("has \(answer.seq) events of this log, which has only \(log.last)")
        }
        let computed = try await reader.chain(at: answer.seq, from: start)
        // Where the log no longer has the events, nothing contradicts the centre.
        guard computed == nil || computed == answer else {
            throw WebFailure("has other events than this board up to \(answer.seq)")
        }
        try await store.write { try UplinkPlaces.set(answer, marks: [], in: $0) }
        return answer
    }
}

extension UplinkBatch {
    /// Returns the chains at the marks within the batch.
    func marks(after start: EventChain) -> [EventChain] {
        var (chain, marks) = (start, [EventChain]())
        for item in items {
            item.extend(&chain)
            if chain.seq % UplinkPlaces.markDistance == 0 { marks.append(chain) }
        }
        return marks
    }
}
