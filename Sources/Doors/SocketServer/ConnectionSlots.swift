import Glibc
import RPC

/// The places for connections, and how many of them each user has taken.
struct ConnectionSlots {
    private let limits: SocketServer.Limits
    private var taken = 0
    private var users: [uid_t: (places: Int, share: UserQuotas)] = [:]

    init(_ limits: SocketServer.Limits) { self.limits = limits }

    /// Takes a place for a user.
    ///
    /// - Parameter mayChange: Whether the user may make changes, and so may take a reserved place.
    /// - Returns: The user's share of the server's resources, or the reason why there is no place.
    mutating func reserve(for user: uid_t, mayChange: Bool) -> Result<UserQuotas, RPCError> {
        let mine = users[user]?.places ?? 0
        let areOpenOnesLeft = taken + limits.keptConnections < limits.connections
        let hasKept = mayChange && mine < limits.keptConnectionsOfUser && taken < limits.connections
        guard areOpenOnesLeft || hasKept else {
            return .failure(.unavailable("There are \(taken) connections already. Try again later."))
        }
        guard mayChange || mine < limits.connectionsOfUser else {
            return .failure(
                .unavailable(
                    "You have \(mine) connections already, the maximum for a user. Close some, then try again."))
        }
        let share = users[user]?.share ?? UserQuotas(limits)
        taken += 1
        users[user] = (mine + 1, share)
        return .success(share)
    }

    /// Returns a place that the user has taken.
    mutating func release(for user: uid_t) {
        guard let (places, share) = users[user] else { return }
        taken -= 1
        users[user] = places > 1 ? (places - 1, share) : nil
    }
}
