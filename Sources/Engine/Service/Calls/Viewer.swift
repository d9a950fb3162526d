public import Callers
public import RPC

/// The caller's identity, as far as it decides what they may see and do.
public struct Viewer: Hashable, Sendable {
    /// The person's id; `nil` if nobody is signed in.
    public var person: String?
    /// Whether the caller is an administrator.
    public var isAdmin: Bool
    /// The key under which the sending of all people at the caller's origin is counted together: that of a user of this
    /// machine, or of a network address.
    ///
    /// `nil` if this process itself calls, on behalf of a person.
    package var origin: Int64?

    /// Creates a viewer; pass `nil` as the person if nobody is signed in.
    public init(person: String?, isAdmin: Bool = false) {
        self.person = person
        self.isAdmin = isAdmin
    }
}

extension Call<Principal> {
    /// The caller as a viewer.
    public var viewer: Viewer {
        var viewer = Viewer(person: caller.person, isAdmin: caller.has(.change))
        if caller.origin != .process { viewer.origin = caller.origin.key }
        return viewer
    }

    /// Returns the id of the signed-in person.
    ///
    /// - Throws: Error 2 (not allowed) if nobody is signed in.
    public func person() throws(Refusal) -> String {
        guard let person = caller.person else {
            throw .notAllowed("You are not signed in. Call people.signIn first.")
        }
        return person
    }

    /// Returns the number of the user of this machine who calls.
    ///
    /// - Throws: Error 2 (not allowed) if the call does not come from a user of this machine.
    package func user() throws(Refusal) -> UInt32 {
        guard let user = caller.origin.user else {
            throw .notAllowed("Only a user of this machine can do this. Connect to the Unix socket.")
        }
        return user
    }
}
