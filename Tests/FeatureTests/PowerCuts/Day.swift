import Callers
import FeatureSupport
import Foundation
import GRDB
import Positioning
import RPC
import Receivers
import TestSupport
import Testing
import Time
import Tracking

@testable import Daemon
@testable import Service
@testable import Sights
@testable import Store

/// The same day in the life of a store, each time.
///
/// A store from before there were people is upgraded. Devices drive, and people add sights, write reviews, follow
/// each other and show photos. Trips are edited, old events and traces are deleted, a backup is made, and the daemon
/// restarts. Each step is one transaction, except for the divided ones.
struct Day {
    let folder: TemporaryFolder
    /// The number of attempts at each step; the daemon retries every few seconds.
    private let tries: Int

    /// Prepares a day with the store in a folder, or with an old store if there is none.
    init(in folder: TemporaryFolder, tries: Int = 1) throws {
        self.folder = folder
        self.tries = tries
        if !FileManager.default.fileExists(atPath: Self.store(folder)) {
            try Data(Self.older.get()).write(to: URL(fileURLWithPath: Self.store(folder)))
        }
    }

    static func store(_ folder: TemporaryFolder) -> String { folder.file("waymark.db") }

    /// Runs the steps from `first` up to `last`.
    ///
    /// - Parameter done: called after each step with the number of completed steps and the store.
    func run(
        from first: Int = 0, to last: Int = steps.count, done: (Int, LocationDatabase) throws -> Void = { _, _ in }
    ) async throws {
        var hand = try await trying { try Hand(Self.open(folder)) }
        try done(first, hand.store)
        for (number, step) in Self.steps.enumerated().prefix(last).dropFirst(first) {
            switch step {
            case .act(let act), .divided(let act): try await trying { try await act(hand) }
            case .backup(let name): try await trying { try hand.store.backup(to: folder.file(name)) }
            case .restart:
                try hand.store.close()
                hand = try await trying { try Hand(Self.open(folder)) }
            }
            try done(number + 1, hand.store)
        }
        try hand.store.close()
    }

    private func trying<Value>(_ body: () async throws -> Value) async throws -> Value {
        for _ in 1..<tries {
            if let value = try? await body() { return value }
        }
        return try await body()
    }

    static func open(_ folder: TemporaryFolder) throws -> LocationDatabase {
        let store = try LocationDatabase.open(at: store(folder), migrations: FeatureList.standard.migrations)
        // Checkpoints the write-ahead log, and restarts it, many times a day.
        try? store.queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 20") }
        return store
    }

    /// Expects an undamaged store and a log without gaps.
    static func checkSound(_ store: LocationDatabase, _ comment: Comment) async throws {
        let (damage, strays) = try await store.read { db in
            let damage = try String.fetchAll(db, sql: "PRAGMA integrity_check")
            return (damage, try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").count)
        }
        #expect(damage == ["ok"] && strays == 0, comment)
        let numbers = try store.events(after: 0, limit: .max).compactMap(\.seq)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 + 1 == $1 }, comment)
    }

    /// Returns all non-random contents of a store as text.
    static func rows(of store: LocationDatabase) throws -> [String] {
        try store.read { db in
            let tables = try String.fetchAll(
                db,
                sql: """
                    SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
                        AND name NOT LIKE 'sight_text_%' AND name NOT IN ('log_start', 'photo_folder') ORDER BY name
                    """)
            let rows = try tables.flatMap { table in
                try Row.fetchAll(db, sql: "SELECT * FROM \"\(table)\"").map { "\(table) \($0.description)" }.sorted()
            }
            return rows + ["\(try EventLog.extent(in: db).last)"]
        }
    }
}

extension Day {
    /// An action between two moments at which a test may look at the store.
    enum Step {
        case act(@Sendable (Hand) async throws -> Void)
        /// Several transactions; running them again changes nothing more.
        case divided(@Sendable (Hand) async throws -> Void)
        case backup(String)
        /// The daemon stops and starts.
        case restart

        var isDivided: Bool { if case .divided = self { true } else { false } }
    }

    static let steps: [Step] =
        [
            .act { hand in
                try await hand.context.editor.change { db, _ in
                    for id in ["ada", "bob"] {
                        try db.execute(
                            sql: """
                                INSERT INTO person (id, first_name, last_name, email, joined, proven)
                                VALUES (?, ?, 'Test', ?, 1, 1)
                                """, arguments: [id, id, "\(id)@example.org"])
                    }
                }
            },
            call(
                "ada", "sights.add", ["id": "mill", "title": "Mill", "lat": 52.37, "lon": 4.89, "description": "Old."]),
            call(
                "ada", "sights.add",
                ["id": "barn", "title": "Barn", "lat": 52.38, "lon": 4.89, "description": "Red."]),
        ] + drive("pass-by.gpx", batches: 8, isWhole: true) + [
            call("bob", "reviews.put", ["subject": "sight/mill", "rating": 4, "text": "Turns well."]),
            call("bob", "people.follow", ["person": "ada"]),
            .act { hand in try await hand.context.editor.change { db, _ in try photo(1, in: db) } },
            .restart,
            .act { hand in
                let trips = try hand.store.trips()
                guard let trip = trips.first(where: { $0.summary.device == "pass-by" })?.summary else { return }
                let middle = Timestamp(
                    milliseconds: (trip.start.milliseconds + (trip.end ?? trip.start).milliseconds) / 2)
                try await hand.context.editor.change { db, consequences in
                    consequences.events = try TripEditing.split(trip.id, at: middle, now: moment(0), in: db).events
                }
            },
            .backup("noon.db"),
        ] + drive("canal-walk.gpx", batches: 12, isWhole: false) + [
            .divided { hand in
                _ = try await hand.store.prune(eventsBefore: moment(7 * 86400), tracesBefore: nil, limit: 3)
            },
            call("bob", "reviews.put", ["subject": "sight/mill", "rating": 5]),
            .divided { hand in
                _ = try await hand.store.prune(eventsBefore: nil, tracesBefore: moment(30 * 86400), limit: 40)
            },
            .act { hand in try await hand.context.editor.change { db, _ in try photo(2, in: db) } },
            .act { hand in
                try hand.store.queue.writeWithoutTransaction { _ = try $0.checkpoint(.restart) }
            },
            call("bob", "suggestions.send", ["subject": "sight/mill", "to": "ada", "text": "Come along."]),
            .restart,
            .backup("evening.db"),
            call("ada", "sights.remove", ["id": "barn"]),
        ]

    private static func call(_ person: String, _ method: String, _ parameters: JSONObject) -> Step {
        .act { hand in
            let request = Request(id: .integer(1), method: method, parameters: .named(parameters))
            _ = try await hand.table.dispatch(request, from: CoreFixture.connection(as: person)).get()
        }
    }

    /// Adds a photo of the mill without its file.
    private static func photo(_ number: Int, in db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO picture (sha256, size, type, width, height) VALUES (?, 1000, 'jpeg', 40, 30)
                """, arguments: ["\(number)"])
        let mill = try Subjects.makeNumber(of: SubjectID(kind: "sight", id: "mill"), in: db)
        try db.execute(
            sql: "INSERT INTO photo (subject, place, picture, added) VALUES (?, ?, ?, 1)",
            arguments: [mill, number, number])
    }

    /// Replays a recording in batches, each time from its beginning and some fixes further.
    private static func drive(_ name: String, batches: Int, isWhole: Bool) -> [Step] {
        let device = String(name.prefix { $0 != "." })
        return (1...batches).map { batch in
            .act { hand in
                let fixes = try recordings[name]?.get() ?? []
                let count = isWhole ? fixes.count * batch / batches : min(fixes.count, batch * 40)
                var index = try hand.store.sightGeofences()
                var tracker =
                    if let saved = try hand.store.state(ofDevice: device) {
                        Tracker(device: device, policy: TrackingPolicy(), saved: saved, in: &index)
                    } else {
                        Tracker(device: device, policy: TrackingPolicy())
                    }
                var output = Tracker.Output()
                for fix in fixes.prefix(count) { tracker.ingest(fix, in: index, into: &output) }
                if isWhole, batch == batches { tracker.finish(into: &output) }
                var pending = PendingCommit()
                pending.add(output, of: device)
                pending.devices[device] = PendingCommit.DeviceState(
                    time: tracker.position?.time, place: tracker.position?.place, saved: tracker.saved(in: index))
                _ = try hand.store.commit(pending)
            }
        }
    }

    private static let fixtures = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "fixtures")

    private static let recordings = ["pass-by.gpx": fixes("pass-by.gpx"), "canal-walk.gpx": fixes("canal-walk.gpx")]

    private static func fixes(_ name: String) -> Result<[Fix], any Error> {
        Result {
            let recording = try Recording(path: fixtures.appending(path: name).path)
            var fixes: [Fix] = []
            while let more = try recording.next() { fixes += more }
            return fixes
        }
    }

    /// The bytes of a store with the schema from before there were people, as its daemon left it.
    private static let older = Result {
        let folder = try TemporaryFolder()
        let pool = try DatabasePool(path: folder.file("old.db"))
        let dump = try String(contentsOf: fixtures.appending(path: "store-before-people.sql"), encoding: .utf8)
        try pool.writeWithoutTransaction { try $0.execute(sql: dump) }
        try pool.close()
        return try [UInt8](Data(contentsOf: URL(fileURLWithPath: folder.file("old.db"))))
    }
}

/// The parts of a daemon that the steps use.
struct Hand: Sendable {
    let store: LocationDatabase
    let features: Features
    let table: MethodTable<Principal>

    init(_ store: LocationDatabase) throws {
        self.store = store
        features = Features(store: store, liveState: FakeLiveState()) { moment(0) }
        // Errors are not recorded, because failed steps are retried.
        var table = MethodTable<Principal>(title: "Day", version: "1") { _, _ in }
        table.add(features.methods)
        self.table = table
    }

    var context: ServiceContext { features.context }
}
