import FeatureSupport
import Foundation
import GRDB
import Geodesy
import Photos
import Plans
import RPC
import Reviews
import Sights
import TestSupport
import Testing
import Time
import Tracking

@testable import People
@testable import Service
@testable import Store
@testable import Votes

/// A store with people, and the notifications and geofences that it has produced.
final class VotesFixture {
    /// The path of the file; empty for a store in memory.
    let path: String
    private(set) var queue: DatabaseQueue
    var now = moment(0)
    /// The notifications so far; `watched` holds the ids of watched votes.
    private(set) var told: [NotificationDraft] = []
    private(set) var watched: Set<String> = []

    /// An empty store, of which each fixture has a copy.
    private static let template = Result {
        try LocationDatabase.temporary(
            migrations: ServiceSchema.migrations + Accounts().feature.migrations + Media.feature(nil).migrations
                + SightsFeature.feature.migrations + ReviewsFeature.feature.migrations
                + PlansFeature.feature(nil).migrations
                + VotesFeature.feature(Accounts()).migrations)
    }

    /// Makes a store with these people, who have the numbers 1, 2, … in this order.
    init(_ people: String..., path: String = "") throws {
        self.path = path
        queue = try Self.open(path)
        try Self.template.get().queue.backup(to: queue)
        try queue.write { db in
            for id in people { try Self.add(id, in: db) }
        }
    }

    private static func open(_ path: String) throws -> DatabaseQueue {
        var configuration = GRDB.Configuration()
        configuration.foreignKeysEnabled = true
        configuration.makeSmallPages()
        // Power cuts are tested elsewhere, so the file need not be synced.
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY") }
        return try path.isEmpty
            ? DatabaseQueue(configuration: configuration) : DatabaseQueue(path: path, configuration: configuration)
    }

    /// Closes the file and opens it again, as a restart of the daemon does.
    func restart() throws {
        try queue.close()
        queue = try Self.open(path)
    }

    static func add(_ id: String, name: String? = nil, in db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO person (id, first_name, last_name, email, joined, proven)
                VALUES (?, ?, 'Test', ?, 1, 1)
                """, arguments: [id, name ?? id.capitalized, "\(id)@example.org"])
    }

    /// Makes a change as the editor does, and collects its consequences.
    @discardableResult
    func change<Value>(_ body: (Database, inout Consequences) throws -> Value) throws -> Value {
        var consequences = Consequences()
        let value = try queue.write { try body($0, &consequences) }
        told += consequences.notifications
        for change in consequences.geofences {
            switch change {
            case .watched(let geofence, _): watched.insert(geofence.identity.id)
            case .removed(let identity, _): watched.remove(identity.id)
            }
        }
        return value
    }

    /// Runs all due timers, as the daemon does.
    func catchUp() throws {
        while let due = try queue.read({ try VoteEnds().due(at: now, in: $0) }), due <= now {
            try change { try VoteEnds().work(at: now, in: $0, &$1) }
        }
    }

    /// Opens a vote as the person with number `person`.
    func open(
        _ options: [String] = ["Pizza", "Soup", "Salad"], participants: Int = 3, limit: Vote.Limit = .hour,
        by person: Int64 = 1
    ) throws -> Vote {
        try change { db, consequences in
            let vote = try Vote.open(
                Vote.Draft(
                    given: "Lunch", options: options, participants: participants, limit: limit, colour: .red),
                passcode: "kept", by: person, at: Coordinate(latitude: 52.37, longitude: 4.89).known, now: now, in: db)
            consequences.geofences = try VoteGeofences.watching(vote, in: db)
            return vote
        }
    }

    /// Admits a person and makes them choose.
    func choose(_ option: Int, _ person: Int64, _ vote: Vote) throws {
        try change { db, _ in
            try Ballot.admit(person, to: vote, in: db)
            try Ballot.choose(option, by: person, in: vote, at: now, in: db)
        }
    }

    /// Makes a person finish.
    ///
    /// - Returns: whether the initiator is to be notified of a duplicate name.
    @discardableResult
    func finish(_ person: Int64, _ vote: Vote) throws -> Bool {
        try change { db, consequences in
            let me = try People.find(number: person, in: db).known
            let isWrong = try Ballot.finish(by: me, in: Vote.get(vote.number, in: db), at: now, in: db)
            try VoteEnds.endIfFull(vote.number, at: now, in: db, &consequences)
            return isWrong
        }
    }

    /// Makes a change to the names of a vote.
    func look(_ vote: Vote, _ body: (Vote, Database) throws -> Void) throws {
        try change { db, consequences in
            try body(Vote.get(vote.number, in: db), db)
            try VoteEnds.endIfFull(vote.number, at: now, in: db, &consequences)
        }
    }

    func remove(_ person: Int64) throws {
        try change { db, _ in try People.remove(People.find(number: person, in: db).known, in: db) }
    }

    func vote(_ vote: Vote) throws -> Vote { try queue.read { try Vote.get(vote.number, in: $0) } }

    func result(_ vote: Vote) throws -> VoteResult? {
        try queue.read { try VoteResult.of(Vote.get(vote.number, in: $0), in: $0) }
    }

    func names(_ vote: Vote) throws -> [String] { try queue.read { try vote.names(in: $0) } }

    func conflicts(_ vote: Vote) throws -> [Conflict] { try queue.read { try Conflict.list(of: vote, in: $0) } }

    /// Checks that no row refers to a missing row.
    func checkKeys() throws {
        #expect(try queue.read { try Row.fetchAll($0, sql: "PRAGMA foreign_key_check").isEmpty })
    }
}

/// Expects a refusal of a kind.
func refuses(
    _ kind: Refusal.Kind, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> some Any
) {
    let error = #expect(throws: Refusal.self, sourceLocation: sourceLocation) { _ = try body() }
    #expect(error?.kind == kind, "\(String(describing: error))", sourceLocation: sourceLocation)
}
