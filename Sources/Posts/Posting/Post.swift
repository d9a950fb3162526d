import Accounts
import GRDB
import Gazetteer
import Geodesy
import Positioning
import RPC
import Service
import Store

/// What someone shows, as it is in the store.
struct Post: Hashable, Sendable {
    /// What a subject of it is.
    static let kind = "post"
    /// So many brands it may name.
    static let mostBrands = 10
    /// So many a person may have, those of a lifetime.
    static let mostOfPerson = 20_000

    /// Who may see it.
    enum Level: String, CaseIterable, Sendable {
        /// The author's friends.
        case friends
        /// Everybody, also who is not signed in.
        case everyone
    }

    /// What its author says.
    struct Fields: Hashable, Sendable {
        /// What they say of it; nil for nothing.
        var text: String?
        var brands: [String] = []
        /// Whether others say whether to wear it or to change it.
        var isVoting = false
        var level = Level.everyone
    }

    var number: Int64
    /// The number of who shows it.
    var author: Int64
    /// The number of what can be bought; nil for an outfit.
    var product: Int64?
    var fields: Fields
    var place: Coordinate
    /// What the gazetteer calls the place; nil where it has no name.
    var placeName: String?
    var created: Timestamp
    /// How many love it.
    var hearts: Int
    /// How many would wear it, and how many would change it.
    var verdict: Verdict
    /// Whether only its author and those who decide see it.
    var isHidden: Bool
    /// How many flags nobody has decided upon.
    var flags: Int

    /// Its id.
    var id: String { String(number) }
    var subject: SubjectID { SubjectID(kind: Self.kind, id: id) }

    static let columns = """
        post.number AS number, post.author AS author, post.product AS product, post.text AS text, post.brands AS brands,
        post.voting AS voting, post.level AS level, post.lat_e7 AS lat_e7, post.lon_e7 AS lon_e7, post.place AS place,
        post.created AS created, post.hearts AS hearts, post.wears AS wears, post.changes AS changes,
        post.hidden AS hidden, post.flags AS flags
        """

    /// A row of the columns.
    init(_ row: NamedRow) throws {
        guard let place = Coordinate(latitudeE7: row["lat_e7"], longitudeE7: row["lon_e7"]) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a post is nowhere")
        }
        number = row["number"]
        author = row["author"]
        product = row["product"]
        let brands: String = row["brands"]
        fields = Fields(
            text: row["text"], brands: brands.split(separator: "\n").map(String.init), isVoting: row["voting"],
            level: Level(rawValue: row["level"]) ?? .friends)
        self.place = place
        placeName = row["place"]
        created = Timestamp(milliseconds: row["created"])
        hearts = row["hearts"]
        verdict = Verdict(wears: row["wears"], changes: row["changes"])
        isHidden = row["hidden"]
        flags = row["flags"]
    }

    /// The number that a text is as an id; nil where it is none.
    static func number(_ id: String) -> Int64? {
        guard let number = Int64(id), String(number) == id else { return nil }
        return number
    }

    /// The post of an id that someone may see; nil where there is none.
    static func find(_ id: String, for audience: Audience, in db: Database) throws -> Post? {
        guard let number = number(id) else { return nil }
        let statement = try db.cachedStatement(
            sql: "SELECT \(columns) FROM post WHERE post.number = :number AND \(Audience.seesPost())")
        return try NamedRow.fetchOne(statement, arguments: audience.arguments + ["number": number]).map { try Post($0) }
    }

    /// The same.
    ///
    /// - Throws: ``Refusal/absent(_:id:)`` where there is none that they see.
    static func get(_ id: String, for audience: Audience, in db: Database) throws -> Post {
        guard let post = try find(id, for: audience, in: db) else { throw Refusal.absent(kind, id: id) }
        return post
    }

    /// Makes a post.
    ///
    /// - Parameter product: the number of what it shows; nil for an outfit.
    /// - Returns: its id.
    static func add(
        _ fields: Fields, of product: Int64?, by author: Int64, at place: Coordinate, named name: String?,
        now: Timestamp, in db: Database
    ) throws -> String {
        let count = try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM post WHERE author = ?"), arguments: [author])
        guard count ?? 0 < mostOfPerson else {
            throw Refusal.full("You have \(mostOfPerson) posts, as many as may be; remove some.", limit: mostOfPerson)
        }
        try db.cachedStatement(
            sql: """
                INSERT INTO post (author, product, text, brands, voting, level, lat_e7, lon_e7, cell, place, created)
                VALUES (:author, :product, :text, :brands, :voting, :level, :lat, :lon, :cell, :place, :created)
                """
        ).execute(arguments: [
            "author": author, "product": product, "text": fields.text, "brands": fields.brands.joined(separator: "\n"),
            "voting": fields.isVoting, "level": fields.level.rawValue, "lat": place.latitudeE7,
            "lon": place.longitudeE7, "cell": Cell(place).number, "place": name,
            "created": now.milliseconds,
        ])
        return String(db.lastInsertedRowID)
    }

    /// Says something else in a post.
    func update(_ fields: Fields, in db: Database) throws {
        try db.cachedStatement(
            sql: "UPDATE post SET text = ?, brands = ?, voting = ?, level = ? WHERE number = ?"
        ).execute(arguments: [
            fields.text, fields.brands.joined(separator: "\n"), fields.isVoting, fields.level.rawValue, number,
        ])
    }

    /// Removes a post, with what people have said of it.
    func remove(in db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM post WHERE number = ?").execute(arguments: [number])
    }
}
