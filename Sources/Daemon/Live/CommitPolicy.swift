public import Store

/// When what is pending is committed, and what happens where it cannot be (architecture, decisions 7 and 9).
///
/// An event is committed at once. Points of a trip wait for each other, so that driving costs a write every half
/// minute; a crash loses at most so much of a trace.
struct CommitPolicy: Hashable, Sendable {
    /// Points wait at most so long, in seconds.
    var interval = 30.0
    /// So many points are committed at once.
    var points = 500
    /// A commit that failed is tried again after so long, in seconds.
    var retry = 5.0
    /// So many events wait for a store that fails; with one more the daemon ends, to be started anew.
    var greatestEvents = 10_000
    /// So many points wait for a store that fails; beyond that the oldest go.
    var greatestPoints = 100_000
    /// Where so much waits and the store is at work, receivers wait too: a recording comes faster than a disk writes.
    var crowd = 4096
}

/// The store has failed for so long that no more events can wait.
public struct CommitOverflow: Error, CustomStringConvertible {
    /// How many events waited.
    public let events: Int
    /// Why they could not be committed.
    public let cause: StoreError

    /// What is wrong.
    public var description: String { "\(events) events wait for the store, and no more can: \(cause)" }
}
