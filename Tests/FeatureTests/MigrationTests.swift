import Callers
import FeatureSupport
import Foundation
import GRDB
import RPC
import Store
import TestSupport
import Testing
import Tracking

@testable import Daemon
@testable import Service
@testable import Sights

/// A released store from before there were people is migrated to the present schema without losing anything.
@Suite struct MigrationTests {
    private let folder: TemporaryFolder
    /// The columns of each table of the old store, and all its rows as text.
    private let before: [String: (columns: [String], rows: [String])]
    private let features: Features
    private var context: ServiceContext { features.context }

    init() throws {
        folder = try TemporaryFolder()
        let dump = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "fixtures/store-before-people.sql")
        let path = folder.file("old.sqlite")
        let old = try DatabaseQueue(path: path)
        try old.writeWithoutTransaction { try $0.execute(sql: String(contentsOf: dump, encoding: .utf8)) }
        before = try old.read { db in
            let names = try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
            var tables: [String: (columns: [String], rows: [String])] = [:]
            for name in names {
                let columns = try db.columns(in: name).map(\.name)
                tables[name] = (columns, try Self.rows(of: name, columns, in: db))
            }
            return tables
        }
        try old.close()
        let store = try LocationDatabase.open(at: path, migrations: FeatureList.standard.migrations)
        features = Features(store: store, liveState: FakeLiveState())
    }

    private static func rows(of table: String, _ columns: [String], in db: Database) throws -> [String] {
        let list = columns.map { "quote(\"\($0)\")" }.joined(separator: " || ' ' || ")
        return try String.fetchAll(db, sql: "SELECT \(list) FROM \"\(table)\"").sorted()
    }

    private func call(_ method: String, _ parameters: JSONObject = [:]) async throws -> JSONValue {
        var table = MethodTable<Principal>(title: "Test", version: "1") { Issue.record("\($0) failed: \($1)") }
        table.add(features.methods)
        let request = Request(id: .integer(1), method: method, parameters: .named(parameters))
        let answer = try await table.dispatch(request, from: CoreFixture.guest).get()
        return try JSONValue(parsing: answer.bytes.span)
    }

    @Test func everyRowOfEveryTableIsKept() throws {
        #expect(before.count == 13)
        #expect(before["event"]?.rows.count == 19)
        for (table, (columns, rows)) in before {
            let after = try context.store.read { try Self.rows(of: table, columns, in: $0) }
            if table == "grdb_migrations" {
                #expect(Set(after).isSuperset(of: rows))
            } else {
                #expect(after == rows, "\(table)")
            }
        }
        let (integrity, orphans) = try context.store.read { db in
            (
                try String.fetchAll(db, sql: "PRAGMA integrity_check"),
                try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").count
            )
        }
        #expect(integrity == ["ok"])
        #expect(orphans == 0)
    }

    @Test func oldSightsAreFoundByTextAndHaveNoOwner() async throws {
        func found(_ text: JSONValue) async throws -> [String] {
            try await call("sights.list", ["text": text])["sights"].elements.ids
        }
        #expect(try await found("rembrandt") == ["oude-kerk"])
        #expect(try await found("station isl") == ["amsterdam-centraal"])
        #expect(try await call("sights.list")["sights"].elements.count == 10)
        let sight = try await call("sights.get", ["id": "west-mark"])
        #expect(sight["added_by"] == nil && sight["added"] == nil)
        #expect(try context.store.sightGeofences().revision == 2)
    }

    @Test func tripsAndEventsReadTheSameAfterMigration() async throws {
        let trips = try await call("trips.list")["trips"].elements
        #expect(trips.count == 4)
        for trip in trips {
            let id = try #require(trip["id"])
            #expect(try await call("trips.trace", ["id": id])["points"].elements.isEmpty == false)
        }
        let events = try context.store.events(after: 0, limit: 100)
        #expect(events.map(\.seq) == Array(1...19))
        #expect(events.allSatisfy { $0.recipient == nil })
        for event in events {
            let line = "'\(String(decoding: event.line, as: UTF8.self).replacing("'", with: "''"))'"
            #expect(before["event"]?.rows.contains { $0.contains(line) } == true)
        }
    }

    @Test func oldEventsBecomeVisitsButNoNotifications() async throws {
        let followers = LogConsumers(context, features.consumers)
        try await followers.catchUp()
        let visits = try await call("sights.visits", ["id": "on-the-line"])
        #expect(
            visits["visits"].elements == [
                [
                    "device": "antimeridian-sail", "entered": "2026-05-05T22:05:20.000Z",
                    "left": "2026-05-05T22:07:40.000Z", "trip": "antimeridian-sail@2026-05-05T22:00:00.000Z",
                ]
            ])
        #expect(try await context.store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM notification") } == 0)
        try await followers.catchUp()
        #expect(try await call("sights.visits", ["id": "on-the-line"])["count"] == 1)
    }
}
