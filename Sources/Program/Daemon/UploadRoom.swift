import Foundation
import RPC

/// The room on the disk for files that browsers send.
enum UploadRoom {
    /// The bytes that stay free on the disk, so that the store can always be written.
    private static let reserve = 256 << 20
    /// The bytes after which a growing file's room is checked again; for each piece, it would take longer than writing.
    private static let interval = 64 << 20

    /// Checks that a number of bytes fits on the disk of a folder beside the reserve.
    ///
    /// - Parameter what: What the bytes are, such as "map".
    static func check(for bytes: Int, in folder: String, of what: String) throws(Refusal) {
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
        guard let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value else { return }
        guard Int64(clamping: bytes) > free - Int64(clamping: reserve) else { return }
        throw Refusal.unavailable("There is not enough room on the machine's disk for this \(what).")
    }

    /// Checks the room for the next bytes of a file from time to time.
    static func check(for bytes: Int, at offset: Int, in folder: String, of what: String) throws(Refusal) {
        if offset % Self.interval < bytes { try check(for: bytes, in: folder, of: what) }
    }
}
