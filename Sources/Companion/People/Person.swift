import GRDB

/// Someone who has an account.
public struct Person: Hashable, Sendable {
    /// Its number in the table `person`.
    public var number: Int64
    /// The username, which never changes and is never given again.
    public var id: String
    /// The first name.
    public var firstName: String
    /// The last name; empty where someone has but one name.
    public var lastName: String
    /// The mail address.
    public var email: String
    /// Whether the mail address is proven; before it is, the account can do nothing.
    public var isProven: Bool

    /// First and last name.
    public var name: String { lastName.isEmpty ? firstName : "\(firstName) \(lastName)" }

    /// The columns of a row of it.
    static let columns = "number, id, first_name, last_name, email, proven IS NOT NULL"

    /// A row of the columns.
    init(_ row: Row) {
        number = row[0]
        id = row[1]
        firstName = row[2]
        lastName = row[3]
        email = row[4]
        isProven = row[5]
    }
}
