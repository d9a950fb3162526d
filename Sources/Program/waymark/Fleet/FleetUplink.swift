#if Fleet
import FleetStore
import Positioning
import RPC
import Time
import Tracking
import Uplink
import WebClient

/// Hands the events and trips of a fleet to one Waymark, as a board hands its own to a centre.
///
/// Each partition is a log of the board that the fleet is to the centre. What the centre acknowledges decides where the next
/// batch begins, so nothing is kept here, and a second process that does the same changes nothing.
actor FleetUplink {
    /// Sends a body to the centre, and returns the answer.
    typealias Transport = @Sendable (_ body: [UInt8]) async throws -> WebReply

    /// A partition on its way.
    private struct Lane {
        let partition: Int
        /// The name of its log.
        let log: String
        /// What the centre has; `nil` if it was not asked yet.
        var place: UplinkAnswer?
        /// The last event up to which no trace is left to send.
        var traced: Int64 = 0
    }

    private let address: String
    private let transport: Transport
    private let complain: @Sendable (String) -> Void
    private let executor = QueueExecutor(label: "waymark.uplink")

    /// The executor, which the actor keeps.
    ///
    /// Calls of the database wait, which the threads of other tasks must not do.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// The longest time of a call of the database, and until a stop is noticed while nothing happens.
    private static let (patience, notice) = (Duration.seconds(30), Duration.seconds(1))
    /// The first and the longest time to wait after a failure.
    private static let (firstWait, longestWait) = (Duration.seconds(1), Duration.seconds(60))

    /// Creates the uplink of a fleet whose database has an address.
    ///
    /// - Parameter complain: Called with each failure that differs from the one before, and when all is well again.
    init(
        of address: String, complain: @escaping @Sendable (String) -> Void, transport: @escaping Transport
    ) {
        self.address = address
        self.complain = complain
        self.transport = transport
    }

    /// Sends events and traces until the task is cancelled.
    ///
    /// - Parameter isOnce: Whether to end once everything that is there was sent.
    func run(once isOnce: Bool = false) async {
        var (wait, fault): (Duration, String?) = (Self.firstWait, nil)
        while !Task.isCancelled {
            do {
                let database = try FleetDatabase(at: address, limit: Self.patience)
                // It listens first: what comes while it reads is told.
                try database.listen()
                var lanes: [Int: Lane] = [:]
                for partition in try database.status().partitions {
                    lanes[partition.id] = Lane(partition: partition.id, log: try database.logName(of: partition.id))
                }
                var waiting = Set(lanes.keys)
                while !Task.isCancelled {
                    for partition in waiting.sorted() {
                        guard var lane = lanes[partition] else { continue }
                        try await handOver(&lane, from: database)
                        lanes[partition] = lane
                    }
                    if fault != nil { complain("the centre takes events again") }
                    (waiting, wait, fault) = ([], Self.firstWait, nil)
                    if isOnce { return }
                    var time = Self.notice
                    while let partition = try database.newEvents(within: time) {
                        waiting.insert(partition)
                        time = .zero
                    }
                }
            } catch {
                let reason = (error as? WebFailure).map { "the centre \($0)" } ?? "\(error)"
                if reason != fault { complain("\(reason); trying again") }
                fault = reason
                try? await Task.sleep(for: wait)
                wait = min(wait * 2, Self.longestWait)
            }
        }
    }

    private func handOver(_ lane: inout Lane, from database: FleetDatabase) async throws {
        // A batch without events asks what the centre has.
        var place = lane.place
        if place == nil { place = try await send(UplinkBatch(after: EventChain(log: lane.log)).bytes, of: lane) }
        guard var place else { return }
        lane.place = nil
        while case let events = try database.events(
            of: lane.partition, after: place.chain.seq, limit: UplinkBatch.longest), !events.isEmpty
        {
            var batch = UplinkBatch(after: place.chain)
            for event in events where event.seq == batch.last + 1 {
                guard batch.add(.event(Self.bytes(event))) else { break }
            }
            let answer = try await send(batch.bytes, of: lane)
            guard answer.chain.seq > place.chain.seq else {
                throw WebFailure("has not taken the events after \(place.chain.seq) of partition \(lane.partition)")
            }
            place = answer
        }
        if let traces = place.traces {
            place.traces = try await handOverTraces(&lane, after: traces, from: database)
        }
        lane.place = place
    }

    /// The bytes of an event in the log of a partition.
    private static func bytes(_ event: FleetEvent) -> [UInt8] {
        Array("{\"seq\":\(event.seq),".utf8) + event.body.utf8.dropFirst()
    }

    private func handOverTraces(
        _ lane: inout Lane, after start: TracePlace, from database: FleetDatabase
    ) async throws -> TracePlace {
        var place = start
        lane.traced = max(lane.traced, place.done)
        while let event = try database.endedTrip(of: lane.partition, after: lane.traced) {
            defer { lane.traced = event.seq }
            guard let json = try? JSONValue(parsing: Array(event.body.utf8).span), let member = json["trip"],
                let trip = HandedTrip(member, device: event.device)
            else { continue }
            let points = try database.points(of: trip.summary.id)
            var next = place.next == event.seq ? place.time : nil
            // The trace of a board's trip comes after the event, and one that was sent is not replaced by none.
            guard !points.isEmpty else { continue }
            repeat {
                let rest = points.lazy.filter { point in next.map { point.fix.time ?? .earliest > $0 } ?? true }
                let part = TraceBatch(
                    log: lane.log, seq: event.seq, after: next, isFollowed: rest.count > TraceBatch.longest, trip: trip,
                    points: rest.prefix(TraceBatch.longest).map { point in
                        var fix = point.fix
                        fix.beginsSegment = point.gap
                        return fix
                    })
                let reply = try await transport(part.bytes)
                // A trace that the centre cannot read must not hold up the others.
                guard reply.status != 400 else {
                    complain("the centre cannot read the trace of \(trip.summary.id), which is left out")
                    break
                }
                guard let answer = try Self.answer(reply, of: lane).traces, answer != place else {
                    throw WebFailure("has not taken the trace of \(trip.summary.id)")
                }
                place = answer
                next = place.next == event.seq ? place.time : nil
            } while next != nil
        }
        return place
    }

    private func send(_ body: [UInt8], of lane: Lane) async throws -> UplinkAnswer {
        try Self.answer(try await transport(body), of: lane)
    }

    private static func answer(_ reply: WebReply, of lane: Lane) throws -> UplinkAnswer {
        switch reply.status {
        case 200:
            let answer = try UplinkAnswer(reply.body)
            guard answer.chain.log == lane.log else { throw WebFailure("has answered for another log") }
            return answer
        case 401: throw WebFailure("does not know this secret")
        case 409: throw WebFailure("has other events of partition \(lane.partition) than this fleet")
        default: throw WebFailure("has answered \(reply.status)")
        }
    }
}
#endif
