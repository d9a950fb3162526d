import GRDB
package import RPC
import Service

/// What someone may see of a person: the one place that decides it.
struct PersonVisibility: Hashable, Sendable {
    /// How someone knows a person.
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

    // Name, username, picture, website, whom they follow and who follows them are for everybody.

    /// Telephone number, gender and day of birth, and the numbers of trips, photos and notifications.
    var hasDetails: Bool { acquaintance == .themselves }
    /// The mail address.
    var hasEmail: Bool { acquaintance != .stranger }
    /// Who their friends are.
    var hasFriends: Bool { acquaintance != .stranger }
    /// When the account was made and the address proven, and whether they are an administrator.
    var hasDates: Bool { acquaintance == .themselves || isAdmin }
}

extension Person {
    /// What someone may see of the person.
    func visibility(for viewer: Viewer, in db: Database) throws -> PersonVisibility {
        let isFriend =
            try viewer.person != id
            && People.number(of: viewer, in: db).map { try Friends.areFriends($0, number, in: db) } == true
        return visibility(for: viewer, isFriend: isFriend)
    }

    /// What someone may see of the person, who is a friend of theirs or not.
    func visibility(for viewer: Viewer, isFriend: Bool) -> PersonVisibility {
        PersonVisibility(
            viewer.person == id ? .themselves : isFriend ? .friend : .stranger, isAdmin: viewer.isAdmin)
    }

    /// The declaration of such a row.
    package static let row = PersonRow.members.flatMap(\.fields)
}
