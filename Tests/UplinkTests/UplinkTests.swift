import Crypto
import FeatureSupport
import Foundation
import GRDB
import RPC
import Service
import Synchronization
import TestSupport
import Testing
import Time
import Tracking
import WebClient

@testable import Store
@testable import Uplink

/// The uplink from a board to a centre, two stores in one process with a bad network between them.
@Suite struct UplinkTests {
    private let pair: BoardAndCentre
    private var board: LocationDatabase { pair.board }
    private var centre: CoreFixture { pair.centre }

    init() async throws { pair = try await BoardAndCentre { $0.recipient == nil } }

    /// Appends events of different lengths, every seventh for one person.
    private func log(_ count: Int, padding: Int = 40) async throws {
        try await board.write { db in
            for index in 0..<count {
                let text = String(repeating: "é", count: (index * 13) % max(1, padding))
                let members = #""type":"trip.start","time":"\#(moment(0))","device":"van","text":"\#(text)""#
                _ = try EventLog.append(
                    [
                        EventRecord(
                            time: moment(Double(index)), type: "trip.start", device: "van", subject: nil,
                            recipient: index % 7 == 6 ? "ada" : nil, members: Array(members.utf8))
                    ], to: db)
            }
        }
    }

    /// The bytes of all events of the board, computed without the code under test.
    private func stored() async throws -> [[UInt8]] {
        try await board.read { db in
            try Data.fetchAll(db, sql: "SELECT CAST(event.body AS BLOB) FROM event ORDER BY event.seq").map {
                Array($0)
            }
        }
    }

    /// Checks that the centre has each event of the board once and in order, and that both chains are right.
    private func checkCentre(_ comment: Comment? = nil) async throws {
        let lines = try await stored()
        let name = try board.logExtent().name
        var chain = Array(SHA256.hash(data: Data(name.utf8)))
        for line in lines { chain = Array(SHA256.hash(data: Data(chain + SHA256.hash(data: Data(line))))) }
        let log = try #require(try await centre.store.read { try Boards.logs(in: $0) }.first { $0.chain.log == name })
        #expect(log.chain.seq == Int64(lines.count), comment)
        #expect(log.chain.digest == chain, comment)
        let own = try await board.read { try UplinkPlaces.acknowledged(of: name, in: $0) }
        #expect(own == log.chain, comment)
        let rows = try await centre.store.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT board_event.seq, board_event.bytes, board_event.digest FROM board_event
                    WHERE board_event.log = ? ORDER BY board_event.seq
                    """, arguments: [log.number]
            ).map { (seq: $0[0] as Int, bytes: $0[1] as Data?, digest: $0[2] as Data?) }
        }
        #expect(rows.map(\.seq) == Array(1...lines.count), comment)
        for (row, line) in zip(rows, lines) {
            let isPrivate = row.digest != nil
            #expect(isPrivate == (row.bytes == nil))
            #expect(row.bytes.map { Array($0) } ?? line == line)
            #expect(row.digest.map { Array($0) } ?? Array(SHA256.hash(data: line)) == Array(SHA256.hash(data: line)))
        }
    }

    @Test func theCentreHasEveryEventAndPrivateOnesAsDigests() async throws {
        try await log(500)
        let reports = Mutex<[BoardUplink.Report]>([])
        await pair.uplink(pair.reliable).run(pair.once) { report in reports.withLock { $0.append(report) } }
        #expect(reports.withLock { $0 }.allSatisfy { $0.fault == nil && $0.lost == 0 })
        #expect(reports.withLock { $0.last?.behind } == 0)
        try await checkCentre()
        let digests = try await centre.store.read {
            try Int.fetchOne($0, sql: "SELECT count(board_event.digest) FROM board_event")
        }
        #expect(digests == 500 / 7)
        let verified = try await centre.call("uplink.verify")
        #expect(verified["boards"].elements.first?["proven"] == true)
        #expect(verified["boards"].elements.first?["board"] == "van")
    }

    @Test(.slow, arguments: 1...20) func aBadNetworkAndCrashesLoseAndDoubleNothing(_ seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed &+ 1000)
        try await pair.sendBadly(rounds: 12, seed: seed) { round in
            try await log(Int.random(in: 0...150, using: &generator), padding: round * 30)
        }
        // The way is good again in the end.
        await pair.send()
        try await checkCentre("seed \(seed)")
    }

    @Test(.slow, arguments: 1...20) func aBadBrokerAndCrashesLoseAndDoubleNothing(_ seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed &+ 2000)
        try await pair.sendOverBadBroker(rounds: 12, seed: seed) { round in
            try await log(Int.random(in: 0...150, using: &generator), padding: round * 30)
        }
        try await checkCentre("seed \(seed)")
    }

    @Test func aBoardGoesOnFromTheRetainedAnswerWithoutAsking() async throws {
        try await log(30)
        let (first, uplink) = pair.broker()
        await first.run(uplink)
        // One question, one batch.
        #expect(first.sent.count == 2)
        try await checkCentre()
        // The board has forgotten the last answer, which the broker keeps.
        try await board.write { try $0.execute(sql: "DELETE FROM uplink") }
        try await log(10)
        let (second, again) = pair.broker()
        second.retained = first.retained
        await second.run(again)
        #expect(second.sent.count == 1)
        try await checkCentre()
        // An answer that is older than what the board knows does not count.
        try await log(10)
        let (third, more) = pair.broker()
        third.retained = first.retained
        await third.run(more)
        #expect(third.sent.count == 2)
        try await checkCentre()
    }

    @Test func aCentreThatWasRestoredGetsWhatItLacksOverABroker() async throws {
        try await log(300)
        let (first, uplink) = pair.broker()
        await first.run(uplink)
        try await centre.store.write { db in
            try db.execute(sql: "DELETE FROM board_event")
            try db.execute(sql: "DELETE FROM board_log")
        }
        try await log(10)
        let (second, again) = pair.broker()
        second.retained = first.retained
        await second.run(again)
        try await checkCentre()
    }

    @Test func whatABrokerSaysAndWhatACentreRefusesIsTold() async throws {
        try await log(10)
        let faults = Mutex<[String]>([])
        func run(_ fates: [BadBroker.Fate], _ file: SecretFile, until words: String) async {
            let broker = BadBroker(BoardCentre(centre.context), secret: file, fates: fates)
            let uplink = BoardUplink(over: broker.exchange, store: board) { $0.recipient == nil }
            await broker.run(uplink) { report in
                guard let fault = report.fault else { return }
                faults.withLock { $0.append(fault) }
                if fault == words { broker.change([.boardDies]) }
            }
            #expect(faults.withLock { $0.contains(words) }, "\(faults.withLock { $0 })")
        }
        await run(
            [.hasNoReceiver], pair.secretFile,
            until: "has not answered for 30 s; the broker says that nobody subscribes to waymark/van/…")
        await run([.isLost], pair.secretFile, until: "has not answered for 30 s")
        let folder = try TemporaryFolder()
        // A refusal without a seal ends nothing by itself, but the question is in vain.
        await run(
            [.isHeardAndThenLost], SecretFile(try folder.file("other", "another secret")),
            until: "has not answered for 30 s; a centre answers: the secret is not that of the board van")
        #expect(try await centre.store.read { try Boards.logs(in: $0) }.isEmpty)
    }

    @Test func anEventThatIsLongerThanAMessageLeavesItsDigest() async throws {
        try await log(2, padding: 1)
        try await board.write { db in
            try db.execute(
                sql: "UPDATE event SET body = replace(body, 'text', ?) WHERE seq = 1",
                arguments: [String(repeating: "x", count: 70_000)])
        }
        let (broker, uplink) = pair.broker()
        await broker.run(uplink)
        try await checkCentre()
        #expect(broker.sent.allSatisfy { $0.count < 1_000 })
    }

    @Test func theBytesOnTheWayAreHardlyMoreThanTheEventsOwn() async throws {
        try await log(3_000, padding: 200)
        try await board.write { try $0.execute(sql: "UPDATE event SET recipient = NULL") }
        let sum = Mutex(0)
        let reliable = pair.reliable
        await pair.uplink { body in
            sum.withLock { $0 += body.count }
            return try await reliable(body)
        }.run(pair.once)
        try await checkCentre()
        let own = try await stored().reduce(0) { $0 + $1.count }
        #expect(Double(sum.withLock { $0 }) <= 1.15 * Double(own))
    }

    /// A clock on which a sleep ends as soon as it has done some work.
    private struct BusyClock: Clock {
        typealias Instant = InstantClock.Instant
        let work: @Sendable (_ sleep: Duration) async throws -> Void
        let now = InstantClock().now
        let minimumResolution = Duration.zero
        func sleep(until deadline: Instant, tolerance: Duration?) async throws {
            try await work(now.duration(to: deadline))
        }
    }

    @Test func eventsThatFollowSoonGoInOneBatch() async throws {
        let (updates, update) = AsyncStream.makeStream(of: Void.self)
        let bodies = Mutex<[Int]>([])
        let sleeps = Mutex<[Duration]>([])
        let clock = BusyClock { sleep in
            sleeps.withLock { $0.append(sleep) }
            try await log(20)
            update.finish()
        }
        let reliable = pair.reliable
        let uplink = BoardUplink(store: board, leaves: { _ in true }, clock: clock, gathering: .seconds(2)) { body in
            bodies.withLock { $0.append(body.count) }
            return try await reliable(body)
        }
        // The first batch does not wait. The second one waits, and has what was logged meanwhile.
        update.yield()
        update.yield()
        try await log(3)
        await uplink.run(updates)
        #expect(sleeps.withLock { $0 } == [.seconds(2)])
        #expect(bodies.withLock { $0.count } == 3)
        #expect(try await centre.store.read { try Boards.logs(in: $0) }.map(\.chain.seq) == [23])
    }

    @Test func aCentreThatWasRestoredGetsWhatItLacks() async throws {
        try await log(300)
        await pair.send()
        try await centre.store.write { db in
            try db.execute(sql: "DELETE FROM board_event")
            try db.execute(sql: "DELETE FROM board_log")
        }
        try await log(10)
        await pair.send()
        try await checkCentre()
    }

    @Test func anotherLogOfTheBoardIsKeptBesideTheFirst() async throws {
        try await log(5)
        await pair.send()
        try await board.write { try EventLog.rename(in: $0) }
        try await log(5)
        await pair.send()
        try await checkCentre()
        let status = try await centre.call("uplink.status")
        #expect(status["boards"].elements.compactMap { $0["seq"].number } == [5, 10])
    }

    @Test func deletedEventsAreToldAndTheChainGoesOn() async throws {
        try await log(40)
        try await board.write { try $0.execute(sql: "DELETE FROM event WHERE seq <= 30") }
        let lost = Mutex<Int64>(0)
        await pair.uplink(pair.reliable).run(pair.once) { report in lost.withLock { $0 += report.lost } }
        #expect(lost.withLock { $0 } == 30)
        let logs = try await centre.store.read { try Boards.logs(in: $0) }
        #expect(logs.map(\.chain.seq) == [40] && logs.map(\.missing) == [30])
        #expect(try await centre.call("uplink.verify")["boards"].elements.first?["proven"] == true)
    }

    @Test func changedEventsAreNoticed() async throws {
        try await log(20)
        await pair.send()
        try await board.write { db in
            try db.execute(sql: "UPDATE event SET body = replace(body, 'van', 'bus') WHERE seq = 3")
            try db.execute(sql: "DELETE FROM uplink")
        }
        let fault = Mutex<String?>(nil)
        let running = Mutex<Task<Void, Never>?>(nil)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let (uplink, updates) = (pair.uplink(pair.reliable), pair.once)
        let task = Task {
            for await _ in gate { break }
            await uplink.run(updates) { report in
                fault.withLock { $0 = report.fault }
                running.withLock { $0 }?.cancel()
            }
        }
        running.withLock { $0 = task }
        open.yield()
        await task.value
        #expect(fault.withLock { $0 } == "has other events than this board up to 20")
    }

    @Test func changedEventsOfTheCentreAreNoticed() async throws {
        try await log(20)
        await pair.send()
        try await centre.store.write {
            try $0.execute(sql: "UPDATE board_event SET bytes = x'7B7D' WHERE seq = 3")
        }
        #expect(try await centre.call("uplink.verify")["boards"].elements.first?["proven"] == false)
    }

    @Test func aBatchThatContradictsItselfIsRefusedAndChangesNothing() async throws {
        var batch = UplinkBatch(after: EventChain(log: try board.logExtent().name))
        let isAdded = batch.add(.event(Array(#"{"seq":1,"type":"trip.start","device":"van"}"#.utf8)))
        #expect(isAdded)
        let wrong = String(decoding: batch.bytes, as: UTF8.self).replacing("van", with: "bus")
        let take = BoardCentre(centre.context)
        #expect(try await take.receive(Array(wrong.utf8), of: pair.number).status == 409)
        #expect(try await centre.store.read { try Boards.logs(in: $0) }.isEmpty)
        #expect(try await take.receive(batch.bytes, of: pair.number).status == 200)
        #expect(try await take.receive(Array("nonsense".utf8), of: pair.number).status == 400)
    }

    @Test func aBatchIsReadAsItWasWritten() throws {
        var batch = UplinkBatch(after: EventChain(log: String(repeating: "0f", count: 16)))
        #expect(try UplinkBatch(batch.bytes).bytes == batch.bytes)
        for item: UplinkBatch.Item in [
            .event(Array(#"{"seq":1,"type":"a","device":"}],\\"}"#.utf8)), .digest(EventChain.digest(of: [1])),
        ] {
            let isAdded = batch.add(item)
            #expect(isAdded)
        }
        let read = try UplinkBatch(batch.bytes)
        #expect(read.items == batch.items && read.chain == batch.chain && read.first == 1)
        #expect((try? JSONValue(parsing: batch.bytes.span)) != nil)
        for cut in 0..<batch.bytes.count {
            #expect(throws: WebFailure.self) { try UplinkBatch(Array(batch.bytes.prefix(cut))) }
        }
    }
}
