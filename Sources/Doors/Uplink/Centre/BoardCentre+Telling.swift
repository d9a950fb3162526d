import GRDB
import Service
import Store
import Time
import Tracking

extension BoardCentre {
    /// Tells the events of all boards that are here and were not told yet, such as after a crash.
    ///
    /// - Throws: `StoreError`. Completed work is kept.
    public func tellAll() async throws {
        for number in try await context.store.read(Boards.untold) { try await tell(number) }
    }

    /// Tells the events of a log that are here and were not told yet: they come into this machine's own log, with their
    /// devices, trips and stops.
    ///
    /// What was told and how far are written in one transaction, so each event is told once.
    ///
    /// - Throws: `StoreError`.
    func tell(_ log: Int64) async throws {
        let policy = await context.liveState.policy()
        let now = context.now()
        while try await context.editor.change({ db, consequences in
            try Self.tellSome(of: log, policy: policy, now: now, in: db, &consequences)
        }) {}
    }

    /// Tells at most a batch of events; returns whether there are more.
    private static func tellSome(
        of log: Int64, policy: TrackingPolicy, now: Timestamp, in db: Database, _ consequences: inout Consequences
    ) throws -> Bool {
        guard let state = try Boards.Telling(of: log, in: db), state.told < state.seq else { return false }
        var teller = try EventTeller(state, policy: policy, now: now, in: db)
        let items = try Boards.items(of: log, after: state.told, limit: UplinkBatch.longest, in: db)
        var told = items.isEmpty ? state.seq : state.told
        for (seq, item) in items {
            told = seq + item.count - 1
            guard case .event(let bytes) = item, try !Boards.isRepeated(bytes, seq, of: state, in: db) else { continue }
            if let record = try teller.tell(bytes, in: db) { consequences.events.append(record) }
        }
        try Boards.setTold(told, of: log, in: db)
        return told < state.seq
    }
}

/// Writes what the events of a board say into the lists of devices, trips and stops.
private struct EventTeller {
    private let board: String
    private let policy: TrackingPolicy
    private let now: Timestamp
    /// The devices of the board that are in the store.
    private var devices: Set<String>

    init(_ state: Boards.Telling, policy: TrackingPolicy, now: Timestamp, in db: Database) throws {
        board = state.board
        self.policy = policy
        self.now = now
        devices = try Boards.devices(of: state.board, in: db)
    }

    /// Writes what an event says, and returns it as the centre tells it; `nil` if it is of no concern, or makes no sense
    /// to the store.
    mutating func tell(_ bytes: [UInt8], in db: Database) throws -> EventRecord? {
        guard let event = BoardEvent(bytes, of: board), try knows(event.device, in: db) else { return nil }
        do {
            try db.inSavepoint {
                try write(event, in: db)
                return .commit
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            return nil
        }
        return event.record(at: now)
    }

    private func write(_ event: BoardEvent, in db: Database) throws {
        switch event.change {
        case .tripBegan(let trip): try HandedTravels.begin(trip, policy: policy, in: db)
        case .tripEnded(let trip):
            try HandedTravels.end(trip.summary, revision: trip.revision, policy: policy, in: db)
        case .tripGone(let id): try HandedTravels.remove(trip: id, in: db)
        case .stop(let stop): try HandedTravels.write(stop, in: db)
        case nil: break
        }
        guard let place = event.record.place else { return }
        try HandedTravels.note(event.device, at: event.record.time, place, in: db)
    }

    /// Adds a device to the store, unless the board has the most devices that one may have.
    private mutating func knows(_ device: String, in db: Database) throws -> Bool {
        guard !devices.contains(device) else { return true }
        guard devices.count < Boards.mostDevices else { return false }
        try Devices.add(device, to: db)
        devices.insert(device)
        return true
    }
}
