package import Callers
package import Tracking

/// The subscriptions of one caller.
///
/// A door stores them with the connection that receives the events.
package protocol Subscriptions: CallerConnection {
    /// Subscribes to the events after `seq`, or to future events only if `seq` is `nil`.
    ///
    /// Nothing is sent before the answer that names the subscription.
    ///
    /// - Parameter last: The number of the last event known to be in the journal.
    /// - Returns: The name of the subscription, and the number of the first event that it can receive.
    /// - Throws: `Refusal` if the limit of subscriptions is reached.
    func subscribe(
        _ principal: Principal, to filter: EventFilter, after seq: Int64?, last: Int64
    ) async throws -> (name: String, next: Int64)

    /// Ends a subscription.
    ///
    /// Nothing of it is sent after the function returns.
    ///
    /// - Returns: Whether there was a subscription with that name.
    func unsubscribe(_ name: String) async throws -> Bool
}

/// Delivers published events to some of the subscribers, such as those on one event loop.
package protocol EventSink: AnyObject, Sendable {
    /// Whether the sink has subscribers.
    var hasSubscribers: Bool { get }

    /// Accepts events for the subscribers without waiting.
    func put(_ entries: [EventRecord])

    /// Returns the figures about the sink's subscriptions.
    func statistics() async -> EventHub.Statistics
}
