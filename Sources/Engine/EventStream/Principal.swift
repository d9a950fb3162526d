public import RPC
import Synchronization

/// A caller and receiver of events: the signed-in person, if any, their rights, and the origin of the calls.
///
/// A door creates one principal for each connection, after it has identified the origin. Signing in or out changes
/// the person for subsequent calls and events.
public final class Principal: Caller {
    /// The number of the connection, counted from 1 and never reused; 0 without a connection.
    public let number: Int
    /// The origin of the calls.
    public let origin: Origin
    private let rights: Set<AccessRight>
    private let administrators: Administrators?
    private let acting = Mutex<Identity?>(nil)
    /// The subscriptions of the connection; `nil` if the caller cannot receive events.
    package let subscriptions: (any Subscriptions)?

    /// Creates a caller without a signed-in person.
    ///
    /// - Parameter administrators: The people who have an administrator's rights once they are signed in; `nil` if
    ///   only `rights` counts.
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

    /// Returns the principal of a user who calls within their own process.
    ///
    /// It has all rights but cannot subscribe.
    public static func local(user: UInt32) -> Principal {
        Principal(number: 0, origin: .user(user), rights: Set(AccessRight.allCases))
    }

    /// Returns a principal that acts on behalf of a person.
    ///
    /// It has that person's rights, but not those of an administrator.
    public static func acting(as person: String) -> Principal {
        let principal = Principal(number: 0, origin: .process, rights: [.read])
        principal.identity = Identity(person: person)
        return principal
    }

    /// The identity of a signed-in person.
    public struct Identity: Sendable, Equatable {
        /// The person's id.
        public let person: String
        /// The session of the sign-in; `nil` if the user of the machine is the proof of identity.
        public let session: String?

        /// Creates an identity, with a session or without one.
        public init(person: String, session: String? = nil) {
            self.person = person
            self.session = session
        }
    }

    /// Returns whether the caller may call methods that need a right.
    public func has(_ right: AccessRight) -> Bool {
        switch right {
        case .read: rights.contains(.read)
        case .change: rights.contains(.change) || isAdministrator
        case .person: person != nil
        case .contribute: rights.contains(.change) || person != nil
        }
    }

    /// Whether the caller may see what concerns the machine: its files, its memory, and who is connected to it.
    ///
    /// Users of the machine may, who call through the socket; of those who call from an address, only administrators.
    public var seesMachine: Bool {
        switch origin {
        case .user, .process: true
        case .address: has(.change)
        }
    }

    private var isAdministrator: Bool {
        guard let administrators, let person else { return false }
        return administrators.contains(person)
    }

    /// The identity of the signed-in person; `nil` if nobody is signed in.
    ///
    /// Methods that sign a person in or out set it. It applies to subsequent calls and events.
    public var identity: Identity? {
        get { acting.withLock { $0 } }
        set { acting.withLock { $0 = newValue } }
    }

    /// Replaces the identity if it equals `old`.
    ///
    /// - Returns: Whether it was replaced.
    public func change(_ old: Identity?, to new: Identity?) -> Bool {
        acting.withLock { identity in
            guard identity == old else { return false }
            identity = new
            return true
        }
    }

    /// The id of the signed-in person, who may be the recipient of events; `nil` if nobody is signed in.
    public var person: String? { identity?.person }
}

/// The origin of calls, as far as the door can prove it.
public enum Origin: Hashable, Sendable {
    /// A user of this machine, by the user's number from the kernel.
    case user(UInt32)
    /// This process itself.
    case process
    /// A network address, represented by a number below −1.
    ///
    /// - Parameters:
    ///   - host: The number of the single address, if the first number stands for several; below −1, too.
    ///   - network: The number of the network that the address is in, which others share; below −1, too.
    case address(Int64, host: Int64? = nil, network: Int64? = nil)

    /// The key under which calls are counted: the user's number, −1 for this process, or the number of the address.
    public var key: Int64 {
        switch self {
        case .user(let number): Int64(number)
        case .process: -1
        case .address(let number, _, _): number
        }
    }

    /// The key of the single caller, as far as the door can tell callers apart: that of a user of this machine, or of
    /// one network address.
    public var host: Int64 {
        if case .address(_, let host?, _) = self { host } else { key }
    }

    /// The key of the network that the caller is in, which strangers may share; ``key`` if there is none.
    public var network: Int64 {
        if case .address(_, _, let network?) = self { network } else { key }
    }

    /// Whether one address may stand for many devices, as that of a proxy server on this machine does.
    public var isShared: Bool { isAddress && host == network }

    /// Whether the calls come through a network.
    public var isAddress: Bool { if case .address = self { true } else { false } }

    /// The number of the calling user of this machine; `nil` for any other origin.
    public var user: UInt32? {
        guard case .user(let number) = self else { return nil }
        return number
    }
}

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
