import Accounts
import GRDB
import RPC
import Service

extension Budget {
    /// The room that a person has for photos.
    struct Room: Sendable {
        /// How many bytes their photos may have.
        fileprivate let size: Int
        /// How many bytes those have that they have added.
        fileprivate let used: Int

        /// Makes sure that a picture fits, beside others that are being uploaded.
        ///
        /// - Throws: 5 where it does not, with `data.limit`.
        func check(_ picture: Int, beside others: Int = 0) throws(Refusal) {
            guard used + others + picture <= size else {
                throw Budget.full(
                    "Your photos have \(Self.megabytes(used + others)) of at most \(Self.megabytes(size))", size)
            }
        }

        private static func megabytes(_ bytes: Int) -> String { "\((bytes + 999_999) / 1_000_000) MB" }
    }

    /// The room of a caller, where a picture that they have already takes none; nil where it is not limited.
    static func room(
        for picture: String, by viewer: Viewer, of settings: MediaSettings, in db: Database
    ) throws -> Room? {
        guard !viewer.isAdmin, let person = try People.number(of: viewer, in: db) else { return nil }
        return Room(size: settings.storage, used: try Photos.bytes(by: person, without: picture, in: db))
    }
}
