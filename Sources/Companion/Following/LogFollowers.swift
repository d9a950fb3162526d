import GRDB
import Store

/// Has followers work through the event log, as it grows.
///
/// An event that matters to nobody costs a step in a read of the store; one that does, a transaction, which a fix may
/// have to wait for no longer than for a commit of its own.
public actor LogFollowers {
    /// What is told of an event that a follower could not work on, and has passed over.
    public typealias FaultReport = @Sendable (_ follower: String, _ seq: Int64, _ error: any Error) -> Void

    private let store: LocationDatabase
    private let editor: Editor
    private let followers: [any LogFollower]
    private let report: FaultReport
    private var places: [String: Place] = [:]

    /// How far a follower has come.
    private struct Place {
        /// Up to where it has looked.
        var seen: Int64
        /// Up to where that is stored.
        var stored: Int64
    }

    /// An event that a follower could not work on.
    private struct Fault: Sendable {
        let seq: Int64
        let error: any Error
    }

    /// How many events are looked at in one read, and worked on in one transaction at most: a short wait for whoever
    /// else writes.
    static let batch = 256
    /// How many events that matter to nobody may be looked at again after a restart, rather than that a place is stored
    /// for each.
    static let longestRepeat: Int64 = 4096

    /// Those who follow the log of a companion's store.
    public init(_ context: CompanionContext, report: @escaping FaultReport = { _, _, _ in }) {
        self.init(context, followers: CoreMethods.followers(context), report: report)
    }

    init(
        _ context: CompanionContext, followers: [any LogFollower], report: @escaping FaultReport = { _, _, _ in }
    ) {
        store = context.store
        editor = context.editor
        self.followers = followers
        self.report = report
    }

    /// Works on every event that is in the log and has not been worked on.
    ///
    /// - Throws: `StoreError`; what was done before stays done, and the next call goes on from there.
    public func catchUp() async throws {
        for follower in followers {
            while try await step(follower) {}
        }
    }

    /// The number of the last event that all of them have worked on: those after it must be kept.
    ///
    /// - Throws: `StoreError`.
    public func reached() async throws -> Int64 {
        var reached = Int64.max
        for follower in followers {
            let name = follower.name
            let place =
                if let known = places[name]?.seen { known } else {
                    try await store.read { try LogFollowing.place(of: name, in: $0) ?? LogFollowing.end(in: $0) }
                }
            reached = min(reached, place)
        }
        return reached
    }

    /// Works on the next events of one follower; false where there are no more.
    private func step(_ follower: any LogFollower) async throws -> Bool {
        let (name, known) = (follower.name, places[follower.name])
        let (from, last, count, mattering) = try await store.read { db in
            var from = known
            if from == nil {
                let stored = try LogFollowing.place(of: name, in: db) ?? LogFollowing.end(in: db)
                from = Place(seen: stored, stored: stored)
            }
            var place = from ?? Place(seen: 0, stored: 0)
            if follower.worksInCommits, let stored = try LogFollowing.place(of: name, in: db) {
                place = Place(seen: max(place.seen, stored), stored: stored)
            }
            let events = try EventLog.events(after: place.seen, limit: Self.batch, in: db)
            let mattering = try Self.mattering(events, to: follower, in: db)
            return (place, events.last?.seq ?? place.seen, events.count, mattering)
        }
        var place = Place(seen: last, stored: from.stored)
        if !mattering.isEmpty || last - from.stored > Self.longestRepeat {
            try await work(follower, on: mattering, after: from.stored, upTo: last)
            place.stored = last
        }
        places[name] = place
        return count == Self.batch
    }

    /// Has followers without consequences work in the commits that append events, from now on.
    ///
    /// - Returns: whether they do; false where one has something left to catch up with.
    /// - Throws: `StoreError`.
    public func joinCommits() async throws -> Bool {
        let (followers, report, store) = (followers.filter(\.worksInCommits), report, store)
        let seen = places.mapValues(\.seen)
        // No commit comes between the look at the log and the joining.
        return try await store.write { db in
            let end = try LogFollowing.end(in: db)
            for follower in followers {
                guard let place = seen[follower.name], end - place <= Self.batch else { return false }
                let left = try EventLog.events(after: place, limit: Self.batch, in: db)
                guard try Self.mattering(left, to: follower, in: db).isEmpty else { return false }
            }
            store.followCommits { events, db in
                for follower in followers {
                    let mattering = try Self.mattering(events, to: follower, in: db)
                    guard let last = mattering.last?.seq else { continue }
                    var none = Consequences()
                    let faults = try Self.work(follower, on: mattering, upTo: last, in: db, &none)
                    for fault in faults { report(follower.name, fault.seq, fault.error) }
                }
            }
            return true
        }
    }

    private static func mattering(
        _ events: [StoredEvent], to follower: any LogFollower, in db: Database
    ) throws -> [StoredEvent] {
        try events.filter { try follower.concerns($0) && follower.matters($0, in: db) }
    }

    /// Works on events, and keeps that everything up to `last` was seen.
    private func work(
        _ follower: any LogFollower, on events: [StoredEvent], after place: Int64, upTo last: Int64
    ) async throws {
        let faults = try await editor.change { db, consequences in
            // Whatever another has worked on meanwhile is done.
            let stored = try LogFollowing.place(of: follower.name, in: db) ?? place
            guard last > stored else { return [Fault]() }
            return try Self.work(follower, on: events.filter { $0.seq > stored }, upTo: last, in: db, &consequences)
        }
        for fault in faults { report(follower.name, fault.seq, fault.error) }
    }

    private static func work(
        _ follower: any LogFollower, on events: [StoredEvent], upTo last: Int64, in db: Database,
        _ consequences: inout Consequences
    ) throws -> [Fault] {
        var faults: [Fault] = []
        for event in events {
            let before = consequences
            do {
                try db.inSavepoint {
                    try follower.take(event, in: db, &consequences)
                    return .commit
                }
            } catch let error where isOfEvent(error) {
                // It would fail each time, and hold up all that follow.
                consequences = before
                faults.append(Fault(seq: event.seq, error: error))
            }
        }
        try LogFollowing.setPlace(of: follower.name, to: last, in: db)
        return faults
    }

    /// Whether an error comes of an event itself, rather than of a store that cannot be written now.
    private static func isOfEvent(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return true }
        return [.SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_TOOBIG, .SQLITE_RANGE, .SQLITE_ERROR]
            .contains(error.resultCode)
    }
}
