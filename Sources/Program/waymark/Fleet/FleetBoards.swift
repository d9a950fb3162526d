#if Fleet
import FleetStore
import Positioning
import Service
import Store
import TextCoding
import Time
import Tracking
import Uplink
import WebClient
import WebServer
import Worker

/// The way of a board's events from the web server to the fleet's database.
///
/// A board decides its events itself and keeps them until they are acknowledged, so they need neither queue nor worker:
/// a door writes each batch in one transaction, and answers once that is on the server's disk. If two doors get
/// batches of one log at a time, the later one reads again what is there.
actor FleetBoards: BoardReports {
    private let address: String
    /// The partition of the boards.
    private let partition: Int
    private var database: FleetDatabase?
    /// When the database may be asked again after a failure.
    private var pause = ContinuousClock.now
    private let executor = QueueExecutor(label: "waymark.boards")

    /// The executor, which the actor keeps.
    ///
    /// Calls of the database wait, which the threads of other tasks must not do.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    nonisolated var longestBody: Int { UplinkBatch.longestBody }

    /// The longest time of a call, for which other boards wait, and the time after one that failed.
    private static let (patience, rest) = (Duration.seconds(5), Duration.seconds(5))
    /// How often a batch is tried that other doors get in the way of.
    private static let tries = 3

    /// Creates the way to a database.
    ///
    /// - Parameter partition: The partition of the boards, which is the number of the others.
    init(to address: String, partition: Int) { (self.address, self.partition) = (address, partition) }

    func board(secret: String) throws -> Int64? {
        try using { database throws(FleetStoreError) in
            try database.board(ofSecret: FleetDoor.digest(of: secret))
        }
    }

    func receive(_ body: [UInt8], of board: Int64) throws -> (status: Int, body: [UInt8]) {
        do {
            if TraceBatch.begins(body) {
                let trace = try TraceBatch(body)
                return try answer { database throws(FleetStoreError) in
                    try self.store(trace, of: board, in: database)
                }
            }
            let batch = try UplinkBatch(body)
            return try answer { database throws(FleetStoreError) in
                try self.store(batch, of: board, in: database)
            }
        } catch let failure as WebFailure {
            return (400, Array("The body \(failure).".utf8))
        } catch let contradiction as UplinkBatch.Contradiction {
            return (409, Array(contradiction.text.utf8))
        }
    }

    private func answer(
        _ store: (FleetDatabase) throws(FleetStoreError) -> Result<UplinkAnswer, UplinkBatch.Contradiction>
    ) throws -> (status: Int, body: [UInt8]) {
        for left in stride(from: Self.tries - 1, through: 0, by: -1) {
            let stored: Result<UplinkAnswer, UplinkBatch.Contradiction>
            do throws(FleetStoreError) {
                stored = try using(store)
            } catch {
                guard error.kind == .fenced, left > 0 else { throw error }
                continue
            }
            return (200, try stored.get().bytes)
        }
        throw FleetStoreError.away
    }

    /// Calls a function with a connection, which is used no more after a failure.
    private func using<Value>(
        _ body: (FleetDatabase) throws(FleetStoreError) -> Value
    ) throws(FleetStoreError) -> Value {
        guard pause <= .now else { throw .away }
        do throws(FleetStoreError) {
            return try body(connected())
        } catch {
            if error.kind != .fenced {
                database = nil
                pause = .now + Self.rest
            } else if database?.isUsable != true {
                database = nil
            }
            throw error
        }
    }

    private func connected() throws(FleetStoreError) -> FleetDatabase {
        if let database { return database }
        let made = try FleetDatabase(at: address, limit: Self.patience)
        database = made
        return made
    }

    // MARK: Events

    private func store(
        _ batch: UplinkBatch, of board: Int64, in database: FleetDatabase
    ) throws(FleetStoreError) -> Result<UplinkAnswer, UplinkBatch.Contradiction> {
        let none = EventChain(log: batch.chain.log)
        // A log begins with its first event; the board sends that again if it is told that nothing is here.
        let start = batch.first == 1 ? none.digest : nil
        guard
            var log = try database.log(
                batch.chain.log, ofBoard: board, orFrom: start, mostLogs: Boards.mostLogs)
        else {
            guard start == nil else { return .failure(.tooManyLogs) }
            return .success(UplinkAnswer(chain: none, traces: TracePlace(done: 0)))
        }
        var chain = EventChain(log: batch.chain.log, seq: log.seq, digest: log.chain)
        let news: [(seq: Int64, item: UplinkBatch.Item)]
        do throws(UplinkBatch.Contradiction) {
            news = try batch.continuation(of: chain).items
        } catch {
            return .failure(error)
        }
        guard !news.isEmpty else { return .success(Self.answer(chain, log)) }
        do throws(FleetStoreError) {
            try commit(news[...], telling: true, &chain, &log, in: database)
        } catch {
            // The database does not take a value: what is wrong with one event must not hold up the others.
            guard error.kind == .unusableValue else { throw error }
            // A connection is used no more after a failure.
            self.database = nil
            for piece in news {
                let item = [piece][...]
                do throws(FleetStoreError) {
                    try commit(item, telling: true, &chain, &log, in: connected())
                } catch {
                    guard error.kind == .unusableValue else { throw error }
                    Failure.report("event \(piece.seq) of the board \(log.board) is kept and not told: \(error)")
                    self.database = nil
                    try commit(item, telling: false, &chain, &log, in: connected())
                }
            }
        }
        return .success(Self.answer(chain, log))
    }

    /// Writes consecutive items of a log, and moves the chain and the log on.
    ///
    /// - Parameter tells: Whether readers get the events.
    private func commit(
        _ items: ArraySlice<(seq: Int64, item: UplinkBatch.Item)>, telling tells: Bool, _ chain: inout EventChain,
        _ log: inout BoardLog, in database: FleetDatabase
    ) throws(FleetStoreError) {
        var next = chain
        var commit = BoardCommit(to: log)
        for (seq, item) in items {
            commit.items.append(BoardItem(seq: seq, content: item.content))
            item.extend(&next)
        }
        (commit.next.seq, commit.next.chain) = (next.seq, next.digest)
        if tells { try tell(&commit, in: database) }
        try database.commit(commit, in: partition)
        (chain, log) = (next, commit.next)
    }

    /// Adds what the events of a commit mean for the readers of the fleet.
    private func tell(_ commit: inout BoardCommit, in database: FleetDatabase) throws(FleetStoreError) {
        let log = commit.log
        let repeated = try database.repeated(commit.items, in: log)
        var events: [BoardEvent] = []
        for item in commit.items where !repeated.contains(item.seq) {
            guard case .event(let bytes) = item.content, let event = BoardEvent(bytes, of: log.board),
                FixBatch.isName(event.device)
            else { continue }
            events.append(event)
        }
        let devices = Set(events.map(\.device))
        let new = devices.subtracting(try database.known(among: devices))
        // A board's secret must not fill the database.
        let room = log.devices + new.count <= Boards.mostDevices
        for event in events where room || !new.contains(event.device) {
            let record = event.record
            commit.events.append(
                BoardCommit.ToldEvent(
                    time: record.time, type: record.type, device: event.device, subject: record.subject,
                    place: record.place, body: String(decoding: record.line, as: UTF8.self)))
            if let change = event.change { commit.travels.append(contentsOf: Self.writes(change)) }
        }
        commit.newDevices = room ? new.count : 0
    }

    private static func writes(_ change: BoardEvent.Change) -> [PartitionCommit.TravelWrite] {
        switch change {
        case .tripBegan(let trip): [.tripBegan(trip)]
        // The event of its beginning may be missing.
        case .tripEnded(let trip): [.tripBegan(trip.summary), .tripEnded(trip.summary)]
        case .tripGone(let id): [.tripRemoved(id)]
        case .stop(let stop): [.stop(stop)]
        }
    }

    private static func answer(_ chain: EventChain, _ log: BoardLog) -> UplinkAnswer {
        UplinkAnswer(chain: chain, traces: log.traces)
    }

    // MARK: Traces

    private func store(
        _ batch: TraceBatch, of board: Int64, in database: FleetDatabase
    ) throws(FleetStoreError) -> Result<UplinkAnswer, UplinkBatch.Contradiction> {
        guard let log = try database.log(batch.log, ofBoard: board, orFrom: nil, mostLogs: Boards.mostLogs) else {
            return .success(UplinkAnswer(chain: EventChain(log: batch.log), traces: TracePlace(done: 0)))
        }
        let chain = EventChain(log: batch.log, seq: log.seq, digest: log.chain)
        // The event comes first, which has added the trip.
        guard batch.seq <= log.seq, log.traces.takes(batch) else { return .success(Self.answer(chain, log)) }
        var commit = BoardCommit(to: log)
        let place = log.traces.following(batch)
        (commit.next.traced, commit.next.tracing, commit.next.tracingTime) = (place.done, place.next, place.time)
        let trip = batch.trip.named(by: log.board)
        let id = trip.summary.id
        if try database.hasTrip(id) {
            // The first part takes the place of the whole trace.
            if batch.after == nil { commit.travels.append(.truncated(trip: id, after: .earliest)) }
            if let points = PackedTrace(batch.points.map { (fix: $0, gap: $0.beginsSegment) }) {
                commit.travels.append(.points(points, trip: id))
            }
            if !batch.isFollowed { commit.events.append(Self.traced(trip)) }
        }
        try database.commit(commit, in: partition)
        return .success(Self.answer(chain, commit.next))
    }
}

extension FleetBoards {
    /// The event that tells readers that the trace of a trip is there, as a centre does.
    fileprivate static func traced(_ trip: HandedTrip) -> BoardCommit.ToldEvent {
        let now = Timestamp.now
        var json = JSONWriter()
        json.object { json in
            json.member("type", EventRecord.tripRevised)
            json.member("time", now.description)
            json.member("device", trip.summary.device)
            json.object("trip") { trip.writeMembers(to: &$0) }
            json.member("change", "late")
        }
        return BoardCommit.ToldEvent(
            time: now, type: EventRecord.tripRevised, device: trip.summary.device,
            subject: "trip/\(trip.summary.id)", place: nil, body: String(decoding: json.bytes, as: UTF8.self))
    }
}

extension BoardLog {
    /// How far the traces of the log's trips are.
    fileprivate var traces: TracePlace { TracePlace(done: traced, next: tracing, time: tracingTime) }
}

extension UplinkBatch.Item {
    /// The item as the database keeps it.
    fileprivate var content: BoardItem.Content {
        switch self {
        case .event(let bytes): .event(bytes)
        case .digest(let digest): .digest(digest)
        case .missing(let count): .missing(count)
        }
    }
}

extension BoardItem {
    /// The item as a board sends it.
    var item: UplinkBatch.Item {
        switch content {
        case .event(let bytes): .event(bytes)
        case .digest(let digest): .digest(digest)
        case .missing(let count): .missing(count)
        }
    }
}
#endif
