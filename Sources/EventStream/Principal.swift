public import RPC
import Synchronization

/// Who calls and is sent events, as methods see it: a person or nobody, with which rights, and from where.
///
/// A door makes one for each connection, after it has found out where that comes from; a person who signs in or out
/// changes it for the calls and the events that follow.
public final class Principal: Caller {
    /// Its number: of a connection, counted from 1 in the order of connecting and never used twice; else 0.
    public let number: Int
    /// Where it calls from.
    public let origin: Origin
    private let rights: Set<AccessRight>
    private let administrators: Administrators?
    private let acting = Mutex<Identity?>(nil)
    /// What it has subscribed to; nil for a caller who is sent no events.
    package let subscriptions: (any Subscriptions)?

    /// A caller for whom nobody is signed in yet.
    ///
    /// - Parameter administrators: those who may do what an administrator may once they are signed in; nil where only
    ///   `rights` say it.
    package init(
        number: Int, origin: Origin, rights: Set<AccessRight>, administrators: Administrators? = nil,
        subscriptions: (any Subscriptions)? = nil
    ) {
        self.number = number
        self.origin = origin
        self.rights = rights
        self.administrators = administrators
        self.subscriptions = subscriptions
    }

    /// A user of this machine who calls within their own process: every method may be called, and nothing subscribed to.
    public static func local(user: UInt32) -> Principal {
        Principal(number: 0, origin: .user(user), rights: Set(AccessRight.allCases))
    }

    /// This process on behalf of a person: what that person may do, and nothing that needs an administrator.
    public static func acting(as person: String) -> Principal {
        let principal = Principal(number: 0, origin: .process, rights: [.read])
        principal.identity = Identity(person: person)
        return principal
    }

    /// The person for whom calls are made.
    public struct Identity: Sendable, Equatable {
        /// The person's id.
        public let person: String
        /// The session that the person signed in with; nil where the user of the machine is the proof.
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
        case .read: rights.contains(.read)
        case .change: rights.contains(.change) || isAdministrator
        case .person: person != nil
        case .contribute: rights.contains(.change) || person != nil
        }
    }

    private var isAdministrator: Bool {
        guard let administrators, let person else { return false }
        return administrators.contains(person)
    }

    /// For whom calls are made; nil where nobody is signed in.
    ///
    /// A method that signs someone in sets it; it holds for calls, and for events sent, from then on.
    public var identity: Identity? {
        get { acting.withLock { $0 } }
        set { acting.withLock { $0 = newValue } }
    }

    /// Changes for whom calls are made, if that is who it was thought to be.
    ///
    /// - Returns: whether it was.
    public func change(_ old: Identity?, to new: Identity?) -> Bool {
        acting.withLock { identity in
            guard identity == old else { return false }
            identity = new
            return true
        }
    }

    /// The id of the person who is signed in, to whom events may be addressed; nil for nobody.
    public var person: String? { identity?.person }
}

/// Where calls come from, as far as the door that took them in can prove it.
public enum Origin: Hashable, Sendable {
    /// A user of this machine, by number, as the kernel says.
    case user(UInt32)
    /// This process itself.
    case process
    /// An address of a network, by a number below −1.
    case address(Int64)

    /// By what calls are counted: the number of the user, a negative one, or what stands for the address.
    public var key: Int64 {
        switch self {
        case .user(let number): Int64(number)
        case .process: -1
        case .address(let number): number
        }
    }

    /// The number of the user of this machine; nil where none has called.
    public var user: UInt32? {
        guard case .user(let number) = self else { return nil }
        return number
    }
}

/// The people who are administrators by being signed in; a change holds at once for every caller and subscription.
public final class Administrators: Sendable {
    private let people = Mutex<Set<String>>([])

    /// Nobody.
    public init() {}

    /// Whether the person of an id is one.
    public func contains(_ person: String) -> Bool { people.withLock { $0.contains(person) } }

    /// Has exactly these people be administrators.
    package func set(_ ids: Set<String>) { people.withLock { $0 = ids } }

    /// Makes a person one.
    package func insert(_ person: String) { people.withLock { _ = $0.insert(person) } }

    /// Makes a person none.
    package func remove(_ person: String) { people.withLock { _ = $0.remove(person) } }
}
