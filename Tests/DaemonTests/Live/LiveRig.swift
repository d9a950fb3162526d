import GRDB
import Geodesy
import Logging
import Positioning
import RPC
import Receivers
import Store
import Synchronization
import TestSupport
import Time
import Tracking

@testable import Daemon
@testable import EventStream

/// A live pipeline with a clock that the test moves, and one subscriber to everything.
final class LiveRig: Sendable {
    let store: LocationDatabase
    let pipeline: LivePipeline
    let clock = TestClock()
    let hub: EventHub
    private let listener: EventListener

    /// A clock that stands still until it is moved.
    final class TestClock: Sendable {
        private let seconds = Mutex(0.0)
        private let wrongness = Mutex(0.0)

        var now: Double { seconds.withLock { $0 } }

        /// How many seconds the system's time is ahead.
        var error: Double {
            get { wrongness.withLock { $0 } }
            set { wrongness.withLock { $0 = newValue } }
        }

        func move(by more: Double) { seconds.withLock { $0 += more } }
    }

    init(
        _ store: LocationDatabase, policy: TrackingPolicy = TrackingPolicy(), commits: CommitPolicy = CommitPolicy(),
        isSynchronised: Bool? = false
    ) async throws {
        self.store = store
        let clock = clock
        hub = try await EventHub(journal: StoreJournal(store: store))
        pipeline = try LivePipeline(
            store: store, hub: hub, policy: policy, commitPolicy: commits,
            clock: LiveClock(
                moment: { clock.now }, time: { Self.time(clock.now + clock.error) },
                isSynchronised: { isSynchronised }),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        listener = try await EventListener(to: hub, filter: EventFilter(types: ["*"]))
    }

    /// Returns 2026-05-01 10:00:00 UTC plus `seconds`.
    static func time(_ seconds: Double) -> Timestamp {
        Timestamp(milliseconds: 1_777_629_600_000 + Int64((seconds * 1000).rounded()))
    }

    /// Returns a fix at a time, `east` metres east of a fixed place.
    static func fix(_ seconds: Double, east: Double = 0) -> Fix {
        Fix(
            time: time(seconds),
            coordinate: Coordinate(latitude: 52.37, longitude: 4.89 + east / (111_195 * 0.6105)).known)
    }

    /// Runs `body` while the pipeline commits, and then drains it, as a clean stop does.
    func run<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.pipeline.commitUntilCancelled() }
            let value = try await body()
            group.cancelAll()
            try await group.waitForAll()
            return value
        }
    }

    /// Takes fixes of a receiver and waits until what they decided is committed.
    func receive(_ fixes: [Fix], of device: String = "van", isRecording: Bool = false) async {
        await pipeline.receive([.fixes(fixes, device: device)], isRecording: isRecording)
        await pipeline.probe()
    }

    /// Returns the stored state of each device.
    func states() throws -> [String: String] {
        try store.read { db in
            try Row.fetchAll(db, sql: "SELECT device.name, device.state FROM device WHERE device.state IS NOT NULL")
                .reduce(into: [:]) { $0[$1[0]] = $1[1] as String }
        }
    }

    /// Makes the store refuse commits with a certain write, by default those with an event, or accept them again.
    func refuse(_ refuses: Bool, when action: String = "INSERT ON event") async throws {
        try await store.write { db in
            try db.execute(
                sql: refuses
                    ? "CREATE TRIGGER refusal BEFORE \(action) BEGIN SELECT RAISE(ABORT, 'refused'); END"
                    : "DROP TRIGGER refusal")
        }
    }

    /// Returns what the subscriber has been sent since the last call.
    func told() async throws -> [String] { try await listener.told() }

    /// Ends the subscriber's connection, which holds the hub and what that refers to.
    func hangUp() async throws { try await listener.hangUp() }

    /// Returns the types of the events in the log.
    func types() throws -> [String] { try store.events(after: 0, limit: .max).map(\.type) }
}
