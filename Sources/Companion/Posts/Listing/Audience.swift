import GRDB
import People
import Service

/// A viewer of posts and products, and the only place with rules for what the viewer sees.
///
/// The author and administrators see a hidden post. The author and the author's friends see a post for friends.
/// Administrators also see every flagged post.
struct Audience: Hashable, Sendable {
    /// The viewer's row number in the table `person`; `nil` if nobody is signed in.
    var person: Int64?
    /// Whether the viewer is an administrator, who decides on flags.
    var decides: Bool

    init(_ viewer: Viewer, in db: Database) throws {
        person = try People.number(of: viewer, in: db)
        decides = viewer.isAdmin
    }

    /// The arguments of the SQL conditions below.
    var arguments: StatementArguments { ["me": person, "decides": decides] }

    /// Returns the SQL condition that the viewer may see a post.
    ///
    /// - Parameter post: The table of the row: `post` or an alias of it.
    static func seesPost(_ post: String = "post") -> String {
        """
        (\(post).author = :me OR \(post).hidden = 0 AND (\(post).level = 'everyone' OR EXISTS (
            SELECT 1 FROM friend WHERE friend.person = \(post).author AND friend.other = :me))
            OR :decides AND (\(post).hidden = 1 OR \(post).flags > 0))
        """
    }

    /// Returns the SQL condition that a post may appear in the viewer's feed.
    ///
    /// In the feed, administrators see the same posts as everybody else.
    static func seesInFeed(_ post: String) -> String {
        """
        (\(post).author = :me OR \(post).hidden = 0 AND (\(post).level = 'everyone' OR EXISTS (
            SELECT 1 FROM friend WHERE friend.person = \(post).author AND friend.other = :me)))
        """
    }

    /// The SQL condition that the viewer may see a row of `product`.
    ///
    /// These are the viewer's own products and those in posts that the viewer may see. Administrators also see every
    /// flagged product.
    static let seesProduct = """
        (product.owner = :me OR product.hidden = 0 AND EXISTS (
            SELECT 1 FROM post AS shown WHERE shown.product = product.number AND \(seesPost("shown")))
            OR :decides AND (product.hidden = 1 OR product.flags > 0))
        """
}
