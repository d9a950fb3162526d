import Callers
import Compression
import EventStream
import RPC
import Synchronization
import Testing

@testable import WebServer

/// The door for boards.
@Suite struct BoardTests {
    /// Takes batches in memory.
    private final class Reports: BoardReports {
        let taken = Mutex<[String]>([])
        let isFull = Mutex(false)

        struct Full: Error {}

        var longestBody: Int { 2_000_000 }

        func board(secret: String) async throws -> Int64? { secret == "hush" ? 7 : nil }

        func receive(_ body: [UInt8], of board: Int64) async throws -> (status: Int, body: [UInt8]) {
            guard !isFull.withLock({ $0 }) else { throw Full() }
            taken.withLock { $0.append("\(board) \(String(decoding: body.prefix(20), as: UTF8.self))") }
            return body.isEmpty ? (409, Array("no".utf8)) : (200, Array("{}".utf8))
        }
    }

    private let reports = Reports()
    private static let path = "POST /in/waymark"

    private func run(_ body: (RunningDoor) async throws -> Void) async throws {
        var services = WebServer.Services(
            methods: MethodTable(title: "Test", version: "1"), hub: try await EventHub(journal: NoJournal()),
            sessions: nil)
        services.boards = reports
        try await RunningDoor.run(services: services, body)
    }

    @Test func aBatchOfABoardIsTakenAndAnswered() async throws {
        try await run { door in
            let taken = try await door.ask(Self.path, ["Authorization: Bearer hush"], body: Array("batch".utf8))
            #expect((taken.status, taken.text) == (200, "{}"))
            #expect(taken.fields["content-type"] == "application/json")
            let long = [UInt8](repeating: UInt8(ascii: "x"), count: 1_500_000)
            #expect(try await door.ask(Self.path, ["Authorization: bearer hush"], body: long).status == 200)
            #expect(try await door.ask(Self.path, ["Authorization: Bearer hush"]).status == 409)
            #expect(
                reports.taken.withLock { $0 } == ["7 batch", "7 " + String(repeating: "x", count: 20), "7 "])
        }
    }

    @Test func aCompressedBatchIsTakenAndTheAnswerSaysThatItMayBe() async throws {
        try await run { door in
            let batch = Array("batch of a board".utf8) + [UInt8](repeating: 32, count: 1_000_000)
            func post(_ body: [UInt8], _ encoding: String) async throws -> HTTPAnswer {
                try await door.ask(
                    Self.path, ["Authorization: Bearer hush", "Content-Encoding: \(encoding)"], body: body)
            }
            let small = try #require(Gzip.compressed(batch))
            let taken = try await post(small, "gzip")
            #expect((taken.status, taken.fields["accept-encoding"]) == (200, "gzip"))
            #expect(reports.taken.withLock { $0 } == ["7 batch of a board    "])
            #expect(try await post(Array(small.dropLast(9)), "gzip").status == 400)
            let bomb = try #require(Gzip.compressed([UInt8](repeating: 0, count: 2_000_001)))
            #expect(try await post(bomb, "gzip").status == 400)
            let unknown = try await post(small, "br")
            #expect((unknown.status, unknown.fields["accept-encoding"]) == (415, "gzip"))
            #expect(reports.taken.withLock { $0.count } == 1)
        }
    }

    @Test func othersAreRefusedAndAStoreThatIsFullIsTriedAgain() async throws {
        try await run { door in
            for fields in [[], ["Authorization: Bearer other"], ["Authorization: Basic hush"]] {
                let answer = try await door.ask(Self.path, fields, body: [1])
                #expect(answer.status == 401 && answer.fields["www-authenticate"] == "Bearer")
            }
            #expect(try await door.ask("GET /in/waymark", ["Authorization: Bearer hush"]).status == 405)
            let huge = [UInt8](repeating: 32, count: 2_000_001)
            #expect(try await door.ask(Self.path, ["Authorization: Bearer hush"], body: huge).status == 413)
            reports.isFull.withLock { $0 = true }
            let full = try await door.ask(Self.path, ["Authorization: Bearer hush"], body: [1])
            #expect(full.status == 503 && full.fields["retry-after"] == "30")
            #expect(reports.taken.withLock { $0 }.isEmpty)
        }
    }
}
