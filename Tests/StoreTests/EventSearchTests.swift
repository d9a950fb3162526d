import GRDB
import TestSupport
import Testing
import Tracking

@testable import Store

/// Searches of the event log, compared with a pass over all events.
@Suite struct EventSearchTests {
    private static let types = ["trip.start", "trip.end", "geofence.enter", "geofence.leave", "notification"]
    private static let patterns = types + ["trip.*", "g*", "*.e*", "trip.e*", "no.such", "a?c", "[t]rip.*"]

    /// Stores `count` events, of which most are of one type, in commits of various sizes.
    private func fill(_ store: LocationDatabase, _ count: Int, _ random: inout SeededGenerator) throws {
        var left = count
        while left > 0 {
            let size = min(left, Int.random(in: 1...700, using: &random))
            left -= size
            var pending = PendingCommit()
            pending.events = (0..<size).map { index in
                let isRare = Int.random(in: 0..<300, using: &random) == 0
                return EventRecord(
                    time: time(Double(left * 10 + index % 7)),
                    type: isRare ? Self.types.randomElement(using: &random) ?? "" : Self.types[0],
                    device: isRare ? "rare\(index % 3)" : index % 5 == 0 ? nil : "van\(index % 4)",
                    subject: isRare ? "region/r\(index % 3)" : index % 3 == 0 ? nil : "sight/s\(index % 9)",
                    recipient: isRare && index % 2 == 0 ? "ada" : nil, members: Array(#""a":1"#.utf8))
            }
            _ = try store.commit(pending)
        }
    }

    private func query(_ random: inout SeededGenerator, _ all: [EventRecord]) -> EventQuery {
        func some(_ values: [String]) -> [String] {
            Int.random(in: 0..<3, using: &random) > 0
                ? []
                : (0..<Int.random(in: 1...2, using: &random)).compactMap { _ in values.randomElement(using: &random) }
        }
        var query = EventQuery()
        query.types = some(Self.patterns)
        query.devices = some(["rare0", "rare1", "van2", "nobody"])
        query.subjects = some(["region/r1", "sight/s4", "sight/none"])
        query.kinds = some(["region", "sight", "plan"])
        query.recipient = some(["ada", "bob"]).first
        if Bool.random(using: &random) { query.from = all.randomElement(using: &random)?.time }
        if Bool.random(using: &random) { query.until = all.randomElement(using: &random)?.time }
        return query
    }

    private func matches(_ query: EventQuery, _ event: EventRecord) -> Bool {
        func matches(_ text: Substring, _ pattern: Substring) -> Bool {
            guard let first = pattern.first else { return text.isEmpty }
            if first == "*" {
                return matches(text, pattern.dropFirst()) || !text.isEmpty && matches(text.dropFirst(), pattern)
            }
            return text.first == first && matches(text.dropFirst(), pattern.dropFirst())
        }
        let isOfType = query.types.isEmpty || query.types.contains { matches(event.type[...], $0[...]) }
        let isOfDevice = query.devices.isEmpty || query.devices.contains { $0 == event.device }
        let isOfSubject = query.subjects.isEmpty || query.subjects.contains { $0 == event.subject }
        let kind: String? = event.subject.map { subject in String(subject.prefix { $0 != "/" }) }
        let isOfKind = query.kinds.isEmpty || query.kinds.contains { $0 == kind }
        let isForRecipient = query.recipient == nil || event.recipient == query.recipient
        var isInTime = true
        if let from = query.from { isInTime = event.time >= from }
        if let until = query.until { isInTime = isInTime && event.time < until }
        return isOfType && isOfDevice && isOfSubject && isOfKind && isForRecipient && isInTime
    }

    /// Returns all events that steps of a search find, and checks that each step goes on.
    private func search(
        _ query: EventQuery, from start: Int64, isBackward: Bool, limit: Int, in store: LocationDatabase
    ) throws -> [EventRecord] {
        var (place, found) = (start, [EventRecord]())
        let extent = try store.logExtent()
        let end = isBackward ? (extent.first ?? 1) - 1 : extent.last
        while isBackward ? place > end + 1 : place < end {
            let step = try store.read {
                isBackward
                    ? try EventLog.search(query, before: place, limit: limit, in: $0)
                    : try EventLog.search(query, after: place, limit: limit, in: $0)
            }
            #expect(step.events.count <= limit)
            #expect(isBackward ? step.reached < place : step.reached > place)
            guard isBackward ? step.reached < place : step.reached > place else { break }
            found += step.events
            place = step.reached
        }
        return found
    }

    @Test(.slow, arguments: 1...12)
    func aSearchFindsWhatAPassOverTheLogFinds(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let store = try LocationDatabase.temporary()
        try fill(store, 6000, &random)
        if seed.isMultiple(of: 3) {
            let first = Int64.random(in: 2...3000, using: &random)
            try await store.write { db in
                try db.execute(sql: "DELETE FROM event WHERE event.seq < ?", arguments: [first])
                try EventBlocks.forget(before: first, in: db)
            }
        }
        let all = try store.events(after: 0, limit: .max).filter { !$0.isDamaged }
        for _ in 0..<40 {
            let query = query(&random, all)
            let start = Int64.random(in: 0...6001, using: &random)
            let limit = Int.random(in: 1...80, using: &random)
            let isBackward = Bool.random(using: &random)
            let wanted = all.filter { event in
                guard let seq = event.seq else { return false }
                return (isBackward ? seq < start : seq > start) && matches(query, event)
            }
            let found = try search(query, from: start, isBackward: isBackward, limit: limit, in: store)
            #expect(found == (isBackward ? wanted.reversed() : wanted), "\(query)")
        }
    }

    /// A store without a row of the index finds the same, and so does one whose rows were made later.
    @Test func theIndexIsTheSameHoweverItWasMade() throws {
        var random = SeededGenerator(seed: 7)
        let store = try LocationDatabase.temporary()
        try fill(store, 9000, &random)
        func rows() throws -> [Row] {
            try store.read { try Row.fetchAll($0, sql: "SELECT * FROM event_block ORDER BY number") }
        }
        let made = try rows()
        #expect(made.count == 35 + 2)
        try store.write { try EventBlocks.rebuild(in: $0) }
        #expect(try rows() == made)
        var query = EventQuery()
        query.devices = ["rare1"]
        let found = try search(query, from: 0, isBackward: false, limit: 10, in: store)
        try store.write { try $0.execute(sql: "DELETE FROM event_block WHERE event_block.number % 2 = 0") }
        #expect(try search(query, from: 0, isBackward: false, limit: 10, in: store) == found)
    }

    @Test func missingAndDamagedNumbersEndNoSearch() throws {
        var random = SeededGenerator(seed: 3)
        let store = try LocationDatabase.temporary()
        try fill(store, 700, &random)
        try store.write { db in
            try db.execute(sql: "UPDATE event SET seq = 562949953421312 WHERE event.seq = 700")
            try db.execute(sql: "DELETE FROM event WHERE event.seq BETWEEN 20 AND 40")
        }
        var query = EventQuery()
        query.kinds = ["sight"]
        let all = try store.read { try Int64.fetchAll($0, sql: "SELECT seq FROM event WHERE subject LIKE 'sight/%'") }
        #expect(try search(query, from: 0, isBackward: false, limit: 9, in: store).compactMap(\.seq) == all)
        #expect(
            try search(query, from: 1 << 50, isBackward: true, limit: 9, in: store).compactMap(\.seq)
                == all.reversed())
    }

    /// A deleted end of the log is not what the index says of the events that get its numbers.
    @Test func numbersThatAreAssignedAgainAreFound() throws {
        var random = SeededGenerator(seed: 5)
        let store = try LocationDatabase.temporary()
        try fill(store, 600, &random)
        try store.write { db in
            try db.execute(sql: "DROP TRIGGER event_removed; DELETE FROM event WHERE event.seq > 300")
            try EventLog.rename(in: db)
        }
        var pending = PendingCommit()
        pending.events = (0..<400).map { _ in .plain("vote.closed") }
        _ = try store.commit(pending)
        var query = EventQuery()
        query.types = ["vote.closed"]
        #expect(try search(query, from: 0, isBackward: false, limit: 1000, in: store).count == 400)
    }
}
