#if Companion
import Callers
import Foundation
import GRDB
import RPC
import Store
import TestSupport
import Testing
import Tracking

@testable import Daemon

/// Stores in which one column holds what no version of Waymark writes: a damaged card and a person with an SQLite shell
/// may leave anything there.
///
/// Every method is called, and a fix recorded. Nothing ends the process, and every call gets an answer, or an error in
/// words, which is never an internal error. `WAYMARK_TESTS=soak` tries each value in each column of each table, each
/// column once before any is tried again; `DAMAGED_STORES` is the number of stores after which it ends, and
/// `WAYMARK_SEED` the value with which it begins. Without it, `WAYMARK_SEED` chooses a few columns.
@Suite(.slow) struct DamagedColumnTests {
    private struct Damage: Sendable, CustomStringConvertible {
        var table: String
        var column: String
        var value: String

        var description: String { "\(table).\(column) = \(value)" }
    }

    /// The code of error 5, unavailable.
    private static let unavailable: Int64 = 5

    private static let values = [
        "-9223372036854775808", "9223372036854775807", "-1", "9007199254740993", "0", "9e999", "-9e999", "0.5", "'nan'",
        "''", "x'00ff'", "NULL",
    ]
    /// The columns that are tried in any run, because they once ended the process.
    private static let known = [
        ("device", "last_lat_e7"), ("location", "lon_e7"), ("activity", "lat_e7"), ("trip", "south_e7"),
        ("follower", "seq"), ("event", "body"),
    ]

    @Test func aDamagedColumnGivesAnswersOrAnErrorInWords() async throws {
        let folder = try TemporaryFolder()
        let sound = folder.file("sound.sqlite")
        let made = try await Self.make(sound)
        let columns = try Self.loosen(sound)
        let first = Int(TestTier.seed % UInt64(Self.values.count))
        let all = Self.values.indices.flatMap { round in
            columns.enumerated().map { number, column in
                let value = Self.values[(first + round + number) % Self.values.count]
                return Damage(table: column.table, column: column.column, value: value)
            }
        }
        #expect(all.count > 5_000)
        var random = SeededGenerator(seed: TestTier.seed)
        // JSON that SQLite makes of a row holds no bytes.
        let bytes = Damage(table: "location", column: "radius_m", value: "x'00ff'")
        let always =
            [bytes]
            + Self.known.flatMap { table, column in
                Self.values.prefix(2).map { Damage(table: table, column: column, value: $0) }
            }
        let most = ProcessInfo.processInfo.environment["DAMAGED_STORES"].flatMap(Int.init) ?? all.count
        let chosen = TestTier.isSoak ? Array(all.prefix(most)) : always + all.shuffled(using: &random).prefix(30)
        for (number, damage) in chosen.enumerated() {
            let path = folder.file("damaged.sqlite")
            for suffix in ["", "-wal", "-shm", ".lock"] { try? FileManager.default.removeItem(atPath: path + suffix) }
            try FileManager.default.copyItem(atPath: sound, toPath: path)
            try Self.apply(damage, to: path)
            try await Self.play(path, knowing: made, seed: TestTier.seed &+ UInt64(number), damage)
        }
        TestTier.report("\(chosen.count) damaged stores, \(columns.count) columns")
    }

    /// Makes a store with something of every kind, and returns the ids in it.
    private static func make(_ path: String) async throws -> JSONValue {
        let store = try Stores.open(at: path)
        let world = try await HostileWorld(store: store)
        let made = try await world.refresh()
        try await world.follow()
        try store.close()
        return made
    }

    /// Removes the constraints of a store, and returns its columns.
    private static func loosen(_ path: String) throws -> [(table: String, column: String)] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        try queue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    PRAGMA writable_schema = ON;
                    UPDATE sqlite_schema SET sql = replace(replace(replace(replace(
                        sql, ' IS NOT NULL', ' NOTNULL'),
                        ') STRICT, WITHOUT ROWID', ') WITHOUT ROWID'), ') STRICT', ')'), ' NOT NULL', '')
                    WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%';
                    PRAGMA writable_schema = RESET;
                    """)
        }
        return try queue.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_xinfo(t.name) c
                    WHERE t.type = 'table' AND t.rootpage > 0 AND c.hidden = 0 AND t.name NOT LIKE 'sqlite_%'
                        AND t.name NOT LIKE '%\\_data' ESCAPE '\\' AND t.name NOT LIKE 'grdb%'
                        AND t.name NOT LIKE '%\\_idx' ESCAPE '\\' AND t.name NOT LIKE '%\\_docsize' ESCAPE '\\'
                        AND t.name NOT LIKE '%\\_config' ESCAPE '\\' AND t.name NOT LIKE '%\\_content' ESCAPE '\\'
                    ORDER BY t.name, c.cid
                    """
            ).map { ($0[0], $0[1]) }
        }
    }

    private static func apply(_ damage: Damage, to path: String) throws {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF")
            let (table, column) = (damage.table.quotedDatabaseIdentifier, damage.column.quotedDatabaseIdentifier)
            // A unique column holds the value in one row. A primary key may refuse it.
            try? db.execute(sql: "UPDATE OR IGNORE \(table) SET \(column) = \(damage.value)")
        }
    }

    private static func play(
        _ path: String, knowing made: JSONValue, seed: UInt64, _ damage: Damage
    ) async throws {
        if ProcessInfo.processInfo.environment["DAMAGE_TRACE"] != nil { print(damage) }
        let store: LocationDatabase
        do {
            store = try Stores.open(at: path)
        } catch {
            #expect("\(error)".contains("damaged") || "\(error)".contains("written by"), "\(damage): \(error)")
            return
        }
        defer { try? store.close() }
        let world: HostileWorld
        do {
            world = try await HostileWorld(store: store)
        } catch {
            #expect("\(error)".contains("damaged"), "\(damage): \(error)")
            return
        }
        let document = try await world.call("rpc.discover", [:], from: world.callers[0])
        let methods = DocumentedMethod.all(of: document["result"] ?? .null).filter { $0.name != "rpc.discover" }
        #expect(methods.count > 90)
        var calls = CallGenerator(methods, seed: seed, knowing: HostileWorld.known)
        calls.learn(made)
        for caller in [0, 2] {
            for method in methods where caller == 2 || Self.reads(method.name) {
                let answer = try await world.call(method.name, calls.call(of: method), from: world.callers[caller])
                let code = answer["error"]?["code"]?.whole
                #expect(answer["result"] != nil || code != nil, "\(damage): \(method.name)")
                #expect(code != -32_603, "\(damage): \(method.name) \(world.drainFailures())")
                // The log steps past a damaged event, and the daemon's state needs no row of a table.
                let isSafe = method.name == "server.stats" || damage.table == "event" && method.name == "events.list"
                #expect(code != Self.unavailable || !isSafe, "\(damage): \(method.name) \(answer)")
            }
            // What the daemon does by itself may fail in words, too.
            try? await world.follow()
            _ = try? await world.refresh()
        }
    }

    private static func reads(_ method: String) -> Bool {
        ["list", "get", "search", "nearest", "map", "current", "feed", "find", "show", "stats", "points", "summary"]
            .contains { method.lowercased().contains($0) }
    }
}
#endif
