import EventStream
import Foundation
import GRDB
import RPC
import Service
import Store

/// A list of people, in the order of their names, a page at a time, as someone sees it.
struct PeopleList: Sendable {
    /// Who is in it.
    enum Scope: Hashable, Sendable {
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

    let scope: Scope
    /// What must be in their usernames or names, in any case and with or without accents; nil or empty for all.
    let text: String?
    /// Who looks at it, by number; nil for nobody.
    let viewer: Int64?
    /// Whether those whom the viewer follows come first.
    let isFollowedFirst: Bool

    init(_ scope: Scope, text: String? = nil, for viewer: Int64?, isFollowedFirst: Bool = false) {
        self.scope = scope
        self.text = text.flatMap { $0.isEmpty ? nil : LocationDatabase.folded($0) }
        self.viewer = viewer
        self.isFollowedFirst = isFollowedFirst && viewer != nil
    }

    /// Where someone stands in a list.
    struct Place: Hashable, Sendable, CursorKey {
        /// Whether among those who come first.
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

    /// How many there are, on all pages.
    func count(in db: Database) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM \(source) WHERE \(condition)"), arguments: arguments) ?? 0
    }

    /// A page of it.
    ///
    /// - Complexity: O(*n* log *k*) for *n* people of the scope and *k* on the page; of everybody, where nobody comes first,
    ///   O(log *n* + *k*).
    func page(_ asked: PageRequest<Place>, in db: Database) throws -> Page<PersonRow> {
        var arguments = arguments
        arguments += ["me": viewer, "limit": asked.limit + 1]
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
        // What a row shows is read of those on the page alone.
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
        let rows = try NamedRow.fetchCursor(statement, arguments: arguments)
        while let row = try rows.next() {
            let person = PersonRow(row)
            let place = Place(isFollowed: row["followed"], name: row["name_key"], id: person.id)
            guard page.take(person, at: place) else { break }
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
        // The keys of plain ASCII are what is searched; SQLite tells that by their lengths at a tenth of folding's price.
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
