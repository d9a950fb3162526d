public import Callers
import GRDB
package import Glibc
import Service
public import Store
import Synchronization

/// The open connections, and which users of the machine act as which person.
///
/// Signing in and out, linking and unlinking change the identity of open connections immediately, whichever call causes
/// the change.
public final class LiveConnections: Sendable {
    private let state = Mutex(State())

    private struct Entry {
        weak let connection: Principal?
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        /// The ids of the people that users of the machine act as.
        var people: [uid_t: String] = [:]
        /// The number of entries at which those of closed connections are removed.
        var limit = 64

        mutating func enter(_ connection: Principal) {
            entries[ObjectIdentifier(connection)] = Entry(connection: connection)
            guard entries.count > limit else { return }
            entries = entries.filter { $0.value.connection != nil }
            limit = max(64, 2 * entries.count)
        }
    }

    /// Creates the state without connections or links.
    public init() {}

    /// Reads which users of the machine act as which person.
    ///
    /// Call this before the first client connects.
    public func load(from store: LocationDatabase) throws {
        let people = try store.read(Sessions.users(in:))
        state.withLock { $0.people = people }
    }

    /// Adds a new connection.
    ///
    /// If the peer's user is linked to a person, the connection acts as that person.
    public func enter(_ connection: Principal) {
        // From here on, link and unlink reach the connection.
        state.withLock { $0.enter(connection) }
        guard let user = connection.origin.user, let person = person(of: user) else { return }
        let identity = Principal.Identity(person: person)
        let isTaken = connection.change(nil, to: identity)
        if isTaken, self.person(of: user) != person { _ = connection.change(identity, to: nil) }
    }

    /// Signs a person in on a connection.
    func signIn(_ connection: Principal, as identity: Principal.Identity) {
        state.withLock { $0.enter(connection) }
        connection.identity = identity
    }

    /// Signs out all connections for which the closure returns `true`.
    package func end(where fits: (Principal, Principal.Identity) -> Bool) {
        for connection in open {
            if let identity = connection.identity, fits(connection, identity) {
                _ = connection.change(identity, to: nil)
            }
        }
    }

    /// Links a user of the machine to a person.
    ///
    /// That user's open connections without an identity act as the person from now on.
    package func link(_ user: uid_t, to person: String) {
        state.withLock { $0.people[user] = person }
        for connection in open where connection.origin.user == user {
            _ = connection.change(nil, to: Principal.Identity(person: person))
        }
    }

    /// Removes the links of users of the machine.
    ///
    /// Their open connections lose their identity, except those that have signed in.
    func unlink(_ users: [uid_t]) {
        state.withLock { state in
            for user in users { state.people[user] = nil }
        }
        for connection in open where connection.origin.user.map(users.contains) ?? false {
            if let identity = connection.identity, identity.session == nil { _ = connection.change(identity, to: nil) }
        }
    }

    /// All open connections.
    private var open: [Principal] { state.withLock { $0.entries.values.compactMap(\.connection) } }

    /// Returns the id of the person that a user of the machine acts as, or `nil` if there is none.
    private func person(of user: uid_t) -> String? { state.withLock { $0.people[user] } }
}
