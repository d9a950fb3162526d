import NIOCore
import Synchronization

/// The connections of a server: which are admitted, and which wait for an answer.
final class OpenConnections: Sendable {
    private let limits: WebServer.Limits
    private let isSecure: Bool
    private let state: Mutex<State>

    private struct State {
        var isStopping = false
        var accepted = 0
        var pool: ConnectionPool<ObjectIdentifier>
        var open: [ObjectIdentifier: Client] = [:]
        /// The number of connections that are served, including those that were cut and have not ended yet.
        var served = 0
        /// Resumed when enough of the connections that were cut have ended.
        var accepting: CheckedContinuation<Void, Never>?
    }

    /// - Parameter isSecure: Whether the server uses TLS, without which only this machine and private networks may
    ///   connect.
    init(_ limits: WebServer.Limits, isSecure: Bool) {
        self.limits = limits
        self.isSecure = isSecure
        state = Mutex(State(pool: ConnectionPool(limits)))
    }

    /// The number of open connections.
    var count: Int { state.withLock { $0.open.count } }

    // MARK: Coming and going

    /// Waits while too many connections that were cut have not ended, and counts another one.
    ///
    /// Otherwise what they hold would fill the memory when more connect than the processor can serve.
    func waitUntilConnectionsEnd() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                state.served += 1
                guard state.served > limits.connections + limits.ending else { return true }
                state.accepting = continuation
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// Notes that a connection has ended.
    func end() {
        let accepting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.served -= 1
            guard state.served <= limits.connections + limits.ending else { return nil }
            defer { state.accepting = nil }
            return state.accepting
        }
        accepting?.resume()
    }

    /// Takes a place for a new connection, for which another one may have to end.
    func admit(_ channel: any Channel) -> Bool {
        guard let address = limits.addressOfPeer(channel), isWelcome(address) else { return false }
        let id = ObjectIdentifier(channel)
        let (isAccepted, isStopping, ending) = state.withLock { state -> (Bool, Bool, Client?) in
            guard case .accepted(let ending) = state.pool.admit(id, from: address, at: Self.second) else {
                return (false, false, nil)
            }
            let ended = ending.flatMap { state.open.removeValue(forKey: $0) }
            state.accepted += 1
            state.open[id] = Client(state.accepted, address, channel) { [weak self] in self?.note($0, of: id) }
            return (true, state.isStopping, ended)
        }
        if let ending { ConnectionCutter.cut(ending.channel) }
        if isStopping { channel.close(mode: .input, promise: nil) }
        return isAccepted
    }

    /// Whether a connection that nothing was read from would be refused anyway.
    func isHopeless(_ channel: any Channel) -> Bool {
        guard let address = limits.addressOfPeer(channel) else { return true }
        return !isWelcome(address) || state.withLock { $0.pool.isOverrun(by: address, at: Self.second) }
    }

    /// Gives the place of a connection back.
    func leave(_ channel: any Channel) {
        state.withLock { state in
            // If it had to make room for another one, it has left already.
            state.open[ObjectIdentifier(channel)] = nil
            state.pool.leave(ObjectIdentifier(channel))
        }
    }

    /// Notes that the server stops, and returns the connections that are open.
    func stop() -> [Client] {
        state.withLock { state in
            state.isStopping = true
            return Array(state.open.values)
        }
    }

    /// The present second of the monotonic clock.
    private static var second: Int { Int(clamping: NIODeadline.now().uptimeNanoseconds / 1_000_000_000) }

    /// Whether an address may connect.
    private func isWelcome(_ address: IPAddress) -> Bool { isSecure || address.isLoopback || address.isPrivate }

    // MARK: Requests

    /// Returns the client of a connection and whether the server stops; `nil` if the connection has no place.
    func client(of channel: any Channel) -> (client: Client, isStopping: Bool)? {
        state.withLock { state in state.open[ObjectIdentifier(channel)].map { ($0, state.isStopping) } }
    }

    /// Notes that a connection waits for the answer to a whole request.
    ///
    /// - Returns: Whether the connection has a place, and will be served further.
    func beginAnswer(_ channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel)
        return state.withLock { state in
            guard !state.isStopping, state.open[id] != nil else { return false }
            state.pool.beginAnswer(id)
            return true
        }
    }

    /// Notes that an answer is sent.
    func endAnswer(_ channel: any Channel) { state.withLock { $0.pool.endAnswer(ObjectIdentifier(channel)) } }

    /// Notes what a request shows about its connection.
    private func note(_ note: Client.Note, of id: ObjectIdentifier) {
        let ending = state.withLock { state -> Client? in
            switch note {
            case .isWhole:
                state.pool.beginAnswer(id)
                return nil
            case .isOf(let person):
                return state.pool.identify(id, as: person).flatMap { state.open.removeValue(forKey: $0) }
            }
        }
        if let ending { ConnectionCutter.cut(ending.channel) }
    }
}
