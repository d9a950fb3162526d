public import EventStream
import GRDB
package import Glibc
import Service
public import Store
import Synchronization

/// The connections that are open, and which users of the machine act as whom: so that who acts through a connection
/// changes at once, whoever changes it.
public final class LiveConnections: Sendable {
    private let state = Mutex(State())

    private struct Entry {
        weak let connection: Principal?
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        /// Whom users of the machine act as.
        var people: [uid_t: String] = [:]
        /// At how many entries those of closed connections are looked for.
        var limit = 64

        mutating func enter(_ connection: Principal) {
            entries[ObjectIdentifier(connection)] = Entry(connection: connection)
            guard entries.count > limit else { return }
            entries = entries.filter { $0.value.connection != nil }
            limit = max(64, 2 * entries.count)
        }
    }

    /// None.
    public init() {}

    /// Reads which users of the machine act as whom, before anyone connects.
    public func learn(from store: LocationDatabase) throws {
        let people = try store.read(Sessions.users(in:))
        state.withLock { $0.people = people }
    }

    /// Takes in a new connection, through which the person acts to whom the peer's user is linked.
    public func enter(_ connection: Principal) {
        // From here on it is reached by whoever links and unlinks users.
        state.withLock { $0.enter(connection) }
        guard let user = connection.origin.user, let person = person(of: user) else { return }
        let identity = Principal.Identity(person: person)
        let isTaken = connection.change(nil, to: identity)
        if isTaken, self.person(of: user) != person { _ = connection.change(identity, to: nil) }
    }

    /// Has someone act through a connection from now on.
    func signIn(_ connection: Principal, as identity: Principal.Identity) {
        state.withLock { $0.enter(connection) }
        connection.identity = identity
    }

    /// Ends what someone does through connections that fit.
    package func end(where fits: (Principal, Principal.Identity) -> Bool) {
        for connection in open {
            if let identity = connection.identity, fits(connection, identity) {
                _ = connection.change(identity, to: nil)
            }
        }
    }

    /// Has a user of the machine act as a person, also through connections of theirs that are nobody's.
    package func link(_ user: uid_t, to person: String) {
        state.withLock { $0.people[user] = person }
        for connection in open where connection.origin.user == user {
            _ = connection.change(nil, to: Principal.Identity(person: person))
        }
    }

    /// Has users of the machine act as nobody, unless they have signed in.
    func unlink(_ users: [uid_t]) {
        state.withLock { state in
            for user in users { state.people[user] = nil }
        }
        for connection in open where connection.origin.user.map(users.contains) ?? false {
            if let identity = connection.identity, identity.session == nil { _ = connection.change(identity, to: nil) }
        }
    }

    /// All connections that are open.
    private var open: [Principal] { state.withLock { $0.entries.values.compactMap(\.connection) } }

    /// Whom a user of the machine acts as.
    private func person(of user: uid_t) -> String? { state.withLock { $0.people[user] } }
}
