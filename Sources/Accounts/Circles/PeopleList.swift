import EventStream
import Foundation
package import GRDB
import RPC
package import Service
import TextCoding

/// A list of people, in the order of their names, a page at a time.
package struct PeopleList: Sendable {
    /// Who is in it.
    package enum Scope: Hashable, Sendable {
        case everybody
        /// Those whom a person follows.
        case following(Int64)
        /// Those who follow a person.
        case followers(Int64)
        /// A person's friends.
        case friends(Int64)
        /// Those who have asked a person to be their friend.
        case asking(Int64)
        /// Those whom a person has asked.
        case asked(Int64)
    }

    var scope: Scope
    /// What must be in their usernames or names, in any case; nil or empty for all.
    package var text: String?
    /// Whose own come first: those whom this person follows; nil for none.
    package var first: Int64?
    /// Where the page before ended.
    package var after: Place?

    /// Where someone stands in a list.
    package struct Place: Hashable, Sendable {
        var isFollowed: Bool
        package var id: String
        package var name: String

        package init(isFollowed: Bool, id: String, name: String) {
            self.isFollowed = isFollowed
            self.id = id
            self.name = name
        }

        /// Reads what was given as `next`.
        package init?(_ text: String) {
            let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, parts[0] == "0" || parts[0] == "1" else { return nil }
            self.init(isFollowed: parts[0] == "1", id: String(parts[1]), name: String(parts[2]))
        }

        package var text: String { "\(isFollowed ? 1 : 0) \(id) \(name)" }
    }

    /// How many there are, on all pages.
    package func count(in db: Database) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM \(source) WHERE \(condition)"), arguments: arguments) ?? 0
    }

    /// Gives them in order, as long as `body` takes them.
    ///
    /// - Complexity: O(*n* log *n*) for *n* people of the scope.
    package func forEach(in db: Database, _ body: (Person, Place) throws -> Bool) throws {
        let isFollowed =
            first == nil ? "0" : "EXISTS (SELECT 1 FROM follow WHERE person = :first AND other = person.number)"
        let name = "first_name || ' ' || last_name"
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(Person.columns), \(isFollowed) AS followed, \(name) FROM \(source)
                WHERE \(condition) AND (:name IS NULL OR followed < :followed OR (followed = :followed AND (
                    \(Person.order) > :name OR (\(Person.order) = :name AND person.id > :id))))
                ORDER BY followed DESC, \(Person.order), person.id
                """)
        var arguments = arguments
        arguments += ["name": after?.name, "followed": after?.isFollowed ?? false, "id": after?.id]
        if let first { arguments += ["first": first] }
        let rows = try Row.fetchCursor(statement, arguments: arguments)
        while let row = try rows.next() {
            let person = Person(row)
            let place = Place(isFollowed: row["followed"], id: person.id, name: row[row.count - 1])
            guard try body(person, place) else { return }
        }
    }

    /// A page of it.
    package func page(limit: Int, for viewer: Viewer, in db: Database) throws -> (page: TextPage, next: String?) {
        var page = TextPage(limit: limit)
        var last: Place?
        try forEach(in: db) { person, place in
            guard page.take(try person.row(for: viewer, in: db)) else { return false }
            last = place
            return true
        }
        return (page, page.isFull ? last?.text : nil)
    }

    private var source: String {
        switch scope {
        case .everybody: "person"
        case .following: "follow JOIN person ON person.number = follow.other"
        case .followers: "follow JOIN person ON person.number = follow.person"
        case .friends: "friend JOIN person ON person.number = friend.other"
        case .asking: "friend_request JOIN person ON person.number = friend_request.person"
        case .asked: "friend_request JOIN person ON person.number = friend_request.other"
        }
    }

    private var condition: String {
        let isIn =
            switch scope {
            case .everybody: "TRUE"
            case .following: "follow.person = :of"
            case .followers: "follow.other = :of"
            case .friends: "friend.person = :of"
            case .asking: "friend_request.other = :of"
            case .asked: "friend_request.person = :of"
            }
        guard text?.isEmpty == false else { return isIn }
        return "\(isIn) AND instr(swiftLowercaseString(person.id || ' ' || first_name || ' ' || last_name), :text) > 0"
    }

    private var arguments: StatementArguments {
        var arguments: StatementArguments = [:]
        switch scope {
        case .everybody: break
        case .following(let number), .followers(let number), .friends(let number), .asking(let number),
            .asked(let number):
            arguments += ["of": number]
        }
        if let text, !text.isEmpty {
            arguments += ["text": text.lowercased().precomposedStringWithCanonicalMapping]
        }
        return arguments
    }
}
