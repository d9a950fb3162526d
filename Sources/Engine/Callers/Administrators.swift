import Synchronization

/// The people who have an administrator's rights while signed in.
///
/// A change takes effect at once for all callers and subscriptions.
public final class Administrators: Sendable {
    private let people = Mutex<Set<String>>([])

    /// Creates an empty list of administrators.
    public init() {}

    /// Returns whether a person is an administrator.
    public func contains(_ person: String) -> Bool { people.withLock { $0.contains(person) } }

    /// Replaces the list of administrators.
    package func set(_ ids: Set<String>) { people.withLock { $0 = ids } }

    /// Adds a person to the administrators.
    package func insert(_ person: String) { people.withLock { _ = $0.insert(person) } }

    /// Removes a person from the administrators.
    package func remove(_ person: String) { people.withLock { _ = $0.remove(person) } }
}
