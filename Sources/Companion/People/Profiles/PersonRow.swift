package import RPC
package import Service
import TextCoding

/// The short description of a person in lists and other answers.
///
/// Every viewer may see these fields.
package struct PersonRow: Hashable, Sendable, Answerable {
    var id: String
    var name: String
    var picture: String?
    var isFollowed: Bool?
    var isFriend: Bool?

    package static let shape = AnswerShape<PersonRow>.object(members)

    package static let members: [Member<PersonRow>] = [
        Member("id", .text, "The username.") { $0.id },
        Member("name", .text, "The first and last name.") { $0.name },
        .optional("picture", .text, "The id of the photo that is the profile picture; absent if there is none.") {
            $0.picture
        },
        .optional(
            "following", .boolean, "Whether you follow the person; absent for yourself and if you are not signed in."
        ) { $0.isFollowed },
        .optional(
            "friend", .boolean, "Whether you are the person's friend; absent for yourself and if you are not signed in."
        ) { $0.isFriend },
    ]

    /// Returns the columns that a query must select for a person, so that a list takes a single query.
    ///
    /// The query must bind `:me` to the viewer's number in the table `person`, or to NULL if nobody is signed in.
    ///
    /// - Parameters:
    ///   - table: The table `person`, or its alias in the query.
    ///   - prefix: The prefix of the columns' names.
    package static func columns(of table: String = "person", as prefix: String = "person") -> String {
        """
        \(table).id AS \(prefix)_id, \(table).first_name AS \(prefix)_first_name,
        \(table).last_name AS \(prefix)_last_name,
        \(picture(of: table)) AS \(prefix)_picture,
        CASE WHEN \(table).number <> :me THEN EXISTS (
            SELECT 1 FROM follow WHERE follow.person = :me AND follow.other = \(table).number)
            END AS \(prefix)_followed,
        CASE WHEN \(table).number <> :me THEN EXISTS (
            SELECT 1 FROM friend WHERE friend.person = :me AND friend.other = \(table).number)
            END AS \(prefix)_friend
        """
    }

    /// Returns the SQL for the number of the photo that is a person's profile picture, NULL if there is none.
    ///
    /// - Parameter table: The table `person`, or its alias in the query.
    package static func picture(of table: String = "person") -> String {
        """
        (SELECT photo.number FROM photo
            WHERE photo.subject = (SELECT subject.number FROM subject WHERE subject.id = 'person/' || \(table).id)
            ORDER BY photo.portrait DESC, photo.place LIMIT 1)
        """
    }

    /// Reads the columns of ``columns(of:as:)`` from a row.
    package init(_ row: NamedRow, _ prefix: StaticString = "person") {
        let row = row.under(prefix)
        id = row["_id"]
        name = Person.name(row["_first_name"], row["_last_name"])
        picture = (row["_picture"] as Int64?).map(String.init)
        isFollowed = row["_followed"]
        isFriend = row["_friend"]
    }
}
