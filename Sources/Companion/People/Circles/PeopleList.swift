#if Companion
import Callers
import Foundation
import GRDB
import RPC
import Service
import Store

/// A list of people as the viewer sees it, sorted by name and read in pages.
struct PeopleList: Sendable {
    /// The people that the list contains.
    enum Scope: Hashable, Sendable {
        case everybody
        /// The people whom a person follows.
        case following(Int64)
        /// The people who follow a person.
        case followers(Int64)
        /// A person's friends.
        case friends(Int64)
        /// The people who have sent a person a friend request that is still open.
        case asking(Int64)
        /// The people to whom a person has sent a friend request that is still open.
        case asked(Int64)
    }

    let scope: Scope
    /// The text that usernames or names must contain, ignoring case and accents, or `nil` for all people.
    let text: String?
    /// The number of the viewer in the table `person`, or `nil` if nobody is signed in.
    let viewer: Int64?
    /// Whether the people whom the viewer follows come first.
    let isFollowedFirst: Bool

    init(_ scope: Scope, text: String? = nil, for viewer: Int64?, isFollowedFirst: Bool = false) {
        self.scope = scope
        self.text = text.flatMap { $0.isEmpty ? nil : LocationDatabase.folded($0) }
        self.viewer = viewer
        self.isFollowedFirst = isFollowedFirst && viewer != nil
    }

    /// A person's position in the list.
    struct Place: Hashable, Sendable, CursorKey {
        /// Whether the person is among those who come first.
        var isFollowed: Bool
        var name: String
        var id: String

        init(isFollowed: Bool, name: String, id: String) {
            self.isFollowed = isFollowed
            self.name = name
            self.id = id
        }

        init?(_ values: [JSONValue]) {
            guard values.count == 3, let isFollowed = Bool(json: values[0]), let name = String(json: values[1]),
                let id = String(json: values[2])
            else { return nil }
            self.init(isFollowed: isFollowed, name: name, id: id)
        }

        var values: [JSONValue] { [.bool(isFollowed), .string(name), .string(id)] }
    }

    /// Returns the number of people on all pages.
    func count(in db: Database) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM \(source) WHERE \(condition)"), arguments: arguments) ?? 0
    }

    /// Returns one page of the list.
    ///
    /// - Complexity: O(*n* log *k*) for *n* people in the scope and *k* on the page. For the scope `everybody` without
    ///   followed people first: O(log *n* + *k*).
    func page(_ asked: PageRequest<Place>, in db: Database) throws -> Page<PersonRow> {
        var arguments = arguments
        arguments += ["me": viewer, "limit": StoreDamage.widened(asked.limit + 1)]
        var conditions = condition
        if let after = asked.after {
            let isBehind = "(person.name_key, person.id) > (:name, :id)"
            conditions += " AND "
            conditions +=
                isFollowedFirst
                ? "(\(isFollowed) < :followed OR (\(isFollowed) = :followed AND \(isBehind)))" : isBehind
            arguments += ["name": after.name, "id": after.id]
            if isFollowedFirst { arguments += ["followed": after.isFollowed] }
        }
        let first = isFollowedFirst ? "followed DESC, " : ""
        // The inner query sorts and limits. The outer one reads the displayed columns only of the people on the page.
        let statement = try db.cachedStatement(
            sql: """
                SELECT listed.followed, person.name_key, \(PersonRow.columns()) FROM (
                    SELECT person.number, \(isFollowedFirst ? isFollowed : "0") AS followed
                    FROM \(source) WHERE \(conditions)
                    ORDER BY \(first)person.name_key, person.id LIMIT :limit
                ) AS listed CROSS JOIN person ON person.number = listed.number
                ORDER BY \(first)person.name_key, person.id
                """)
        var page = asked.page(of: PersonRow.self)
        let rows = try NamedRow.soundRows(statement, arguments: arguments)
        while let row = try rows.next() {
            let person = PersonRow(row)
            let place = Place(isFollowed: row["followed"], name: row["name_key"], id: person.id)
            guard page.append(person, at: place) else { break }
        }
        return page
    }

    private var isFollowed: String {
        "EXISTS (SELECT 1 FROM follow AS mine WHERE mine.person = :me AND mine.other = person.number)"
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
        guard text != nil else { return isIn }
        // If id and key are plain ASCII, the query searches them directly, without folding. SQLite detects ASCII by
        // comparing lengths in characters and bytes, which costs a tenth of folding.
        return """
            \(isIn) AND instr(CASE
                WHEN length(person.id) + length(person.name_key)
                    = length(CAST(person.id AS BLOB)) + length(CAST(person.name_key AS BLOB))
                THEN person.id || ' ' || person.name_key
                ELSE folded(person.id || ' ' || first_name || ' ' || last_name) END, :text) > 0
            """
    }

    private var arguments: StatementArguments {
        var arguments: StatementArguments = [:]
        switch scope {
        case .everybody: break
        case .following(let number), .followers(let number), .friends(let number), .asking(let number),
            .asked(let number):
            arguments += ["of": number]
        }
        if let text { arguments += ["text": text] }
        return arguments
    }
}
#endif
