import Foundation
import GRDB
package import Service
public import Time

/// A person who has an account.
public struct Person: Hashable, Sendable {
    /// The number in the table `person`.
    public var number: Int64
    /// The username, which never changes and is never given to anybody else.
    public var id: String
    /// The first name.
    public var firstName: String
    /// The last name, which is empty for people with only one name.
    public var lastName: String
    /// The mail address, or a placeholder for a person who joined by an invitation and has given none.
    public var email: String
    /// When the account was made.
    public var joined: Timestamp
    /// When the mail address was proven.
    public var proven: Timestamp
    /// The optional fields of the profile.
    public var details: Details

    /// The first and last name, separated by a space.
    public var name: String { Self.name(firstName, lastName) }

    /// Returns the first and last name, or only the first one if the last one is empty.
    static func name(_ first: String, _ last: String) -> String { last.isEmpty ? first : "\(first) \(last)" }

    /// Returns the placeholder address of a person who joined by an invitation and has given none.
    ///
    /// No mail reaches the domain `invalid` (RFC 2606, section 2).
    static func noAddress(of id: String) -> String { "\(id)@people.invalid" }

    /// Whether an address can receive mail, which only rules out placeholders.
    static func isAddress(_ text: String) -> Bool { !text.hasSuffix("@people.invalid") }

    /// The columns that store a person.
    package static let columns = """
        person.number AS number, person.id AS id, first_name, last_name, person.email AS email, joined, proven,
        \(ProfileField.columns.joined(separator: ", "))
        """

    /// Returns the key in the column `name_key` by which people are sorted.
    ///
    /// It is the name in lower case and decomposed, so an accented letter sorts after the plain one.
    package static func nameKey(_ first: String, _ last: String) -> String {
        "\(first) \(last)".lowercased().decomposedStringWithCanonicalMapping
    }

    /// Reads ``columns`` from a row.
    package init(_ row: NamedRow) {
        number = row["number"]
        id = row["id"]
        firstName = row["first_name"]
        lastName = row["last_name"]
        email = row["email"]
        joined = Timestamp(milliseconds: row["joined"])
        proven = Timestamp(milliseconds: row["proven"])
        details = Details(row)
    }
}
