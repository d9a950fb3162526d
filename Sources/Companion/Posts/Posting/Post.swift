import GRDB
import Gazetteer
import Geodesy
import People
import RPC
import Service
import Store
import Time

/// A post in the store.
struct Post: Hashable, Sendable {
    /// The kind of a post's subject.
    static let kind = "post"
    /// The largest number of brands in a post.
    static let maximumBrands = 10
    /// The largest number of posts of one person: those of a lifetime.
    static let maximumPerPerson = 20_000

    /// The people who may see a post.
    enum Level: String, CaseIterable, Sendable {
        /// The author's friends.
        case friends
        /// Everybody, including people who are not signed in.
        case everyone
    }

    /// The fields that the author sets.
    struct Fields: Hashable, Sendable {
        /// The author's words; `nil` if there are none.
        var text: String?
        var brands: [String] = []
        /// Whether others vote on whether to wear or to change the outfit.
        var isVoting = false
        var level = Level.everyone
    }

    var number: Int64
    /// The author's row number in the table `person`.
    var author: Int64
    /// The row number of the product that the post shows; `nil` for an outfit.
    var product: Int64?
    var fields: Fields
    var place: Coordinate
    /// The gazetteer's name for the place; `nil` if it has none.
    var placeName: String?
    var created: Timestamp
    /// The number of hearts.
    var hearts: Int
    /// The votes of others.
    var verdict: Verdict
    /// Whether only its author and administrators see it.
    var isHidden: Bool
    /// The number of flags that await a decision.
    var flags: Int

    /// The post's id.
    var id: String { String(number) }
    var subject: SubjectID { SubjectID(kind: Self.kind, id: id) }

    static let columns = """
        post.number AS number, post.author AS author, post.product AS product, post.text AS text, post.brands AS brands,
        post.voting AS voting, post.level AS level, post.lat_e7 AS lat_e7, post.lon_e7 AS lon_e7, post.place AS place,
        post.created AS created, post.hearts AS hearts, post.wears AS wears, post.changes AS changes,
        post.hidden AS hidden, post.flags AS flags
        """

    /// Creates a post from a row that has ``columns``.
    init(_ row: NamedRow) throws {
        guard let place = Coordinate(latitudeE7: row["lat_e7"], longitudeE7: row["lon_e7"]) else {
            throw row.damage("a post has an invalid position")
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

    /// Returns the row number that an id stands for; `nil` if the text is not an id.
    static func number(_ id: String) -> Int64? {
        guard let number = Int64(id), String(number) == id else { return nil }
        return number
    }

    /// Returns the post with an id; `nil` if there is none that the audience may see.
    static func find(_ id: String, for audience: Audience, in db: Database) throws -> Post? {
        guard let number = number(id) else { return nil }
        let statement = try db.cachedStatement(
            sql: "SELECT \(columns) FROM post WHERE post.number = :number AND \(Audience.seesPost())")
        return try NamedRow.fetchOne(statement, arguments: audience.arguments + ["number": number]).map { try Post($0) }
    }

    /// Returns the post with an id.
    ///
    /// - Throws: ``Refusal/absent(_:id:)`` if there is none that the audience may see.
    static func get(_ id: String, for audience: Audience, in db: Database) throws -> Post {
        guard let post = try find(id, for: audience, in: db) else { throw Refusal.absent(kind, id: id) }
        return post
    }

    /// Adds a post.
    ///
    /// - Parameter product: The number of the product that it shows; `nil` for an outfit.
    /// - Returns: The post's id.
    static func add(
        _ fields: Fields, of product: Int64?, by author: Int64, at place: Coordinate, named name: String?,
        now: Timestamp, in db: Database
    ) throws -> String {
        let count = try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM post WHERE author = ?"), arguments: [author])
        guard count ?? 0 < maximumPerPerson else {
            throw Refusal.full(
                "You have \(maximumPerPerson) posts, the maximum. Remove some first.", limit: maximumPerPerson)
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

    /// Replaces the fields of the post.
    func update(_ fields: Fields, in db: Database) throws {
        try db.cachedStatement(
            sql: "UPDATE post SET text = ?, brands = ?, voting = ?, level = ? WHERE number = ?"
        ).execute(arguments: [
            fields.text, fields.brands.joined(separator: "\n"), fields.isVoting, fields.level.rawValue, number,
        ])
    }

    /// Removes the post with everything people have said about it.
    func remove(in db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM post WHERE number = ?").execute(arguments: [number])
    }
}
