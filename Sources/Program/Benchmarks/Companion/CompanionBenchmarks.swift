import Callers
import Daemon
import Foundation
import Geodesy
import Positioning
import RPC
import Service
import Sights
import Store
import TextCoding
import Time
import Tracking

/// Benchmarks of the companion's lists over a store of some years.
///
/// Each page is read by its method, and by a plain SQL query of the same rows.
enum CompanionBenchmarks {
    static let all = [
        Benchmark(name: "companion", files: []) { _ in
            let scratch = try ScratchFolder()
            let making = Stopwatch()
            let store = try Stores.open(at: scratch.file("store"))
            try CompanionMaker.fill(store)
            Figures(workload: "companion-making", count: CompanionMaker.notifications, took: making.elapsed).print()
            let desk = try CompanionDesk(store: store)
            for list in CompanionList.all { try await desk.measure(list) }
            try await desk.measureMap()
            try store.close()
        },
        Benchmark(name: "companion-import", files: [.manySights]) { work in
            let sights = try work.sights(.manySights)
            let scratch = try ScratchFolder()
            let store = try Stores.open(at: scratch.file("store"))
            // The second import changes nothing.
            for round in ["new", "same"] {
                let watch = Stopwatch()
                _ = try store.importSights(sights)
                Figures(workload: "companion-import-\(round)", count: sights.count, took: watch.elapsed).print()
            }
            try store.close()
        },
    ]
}

/// A caller of the companion's methods, who is one of the people, in this process.
struct CompanionDesk {
    private let store: LocationDatabase
    private let table: MethodTable<Principal>

    private static let rounds = 25

    init(store: LocationDatabase) throws {
        self.store = store
        let index = try store.sightGeofences()
        let features = Features(store: store, liveState: QuietLiveState(index: index)) {
            Timestamp(milliseconds: CompanionMaker.now)
        }
        var table = MethodTable<Principal>(title: "Benchmarks", version: "1") { complain("\($0): \($1)") }
        table.add(features.methods)
        self.table = table
    }

    /// Returns a person as the caller of a method.
    private static func caller(_ person: Int) -> Principal {
        let caller = Principal(number: 1, origin: .user(1000), rights: [.read])
        caller.identity = Principal.Identity(person: "p\(person)")
        return caller
    }

    /// Measures the first page of a list and, if there are more, a deep page, which is reached page by page.
    func measure(_ list: CompanionList) async throws {
        var (key, passed): (String?, Int) = (nil, 0)
        try await measure(list, page: "first", after: key)
        while passed < list.depth {
            let limit = min(list.largestPage, list.depth - passed)
            let answer = try await call(list, limit: limit, after: key)
            guard case .string(let next) = answer["next"] else { break }
            key = next
            passed += limit
        }
        if key != nil { try await measure(list, page: "behind \(passed)", after: key) }
    }

    private func measure(_ list: CompanionList, page: String, after key: String?) async throws {
        var (byMethod, bySQL): ([Duration], [Duration]) = ([], [])
        let sql = list.query(after: key)
        let caller = Self.caller(list.person)
        // The first call finds cold caches, and prepares statements.
        let count = Self.count(try await call(list, limit: list.limit, after: key), list)
        for round in 0...Self.rounds {
            let request = list.request(limit: list.limit, after: key)
            let called = try await ContinuousClock().measure {
                _ = try await table.dispatch(request, from: caller).get()
            }
            var rows = 0
            let asked = try ContinuousClock().measure {
                rows = try self.rows(of: sql)
                for query in list.also { _ = try self.rows(of: query) }
            }
            guard rows == count else {
                throw Workload.Damage(description: "\(list.name), \(page): \(count) by the method, \(rows) by SQL")
            }
            guard round > 0 else { continue }
            byMethod.append(called)
            bySQL.append(asked)
        }
        let (method, plain) = (Self.median(byMethod), Self.median(bySQL))
        var json = JSONWriter()
        json.object { json in
            json.member("workload", "companion \(list.name)")
            json.member("page", page)
            json.member("n", count)
            json.member("method_us", method, decimals: 1)
            json.member("sql_us", plain, decimals: 1)
            json.member("ratio", method / plain, decimals: 2)
        }
        FileHandle.standardOutput.write(Data(json.bytes + [0x0A]))
    }

    /// Measures the answers for windows of a map, from the globe to a town.
    func measureMap() async throws {
        let windows: [(name: String, edges: JSONValue)] = [
            ("globe", [-180, -90, 180, 90]), ("country", [3.3, 50.7, 7.3, 53.6]), ("town", [4.7, 52.3, 5.1, 52.5]),
        ]
        for window in windows {
            let request = Request(
                id: .integer(1), method: "sights.map", parameters: .named(["bbox": window.edges]))
            // The first call reads the places of the sights.
            let answer = try await table.dispatch(request, from: Self.caller(1)).get()
            guard case .integer(let count)? = try JSONValue(parsing: answer.bytes.span)["count"] else { continue }
            var times: [Duration] = []
            for _ in 0..<Self.rounds {
                times.append(
                    try await ContinuousClock().measure {
                        _ = try await table.dispatch(request, from: Self.caller(1)).get()
                    })
            }
            var json = JSONWriter()
            json.object { json in
                json.member("workload", "companion sights.map")
                json.member("page", window.name)
                json.member("n", count)
                json.member("method_us", Self.median(times), decimals: 1)
            }
            FileHandle.standardOutput.write(Data(json.bytes + [0x0A]))
        }
    }

    private func call(_ list: CompanionList, limit: Int, after key: String?) async throws -> JSONValue {
        let text = try await table.dispatch(
            list.request(limit: limit, after: key), from: Self.caller(list.person)
        ).get()
        return try JSONValue(parsing: text.bytes.span)
    }

    /// Reads the rows of a query and each of their values, and returns the number of rows.
    private func rows(of sql: String) throws -> Int {
        try store.read { db in
            let statement = try DirectStatement(sql, in: db)
            var (count, bytes) = (0, 0)
            while try statement.step() {
                count += 1
                for column in 0..<statement.row.count {
                    // The sum keeps the compiler from removing the reads.
                    bytes +=
                        statement.row.isText(column)
                        ? statement.text(column).utf8.count
                        : Int(truncatingIfNeeded: statement.integer(column) ?? 0) & 1
                }
            }
            return bytes < 0 ? bytes : count
        }
    }

    /// Returns the number of rows in an answer; 1 if it has no list.
    private static func count(_ answer: JSONValue, _ list: CompanionList) -> Int {
        if case .array(let elements) = answer[list.elements] { elements.count } else { 1 }
    }

    /// Returns the median in microseconds.
    private static func median(_ times: [Duration]) -> Double { times.sorted()[times.count / 2] / .microseconds(1) }
}

/// The present of a daemon without devices.
private struct QuietLiveState: LiveState {
    let index: GeofenceIndex

    func positions() async -> [String: Fix] { [:] }
    func openTrips() async -> [String: TripSummary] { [:] }
    func policy() async -> TrackingPolicy { TrackingPolicy() }
    func nearest(to place: Coordinate, limit: Int, kind: Geofence.Kind) async -> [GeofenceIndex.Neighbor] {
        index.nearest(to: place, limit: limit, kind: kind)
    }
    func explain(
        _ question: Explanation.Question, _ geofence: Geofence.Identity, device: String
    ) async -> (geofence: Geofence, explanation: Explanation)? { nil }
    func historyBegin(of device: String) async -> Timestamp? { nil }
    func watch(_ changes: [GeofenceChange]) async {}
    func publish(_ events: [EventRecord]) async {}
}
