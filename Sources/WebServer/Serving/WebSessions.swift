import EventStream
import Foundation
import RPC
import Service
import Synchronization

/// Whom browsers act for, by the tokens that they hold.
///
/// Each session has one caller that stays, through which its end is noticed wherever it comes from; each request acts
/// through a caller of its own, so that signing in or out by one changes no other.
final class WebSessions: Sendable {
    private let house: WebServer.House
    private let known = Mutex<[Data: Known]>([:])

    private struct Known: Sendable {
        let caller: Principal
        /// When it was last gone on with, which keeps the session open.
        var resumed: ContinuousClock.Instant
    }

    /// How many sessions are kept in mind; those of more are gone on with anew at each request.
    private static let most = 4_096
    /// After so long a session is gone on with anew, which notes that it is used.
    private static let patience = Duration.seconds(3_600)

    /// Sessions of which nobody has come yet.
    init(_ house: WebServer.House) { self.house = house }

    /// A caller for a request.
    ///
    /// - Parameter token: what the browser holds.
    /// - Returns: the caller, and whether the token is no longer good, so that the caller is nobody.
    func caller(_ guest: Guest, _ token: String?) async throws -> (caller: Principal, isStale: Bool) {
        let caller = principal(of: guest)
        guard let token else { return (caller, false) }
        guard let lasting = try await lasting(token, guest) else { return (caller, true) }
        caller.identity = lasting.identity
        // It may have ended before this one could be told.
        if lasting.identity == nil { caller.identity = nil }
        return (caller, caller.identity == nil)
    }

    /// Forgets a token.
    func forget(_ token: String) { known.withLock { $0[Self.key(token)] = nil } }

    private func lasting(_ token: String, _ guest: Guest) async throws -> Principal? {
        guard let sessions = house.sessions else { return nil }
        let key = Self.key(token)
        if let found = known.withLock({ $0[key] }) {
            guard found.caller.identity != nil else {
                forget(token)
                return nil
            }
            if found.resumed + Self.patience > .now { return found.caller }
        }
        let caller = principal(of: guest)
        guard try await sessions.resume(token, caller) else {
            forget(token)
            return nil
        }
        known.withLock { known in
            if known.count >= Self.most {
                known = known.filter { $0.value.caller.identity != nil }
                if known.count >= Self.most { known = [:] }
            }
            known[key] = Known(caller: caller, resumed: .now)
        }
        return caller
    }

    private func principal(of guest: Guest) -> Principal {
        let principal = Principal(
            number: guest.number, origin: .address(guest.address.key), rights: house.rights,
            administrators: house.administrators)
        house.identify(principal)
        return principal
    }

    /// Tokens themselves are not kept.
    private static func key(_ token: String) -> Data { Secret.digest(token) }
}
