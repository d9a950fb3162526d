import Foundation
import GRDB
import Geodesy
import Positioning
import Synchronization
import TestSupport
import Testing
import Tracking

@testable import Store

@Suite struct EventLogTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func commit(_ records: [EventRecord], to store: LocationDatabase) throws -> [EventRecord] {
        var pending = PendingCommit()
        pending.events = records
        return try store.commit(pending)
    }

    @Test func aLineIsTheEventsOwnJSON() throws {
        let store = try LocationDatabase.temporary()
        let sight = Geofence(
            identity: .init(kind: .sight, id: "a\"b"), title: "Größe\n", center: place(), radius: .meters(50))
        let index = GeofenceIndex([(geofence: sight, revision: 1)], revision: 1)
        var tracker = Tracker(device: "gps0")
        var output = Tracker.Output(wantsPositions: true)
        tracker.ingest(fix(0), in: index, into: &output)
        tracker.ingest(fix(60, 100), in: index, into: &output)
        var pending = PendingCommit()
        pending.add(output, of: "gps0")
        let events = output.events.filter(\.isDurable)
        let stored = try store.commit(pending)
        #expect(events.map(\.type) == ["geofence.enter", "geofence.dwell"])
        #expect(stored.map(\.line) == zip(events, 1...).map { $0.json(seq: $1) })
        #expect(stored.map(\.subject) == ["sight/a\"b", "sight/a\"b"])
        #expect(stored.map(\.time) == events.map(\.time))
        #expect(try store.events(after: 0, limit: 10).map(\.line) == stored.map(\.line))
        for event in stored {
            let object = try JSONSerialization.jsonObject(with: Data(event.line)) as? [String: Any]
            #expect(object?["seq"] as? Int64 == event.seq)
        }
    }

    @Test func aRecordWithoutDeviceOrSubjectIsStoredUnchanged() throws {
        let store = try LocationDatabase.temporary()
        let record = EventRecord(
            time: time(1), type: "source.offline", device: nil, subject: nil, members: Array(#""type":"x""#.utf8))
        #expect(try commit([record], to: store).first?.line == Array(#"{"seq":1,"type":"x"}"#.utf8))
        let read = try #require(try store.events(after: 0, limit: 1).first)
        #expect(read.device == nil)
        #expect(read.subject == nil)
        #expect(read.type == "source.offline")
    }

    @Test func anEventWhoseFixCameLateSaysWhenItCame() throws {
        let store = try LocationDatabase.temporary()
        let sight = Geofence(
            identity: .init(kind: .sight, id: "a"), title: "\"device\":", center: place(), radius: .meters(50))
        let index = GeofenceIndex([(geofence: sight, revision: 1)], revision: 1)
        var tracker = Tracker(device: "anna")
        var output = Tracker.Output(wantsPositions: true)
        tracker.ingest(fix(0), in: index, into: &output)
        tracker.ingest(fix(60, 100), in: index, into: &output)
        var pending = PendingCommit()
        pending.add(output, of: "anna", received: time(61))
        let stored = try store.commit(pending)
        #expect(stored.map(\.received) == [time(61), nil])
        let events = output.events.filter(\.isDurable)
        let first = String(decoding: events[0].json(seq: 1), as: UTF8.self)
        let late = first.replacing(
            ",\"device\":", with: ",\"received\":\"\(time(61))\",\"device\":", maxReplacements: 1)
        #expect(stored.map(\.line) == [Array(late.utf8), events[1].json(seq: 2)])
        let read = try store.events(after: 0, limit: 10)
        #expect(read.map(\.line) == stored.map(\.line))
        #expect(read.map(\.received) == stored.map(\.received))
        // The log has the bytes of an event in time.
        let body = try store.read { try String.fetchOne($0, sql: "SELECT body FROM event WHERE seq = 1") }
        #expect(body == first)
    }

    @Test func numbersHaveNoGapsAcrossCommitsAndReopenings() throws {
        var random = SeededGenerator(seed: 42)
        var expected: Int64 = 0
        var lines: [[UInt8]] = []
        var name: String?
        for _ in 0..<6 {
            let store = try LocationDatabase.open(at: folder.store)
            for _ in 0..<8 {
                let records = (0..<Int.random(in: 0...5, using: &random)).map { EventRecord.plain("e\($0)") }
                let stored = try commit(records, to: store)
                #expect(stored.map(\.seq) == (0..<records.count).map { expected + 1 + Int64($0) })
                expected += Int64(records.count)
                lines += stored.map(\.line)
            }
            let extent = try store.logExtent()
            #expect(extent == .init(name: name ?? extent.name, first: 1, last: expected))
            name = extent.name
            try store.close()
        }
        let reader = try LocationDatabase.openForReading(at: folder.store)
        #expect(try reader.events(after: 0, limit: .max).map(\.line) == lines)
    }

    @Test func eventsAreReadAfterANumberUpToALimit() throws {
        let store = try LocationDatabase.temporary()
        let stored = try commit((0..<10).map { .plain("e\($0)") }, to: store)
        #expect(try store.events(after: 3, limit: 4) == Array(stored[3..<7]))
        #expect(try store.events(after: 8, limit: 100) == Array(stored[8...]))
        #expect(try store.events(after: 10, limit: 100).isEmpty)
        #expect(try store.events(after: -5, limit: 1) == [stored[0]])
        #expect(try store.events(after: 0, limit: 0).isEmpty)
    }

    @Test func everyLogHasItsOwnName() throws {
        let first = try LocationDatabase.temporary().logExtent()
        let second = try LocationDatabase.temporary().logExtent()
        #expect(first.name.count == 32)
        #expect(first.name.allSatisfy { $0.isHexDigit && !$0.isUppercase })
        #expect(first.name != second.name)
        #expect(first.first == nil)
        #expect(first.last == 0)
    }

    @Test func eventsAreCountedByType() throws {
        let store = try LocationDatabase.temporary()
        #expect(try store.eventCounts().isEmpty)
        _ = try commit([.plain("a"), .plain("b"), .plain("a")], to: store)
        #expect(try store.eventCounts() == ["a": 2, "b": 1])
    }

    @Test func rowsOfAnotherModuleAndEventsCommitTogether() throws {
        let store = try LocationDatabase.temporary(
            migrations: [StoreMigration(name: "test.rows.1", sql: "CREATE TABLE row (a INTEGER)")])
        struct Refused: Error {}
        #expect(throws: Refused.self) {
            try store.write { db in
                try db.execute(sql: "INSERT INTO row VALUES (1)")
                _ = try EventLog.append([.plain("a")], to: db)
                throw Refused()
            }
        }
        let stored = try store.write { db in
            try db.execute(sql: "INSERT INTO row VALUES (2)")
            return try EventLog.append([.plain("b")], to: db)
        }
        #expect(stored.map(\.seq) == [1])
        #expect(try store.read { try Int.fetchAll($0, sql: "SELECT a FROM row") } == [2])
    }

    private func record(_ type: String, of device: String?, at seconds: Double = 0) -> EventRecord {
        EventRecord(time: time(seconds), type: type, device: device, subject: nil, members: Array("\"a\":1".utf8))
    }

    @Test func theLastSourceEventOfADeviceHasTheGreatestNumber() throws {
        let store = try LocationDatabase.temporary()
        #expect(try store.lastSourceEvents().isEmpty)
        var random = SeededGenerator(seed: 4)
        let types = ["source.online", "source.offline", "source.other", "geofence.enter", "trip.end"]
        var records: [EventRecord] = []
        for _ in 0..<400 {
            let type = types.randomElement(using: &random).known
            let device = ["", "b", "a", "é", nil].randomElement(using: &random).known
            records.append(record(type, of: device, at: .random(in: 0...1000, using: &random)))
        }
        records.append(record("source.online", of: "once"))
        let stored = try commit(records, to: store)
        var expected: [String: EventRecord] = [:]
        for event in stored where ["source.online", "source.offline"].contains(event.type) {
            if let device = event.device { expected[device] = event }
        }
        #expect(expected.count == 5)
        #expect(try store.lastSourceEvents() == expected.values.sorted { $0.device ?? "" < $1.device ?? "" })
    }

    @Test func theLastSourceEventsAreFoundWithoutReadingTheLog() throws {
        let store = try LocationDatabase.temporary()
        _ = try commit((0..<3000).map { record("geofence.enter", of: "gps\($0 % 3)") }, to: store)
        _ = try commit([record("source.offline", of: "gps1")], to: store)
        let plan = try store.read { db in
            var statements: [String] = []
            db.trace { statements.append("\($0)") }
            _ = try EventLog.lastSourceEvents(in: db)
            db.trace(options: [])
            return try statements.flatMap { try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \($0)") }
                .map { $0["detail"] as String }
        }
        let uses = plan.filter { $0.contains(" event") }
        #expect(uses.count == 4)
        #expect(uses.allSatisfy { $0.contains("event_of_source") || $0.contains("INTEGER PRIMARY KEY") }, "\(plan)")
    }
}

/// Events of the log that cannot be read.
@Suite struct DamagedEventTests {
    /// A store with nine events, in which a statement has damaged some.
    private func store(_ damage: String) throws -> LocationDatabase {
        let store = try LocationDatabase.temporary()
        var pending = PendingCommit()
        pending.events = (1...9).map { .plain("source.online", at: Double($0)) }
        _ = try store.commit(pending)
        try store.write { db in try db.execute(sql: damage) }
        return store
    }

    private static let far: Int64 = 1 << 50

    /// Statements, the numbers that a reader then gets, and which of them stand for damage.
    @Test(
        arguments: [
            ("UPDATE event SET body = '{' WHERE seq IN (3, 4)", Array(1...9), [3, 4]),
            ("UPDATE event SET time = 9223372036854775807 WHERE seq = 1", Array(1...9), [1]),
            ("UPDATE event SET time = -9223372036854775808 WHERE seq = 9", Array(1...9), [9]),
            ("DELETE FROM event WHERE seq BETWEEN 4 AND 6", [1, 2, 3, 6, 7, 8, 9], [6]),
            ("DELETE FROM event WHERE seq IN (2, 3, 4, 6, 8)", [1, 4, 5, 6, 7, 8, 9], [4, 6, 8]),
            ("UPDATE event SET body = 'null'", Array(1...9), Array(1...9)),
            ("UPDATE event SET seq = \(far) WHERE seq = 9", Array(1...8) + [far - 1, far], [far - 1]),
        ] as [(String, [Int64], [Int64])])
    func readersStepPastDamageAndLoseNoOtherEvent(_ damage: String, _ numbers: [Int64], _ damaged: [Int64]) throws {
        let store = try store(damage)
        for limit in 1...10 {
            for start in 0...9 as ClosedRange<Int64> {
                var events: [EventRecord] = []
                while true {
                    let page = try store.events(after: events.last?.seq ?? start, limit: limit)
                    events += page
                    #expect(page.count <= limit)
                    guard page.count == limit else { break }
                }
                #expect(events.map(\.seq) == numbers.filter { $0 > start }, "limit \(limit), start \(start)")
                #expect(events.filter(\.isDamaged).map(\.seq) == damaged.filter { $0 > start })
                let firsts = ([start] + events.dropLast().map { $0.seq ?? 0 }).map { $0 + 1 }
                #expect(events.map(\.firstSeq) == firsts.prefix(events.count).map(Optional.init))
            }
        }
    }

    @Test func theStoreTellsWhatItHasLeftOut() throws {
        let store = try store("UPDATE event SET time = 9223372036854775807 WHERE seq = 5")
        #expect(store.damage.details == [])
        let told = Mutex<[String]>([])
        store.damage.observe { detail in told.withLock { $0.append(detail) } }
        for _ in 0..<3 { _ = try store.events(after: 0, limit: 10) }
        let words = "the column time of the table event holds 9223372036854775807, in the row with number 5"
        #expect(store.damage.details == [words])
        #expect(told.withLock { $0 } == [words])
    }

    /// Older events were deleted, so nothing is missing before the first one.
    @Test func aLogThatWasPrunedHasNoGapAtItsBeginning() throws {
        let store = try store("DELETE FROM event WHERE seq <= 4")
        #expect(try store.events(after: 0, limit: 10).map(\.seq) == [5, 6, 7, 8, 9])
        #expect(try store.events(after: 4, limit: 2).map(\.seq) == [5, 6])
        try store.write { db in try db.execute(sql: "UPDATE event SET body = '{' WHERE seq = 5") }
        #expect(try store.events(after: 0, limit: 1) == [.damaged(5)])
    }
}
