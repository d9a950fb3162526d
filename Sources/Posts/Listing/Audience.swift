import Accounts
import GRDB
import Service

/// Who looks at posts: the one place that says what of them someone sees.
///
/// What is hidden, its author sees and those who decide; what is for friends, its author and their friends. Those who
/// decide see besides whatever is flagged.
struct Audience: Hashable, Sendable {
    /// The number of who looks; nil for nobody.
    var person: Int64?
    /// Whether they decide upon flags.
    var decides: Bool

    init(_ viewer: Viewer, in db: Database) throws {
        person = try People.number(of: viewer, in: db)
        decides = viewer.isAdmin
    }

    /// What the conditions name.
    var arguments: StatementArguments { ["me": person, "decides": decides] }

    /// A condition of SQL: whether they see a row of the table, which is `post` or stands for it.
    static func seesPost(_ post: String = "post") -> String {
        """
        (\(post).author = :me OR \(post).hidden = 0 AND (\(post).level = 'everyone' OR EXISTS (
            SELECT 1 FROM friend WHERE friend.person = \(post).author AND friend.other = :me))
            OR :decides AND (\(post).hidden = 1 OR \(post).flags > 0))
        """
    }

    /// The same of what whose feed has: nobody decides upon flags there.
    static func seesInFeed(_ post: String) -> String {
        """
        (\(post).author = :me OR \(post).hidden = 0 AND (\(post).level = 'everyone' OR EXISTS (
            SELECT 1 FROM friend WHERE friend.person = \(post).author AND friend.other = :me)))
        """
    }

    /// The same of a row of `product`: one that a post shows which they see.
    static let seesProduct = """
        (product.owner = :me OR product.hidden = 0 AND EXISTS (
            SELECT 1 FROM post AS shown WHERE shown.product = product.number AND \(seesPost("shown")))
            OR :decides AND (product.hidden = 1 OR product.flags > 0))
        """
}
