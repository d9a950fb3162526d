import GRDB
import Store

/// Has followers work through the event log, as it grows.
public actor LogFollowers {
    private let context: CompanionContext
    private let followers: [any LogFollower]
    /// How far each has come, also where that is not stored yet.
    private var places: [String: Int64] = [:]

    /// How many events are worked on in one transaction: a short wait for whoever else writes.
    private static let batch = 256
    /// How many events may be looked at again after a restart, rather than that a place is stored for each.
    private static let longestRepeat: Int64 = 4096

    /// Those who follow the log of a companion's store.
    public init(_ context: CompanionContext) {
        self.init(context, followers: CoreMethods.followers(context))
    }

    init(_ context: CompanionContext, followers: [any LogFollower]) {
        self.context = context
        self.followers = followers
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
            let place =
                if let known = places[follower.name] { known } else {
                    try await context.store.read { try LogFollowing.place(of: follower.name, in: $0) }
                }
            reached = min(reached, place)
        }
        return reached
    }

    /// Works on the next events of one follower; false where there were none.
    private func step(_ follower: any LogFollower) async throws -> Bool {
        let name = follower.name
        let place =
            if let known = places[name] { known } else {
                try await context.store.read { try LogFollowing.place(of: name, in: $0) }
            }
        let events = try await context.store.read { try EventLog.events(after: place, limit: Self.batch, in: $0) }
        guard let last = events.last?.seq else {
            places[name] = place
            return false
        }
        let concerns = events.contains { follower.concerns($0) }
        let stored = try await context.store.read { try LogFollowing.place(of: name, in: $0) }
        if concerns || last - stored > Self.longestRepeat {
            try await context.editor.change { db, consequences in
                let before = db.totalChangesCount
                for event in events where follower.concerns(event) {
                    try follower.take(event, in: db, &consequences)
                }
                // A place alone is not worth a write, which is why an event may come again.
                guard db.totalChangesCount > before || last - stored > Self.longestRepeat else { return }
                try LogFollowing.setPlace(of: name, to: last, in: db)
            }
        }
        places[name] = last
        return true
    }
}

extension LogFollowing {
    static func place(of name: String, in db: Database) throws -> Int64 {
        try Int64.fetchOne(db.cachedStatement(sql: "SELECT seq FROM follower WHERE name = ?"), arguments: [name]) ?? 0
    }

    static func setPlace(of name: String, to seq: Int64, in db: Database) throws {
        try db.cachedStatement(
            sql: "INSERT INTO follower VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET seq = excluded.seq"
        ).execute(arguments: [name, seq])
    }
}
