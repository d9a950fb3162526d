import GRDB
import Service

/// The fields of a person that a viewer may see.
///
/// This is the only place that decides it.
struct PersonVisibility: Hashable, Sendable {
    /// The relation between a viewer and a person.
    enum Acquaintance: Hashable, Sendable {
        case themselves
        case friend
        case stranger
    }

    private let acquaintance: Acquaintance
    private let isAdmin: Bool

    init(_ acquaintance: Acquaintance, isAdmin: Bool = false) {
        self.acquaintance = acquaintance
        self.isAdmin = isAdmin
    }

    // Everybody may see the name, username, picture, website, followers and followed people.

    /// Whether the viewer may see telephone number, gender, day of birth, and the numbers of trips, photos and
    /// notifications.
    var hasDetails: Bool { acquaintance == .themselves }
    /// Whether the viewer may see the mail address.
    var hasEmail: Bool { acquaintance != .stranger }
    /// Whether the viewer may see who the person's friends are.
    var hasFriends: Bool { acquaintance != .stranger }
    /// Whether the viewer may see when the account was made and the address proven, and whether they are an
    /// administrator.
    var hasDates: Bool { acquaintance == .themselves || isAdmin }
}

extension Person {
    /// Returns the fields of the person that the viewer may see.
    func visibility(for viewer: Viewer, in db: Database) throws -> PersonVisibility {
        let isFriend =
            try viewer.person != id
            && People.number(of: viewer, in: db).map { try Friends.areFriends($0, number, in: db) } == true
        return visibility(for: viewer, isFriend: isFriend)
    }

    /// Returns the fields of the person that the viewer may see, if it is known whether they are friends.
    func visibility(for viewer: Viewer, isFriend: Bool) -> PersonVisibility {
        PersonVisibility(
            viewer.person == id ? .themselves : isFriend ? .friend : .stranger, isAdmin: viewer.isAdmin)
    }
}
