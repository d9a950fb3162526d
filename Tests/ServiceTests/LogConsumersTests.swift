import FeatureSupport
import GRDB
import Store
import Synchronization
import Testing
import Tracking

@testable import Notifications
@testable import Service

/// Log consumers take each event that matters to them once, and write nothing for other events.
@Suite struct LogConsumersTests {
    /// A consumer of the events of the sight mill, which fails for the events in `faults`.
    private final class Listener: LogConsumer {
        let name = "listener"
        let worksInCommits: Bool
        let faults = Mutex<Set<Int64>>([])
        let taken = Mutex<[Int64]>([])
        /// The event for which it makes a notification with an invalid destination.
        let misled = Mutex<Int64?>(nil)

        init(worksInCommits: Bool = false) { self.worksInCommits = worksInCommits }

        func concerns(_ event: EventRecord) -> Bool { event.type == "geofence.enter" }
        func matters(_ event: EventRecord, in db: Database) throws -> Bool { event.subject == "sight/mill" }
        func consume(_ event: EventRecord, in db: Database, _ consequences: inout Consequences) throws {
            struct Fault: Error {}
            let seq = try #require(event.seq)
            try db.execute(sql: "INSERT INTO subject (id) VALUES ('event/' || ?)", arguments: [seq])
            consequences.events.append(
                EventRecord(time: event.time, type: "heard", device: nil, subject: nil, members: []))
            if misled.withLock({ $0 == seq }) {
                consequences.notifications.append(
                    NotificationDraft(
                        to: "ada", .notice, at: event.time, key: "misled", text: "Nowhere.", destination: "ftp://x"))
            }
            if faults.withLock({ $0.contains(seq) }) { throw Fault() }
            taken.withLock { $0.append(seq) }
        }
    }

    private func follow(_ core: CoreFixture, _ listener: Listener) -> LogConsumers {
        LogConsumers(core.context, [listener]) { _, _, _ in }
    }

    /// Commits an event, as trackers do.
    private func commit(_ core: CoreFixture, _ sight: String) throws {
        var pending = PendingCommit()
        pending.events = [
            EventRecord(
                time: moment(0), type: "geofence.enter", device: "gps0", subject: "sight/\(sight)", members: [])
        ]
        _ = try core.store.commit(pending)
    }

    private func heard(_ core: CoreFixture) async throws -> [String] {
        try await core.store.read { try String.fetchAll($0, sql: "SELECT id FROM subject ORDER BY number") }
    }

    @Test func eventsThatMatterToNoConsumerCauseNoWrites() async throws {
        let core = try CoreFixture()
        let listener = Listener()
        let followers = follow(core, listener)
        for number in 0..<600 { try await core.log(number.isMultiple(of: 2) ? .enter : .exit, "fort") }
        let before = core.store.commits
        try await followers.catchUp()
        #expect(core.store.commits == before)
        try await core.log(.enter, "mill")
        try await followers.catchUp()
        #expect(core.store.commits == before + 2)
        #expect(listener.taken.withLock { $0 } == [601])
        // The position is stored with what the consumer wrote, so another consumer starts after it.
        let second = Listener()
        try await follow(core, second).catchUp()
        #expect(second.taken.withLock { $0 }.isEmpty)
        #expect(try await heard(core) == ["event/601"])
    }

    @Test func thePositionIsStoredFromTimeToTimeEvenIfNoEventMatters() async throws {
        let core = try CoreFixture()
        let record = EventRecord(try await core.log(.enter, "fort"))
        try await core.store.write { db in
            _ = try EventLog.append(
                Array(repeating: record, count: Int(LogConsumers.longestRepeat) + LogConsumers.batch), to: db)
        }
        try await follow(core, Listener()).catchUp()
        let place = try await core.store.read { try LogProgress.position(of: "listener", in: $0) }
        #expect(place ?? 0 > LogConsumers.longestRepeat - Int64(LogConsumers.batch))
    }

    @Test func anEventThatFailsIsSkippedAndRolledBack() async throws {
        let core = try CoreFixture()
        for _ in 1...3 { try await core.log(.enter, "mill") }
        let listener = Listener()
        listener.faults.withLock { $0 = [2] }
        let reported = Mutex<[Int64]>([])
        let followers = LogConsumers(core.context, [listener]) { _, seq, _ in
            reported.withLock { $0.append(seq) }
        }
        try await followers.catchUp()
        #expect(reported.withLock { $0 } == [2])
        #expect(try await heard(core) == ["event/1", "event/3"])
        #expect(core.liveState.told.count == 2)
    }

    @Test func aRefusedNotificationFailsOnlyItsOwnEvent() async throws {
        let core = try CoreFixture()
        for _ in 1...3 { try await core.log(.enter, "mill") }
        let listener = Listener()
        listener.misled.withLock { $0 = 2 }
        let reported = Mutex<[Int64]>([])
        let followers = LogConsumers(core.context, [listener]) { _, seq, _ in
            reported.withLock { $0.append(seq) }
        }
        try await followers.catchUp()
        #expect(reported.withLock { $0 } == [2])
        #expect(try await heard(core) == ["event/1", "event/3"])
    }

    @Test func afterAStoreErrorTheSameEventIsRetried() async throws {
        let core = try CoreFixture()
        try await core.log(.enter, "mill")
        let followers = follow(core, Listener())
        // A trigger makes the consumer's write larger than the store may grow.
        try await core.store.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE filler (text);
                    CREATE TRIGGER filling BEFORE INSERT ON subject BEGIN
                        INSERT INTO filler VALUES (zeroblob(1000000));
                    END
                    """)
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            try db.execute(sql: "PRAGMA max_page_count = \(pages + 1)")
        }
        await #expect(throws: StoreError.self) { try await followers.catchUp() }
        #expect(try await heard(core).isEmpty)
        try await core.store.write { db in
            try db.execute(sql: "PRAGMA max_page_count = 1000000")
            try db.execute(sql: "DROP TRIGGER filling")
        }
        try await followers.catchUp()
        #expect(try await heard(core) == ["event/1"])
    }

    @Test func deletedEventsAreSkipped() async throws {
        let core = try CoreFixture()
        for _ in 1...3 { try await core.log(.enter, "mill") }
        try await core.store.write { try $0.execute(sql: "DELETE FROM event WHERE seq < 3") }
        try await follow(core, Listener()).catchUp()
        #expect(try await heard(core) == ["event/3"])
    }

    @Test func aPositionBeyondTheLogCountsAsItsEnd() async throws {
        let core = try CoreFixture()
        try await core.log(.enter, "mill")
        try await core.store.write { try LogProgress.setPosition(of: "listener", to: 1000, in: $0) }
        let followers = follow(core, Listener())
        try await followers.catchUp()
        try await core.log(.enter, "mill")
        try await followers.catchUp()
        #expect(try await heard(core) == ["event/2"])
    }

    @Test func aConsumerThatWorksInCommitsTakesEventsInTheirCommit() async throws {
        let core = try CoreFixture()
        try commit(core, "mill")
        let listener = Listener(worksInCommits: true)
        let followers = follow(core, listener)
        // The consumer catches up with existing events before it joins the commits.
        #expect(try await !followers.joinCommits())
        try await followers.catchUp()
        #expect(try await followers.joinCommits())
        let before = core.store.commits
        try commit(core, "mill")
        try commit(core, "fort")
        #expect(core.store.commits == before + 2)
        // Event 2 is the one that the consumer appended for the first event.
        #expect(listener.taken.withLock { $0 } == [1, 3])
        try await followers.catchUp()
        #expect(listener.taken.withLock { $0 } == [1, 3])
        // Another consumer of the same name starts after these events, as after a restart.
        let second = Listener()
        try await follow(core, second).catchUp()
        #expect(second.taken.withLock { $0 }.isEmpty)
    }

    @Test func aConsumerErrorDoesNotFailTheCommit() async throws {
        let core = try CoreFixture()
        let listener = Listener(worksInCommits: true)
        let followers = follow(core, listener)
        try await followers.catchUp()
        #expect(try await followers.joinCommits())
        listener.faults.withLock { $0 = [1] }
        try commit(core, "mill")
        try commit(core, "mill")
        #expect(try core.store.events(after: 0, limit: 9).count == 2)
        #expect(try await heard(core) == ["event/2"])
    }

    @Test func concurrentConsumersOfOneNameTakeEachEventOnce() async throws {
        let core = try CoreFixture()
        for _ in 1...20 { try await core.log(.enter, "mill") }
        let followers = follow(core, Listener())
        let other = follow(core, Listener())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for one in [followers, followers, other] { group.addTask { try await one.catchUp() } }
            try await group.waitForAll()
        }
        #expect(try await heard(core) == (1...20).map { "event/\($0)" })
    }
}

extension EventRecord {
    /// Copies a stored event.
    fileprivate init(_ event: EventRecord) {
        self.init(
            time: event.time, type: event.type, device: event.device, subject: event.subject,
            members: Array(event.line.drop { $0 != UInt8(ascii: ",") }.dropFirst().dropLast()))
    }
}
