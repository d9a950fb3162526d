#if Companion
import Callers
import Foundation
import GRDB
import Geodesy
import Positioning
import RPC
import Receivers
import Store
import TestSupport
import Testing
import Time
import Tracking

@testable import People
@testable import Daemon
@testable import EventStream
@testable import Photos
@testable import Sights
@testable import Service

/// A household with a van, day after day, as fast as the machine can.
///
/// What is kept grows as it must, and nothing else grows.
@Suite(.slow) struct YearTests {
    /// The number of days: a few by default, as many as `YEAR_DAYS` says, or 365 with `WAYMARK_TESTS=soak`.
    private static let days =
        ProcessInfo.processInfo.environment["YEAR_DAYS"].flatMap(Int.init) ?? (TestTier.isSoak ? 365 : nil)
    /// How many days events and photos are kept, and traces.
    private static let (keptEvents, keptTraces) = (30, 60)

    @Test(.timeLimit(.minutes(180))) func aYearLeavesOnlyWhatIsKept() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("waymark.db")
        try Self.makeOlderStore(at: path)
        let tripsBefore = try Self.tripCount(path)
        let days = Self.days ?? 3
        var samples: [Sample] = []
        // The daemon restarts on the second day and then every week.
        let starts = [0] + Array(stride(from: 1, to: days, by: 7))
        for (start, end) in zip(starts, starts.dropFirst() + [days]) {
            let household = try await Household(folder, path, from: start)
            try await household.live(until: end, keepingEvents: Self.keptEvents, traces: Self.keptTraces)
            guard Self.days != nil, start % 4 == 1 || end == days else { continue }
            samples.append(Sample(day: end, folder))
            print(samples[samples.count - 1])
        }
        let store = try Stores.open(at: path)
        let (damage, strays) = try await store.read { db in
            (
                try String.fetchAll(db, sql: "PRAGMA integrity_check"),
                try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").count
            )
        }
        #expect(damage == ["ok"] && strays == 0)
        #expect(try store.trips().count == tripsBefore + 2 * days)
        #expect(try store.trips().allSatisfy { $0.summary.end != nil })
        let events = try store.events(after: 0, limit: .max)
        let numbers = events.compactMap(\.seq)
        #expect(numbers.count == events.count)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 + 1 == $1 })
        #expect(events.count { $0.type == "trip.end" } >= 2 * min(days, Self.keptEvents))
        #expect(events.count { $0.type == "notification" } >= min(days, Self.keptEvents))
        try store.close()
        try Self.checkGrowth(samples)
    }

    @Test(.timeLimit(.minutes(1))) func `a daemon that has ended leaves nothing in memory`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("waymark.db")
        try Self.makeOlderStore(at: path)
        let left: Left
        do {
            let household = try await Household(folder, path, from: 0)
            left = Left(of: household)
            try await household.live(until: 1, keepingEvents: Self.keptEvents, traces: Self.keptTraces)
        }
        // The thread that read last may hold the store for a moment longer.
        while left.isAnythingHeld { await Task.yield() }
    }

    /// Weak references to what a daemon has made.
    private struct Left {
        weak var pipeline: LivePipeline?
        weak var passwords: Passwords?
        weak var hub: EventHub?
        weak var store: LocationDatabase?

        var isAnythingHeld: Bool { pipeline != nil || passwords != nil || hub != nil || store != nil }

        init(of household: Household) {
            pipeline = household.rig.pipeline
            passwords = household.features.accounts.passwords
            hub = household.rig.hub
            store = household.rig.store
        }
    }

    /// Compares the first and second half of the time in which as much is pruned as comes in.
    private static func checkGrowth(_ samples: [Sample]) throws {
        let steady = samples.filter { $0.day > 2 * keptTraces }
        guard steady.count >= 5 else { return }
        let (first, middle, last) = (steady[0], steady[steady.count / 2], steady[steady.count - 1])
        #expect(last.memory < first.memory + first.memory / 10 + 8_192, "\(samples)")
        #expect(abs(last.descriptors - first.descriptors) <= 4, "\(samples)")
        let rate = Double(middle.store - first.store) / Double(middle.day - first.day)
        let later = Double(last.store - middle.store) / Double(last.day - middle.day)
        #expect(later < 1.5 * rate + 4_096, "\(samples)")
        #expect(last.photos < first.photos + first.photos / 2, "\(samples)")
    }

    /// Makes a store from a version before people, which the first start migrates.
    private static func makeOlderStore(at path: String) throws {
        let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "fixtures")
        let dump = try String(contentsOf: fixtures.appending(path: "store-before-people.sql"), encoding: .utf8)
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { try $0.execute(sql: dump) }
        try queue.close()
    }

    private static func tripCount(_ path: String) throws -> Int {
        let store = try Stores.open(at: path)
        defer { try? store.close() }
        return try store.trips().count
    }
}

/// The state of the process and its files on a day.
private struct Sample: CustomStringConvertible {
    let day: Int
    /// The resident memory in kilobytes, including that of the tests.
    let memory: Int
    let descriptors: Int
    /// The size of the store and its write-ahead log, in bytes.
    let store: Int
    /// The size of the folder of photos, in bytes.
    let photos: Int

    init(day: Int, _ folder: TemporaryFolder) {
        self.day = day
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        memory =
            status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }?.split(separator: " ").dropFirst().first
            .flatMap { Int($0) } ?? 0
        descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        let path = folder.file("waymark.db")
        store = Self.size(path) + Self.size(path + "-wal")
        let photos = path + ".photos"
        self.photos = (FileManager.default.subpaths(atPath: photos) ?? []).reduce(0) {
            $0 + Self.size("\(photos)/\($1)")
        }
    }

    private static func size(_ path: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard attributes?[.type] as? FileAttributeType == .typeRegular else { return 0 }
        return attributes?[.size] as? Int ?? 0
    }

    var description: String {
        "day \(day): \(memory) kB, \(descriptors) descriptors, store \(store / 1024) KiB, photos \(photos / 1024) KiB"
    }
}

/// A daemon from one restart to the next, and its users.
private struct Household {
    let rig: LiveRig
    let features: Features
    private let table: MethodTable<Principal>
    private var day: Int

    /// Starts the daemon on a day; on day 0 it also adds the people.
    init(_ folder: TemporaryFolder, _ path: String, from day: Int) async throws {
        self.day = day
        let store = try Stores.open(at: path)
        if day == 0 {
            try await store.write { db in
                for id in ["ada", "bob"] {
                    try db.execute(
                        sql: """
                            INSERT INTO person (id, first_name, last_name, email, joined, proven)
                            VALUES (?, ?, 'Test', ?, 1, 1)
                            """, arguments: [id, id, "\(id)@example.org"])
                }
                try db.execute(
                    sql: "INSERT INTO carried (device, person) SELECT 'van', number FROM person WHERE id = 'ada'")
            }
        }
        rig = try await LiveRig(store)
        rig.clock.move(by: Double(day) * 86_400)
        var settings = AccountSettings()
        settings.mailCommand = "/bin/true"
        let accounts = Accounts(
            settings: settings, passwords: Passwords(parameters: .init(logRounds: 4, blockSize: 8, parallelism: 1)))
        features = Features(store: store, liveState: rig.pipeline, accounts: accounts) { [clock = rig.clock] in
            LiveRig.time(clock.now)
        }
        var table = MethodTable<Principal>(title: "Year", version: "1") { method, error in
            Issue.record("\(method): \(error)")
        }
        table.add(features.methods)
        self.table = table
    }

    /// Runs until a day and then ends the daemon.
    func live(until end: Int, keepingEvents events: Int, traces: Int) async throws {
        _ = try await features.media.photos.checkFolder()
        let followers = LogConsumers(features.context, features.consumers)
        try await rig.run { [self] in
            var today = self
            while today.day < end {
                try await today.live(followers)
                let now = await rig.pipeline.trustedTime()
                features.media.photos.emptyTrash(at: now)
                let ago = { (days: Int) in now?.advanced(byMilliseconds: -Int64(days) * Timestamp.millisecondsPerDay) }
                _ = try await rig.store.prune(
                    eventsBefore: ago(events), tracesBefore: ago(traces), now: now ?? Timestamp(milliseconds: .max),
                    upTo: followers.reached())
                today.day += 1
                rig.clock.move(by: Double(today.day) * 86_400 - rig.clock.now)
            }
        }
        try await rig.hangUp()
        try rig.store.close()
    }

    /// Drives out and back, and makes the calls of the people.
    private func live(_ followers: LogConsumers) async throws {
        if day == 0 { try await call("bob", "people.follow", ["person": "ada"]) }
        try await addSight()
        try await park(minutes: 10)
        try await drive(from: 0, to: 9_000)
        try await park(minutes: 40, at: 9_000)
        try await followers.catchUp()
        try await meet()
        try await drive(from: 9_000, to: 0)
        try await park(minutes: 60)
        try await followers.catchUp()
        _ = try await rig.told()
        if day % 7 == 6 { try await edit() }
        try await MailDelivery(features.context, features.accounts).deliver()
    }

    /// Stands still, with a fix every minute that is some metres off.
    private func park(minutes: Int, at east: Double = 0) async throws {
        for minute in 0..<minutes {
            rig.clock.move(by: 60)
            await receive(east + Double(minute * 7 % 9 - 4))
        }
        await rig.pipeline.probe()
    }

    /// Drives at 15 m/s with a fix every second.
    private func drive(from start: Double, to end: Double) async throws {
        let seconds = Int(abs(end - start) / 15)
        for second in 1...seconds {
            rig.clock.move(by: 1)
            await receive(start + (end - start) * Double(second) / Double(seconds))
        }
        await rig.pipeline.probe()
    }

    private func receive(_ east: Double) async {
        await rig.pipeline.receive(
            [.fixes([LiveRig.fix(rig.clock.now, east: east)], device: "van")], isRecording: false)
        await rig.pipeline.tick()
    }

    /// Adds a sight near the route, and on the first day one on the route.
    private func addSight() async throws {
        let place = LiveRig.fix(0, east: day == 0 ? 4_500 : Double(day * 613 % 9_000)).coordinate
        try await call(
            "ada", "sights.add",
            [
                "id": .string("sight-\(day)"), "title": .string("Sight \(day)"),
                "lat": .number(place.latitude + (day == 0 ? 0 : 0.02)), "lon": .number(place.longitude),
                "description": "Seen from the road.",
            ])
    }

    /// Makes the calls of a day: people sign in by a mailed code, write, add a photo, and remove the one of a month
    /// ago.
    private func meet() async throws {
        let subject = JSONValue.string("sight/sight-\(day)")
        let connection = Self.connection(nil)
        try await call(connection, "people.sendCode", ["account": "bob"])
        let body = try await features.context.store.read { db in
            try String.fetchOne(db, sql: "SELECT body FROM mail WHERE body IS NOT NULL ORDER BY number DESC LIMIT 1")
        }
        let code = try #require(
            body?.split(separator: "\n").map { $0.trimmingPrefix(while: \.isWhitespace) }
                .first { !$0.isEmpty && $0.allSatisfy(\.isNumber) })
        try await call(connection, "people.signIn", ["account": "bob", "code": .string(String(code))])
        try await call("bob", "reviews.put", ["subject": subject, "rating": 4, "text": "Worth a stop."])
        try await call("bob", "suggestions.send", ["subject": subject, "to": "ada", "text": "Come along."])
        let bytes = Self.picture(day)
        let begun = try await call(
            "ada", "uploads.begin",
            ["size": .integer(Int64(bytes.count)), "sha256": .string(PhotoFiles.digest(of: bytes))])
        let upload = try #require(begun["upload"])
        try await call(
            "ada", "uploads.append",
            ["upload": upload, "offset": 0, "data": .string(Data(bytes).base64EncodedString())])
        try await call("ada", "uploads.finish", ["upload": upload])
        try await call("ada", "photos.add", ["subject": subject, "upload": upload])
        if day >= 30 {
            let old: JSONObject = ["subject": .string("sight/sight-\(day - 30)")]
            let photos = try await call("ada", "photos.list", old)["photos"]
            guard case .array(let photos)? = photos, let photo = photos.first?["id"] else {
                Issue.record("the photo of a month ago is gone")
                return
            }
            try await call("ada", "photos.remove", ["photo": photo])
        }
    }

    /// Splits the last trip and undoes that.
    private func edit() async throws {
        let trip = try #require(try rig.store.trips().max { $0.summary.start < $1.summary.start }?.summary)
        let middle = trip.start.advanced(byMilliseconds: 300_000)
        let admin = Self.connection(nil, [.read, .change])
        try await call(admin, "trips.split", ["id": .string(trip.id), "at": .string(middle.description)])
        try await call(admin, "trips.undo", ["id": .string(trip.id)])
    }

    private static func connection(_ person: String?, _ rights: Set<AccessRight> = [.read]) -> Principal {
        let connection = Principal(number: 1, origin: .user(1000), rights: rights)
        connection.identity = person.map { Principal.Identity(person: $0) }
        return connection
    }

    @discardableResult
    private func call(_ person: String, _ method: String, _ parameters: JSONObject) async throws -> JSONValue {
        try await call(Self.connection(person), method, parameters)
    }

    @discardableResult
    private func call(
        _ connection: Principal, _ method: String, _ parameters: JSONObject
    ) async throws -> JSONValue {
        let request = Request(id: .integer(1), method: method, parameters: .named(parameters))
        let answer = try await table.dispatch(request, from: connection).get()
        return try JSONValue(parsing: answer.bytes.span)
    }

    /// Returns a PNG of one pixel whose colour is the number.
    private static func picture(_ number: Int) -> [UInt8] {
        func bytes(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
        func part(_ name: String, _ data: [UInt8]) -> [UInt8] {
            let body = Array(name.utf8) + data
            let sum = body.reduce(UInt32.max) { sum, byte in
                (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
            }
            return bytes(UInt32(data.count)) + body + bytes(~sum)
        }
        let line: [UInt8] = [0] + bytes(UInt32(number)).dropFirst()
        // The Adler sums of the line (RFC 1950, section 8.2), which are too small to need a reduction.
        let (low, high) = line.reduce((UInt32(1), UInt32(0))) { ($0.0 + UInt32($1), $0.1 + $0.0 + UInt32($1)) }
        let data: [UInt8] = [0x78, 1, 1, 4, 0, 0xFB, 0xFF] + line + bytes(high << 16 | low)
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + part("IHDR", bytes(1) + bytes(1) + [8, 2, 0, 0, 0]) + part("IDAT", data) + part("IEND", [])
    }
}
#endif
