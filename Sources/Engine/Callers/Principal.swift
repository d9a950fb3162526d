public import RPC
import Synchronization

/// A caller: the signed-in person, if any, their rights, and the origin of the calls.
///
/// A door creates one principal for each connection, after it has identified the origin. Signing in or out changes
/// the person for subsequent calls and events.
public final class Principal: Caller {
    /// The number of the connection, counted from 1 and never reused; 0 without a connection.
    public let number: Int
    /// The origin of the calls.
    public let origin: Origin
    /// What the calling program says of itself, such as a browser's `User-Agent`; `nil` if it says nothing.
    package let program: String?
    private let rights: Set<AccessRight>
    private let administrators: Administrators?
    private let acting = Mutex<Identity?>(nil)
    /// What the door keeps with the connection, such as its subscriptions; `nil` if the caller has no connection.
    package let connection: (any CallerConnection)?

    /// Creates a caller without a signed-in person.
    ///
    /// - Parameters:
    ///   - administrators: The people who have an administrator's rights once they are signed in; `nil` if only
    ///     `rights` counts.
    ///   - program: What the calling program says of itself.
    package init(
        number: Int, origin: Origin, rights: Set<AccessRight>, administrators: Administrators? = nil,
        connection: (any CallerConnection)? = nil, program: String? = nil
    ) {
        self.number = number
        self.origin = origin
        self.rights = rights
        self.administrators = administrators
        self.connection = connection
        self.program = program
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

/// What a door keeps with a connection for rooms above this one, which know its type.
package protocol CallerConnection: Sendable {}
