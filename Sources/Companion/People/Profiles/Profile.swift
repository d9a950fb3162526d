#if Companion
import GRDB
import RPC
import Service

/// A person's profile, with the fields that the viewer may see.
struct Profile: Answerable, Sendable {
    let person: Person
    private let row: PersonRow
    private let visible: PersonVisibility
    private let isAdmin: Bool
    private let hasPassword: Bool
    fileprivate let counts: Counts

    /// The sizes of a person's lists, each equal to the length of the list that the viewer can read.
    fileprivate struct Counts: Sendable {
        var following: Int
        var followers: Int
        /// The number of friends.
        ///
        /// This and the following counts are `nil` if the viewer may not see them.
        var friends: Int?
        /// The number of trips of the devices that carry the person, as `trips.list` lists them.
        var trips: Int?
        /// The number of photos that the person has added.
        var photos: Int?
        /// The number of notifications in the state `new`.
        var newNotifications: Int?
    }

    /// Reads the profile of a person for a viewer.
    ///
    /// - Throws: `Refusal` (`.notFound`) if nobody has this id.
    /// - Complexity: O(log *n* + *f*) for *n* people and *f* followers and followed people.
    init(_ id: String, for viewer: Viewer, in db: Database) throws {
        let row = try NamedRow.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT \(Person.columns), \(PersonRow.columns(as: "row")),
                        EXISTS (SELECT 1 FROM administrator WHERE administrator.person = person.number) AS admin,
                        person.password IS NOT NULL AS has_password
                    FROM person WHERE id = :id
                    """),
            arguments: ["id": People.key(id), "me": try People.number(of: viewer, in: db)])
        guard let row else { throw People.unknownPerson(id) }
        person = Person(row)
        self.row = PersonRow(row, "row")
        visible = person.visibility(for: viewer, isFriend: self.row.isFriend ?? false)
        isAdmin = row["admin"]
        hasPassword = row["has_password"]
        counts = try Counts(of: person.number, visible, in: db)
    }

    static let shape = AnswerShape<Profile>.object {
        PersonRow.members.of { $0.row }
        Member("first_name", .text, "The first name.") { $0.person.firstName }
        Member("last_name", .text, "The last name; empty for people with only one name.") { $0.person.lastName }
        ProfileField.members(isPublic: true) { $0.person.details }
        Member("counts", Counts.shape, "The sizes of the person's lists.") { $0.counts }
        Member.optional("email", .text, "The mail address; only for the person and their friends.") {
            $0.visible.hasEmail && Person.isAddress($0.person.email) ? $0.person.email : nil
        }
        ProfileField.members(isPublic: false) { $0.details }
        Member.optional("complete", .boolean, "Whether the profile is complete; only for the person.") {
            $0.visible.hasDetails ? $0.person.missing.isEmpty : nil
        }
        Member.optional(
            "missing", .array(of: .text), "The names of the profile fields that are empty; only for the person."
        ) {
            $0.visible.hasDetails ? $0.person.missing : nil
        }
        Member.optional("has_password", .boolean, "Whether a password is set; only for the person.") {
            $0.visible.hasDetails ? $0.hasPassword : nil
        }
        Member.optional(
            "admin", .boolean,
            "Whether the person is an administrator in the browser; only for the person and administrators."
        ) { $0.visible.hasDates ? $0.isAdmin : nil }
        Member.optional(
            "joined", .time, "The time at which the account was created; only for the person and administrators."
        ) {
            $0.visible.hasDates ? $0.person.joined : nil
        }
        Member.optional(
            "proven", .time, "The time at which the mail address was proven; only for the person and administrators."
        ) { $0.visible.hasDates ? $0.person.proven : nil }
    }

    /// The optional fields, or `nil` if the viewer may not see them.
    private var details: Person.Details? { visible.hasDetails ? person.details : nil }
}

extension Profile.Counts: Answerable {
    init(of person: Int64, _ visible: PersonVisibility, in db: Database) throws {
        let row = try NamedRow.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT (SELECT count(*) FROM follow WHERE person = :person) AS following,
                        (SELECT count(*) FROM follow WHERE other = :person) AS followers,
                        CASE WHEN :friends THEN (SELECT count(*) FROM friend WHERE person = :person) END AS friends,
                        CASE WHEN :details THEN (
                            SELECT count(*) FROM trip WHERE hidden = 0 AND device IN (
                                SELECT device.number FROM carried JOIN device ON name = carried.device
                                WHERE carried.person = :person)) END AS trips,
                        CASE WHEN :details THEN (SELECT count(*) FROM photo WHERE person = :person) END AS photos,
                        CASE WHEN :details THEN (
                            SELECT count(*) FROM notification WHERE person = :person AND state = 'new') END AS new
                    """),
            arguments: ["person": person, "friends": visible.hasFriends, "details": visible.hasDetails])
        following = row?["following"] ?? 0
        followers = row?["followers"] ?? 0
        friends = row?["friends"]
        trips = row?["trips"]
        photos = row?["photos"]
        newNotifications = row?["new"]
    }

    static let shape = AnswerShape<Profile.Counts>.object {
        Member("following", .integer, "The number of people whom the person follows.") { $0.following }
        Member("followers", .integer, "The number of the person's followers.") { $0.followers }
        Member.optional("friends", .integer, "The number of friends; only for the person and their friends.") {
            $0.friends
        }
        Member.optional(
            "trips", .integer, "The number of trips of the devices that carry the person; only for the person."
        ) { $0.trips }
        Member.optional("photos", .integer, "The number of photos that the person has added; only for the person.") {
            $0.photos
        }
        Member.optional("new_notifications", .integer, "The number of new notifications; only for the person.") {
            $0.newNotifications
        }
    }
}
#endif
