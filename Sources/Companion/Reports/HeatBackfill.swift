import GRDB
import Service
import Store
import Synchronization
import Time

/// Timed work that counts the trips of an older store for the heat map, in slices.
final class HeatBackfill: TimedWork {
    let name = "the heat map"

    /// The time of the last slice.
    private let last = Mutex<Timestamp?>(nil)

    /// The points of a slice, which take about a tenth of a second on a small board.
    private static let slice = 20_000
    /// The milliseconds between two slices, so that other work and the disk have their turn.
    private static let pause: Int64 = 300

    func due(at now: Timestamp, in db: Database) throws -> Timestamp? {
        guard try TripHeat.isPending(in: db) else { return nil }
        guard let last = self.last.withLock({ $0 }), last <= now else { return now }
        return last.advanced(byMilliseconds: Self.pause)
    }

    func work(at now: Timestamp, in db: Database, _ consequences: inout Consequences) throws {
        try TripHeat.countPending(points: Self.slice, in: db)
        last.withLock { $0 = now }
    }
}
