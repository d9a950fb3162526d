#if Fleet
import ArgumentParser
import Foundation
import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

@testable import FleetStore
@testable import Uplink
@testable import waymark

/// What a door writes of the batches of boards, with real servers.
@Suite(.slow, .withServers, .serialized) struct BoardTests {
    private static let secret = "a secret of the van"

    /// A board that appends events to its log, and sends batches of them.
    private struct Board {
        var chain = EventChain(log: String(repeating: "0f", count: 16))
        var items: [UplinkBatch.Item] = []

        mutating func append(_ item: UplinkBatch.Item) {
            items.append(item)
            item.extend(&chain)
        }

        mutating func append(_ type: String, _ minute: Int, device: String = "gps0", _ members: String) {
            let line =
                #"{"seq":\#(chain.seq + 1),"type":"\#(type)","time":"\#(Self.time(minute))","device":"\#(device)",\#(members)}"#
            append(.event(Array(line.utf8)))
        }

        static func time(_ minute: Int) -> String {
            Timestamp(milliseconds: 1_780_000_000_000 + Int64(minute) * 60_000).description
        }

        /// A trip of an hour, with an event in it that stays on the board.
        mutating func drive(from minute: Int) {
            let start = Self.time(minute)
            let place = #""lat":52.1,"lon":5.1"#
            append("trip.start", minute, #"\#(place),"trip":{"id":"gps0@\#(start)","start":"\#(start)"}"#)
            append(
                "geofence.enter", minute + 20,
                #"\#(place),"geofence":{"kind":"sight","id":"dam","title":"Dam","distance":3.0}"#)
            append(.digest(EventChain.digest(of: Array("private \(minute)".utf8))))
            append(
                "trip.end", minute + 60,
                #"\#(place),"trip":\#(summary(from: minute))"#)
            append(
                "stop.start", minute + 61,
                #"\#(place),"stop":{"id":"gps0@\#(Self.time(minute + 60))","start":"\#(Self.time(minute + 60))",\#(place)}"#
            )
        }

        private func summary(from minute: Int) -> String {
            let start = Self.time(minute)
            return
                #"{"id":"gps0@\#(start)","start":"\#(start)","end":"\#(Self.time(minute + 60))","distance":60000.0,"moving":3600.0,"stopped":0.0,"stops":0,"fixes":720}"#
        }

        /// The batch of the items from one on, at most so many.
        func batch(from first: Int, _ count: Int) -> [UInt8] {
            var chain = EventChain(log: chain.log)
            for item in items[..<first] { item.extend(&chain) }
            var batch = UplinkBatch(after: chain)
            for item in items[first..<min(items.count, first + count)] where !batch.add(item) { break }
            return batch.bytes
        }

        /// A part of the trace of the trip whose event has a number.
        func trace(_ seq: Int64, from minute: Int, after: Int?, _ seconds: Range<Int>, more: Bool) throws -> [UInt8] {
            let start = 1_780_000_000_000 + Int64(minute) * 60_000
            var trip = TripSummary(device: "gps0", start: Timestamp(milliseconds: start))
            trip.end = Timestamp(milliseconds: start + 3_600_000)
            let points = try seconds.map { second in
                Fix(
                    time: Timestamp(milliseconds: start + Int64(second) * 1000),
                    coordinate: try #require(Coordinate(latitude: 52 + Double(second) / 10_000, longitude: 5)))
            }
            return TraceBatch(
                log: chain.log, seq: seq, after: after.map { Timestamp(milliseconds: start + Int64($0) * 1000) },
                isFollowed: more, trip: HandedTrip(trip), points: points
            ).bytes
        }
    }

    private static func prepared(_ servers: FleetServers) async throws -> (FleetDatabase, Int64, [FleetBoards]) {
        let database = try servers.setUp(FleetSettings(partitions: 3), watching: [])
        #expect(try database.setSecret(digest: FleetDoor.digest(of: secret), ofBoard: "van"))
        let doors = (0..<2).map { _ in FleetBoards(to: servers.database, partition: 3) }
        #expect(try await doors[0].board(secret: "another") == nil)
        return (database, try #require(try await doors[1].board(secret: secret)), doors)
    }

    private static func told(in database: FleetDatabase) throws -> [String] {
        try database.events(of: 3, after: 0, limit: 10_000).map { event in
            let json = try JSONSerialization.jsonObject(with: Data(event.body.utf8)) as? [String: Any]
            return "\(event.seq) \(event.device) \(json?["type"] ?? "") \(json?["time"] ?? "")"
        }
    }

    /// The events that readers should get, with numbers from a number on.
    private static func expected(_ board: Board, from first: Int = 1) throws -> [String] {
        var lines: [String] = []
        for case .event(let bytes) in board.items {
            let json = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
            lines.append("\(lines.count + first) van/gps0 \(json?["type"] ?? "") \(json?["time"] ?? "")")
        }
        return lines
    }

    private static func seq(_ answer: (status: Int, body: [UInt8])) throws -> Int64 {
        #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
        return try UplinkAnswer(answer.body).chain.seq
    }

    @Test(.timeLimit(.minutes(10))) func eachEventOfABoardIsToldOnce() async throws {
        let servers = try await FleetServers()
        let (prepared, number, first) = try await Self.prepared(servers)
        var (database, doors) = (prepared, first)
        var random = SeededGenerator(seed: TestTier.seed)
        var board = Board()
        for trip in 0..<12 { board.drive(from: trip * 100) }
        board.append(.missing(40))
        board.drive(from: 5000)
        // Two doors get batches late, twice, and at once; the database is killed in between.
        var seq = 0
        for round in 0..<60 where seq < board.items.count {
            if round % 15 == 7 {
                await servers.servers.killDatabase()
                await #expect(throws: (any Error).self) {
                    try await doors[0].receive(board.batch(from: 0, 1), of: number)
                }
                try await servers.servers.restartDatabase()
                // A door that met the failure rests for some seconds; others are as good.
                doors = (0..<2).map { _ in FleetBoards(to: servers.database, partition: 3) }
                database = try FleetDatabase(at: servers.database)
            }
            let begin = max(0, seq - Int.random(in: 0..<4, using: &random))
            let batches = (0..<3).map { _ in board.batch(from: begin, Int.random(in: 1..<9, using: &random)) }
            let (one, other) = (doors[0], doors[1])
            async let first = one.receive(batches[0], of: number)
            async let second = other.receive(batches[1], of: number)
            async let third = one.receive(batches[2], of: number)
            let answers = try await [first, second, third]
            let last = try answers.map(Self.seq).max() ?? 0
            seq = max(seq, Self.items(of: board, upTo: last))
        }
        #expect(seq == board.items.count)
        #expect(try Self.told(in: database) == Self.expected(board))
        let status = try #require(try database.boards().first)
        let log = try #require(status.log)
        #expect(log.seq == board.chain.seq && log.chain == board.chain.digest && status.missing == 40)
        #expect(log.devices == 1 && status.board == "van" && status.seen != nil)
        let verify = try FleetBoardCommand.parse(["--verify", "--json", "--database", servers.database])
        try verify.run()
        // A chain that does not follow from the events is found.
        _ = try database.run(Statement("UPDATE waymark.board_event SET bytes = 'x' WHERE board_event.seq = 1"))
        #expect(throws: ExitCode.self) { try verify.run() }

        let trips = try database.trips(of: "van/gps0")
        #expect(trips.count == 13)
        #expect(trips.allSatisfy { $0.distance == .meters(60_000) && $0.end != nil })
        let stops: Int = try database.run(Statement("SELECT count(*) FROM waymark.stop")).number(0, 0)
        #expect(stops == 13)
        #expect(try database.status().partitions.map(\.isOfBoards) == [false, false, false, true])
        // Phones go on as before.
        #expect(try database.states(of: ["van/gps0"]).isEmpty)
    }

    /// The number of items up to an event.
    private static func items(of board: Board, upTo seq: Int64) -> Int {
        var (count, last): (Int, Int64) = (0, 0)
        for item in board.items where last + item.count <= seq {
            last += item.count
            count += 1
        }
        return count
    }

    @Test(.timeLimit(.minutes(10))) func whatIsWrongWithABatchHoldsUpNoOther() async throws {
        let servers = try await FleetServers()
        let (database, number, doors) = try await Self.prepared(servers)
        let door = doors[0]
        var board = Board()
        board.drive(from: 0)
        // What comes early is asked for again, and a log that nobody knows is empty.
        #expect(try Self.seq(await door.receive(board.batch(from: 2, 1), of: number)) == 0)
        #expect(try await door.receive(Array("{}".utf8), of: number).status == 400)
        #expect(try await door.receive(Array(#"{"trace":1}"#.utf8), of: number).status == 400)
        #expect(try Self.seq(await door.receive(board.batch(from: 0, 9), of: number)) == 5)
        // Another event under a number that is there.
        var liar = Board()
        liar.drive(from: 77)
        liar.drive(from: 177)
        #expect(try await door.receive(liar.batch(from: 0, 9), of: number).status == 409)
        // A name that no device has, and an event without a place.
        board.append(
            "trip.start", 300, device: #"a\u0007b"#, #""trip":{"id":"a\u0007b@x","start":"2026-05-01T10:00:00Z"}"#)
        board.append("geofence.enter", 301, #""geofence":{"kind":"sight","id":"dam","title":"'{},"}"#)
        board.append("person.joined", 302, #""person":"ada""#)
        #expect(try Self.seq(await door.receive(board.batch(from: 5, 9), of: number)) == 8)
        // Four of the drive, whose fifth stays on the board, and the one without a place.
        #expect(try Self.told(in: database).count == 5)
        #expect(try database.boards().first?.log?.chain == board.chain.digest)

        // The store came from a backup: another log begins, with the same events, and new ones.
        var restored = Board(chain: EventChain(log: String(repeating: "1f", count: 16)))
        restored.items = []
        for item in board.items { restored.append(item) }
        restored.drive(from: 900)
        #expect(try Self.seq(await door.receive(restored.batch(from: 0, 99), of: number)) == 13)
        #expect(try Self.told(in: database).count == 9)
        #expect(try database.boards().map { $0.log?.seq } == [8, 13])

        // A board takes no name of other devices, and a new secret ends the old one.
        _ = try database.run(Statement("INSERT INTO waymark.device (name, partition) VALUES ('bus/a', 0)"))
        #expect(try !database.setSecret(digest: "1", ofBoard: "bus"))
        #expect(try database.setSecret(digest: "2", ofBoard: "van"))
        #expect(try await door.board(secret: Self.secret) == nil)
    }

    @Test(.timeLimit(.minutes(10))) func aTraceComesInPartsAndAgain() async throws {
        let servers = try await FleetServers()
        let (database, number, doors) = try await Self.prepared(servers)
        var board = Board()
        board.drive(from: 0)
        #expect(try Self.seq(await doors[0].receive(board.batch(from: 0, 9), of: number)) == 5)
        let parts = [
            try board.trace(4, from: 0, after: nil, 0..<300, more: true),
            try board.trace(4, from: 0, after: 299, 300..<700, more: true),
            try board.trace(4, from: 0, after: 699, 700..<720, more: false),
        ]
        // A part that does not follow is left out, and so is one that is there.
        for (index, part) in [1, 0, 0, 2, 1, 0, 2, 2].enumerated() {
            let answer = try await doors[index % 2].receive(parts[part], of: number)
            #expect(answer.status == 200)
            let place = try #require(try UplinkAnswer(answer.body).traces)
            #expect(place.done == (index < 6 ? 0 : 4))
        }
        let trip = try #require(try database.trips().first?.id)
        #expect(trip == "van/gps0@\(Board.time(0))")
        let points = try database.points(of: trip)
        #expect(points.count == 720)
        let revised = try Self.told(in: database).filter { $0.contains("trip.revised") }
        #expect(revised.count == 1 && revised[0].hasPrefix("5 van/gps0"))
        #expect(points.compactMap(\.fix.time).map(\.milliseconds) == (0..<720).map { 1_780_000_000_000 + $0 * 1000 })
        // The trip was changed on the board: its new trace takes the place of the old one.
        board.append(
            "trip.revised", 70,
            #""change":"cut","trip":{"id":"gps0@\#(Board.time(0))","start":"\#(Board.time(0))","end":"\#(Board.time(5))","distance":5000.0,"moving":300.0,"stopped":0.0,"stops":0,"fixes":300,"revision":1}"#
        )
        #expect(try Self.seq(await doors[0].receive(board.batch(from: 5, 9), of: number)) == 6)
        _ = try await doors[1].receive(board.trace(6, from: 0, after: nil, 0..<300, more: false), of: number)
        #expect(try database.points(of: trip).count == 300)
        #expect(try database.trips().first?.distance == .meters(5000))
    }
}
#endif
