import Foundation
import GRDB
public import Positioning
package import Service

/// Someone who has an account, whose mail address is proven.
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
    /// When the account was made.
    public var joined: Timestamp
    /// When the mail address was proven.
    public var proven: Timestamp
    /// What they say of themselves.
    public var details: Details

    /// What people may say of themselves, or not.
    public struct Details: Hashable, Sendable {
        /// The telephone number.
        public var phone: String?
        /// One of the fixed set of genders.
        public var gender: String?
        /// The day of birth, `YYYY-MM-DD`.
        public var born: String?
        /// The address of a website.
        public var website: String?
    }

    /// First and last name.
    public var name: String { Self.name(firstName, lastName) }

    /// First and last name of someone who may have but one.
    static func name(_ first: String, _ last: String) -> String { last.isEmpty ? first : "\(first) \(last)" }

    /// What stands for the address of who has come along by an invitation and given none; no mail goes there
    /// (RFC 2606, section 2).
    static func noAddress(of id: String) -> String { "\(id)@people.invalid" }

    /// Whether a mail can be sent to an address, which need not exist.
    static func isAddress(_ text: String) -> Bool { !text.hasSuffix("@people.invalid") }

    /// What is missing for a profile that is complete, by the names of the fields.
    package var missing: [String] {
        let fields = [
            ("phone", details.phone), ("gender", details.gender), ("born", details.born), ("website", details.website),
        ]
        return fields.filter { $0.1 == nil }.map(\.0)
    }

    /// The columns of a row of it.
    package static let columns = """
        person.number AS number, person.id AS id, first_name, last_name, person.email AS email, joined, proven, phone,
        gender, born, website
        """

    /// What people are sorted by, in the column `name_key`: their names without case, each accent behind its letter.
    package static func nameKey(_ first: String, _ last: String) -> String {
        "\(first) \(last)".lowercased().decomposedStringWithCanonicalMapping
    }

    /// A row of the columns.
    package init(_ row: NamedRow) {
        number = row["number"]
        id = row["id"]
        firstName = row["first_name"]
        lastName = row["last_name"]
        email = row["email"]
        joined = Timestamp(milliseconds: row["joined"])
        proven = Timestamp(milliseconds: row["proven"])
        details = Details(
            phone: row["phone"], gender: row["gender"], born: row["born"], website: row["website"])
    }
}
