import Foundation
package import GRDB
import Geodesy
import RPC
import Service
import Store
import Time

/// The photos of all subjects.
///
/// All functions run within the caller's transaction.
public enum Photos {
    /// The maximum number of photos of one subject.
    static let maximumPerSubject = 500
    /// The maximum length of a caption, in bytes of UTF-8.
    static let longestCaption = 2000

    /// Returns the total size of the pictures that a person has added, in bytes.
    ///
    /// A picture that several photos share counts once.
    ///
    /// - Parameter digest: The SHA-256 of a picture that does not count.
    /// - Complexity: O(*n* log *n*) for *n* photos of the person.
    package static func bytes(by person: Int64, without digest: String, in db: Database) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT coalesce(sum(size), 0) FROM picture
                    WHERE sha256 <> ? AND number IN (SELECT picture FROM photo WHERE person = ?)
                    """), arguments: [digest, person]) ?? 0
    }
}
