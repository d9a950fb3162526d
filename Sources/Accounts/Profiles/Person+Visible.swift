package import GRDB
package import RPC
package import Service

/// What someone may see of a person: the one place that decides it.
struct PersonVisibility: Hashable, Sendable {
    /// How someone knows a person.
    enum Acquaintance: Hashable, Sendable {
        case oneself
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
    var hasDetails: Bool { acquaintance == .oneself }
    /// The mail address.
    var hasEmail: Bool { acquaintance != .stranger }
    /// Who their friends are.
    var hasFriends: Bool { acquaintance != .stranger }
    /// When the account was made and the address proven.
    var hasDates: Bool { acquaintance == .oneself || isAdmin }
}

extension Person {
    /// What someone may see of the person.
    func visibility(for viewer: Viewer, in db: Database) throws -> PersonVisibility {
        let acquaintance: PersonVisibility.Acquaintance =
            if viewer.person == id {
                .oneself
            } else if let other = viewer.person, let other = try People.find(other, in: db),
                try Friends.areFriends(other.number, number, in: db)
            {
                .friend
            } else {
                .stranger
            }
        return PersonVisibility(acquaintance, isAdmin: viewer.isAdmin)
    }

    /// What a list says of a person, whoever looks: the one row that all lists of people have.
    ///
    /// - Complexity: O(log *n*) for *n* people.
    package func row(for viewer: Viewer, in db: Database) throws -> JSONText {
        let members = try rowMembers(for: viewer, in: db)
        return PersonRow.shape.text(of: members)
    }

    /// What a row of the person says to someone.
    func rowMembers(for viewer: Viewer, in db: Database) throws -> PersonRow {
        var members = PersonRow(id: id, name: name, picture: try Subjects.portrait(of: subject, in: db))
        if let viewer = viewer.person, viewer != id, let viewer = try People.find(viewer, in: db) {
            members.isFollowed = try Follows.contains(viewer.number, number, in: db)
            members.isFriend = try Friends.areFriends(viewer.number, number, in: db)
        }
        return members
    }

    /// The declaration of such a row.
    package static let row = PersonRow.members.map(\.field)
}
