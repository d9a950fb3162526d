/// What one caller has subscribed to; a door keeps it with the connection through which the events go out.
package protocol Subscriptions: Sendable {
    /// Subscribes to what follows `seq`, or without one to what comes from now on.
    ///
    /// Nothing is sent before the answer that names the subscription.
    /// - Parameter last: the last event that the journal is known to have.
    /// - Returns: the subscription's name, and the number of the first event that it can get.
    /// - Throws: `Refusal` where there are as many as may be.
    func subscribe(
        _ principal: Principal, to filter: EventFilter, after seq: Int64?, last: Int64
    ) async throws -> (name: String, next: Int64)

    /// Ends the subscription of that name; nothing of it is sent once this has returned.
    ///
    /// - Returns: whether there was one.
    func unsubscribe(_ name: String) async throws -> Bool
}

/// What takes published events to some of the subscribers, such as those of one event loop.
package protocol EventSink: AnyObject, Sendable {
    /// Whether it has subscribers.
    var isHeard: Bool { get }

    /// Takes events for its subscribers; never waits.
    func put(_ entries: [JournalEntry])

    /// How its subscriptions are doing.
    func statistics() async -> EventHub.Statistics
}
