import Foundation
import GRDB
import Geodesy
import Money
import Photos
import RPC
import Reviews
import Sights
import TestSupport
import Testing
import Time

@testable import People
@testable import Plans
@testable import Service
@testable import Store

/// A store in memory with people.
struct PlansFixture {
    let queue: DatabaseQueue

    private static let migrations =
        ServiceSchema.migrations + Accounts().feature.migrations + Media.feature(nil).migrations
        + SightsFeature.feature.migrations + ReviewsFeature.feature.migrations + PlansFeature.feature(nil).migrations

    /// An empty store, of which each fixture has a copy.
    private static let template = Result { try LocationDatabase.temporary(migrations: migrations) }

    /// Makes a store with these people, who have the numbers 1, 2, … in this order.
    ///
    /// - Parameter step: The name of a step of the schema that the store does not have yet.
    init(_ people: String..., without step: String? = nil) throws {
        var configuration = GRDB.Configuration()
        configuration.foreignKeysEnabled = true
        configuration.makeSmallPages()
        queue = try DatabaseQueue(configuration: configuration)
        let template =
            try step.map { step in
                try LocationDatabase.temporary(migrations: Self.migrations.filter { $0.name != step })
            } ?? Self.template.get()
        try template.queue.backup(to: queue)
        try queue.write { db in
            for id in people { try Self.add(id, in: db) }
        }
    }

    static func add(_ id: String, in db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO person (id, first_name, last_name, email, joined, proven)
                VALUES (?, ?, 'Test', ?, 1, 1)
                """, arguments: [id, id.capitalized, "\(id)@example.org"])
    }

    static func befriend(_ one: Int64, _ other: Int64, in db: Database) throws {
        for (one, other) in [(one, other), (other, one)] {
            try db.execute(sql: "INSERT OR IGNORE INTO friend VALUES (?, ?, 0)", arguments: [one, other])
        }
    }

    /// Checks that no row refers to a missing row.
    static func checkKeys(_ db: Database) throws {
        #expect(try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").isEmpty)
    }
}

/// Returns the time that many seconds after the beginning of May 2026 (UTC).
func moment(_ seconds: Int64) -> Timestamp {
    Timestamp(rfc3339: "2026-05-01T00:00:00Z").known.advanced(byMilliseconds: seconds * 1000)
}

extension Plan.Fields {
    /// Returns the fields of a plan in Amsterdam, in euros.
    static func titled(
        _ title: String, level: Level = .friends, from start: String? = nil, to end: String? = nil
    ) throws -> Plan.Fields {
        let zone = Zone("Europe/Amsterdam").known
        var fields = Plan.Fields(title: title, zone: zone, currency: try Currency("EUR"), level: level)
        fields.span = try PlannedSpan(
            start: start.map { try PlannedTime($0, in: zone) }, end: end.map { try PlannedTime($0, in: zone) })
        return fields
    }
}

/// Expects a refusal of a kind.
func refuses(
    _ kind: Refusal.Kind, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> some Any
) {
    let error = #expect(throws: Refusal.self, comment, sourceLocation: sourceLocation) { _ = try body() }
    #expect(error?.kind == kind, "\(String(describing: error))", sourceLocation: sourceLocation)
}

/// Expects that an update from an outdated revision is refused.
func refusesOutdated(sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> some Any) {
    let error = #expect(throws: Refusal.self, sourceLocation: sourceLocation) { _ = try body() }
    #expect(error?.newerRevision != nil, "\(String(describing: error))", sourceLocation: sourceLocation)
}

/// Expects that a field is refused.
func refuses(field: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> some Any) {
    let error = #expect(throws: Refusal.self, sourceLocation: sourceLocation) { _ = try body() }
    #expect(error?.fault?.field == field, "\(String(describing: error))", sourceLocation: sourceLocation)
}

extension PlansFixture {
    /// Makes a plan and returns its owner's access.
    static func plan(_ fields: Plan.Fields, by person: Int64 = 1, in db: Database) throws -> PlanAccess {
        let number = try Plan.create(fields, by: person, at: moment(0), in: db)
        return try PlanAccess.plan(Plan.get(number, in: db).id, for: person, in: db)
    }

    /// Returns a person's access to a plan.
    static func access(_ access: PlanAccess, as person: Int64?, in db: Database) throws -> PlanAccess {
        try PlanAccess.plan(access.id, for: person, in: db)
    }

    /// Makes a person a member and returns the number of the member.
    static func join(
        _ person: Int64, _ access: PlanAccess, edits: Bool = false, travels: Bool = true, in db: Database
    ) throws -> Int64 {
        try befriend(access.person.known, person, in: db)
        let other = try People.find(number: person, in: db).known
        try PlanMember.ask(other, edits: edits, travels: travels, in: access, at: moment(0), in: db)
        _ = try PlanMember.confirm(access.id, by: person, in: db)
        return try PlanMember.find(person, of: access.plan, in: db).known.number
    }

    static func person(_ number: Int64, in db: Database) throws -> Person {
        try People.find(number: number, in: db).known
    }
}
