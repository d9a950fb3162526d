import EventHooks
import Service
import Store
import Uplink

/// The events of the log that somebody still has to process, and which retention must keep.
struct LogNeeds: Sendable {
    let store: LocationDatabase
    let consumers: LogConsumers
    let hooks: [EventHookSettings]
    let hasUplink: Bool

    /// The most events that are kept for those outside who do not take them, some tens of megabytes.
    ///
    /// A board whose receiver is gone for ever must not fill its disk.
    static let longestWait: Int64 = 100_000

    /// Returns the number of the last event that may be deleted.
    ///
    /// - Throws: `StoreError`.
    func reached() async throws -> Int64 {
        let inside = try await consumers.reached()
        var places = [try await EventHookPlaces.reached(hooks, in: store)]
        if hasUplink { places.append(try await UplinkPlaces.reached(in: store)) }
        guard let outside = places.compactMap(\.self).min() else { return inside }
        let bound = try await store.read { try EventLog.extent(in: $0).last } - Self.longestWait
        return min(inside, max(outside, bound))
    }
}
