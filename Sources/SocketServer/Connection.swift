public import RPC
import Synchronization

/// One connection to the server, as methods see it: who is at its other end, and what it has subscribed to.
public final class Connection: Caller {
    /// Its number, counted from 1 in the order of connecting; never used twice.
    public let number: Int
    /// Who opened it.
    public let peer: PeerCredentials
    private let rights: Set<AccessRight>
    private let acting = Mutex<Identity?>(nil)
    /// What it has subscribed to; nil for a caller who is sent no events.
    let subscriber: Subscriber?

    /// A connection from a peer.
    init(number: Int, peer: PeerCredentials, rights: Set<AccessRight>, subscriber: Subscriber?) {
        self.number = number
        self.peer = peer
        self.rights = rights
        self.subscriber = subscriber
    }

    /// A connection that is sent no events.
    package convenience init(number: Int, peer: PeerCredentials, rights: Set<AccessRight>) {
        self.init(number: number, peer: peer, rights: rights, subscriber: nil)
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
        get { acting.withLock { $0 } }
        set { acting.withLock { $0 = newValue } }
    }

    /// Changes who acts through this connection, if that is who it was thought to be.
    ///
    /// - Returns: whether it was.
    public func change(_ old: Identity?, to new: Identity?) -> Bool {
        acting.withLock { identity in
            guard identity == old else { return false }
            identity = new
            return true
        }
    }

    /// The id of the person who acts through this connection, to whom events may be addressed; nil for nobody.
    public var person: String? { identity?.person }
}
