import GRDB
import People
import RPC
import Service

extension Budget {
    /// The space that a person has for photos.
    struct Room: Sendable {
        /// The maximum total size of the person's photos, in bytes.
        fileprivate let size: Int
        /// The total size of the photos that the person has added, in bytes.
        fileprivate let used: Int

        /// Checks that a picture fits.
        ///
        /// - Parameters:
        ///   - picture: The size of the picture, in bytes.
        ///   - others: The total size of the person's other uploads, in bytes.
        /// - Throws: `Refusal` (`.unavailable`) with `data.limit` if it does not fit.
        func check(_ picture: Int, beside others: Int = 0) throws(Refusal) {
            guard used + others + picture <= size else {
                throw Budget.full(
                    "Your photos have \(Self.megabytes(used + others)), and the maximum is \(Self.megabytes(size))",
                    size)
            }
        }

        private static func megabytes(_ bytes: Int) -> String { "\((bytes + 999_999) / 1_000_000) MB" }
    }

    /// Returns the space that the caller has for photos, or `nil` if it is not limited.
    ///
    /// - Parameter picture: The SHA-256 of a picture that takes no additional space if the caller has it already.
    static func room(
        for picture: String, by viewer: Viewer, of settings: MediaSettings, in db: Database
    ) throws -> Room? {
        guard !viewer.isAdmin, let person = try People.number(of: viewer, in: db) else { return nil }
        return Room(size: settings.storage, used: try Photos.bytes(by: person, without: picture, in: db))
    }
}
