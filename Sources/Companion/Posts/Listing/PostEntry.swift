import GRDB
import People
import RPC
import Service

/// A post in a list, as a viewer sees it.
struct PostEntry: Sendable {
    var post: Post
    var author: PersonRow
    /// The product that it shows; `nil` for an outfit, or if flags hide the product from the viewer.
    var product: Product?
    /// The id of the photo that represents it.
    var photo: String?
    /// The number of visible reviews.
    var reviews: Int
    /// Whether the viewer loves it; `nil` if nobody is signed in.
    var isLoved: Bool?
    /// Whether the viewer has saved it; `nil` if nobody is signed in.
    var isSaved: Bool?
    /// The viewer's vote; `nil` before the vote.
    var choice: Verdict.Choice?
    /// Whether the viewer is the author.
    var isOwn: Bool
    /// Whether the viewer is an administrator, who decides on flags.
    var decides: Bool

    /// Whether the viewer may see the verdict, which the author and people who have voted may.
    var seesVerdict: Bool { choice != nil || isOwn }

    static let columns = """
        \(Post.columns), \(PersonRow.columns(of: "author", as: "author")), \(Product.columns),
        (SELECT photo.number FROM photo WHERE photo.subject = about.number
            ORDER BY photo.cover DESC, photo.place LIMIT 1) AS photo,
        (SELECT rating.count FROM rating WHERE rating.subject = about.number) AS reviews,
        EXISTS (SELECT 1 FROM reaction
            WHERE reaction.subject = about.number AND reaction.kind = 'heart' AND reaction.person = :me) AS loved,
        EXISTS (SELECT 1 FROM reaction
            WHERE reaction.subject = about.number AND reaction.kind = 'save' AND reaction.person = :me) AS saved,
        (SELECT own.wears FROM post_verdict AS own WHERE own.post = post.number AND own.person = :me) AS choice
        """

    static let joins = """
        JOIN person AS author ON author.number = post.author
        LEFT JOIN subject AS about ON about.id = 'post/' || post.number
        LEFT JOIN product ON product.number = post.product AND (product.hidden = 0 OR product.owner = :me OR :decides)
        """

    init(_ row: NamedRow, for audience: Audience) throws {
        post = try Post(row)
        author = PersonRow(row, "author")
        product = try Product(row)
        photo = (row["photo"] as Int64?).map(String.init)
        reviews = row["reviews"] ?? 0
        isLoved = audience.person == nil ? nil : row["loved"]
        isSaved = audience.person == nil ? nil : row["saved"]
        choice = (row["choice"] as Bool?).map { $0 ? .wear : .change }
        isOwn = audience.person == post.author
        decides = audience.decides
    }

    /// Returns the post with an id.
    ///
    /// - Throws: ``Refusal/absent(_:id:)`` if there is none that the viewer may see.
    static func get(_ id: String, for audience: Audience, in db: Database) throws -> PostEntry {
        var found: PostEntry?
        if let number = Post.number(id) {
            try PostList(scope: .ones([number]), limit: 1).forEach(for: audience, in: db) {
                found = $0
                return false
            }
        }
        guard let found else { throw Refusal.absent(Post.kind, id: id) }
        return found
    }
}
