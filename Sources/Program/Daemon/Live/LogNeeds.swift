import Service
import Store

/// The events of the log that somebody still has to process, and which retention must keep.
struct LogNeeds: Sendable {
    let store: LocationDatabase
    let consumers: LogConsumers
    /// Each returns the last event that somebody outside has taken; `nil` if nobody waits for events.
    var outside: [@Sendable () async throws -> Int64?] = []

    /// The most events that are kept for those outside who do not take them, some tens of megabytes.
    ///
    /// A board whose receiver is gone for ever must not fill its disk.
    static let longestWait: Int64 = 100_000

    /// Returns the number of the last event that may be deleted.
    ///
    /// - Throws: `StoreError`.
    func reached() async throws -> Int64 {
        let inside = try await consumers.reached()
        var places: [Int64] = []
        for reached in self.outside {
            if let place = try await reached() { places.append(place) }
        }
        guard let outside = places.min() else { return inside }
        let bound = try await store.read { try EventLog.extent(in: $0).last } - Self.longestWait
        return min(inside, max(outside, bound))
    }
}
