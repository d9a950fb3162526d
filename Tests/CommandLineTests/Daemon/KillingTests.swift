import Foundation
import GRDB
import TestSupport
import Testing

@Suite(.slow) struct KillingTests {
    private static let rounds = TestTier.isSoak ? 200 : 8
    /// How long the whole recording takes.
    ///
    /// Each round runs for a share of it that grows with the round's number.
    private static let wholeRecording = Duration.milliseconds(TestTier.isSoak ? 6000 : 1300)

    /// A subscriber to all events, which resumes after the last event that it has received.
    private actor Subscriber {
        private(set) var seen: [[UInt8]] = []
        private(set) var faults: [String] = []

        func check(_ event: [UInt8]) {
            let seq = seen.count + 1
            if !event.starts(with: Array("{\"seq\":\(seq),".utf8)) {
                faults.append("\(String(decoding: event, as: UTF8.self)) came instead of \(seq)")
            }
            seen.append(event)
        }

        /// Follows the events until the daemon has ended or an event of the given type has come.
        nonisolated func follow(_ path: String, until type: String? = nil) async throws {
            let last = await seen.count
            let events = try await offThePool { () throws -> [[UInt8]] in
                guard let socket = try? LineSocket(to: path) else { return [] }
                guard (try? socket.call("events.subscribe", #"{"after":\#(last)}"#)) != nil else { return [] }
                var events: [[UInt8]] = []
                while let event = try socket.event() {
                    events.append(event)
                    if let type, String(decoding: event, as: UTF8.self).contains(#""type":"\#(type)""#) { break }
                }
                return events
            }
            for event in events { await check(event) }
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func deliveredEventsSurviveEveryKillAndNoneComesTwice() async throws {
        let drive = Drive(places: 100, sightsAtOnce: 2)
        let expected = try await StoreCopy.ofUndisturbed(drive)
        #expect(expected.travels.count > 900)

        var random = SeededGenerator(seed: TestTier.seed)
        let folder = try TemporaryFolder()
        let file = try await drive.prepare(in: folder)
        let speed = Int(drive.length / (Self.wholeRecording / .seconds(1)))
        let source = "car=\(file)?speed=\(min(speed, 10_000))"
        let subscribers = [Subscriber(), Subscriber()]
        for round in 0..<Self.rounds {
            // The moment of the kill is random; the test waits for no event.
            let part = Double.random(in: 0..<1, using: &random)
            let share = (Double(round) + part) / Double(Self.rounds)
            let moment = Self.wholeRecording * share
            let daemon = try await RunningDaemon(in: folder, sources: [source])
            async let first: Void = subscribers[0].follow(daemon.socket)
            async let second: Void = subscribers[1].follow(daemon.socket)
            try await Task.sleep(for: moment)
            daemon.kill()
            _ = try await [first, second]

            let store = try StoreCopy(of: folder.file("store"))
            #expect(store.integrity == "ok")
            let bodies = store.events.map(\.body)
            #expect(store.events.map(\.seq) == (0..<bodies.count).map { (index: Int) -> Int64 in Int64(index) + 1 })
            for subscriber in subscribers {
                let seen = await subscriber.seen
                #expect(seen.count <= bodies.count && seen[...] == bodies.prefix(seen.count), "round \(round)")
            }
            TestTier.report("round \(round), after \(moment): \(bodies.count) events")
        }
        let daemon = try await RunningDaemon(in: folder, sources: [source])
        for subscriber in subscribers { try await subscriber.follow(daemon.socket, until: "source.offline") }
        #expect(try await daemon.stop() == .exit(0))

        let store = try StoreCopy(of: folder.file("store"))
        #expect(store.integrity == "ok")
        #expect(store.journeys == expected.journeys)
        #expect(store.travels == expected.travels)
        for subscriber in subscribers {
            #expect(await subscriber.faults.isEmpty)
            #expect(await subscriber.seen[...] == store.events.map(\.body).prefix(subscriber.seen.count))
        }
    }

    @Test func aHalfCreatedStoreIsRolledBackAtTheNextStart() async throws {
        let folder = try TemporaryFolder()
        try DatabaseQueue(path: folder.file("half")).inDatabase { db in
            // With almost no cache, SQLite writes to the file during the transaction.
            try db.execute(
                sql: """
                    PRAGMA cache_size = 1;
                    BEGIN;
                    CREATE TABLE half (content BLOB);
                    INSERT INTO half VALUES (randomblob(100000)), (randomblob(100000));
                    """)
            for ending in ["", "-journal"] {
                let (from, to) = (folder.file("half" + ending), folder.file("store" + ending))
                try FileManager.default.copyItem(atPath: from, toPath: to)
            }
            try db.execute(sql: "ROLLBACK")
        }
        let daemon = try await RunningDaemon(in: folder)
        #expect(try await daemon.stop() == .exit(0))
        #expect(try StoreCopy(of: daemon.store).integrity == "ok")
    }

    @Test func anInterruptedCreationOfAStoreIsFinishedByTheNextDaemon() async throws {
        var random = SeededGenerator(seed: TestTier.seed)
        for _ in 0..<(TestTier.isSoak ? 100 : 5) {
            let folder = try TemporaryFolder()
            let store = folder.file("store")
            let output = Pipe()
            let first = try ChildProcess(
                [Command.executable.path, "daemon", "--store", store, "--socket", folder.file("socket")],
                environment: ChildProcess.environment, output: output.fileHandleForWriting,
                errors: output.fileHandleForWriting)
            // A daemon is ready after about 50 ms; the kill comes at a random moment around its start.
            try await Task.sleep(for: .milliseconds(.random(in: 0..<80, using: &random)))
            first.kill()
            let daemon = try await RunningDaemon(in: folder)
            #expect(try await daemon.stop() == .exit(0))
            let made = try StoreCopy(of: store)
            #expect(made.integrity == "ok" && made.events.isEmpty)
        }
    }
}
