import Callers
import Foundation
import RPC
import Service
import Synchronization

/// The sessions of browsers, by the tokens that they hold.
///
/// Each session has one lasting caller, which notices when the session ends for any reason. Each request has a caller
/// of its own, so that signing in or out through one does not change another.
final class WebSessions: Sendable {
    private let services: WebServer.Services
    private let known = Mutex<[Data: Known]>([:])

    private struct Known: Sendable {
        let caller: Principal
        /// The time when the session was last resumed, which keeps it open.
        var resumed: ContinuousClock.Instant
    }

    /// The most sessions to remember.
    ///
    /// Beyond that, all are forgotten, and each is resumed by its next request.
    private static let maximumCount = 4_096
    /// The time after which a session is resumed again, which records that it is in use.
    private static let resumeInterval = Duration.seconds(3_600)

    /// Creates an empty cache of sessions.
    init(_ services: WebServer.Services) { self.services = services }

    /// Returns the caller for a request.
    ///
    /// - Parameters:
    ///   - token: The token that the browser holds.
    ///   - program: What the browser says of itself.
    /// - Returns: The caller, and whether the token is no longer valid. In that case the caller is not signed in.
    func caller(
        _ client: Client, _ token: String?, program: String? = nil
    ) async throws -> (caller: Principal, isStale: Bool) {
        let caller = principal(of: client, program)
        defer { client.isOf(caller.person) }
        guard let token else { return (caller, false) }
        guard let lasting = try await lasting(token, client) else { return (caller, true) }
        caller.identity = lasting.identity
        // The session may have ended while its identity was being copied.
        if lasting.identity == nil { caller.identity = nil }
        return (caller, caller.identity == nil)
    }

    /// Notes whose connection it is before the body of a request has arrived, if the session is remembered.
    func recognise(_ client: Client, _ token: String?) {
        guard let token, let found = known.withLock({ $0[Self.key(token)] }) else { return }
        client.isOf(found.caller.person)
    }

    func forget(_ token: String) { known.withLock { $0[Self.key(token)] = nil } }

    private func lasting(_ token: String, _ client: Client) async throws -> Principal? {
        guard let sessions = services.sessions else { return nil }
        let key = Self.key(token)
        if let found = known.withLock({ $0[key] }) {
            guard found.caller.identity != nil else {
                forget(token)
                return nil
            }
            if found.resumed + Self.resumeInterval > .now { return found.caller }
        }
        let caller = principal(of: client)
        guard try await sessions.resume(token, caller) else {
            forget(token)
            return nil
        }
        known.withLock { known in
            if known.count >= Self.maximumCount {
                known = known.filter { $0.value.caller.identity != nil }
                if known.count >= Self.maximumCount { known = [:] }
            }
            known[key] = Known(caller: caller, resumed: .now)
        }
        return caller
    }

    private func principal(of client: Client, _ program: String? = nil) -> Principal {
        let principal = Principal(
            number: client.number, origin: client.address.origin, rights: services.rights,
            administrators: services.administrators, program: program)
        services.identify(principal)
        return principal
    }

    /// Returns the digest by which a token is remembered; the token itself is not kept.
    private static func key(_ token: String) -> Data { Secret.digest(token) }
}
