public import EventStream
public import RPC

/// Who asks, as far as it decides what may be seen and done.
public struct Viewer: Hashable, Sendable {
    /// The id of the person; nil for nobody.
    public var person: String?
    /// Whether it is an administrator.
    public var isAdmin: Bool
    /// What the user of the machine who calls is counted by; nil where no such user does.
    package var origin: Int64?

    /// Someone, or nobody.
    public init(person: String?, isAdmin: Bool = false) {
        self.person = person
        self.isAdmin = isAdmin
    }
}

extension Call<Principal> {
    /// Who asks.
    public var viewer: Viewer {
        var viewer = Viewer(person: caller.person, isAdmin: caller.has(.change))
        if caller.origin.user != nil { viewer.origin = caller.origin.key }
        return viewer
    }

    /// The id of the person who asks.
    ///
    /// - Throws: 2 where nobody is signed in.
    public func person() throws(Refusal) -> String {
        guard let person = caller.person else {
            throw .notAllowed("Nobody is signed in; people.signIn does that.")
        }
        return person
    }

    /// The user of this machine who calls.
    ///
    /// - Throws: 2 where the call does not come from one.
    package func user() throws(Refusal) -> UInt32 {
        guard let user = caller.origin.user else {
            throw .notAllowed("Only a user of this machine can do that; call through the Unix socket.")
        }
        return user
    }
}
