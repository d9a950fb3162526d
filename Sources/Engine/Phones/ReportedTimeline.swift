public import Time

/// The times that a device has reported, and what a further one is among them.
///
/// A phone reports fixes with their own times, late and sometimes twice. The key of a fix is its device and its time.
/// For each fix, in the order of the request, ask ``order(of:latest:isStored:)`` and then ``record(_:isAccepted:)`` what
/// became of it.
///
/// The timeline remembers the latest times, at most ``capacity`` of them. A device that repeats what it has just sent,
/// as after a lost answer, is answered from memory. For an older time the store must say whether it has a fix of this
/// device at exactly this millisecond: in a trace, in the table of late fixes that are not merged yet, or as the time of
/// the last accepted fix. It need not know fixes that the gate has rejected: they are remembered here only, and if one
/// comes again much later it is judged again, with the same result.
///
/// A timeline is made anew after a restart from the time of the last accepted fix alone: then the store answers for all
/// times before it.
public struct ReportedTimeline: Sendable, Equatable {
    /// The most times that are remembered: more than five batches of Overland, which repeats whole batches of 200, in 8
    /// KiB for a device.
    public static let capacity = 1024

    /// How far a time may be ahead of a synchronised clock, in milliseconds: 24 hours.
    ///
    /// A phone whose clock or zone is wrong by hours must still get through, but one fix of a far future would make all
    /// later ones late.
    public static let tolerance: Int64 = 86_400_000
    /// How far a time may be ahead of another clock, in milliseconds: a year.
    ///
    /// A board without a battery for its clock starts from the time at which it was switched off.
    public static let unsynchronisedTolerance: Int64 = 366 * 86_400_000
    /// The clock of a board that knows no time is before this moment, 2025-01-01, and judges nothing.
    private static let leastTime = Timestamp(milliseconds: 1_735_689_600_000)

    /// Returns the latest time that is not of the future.
    ///
    /// - Parameters:
    ///   - now: the time of the system's clock.
    ///   - isSynchronised: whether that clock is synchronised.
    /// - Returns: The time; `nil` if the clock cannot tell.
    public static func latest(now: Timestamp, isSynchronised: Bool) -> Timestamp? {
        guard !isSynchronised else { return now.advanced(byMilliseconds: tolerance) }
        return now < leastTime ? nil : now.advanced(byMilliseconds: unsynchronisedTolerance)
    }

    /// What a fix is among those of its device.
    public enum Order: String, Sendable, CaseIterable {
        /// Later than the last accepted fix: it takes the usual path through the gate, however old it is.
        case new
        /// The same key again: a success without a second effect.
        case duplicate
        /// Earlier than the last accepted fix, and unknown: it is kept to be merged into its day.
        case late
        /// Too far ahead of the clock: it is rejected.
        case future
    }

    /// The time of the last accepted fix; `nil` if there is none yet.
    public private(set) var lastAccepted: Timestamp?
    /// The latest times in ascending order.
    private var times: [Timestamp] = []
    /// All times that were reported from here on are in `times`; earlier ones may be unknown.
    private var completeFrom: Timestamp

    /// Creates the timeline of a device.
    ///
    /// - Parameter lastAccepted: the time of its last accepted fix; `nil` for a device that has none.
    public init(lastAccepted: Timestamp?) {
        self.lastAccepted = lastAccepted
        completeFrom = lastAccepted ?? .earliest
        if let lastAccepted { times.append(lastAccepted) }
    }

    /// Returns whether only the store can tell what a fix of a time is, because it is before those in memory.
    ///
    /// - Complexity: O(log *m*) for *m* remembered times.
    public func isBeforeMemory(_ time: Timestamp) -> Bool {
        guard let lastAccepted, time <= lastAccepted else { return false }
        return time < completeFrom && !contains(time)
    }

    /// Returns what a fix of a time is.
    ///
    /// - Parameters:
    ///   - time: the time of the fix.
    ///   - latest: the latest time that is not of the future, as ``latest(now:isSynchronised:)`` tells it; `nil` if no
    ///     time is.
    ///   - isStored: whether the store has a fix of this device and time; called at most once, and only for a time
    ///     before those in memory (``isBeforeMemory(_:)``).
    /// - Complexity: O(log *m*) for *m* remembered times.
    public func order<Failure: Error>(
        of time: Timestamp, latest: Timestamp?, isStored: (Timestamp) throws(Failure) -> Bool
    ) throws(Failure) -> Order {
        if let latest, time > latest { return .future }
        if contains(time) { return .duplicate }
        guard let lastAccepted, time <= lastAccepted else { return .new }
        if time < completeFrom, try isStored(time) { return .duplicate }
        return .late
    }

    /// Remembers the time of a fix that is new or late.
    ///
    /// A fix of the future is not recorded.
    ///
    /// - Parameter isAccepted: whether the gate has accepted it as a new fix; `false` for a late one, and for a new one
    ///   that the gate has rejected.
    /// - Complexity: amortised O(1) for ascending times; O(*m*) for others.
    public mutating func record(_ time: Timestamp, isAccepted: Bool) {
        if isAccepted, lastAccepted.map({ $0 < time }) ?? true { lastAccepted = time }
        let index = insertionIndex(of: time)
        guard index == times.count || times[index] != time else { return }
        // A full memory has no use for a time that it would forget first.
        if index == 0, times.count >= Self.capacity / 2, time < completeFrom { return }
        times.insert(time, at: index)
        if times.count > Self.capacity {
            // Half at once, so that the cost of moving the rest is spread over as many calls.
            times.removeFirst(times.count - Self.capacity / 2)
            completeFrom = max(completeFrom, times[0])
        }
    }

    private func contains(_ time: Timestamp) -> Bool {
        let index = insertionIndex(of: time)
        return index < times.count && times[index] == time
    }

    /// The index of the first remembered time that is not earlier.
    private func insertionIndex(of time: Timestamp) -> Int {
        var low = 0
        var high = times.count
        while low < high {
            let middle = (low + high) / 2
            if times[middle] < time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
