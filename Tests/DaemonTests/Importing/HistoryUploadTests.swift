import Callers
import EventStream
import Foundation
import Logging
import RPC
import Service
import Store
import TestSupport
import Testing
import Time
import Tracking

@testable import Daemon

/// The upload and import of recordings and histories.
@Suite struct HistoryUploadTests {
    private let folder: TemporaryFolder
    private let methods: MethodTable<Principal>
    private let route: FileRoute

    init() async throws {
        folder = try TemporaryFolder()
        let store = try Stores.temporary()
        let hub = try await EventHub(journal: StoreJournal(store: store))
        let pipeline = try LivePipeline(
            store: store, hub: hub, policy: .init(), commitPolicy: .init(), logger: Logger(label: "test"))
        methods = DaemonServers.methods(
            pipeline, hub: hub, features: Features(store: store, liveState: pipeline), connections: { 0 },
            reload: { [] }, report: { method, error in Issue.record("\(method): \(error)") })
        route = HistoryUpload.route(besideStore: folder.file("van.sqlite"), calling: methods)
    }

    private static let administrator = Principal(number: 1, origin: .user(1000), rights: [.read, .change])

    /// Google's records of a drive to the north, a point each second.
    private static let records: String = {
        let start = Timestamp(rfc3339: "2024-05-01T10:00:00Z").known
        let points = (0..<400).map { second in
            """
            {"latitudeE7":\(500_000_000 + second * 1500),"longitudeE7":50000000,\
            "timestamp":"\(start.advanced(byMilliseconds: Int64(second) * 1000))"}
            """
        }
        return "{\"locations\":[\(points.joined(separator: ","))]}"
    }()

    private func begin(
        _ parameters: [String: String] = ["device": "phone", "name": "Records.json"], rest: [String] = [],
        by caller: Principal = Self.administrator, length: Int? = nil
    ) async throws -> any FileReceiver {
        try await route.receive.known(
            FileRoute.Request(call: Call(caller: caller), rest: rest, parameters: parameters, length: length))
    }

    /// Sends a file in pieces, and returns the answer.
    private func upload(
        _ text: String, _ parameters: [String: String] = ["device": "phone", "name": "Records.json"]
    ) async throws -> JSONValue {
        let receiver = try await begin(parameters, length: text.utf8.count)
        try await send(text, to: receiver)
        let answer = try await receiver.finish()
        return try JSONValue(parsing: answer.bytes.span)
    }

    private func send(_ text: String, to receiver: any FileReceiver) async throws {
        let bytes = Array(text.utf8)
        for begin in stride(from: 0, to: bytes.count, by: 5000) {
            try await receiver.write(Array(bytes[begin..<min(begin + 5000, bytes.count)]))
        }
    }

    /// The number of trips in the store.
    private func trips() async throws -> Int {
        let request = Request(id: nil, method: "trips.list", parameters: .named([:]))
        let answer = try await methods.dispatch(request, from: Self.administrator).get()
        let json = try JSONValue(parsing: answer.bytes.span)
        return json["trips"].flatMap { [JSONValue](json: $0) }?.count ?? 0
    }

    private var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] }

    @Test func anUploadedHistoryBecomesTrips() async throws {
        let answer = try await upload(Self.records)
        #expect(answer["added"] == 1)
        #expect(answer["known"] == 0)
        #expect(answer["points"] == 400)
        #expect(answer["format"] == "google-records")
        #expect(answer["skipped_count"] == 0)
        let read: JSONValue = [["file": "Records.json", "format": "google-records", "points": 400]]
        #expect(answer["files"] == read)
        guard case .array(let listed)? = answer["trips"] else { throw NoTrips() }
        #expect(listed.map { $0["id"] } == ["phone@2024-05-01T10:00:00.000Z"])
        #expect(listed.map { $0["outcome"] } == ["added"])
        #expect(try await trips() == 1)
        #expect(files.isEmpty)
        // The same drive is not added again, in whatever form.
        let table = "time,lat,lon\n2024-05-01T10:00:00Z,50,5\n2024-05-01T10:03:20Z,50.03,5\n"
        #expect(try await upload(table, ["device": "phone", "name": "a.csv"])["added"] == 0)
        #expect(try await upload(Self.records)["known"] == 1)
        #expect(try await trips() == 1)
    }

    private struct NoTrips: Error {}

    @Test func theDeviceIsNamedAfterTheFileUnlessItIsGiven() async throws {
        let answer = try await upload(Self.records, ["name": "walk.json", "device": ""])
        guard case .array(let listed)? = answer["trips"] else { throw NoTrips() }
        #expect(listed.map { $0["id"] } == ["walk@2024-05-01T10:00:00.000Z"])
    }

    @Test func aDamagedFileIsRefusedWhole() async throws {
        for text in [String(Self.records.dropLast(9)), "<html><body/></html>", ""] {
            let refusal = await #expect(throws: Refusal.self) { _ = try await upload(text) }
            #expect(refusal?.fault?.field == "file")
            #expect(refusal?.fault?.reason.hasPrefix("cannot be imported: ") ?? false)
        }
        #expect(try await trips() == 0)
        #expect(files.isEmpty)
    }

    @Test func onlyAdministratorsMayImport() async throws {
        let guest = Principal(number: 2, origin: .user(1000), rights: [.read, .person])
        let refusal = await #expect(throws: Refusal.self) { _ = try await begin(by: guest) }
        #expect(refusal?.kind == .notAllowed)
        // Whoever has lost the right when the file is complete imports nothing either.
        let administrators = Administrators()
        administrators.insert("ann")
        let ann = Principal(number: 3, origin: .user(1000), rights: [.read], administrators: administrators)
        ann.identity = Principal.Identity(person: "ann")
        let receiver = try await begin(by: ann)
        try await send(Self.records, to: receiver)
        administrators.remove("ann")
        let late = await #expect(throws: Refusal.self) { _ = try await receiver.finish() }
        #expect(late?.kind == .notAllowed)
        #expect(try await trips() == 0)
        #expect(files.isEmpty)
    }

    @Test(arguments: [
        ("name", ["name": ""]), ("name", ["name": String(repeating: "a", count: 256)]),
        ("device", ["device": "a\u{0}b"]), ("device", ["device": String(repeating: "a", count: 300)]),
    ])
    func otherParametersAreRefused(_ field: String, _ parameters: [String: String]) async throws {
        let refusal = await #expect(throws: Refusal.self) { _ = try await begin(parameters) }
        #expect(refusal?.fault?.field == field)
        #expect(files.isEmpty)
    }

    @Test func aFileThatIsTooLargeIsRefusedBeforeItArrives() async throws {
        let refusal = await #expect(throws: Refusal.self) {
            _ = try await begin(length: HistoryUpload.largestFile + 1)
        }
        #expect(refusal?.fault?.field == "file")
        let elsewhere = await #expect(throws: Refusal.self) { _ = try await begin(rest: ["a"]) }
        #expect(elsewhere?.kind == .notFound)
        #expect(files.isEmpty)
    }

    @Test func oneFileIsImportedAtATime() async throws {
        let first = try await begin()
        try await first.write(Array("{".utf8))
        #expect(files == ["van.sqlite.import"])
        let refusal = await #expect(throws: Refusal.self) { _ = try await begin() }
        #expect(refusal?.kind == .unavailable)
        #expect(files == ["van.sqlite.import"])
        await first.cancel()
        #expect(files.isEmpty)
        // A receiver that is given up without a word leaves nothing behind, and the next one begins anew.
        do {
            let second = try await begin()
            try await second.write(Array("{".utf8))
        }
        #expect(files.isEmpty)
        #expect(try await upload(Self.records)["added"] == 1)
    }

    @Test func whoLeavesBeforeTheImportImportsNothing() async throws {
        let receiver = try await begin()
        try await send(Self.records, to: receiver)
        let finishing = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await receiver.finish()
        }
        finishing.cancel()
        await #expect(throws: CancellationError.self) { _ = try await finishing.value }
        #expect(try await trips() == 0)
        #expect(files.isEmpty)
    }

    @Test func aFileThatDidNotArriveAsAWholeIsNotImported() async throws {
        let receiver = try await begin(length: Self.records.utf8.count + 1)
        try await send(Self.records, to: receiver)
        let refusal = await #expect(throws: Refusal.self) { _ = try await receiver.finish() }
        #expect(refusal?.fault?.reason == "did not arrive as a whole")
        #expect(try await trips() == 0)
    }

    @Test func theFileOfAKilledProcessIsRemoved() throws {
        _ = try folder.file("van.sqlite.import", "half a file")
        _ = HistoryUpload.route(besideStore: folder.file("van.sqlite"), calling: methods)
        #expect(files.isEmpty)
    }
}
