import Crypto
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
    private let board: LocationDatabase
    private let centre: CoreFixture
    private let number: Int64

    init() async throws {
        board = try .fresh()
        centre = try CoreFixture()
        let secret = try #require(try await centre.call("uplink.board", ["name": "van"])["secret"].text)
        number = try #require(try await BoardCentre(centre.context).board(secret: secret))
    }

    /// A signal that arrives once; the log does not grow afterwards.
    private var once: AsyncStream<Void> {
        AsyncStream {
            $0.yield(); $0.finish()
        }
    }

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

    private func uplink(_ transport: @escaping BoardUplink.Transport) -> BoardUplink {
        BoardUplink(store: board, leaves: { $0.recipient == nil }, clock: InstantClock(), transport: transport)
    }

    private var reliable: BoardUplink.Transport {
        { [context = centre.context, number] body in
            let answer = try await BoardCentre(context).take(body, of: number)
            return WebReply(status: answer.status, body: answer.body)
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
        await uplink(reliable).run(once) { report in reports.withLock { $0.append(report) } }
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

    /// What happens to one batch on its way.
    private enum Fate: CaseIterable {
        case arrives, isLost, answerIsLost, isDoubled, comesAfterAnOlderOne, boardDies, boardDiesAfterwards
    }

    @Test(arguments: 1...20) func aBadNetworkAndCrashesLoseAndDoubleNothing(_ seed: UInt64) async throws {
        let generator = Mutex(SeededGenerator(seed: seed))
        let sent = Mutex<[[UInt8]]>([])
        let running = Mutex<Task<Void, Never>?>(nil)
        let reliable = reliable
        let transport: BoardUplink.Transport = { body in
            let (fate, older) = generator.withLock { generator in
                let older = sent.withLock { $0.randomElement(using: &generator) }
                return (Fate.allCases.randomElement(using: &generator) ?? .arrives, older)
            }
            sent.withLock { $0.append(body) }
            switch fate {
            case .arrives: break
            case .isLost: throw WebFailure("is away")
            case .answerIsLost:
                _ = try await reliable(body)
                throw WebFailure("is away")
            case .isDoubled: _ = try await reliable(body)
            case .comesAfterAnOlderOne: if let older { _ = try await reliable(older) }
            case .boardDies:
                running.withLock { $0 }?.cancel()
                throw CancellationError()
            case .boardDiesAfterwards:
                _ = try await reliable(body)
                running.withLock { $0 }?.cancel()
                throw CancellationError()
            }
            return try await reliable(body)
        }
        for round in 0..<12 {
            try await log(generator.withLock { Int.random(in: 0...150, using: &$0) }, padding: round * 30)
            let (gate, open) = AsyncStream.makeStream(of: Void.self)
            let (uplink, updates) = (uplink(transport), once)
            let task = Task {
                for await _ in gate { break }
                await uplink.run(updates)
            }
            running.withLock { $0 = task }
            open.yield()
            await task.value
        }
        // The way is good again in the end.
        await uplink(reliable).run(once)
        try await checkCentre("seed \(seed)")
    }

    @Test func theBytesOnTheWayAreHardlyMoreThanTheEventsOwn() async throws {
        try await log(3_000, padding: 200)
        try await board.write { try $0.execute(sql: "UPDATE event SET recipient = NULL") }
        let sum = Mutex(0)
        let reliable = reliable
        await uplink { body in
            sum.withLock { $0 += body.count }
            return try await reliable(body)
        }.run(once)
        try await checkCentre()
        let own = try await stored().reduce(0) { $0 + $1.count }
        #expect(Double(sum.withLock { $0 }) <= 1.15 * Double(own))
    }

    @Test func aCentreThatWasRestoredGetsWhatItLacks() async throws {
        try await log(300)
        await uplink(reliable).run(once)
        try await centre.store.write { db in
            try db.execute(sql: "DELETE FROM board_event")
            try db.execute(sql: "DELETE FROM board_log")
        }
        try await log(10)
        await uplink(reliable).run(once)
        try await checkCentre()
    }

    @Test func anotherLogOfTheBoardIsKeptBesideTheFirst() async throws {
        try await log(5)
        await uplink(reliable).run(once)
        try await board.write { try EventLog.rename(in: $0) }
        try await log(5)
        await uplink(reliable).run(once)
        try await checkCentre()
        let status = try await centre.call("uplink.status")
        #expect(status["boards"].elements.compactMap { $0["seq"].number } == [5, 10])
    }

    @Test func deletedEventsAreToldAndTheChainGoesOn() async throws {
        try await log(40)
        try await board.write { try $0.execute(sql: "DELETE FROM event WHERE seq <= 30") }
        let lost = Mutex<Int64>(0)
        await uplink(reliable).run(once) { report in lost.withLock { $0 += report.lost } }
        #expect(lost.withLock { $0 } == 30)
        let logs = try await centre.store.read { try Boards.logs(in: $0) }
        #expect(logs.map(\.chain.seq) == [40] && logs.map(\.missing) == [30])
        #expect(try await centre.call("uplink.verify")["boards"].elements.first?["proven"] == true)
    }

    @Test func changedEventsAreNoticed() async throws {
        try await log(20)
        await uplink(reliable).run(once)
        try await board.write { db in
            try db.execute(sql: "UPDATE event SET body = replace(body, 'van', 'bus') WHERE seq = 3")
            try db.execute(sql: "DELETE FROM uplink")
        }
        let fault = Mutex<String?>(nil)
        let running = Mutex<Task<Void, Never>?>(nil)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let (uplink, updates) = (uplink(reliable), once)
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
        await uplink(reliable).run(once)
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
        #expect(try await take.take(Array(wrong.utf8), of: number).status == 409)
        #expect(try await centre.store.read { try Boards.logs(in: $0) }.isEmpty)
        #expect(try await take.take(batch.bytes, of: number).status == 200)
        #expect(try await take.take(Array("nonsense".utf8), of: number).status == 400)
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
