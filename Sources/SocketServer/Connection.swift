public import RPC
import Synchronization

/// One connection to the server, as methods see it: who is at its other end, and what it has subscribed to.
public final class Connection: Caller {
    /// How many subscriptions a connection may have at once; the interface names 16.
    public static let maximumSubscriptions = 16

    /// Its number, counted from 1 in the order of connecting; never used twice.
    public let number: Int
    /// Who opened it.
    public let peer: PeerCredentials
    private let rights: Set<AccessRight>
    private let state = Mutex(State())

    private struct State {
        var identity: Identity?
        var subscriptions: [Subscription] = []
        /// Those of them that nothing takes from yet.
        var unstarted: [Subscription] = []
        var named = 0
        var isClosing = false
    }

    /// A connection from a peer.
    package init(number: Int, peer: PeerCredentials, rights: Set<AccessRight>) {
        self.number = number
        self.peer = peer
        self.rights = rights
    }

    /// Who acts through a connection.
    public struct Identity: Sendable, Equatable {
        /// The person's id.
        public let person: String
        /// What the session is known by to who made it; nil where the peer's user is the proof.
        public let session: String?

        /// A person, by a session or without one.
        public init(person: String, session: String? = nil) {
            self.person = person
            self.session = session
        }
    }

    /// Whether methods that need this right may be called.
    public func has(_ right: AccessRight) -> Bool {
        switch right {
        case .read, .change: rights.contains(right)
        case .person: person != nil
        case .contribute: rights.contains(.change) || person != nil
        }
    }

    /// Who acts through this connection; nil for nobody.
    ///
    /// A method that signs someone in sets it; it holds for calls, and for events sent, from then on.
    public var identity: Identity? {
        get { state.withLock { $0.identity } }
        set { state.withLock { $0.identity = newValue } }
    }

    /// The id of the person who acts through this connection, to whom events may be addressed; nil for nobody.
    public var person: String? { identity?.person }

    /// Whether the connection is to end as soon as what waits is sent.
    var isClosing: Bool { state.withLock { $0.isClosing } }

    /// The name for the next subscription; nil where there are as many as may be.
    func nextSubscriptionName() -> String? {
        state.withLock { state in
            guard state.subscriptions.count < Self.maximumSubscriptions else { return nil }
            state.named += 1
            return "s\(state.named)"
        }
    }

    /// Keeps a subscription, to be started once its answer is on the way.
    func add(_ subscription: Subscription) {
        state.withLock { state in
            state.subscriptions.append(subscription)
            state.unstarted.append(subscription)
            if state.isClosing { subscription.drain() }
        }
    }

    /// The subscriptions that nothing takes from yet; the caller is to start them.
    func takeUnstarted() -> [Subscription] {
        state.withLock { state in
            defer { state.unstarted = [] }
            return state.unstarted
        }
    }

    /// Removes the subscription of that name; nil where there is none.
    ///
    /// - Returns: the subscription, and whether something takes from it.
    func remove(_ name: String) -> (subscription: Subscription, isStarted: Bool)? {
        state.withLock { state in
            guard let index = state.subscriptions.firstIndex(where: { $0.name == name }) else { return nil }
            let subscription = state.subscriptions.remove(at: index)
            let waiting = state.unstarted.firstIndex { $0 === subscription }
            if let waiting { state.unstarted.remove(at: waiting) }
            return (subscription, waiting == nil)
        }
    }

    /// Removes all subscriptions, which refer to this connection as it does to them.
    func removeAll() -> [Subscription] {
        state.withLock { state in
            defer {
                state.subscriptions = []
                state.unstarted = []
            }
            return state.subscriptions
        }
    }

    /// Lets the subscriptions send what waits and then end.
    func drain() {
        state.withLock { state in
            state.isClosing = true
            for subscription in state.subscriptions { subscription.drain() }
        }
    }

    /// Ends the subscriptions at once.
    func end() {
        state.withLock { state in
            state.isClosing = true
            for subscription in state.subscriptions { subscription.end() }
        }
    }
}
