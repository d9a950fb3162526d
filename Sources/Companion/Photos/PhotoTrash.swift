import Foundation
import Glibc
package import RPC
import Service
import Store
import Synchronization
package import Time

/// The files of removed photos, kept for a while in case the removal was a mistake.
///
/// Their paths are `STORE.photos/trash/DAY/SHA-256`. A file is deleted after ``days``. If the trash has more than
/// ``maximumBytes`` or ``maximumFiles``, the oldest files are deleted earlier.
public final class PhotoTrash: Sendable {
    /// The number of days for which a file is kept if there is room.
    package static let days = 30
    /// The maximum size of all files, in bytes: 1 GiB.
    static let maximumBytes = 1 << 30
    /// The maximum number of files, which bounds the time it takes to list the trash.
    static let maximumFiles = 10_000
    /// The maximum number of files that one call of ``empty(at:)`` deletes.
    ///
    /// The next call follows within the hour.
    static let step = 1000

    package static let name = "trash"

    private let folder: StateFolder
    /// The content of the trash, oldest first, or `nil` until the trash was listed for the first time.
    private let content = Mutex<[Entry]?>(nil)

    private struct Entry {
        let day: String
        let name: String
        let size: Int

        var path: String { "\(PhotoTrash.name)/\(day)/\(name)" }
    }

    init(folder: StateFolder) { self.folder = folder }

    /// Moves a file to the trash, or a folder that has its name.
    ///
    /// Does nothing if there is no such file.
    package func moveIn(_ name: String, at time: Timestamp) throws(Refusal) {
        guard let status = try folder.status(of: name) else { return }
        let day = Self.day(of: time)
        try folder.make(Self.name)
        try folder.make("\(Self.name)/\(day)")
        var entry = Entry(day: day, name: name, size: status.size)
        do throws(FileCalls.Failure) {
            try folder.calls.rename(folder.file(name), to: folder.file(entry.path))
        } catch {
            // The trash has an entry with this name, and one of the two is a folder. A file cannot replace a folder,
            // nor a folder a file.
            guard [EISDIR, ENOTDIR, ENOTEMPTY, EEXIST].contains(error.number) else { throw folder.refusal(name, error) }
            entry = Entry(day: day, name: "\(name)~\(UUID().uuidString)", size: status.size)
            do throws(FileCalls.Failure) {
                try folder.calls.rename(folder.file(name), to: folder.file(entry.path))
            } catch {
                throw folder.refusal(name, error)
            }
        }
        try folder.synchronizeNames(in: "\(Self.name)/\(day)")
        content.withLock { [entry] in $0?.append(entry) }
    }

    /// Deletes files that are too old, and the oldest ones while the trash is too large.
    ///
    /// Call this after ``StateFolder/use()``, and not concurrently.
    ///
    /// - Parameter time: The current time, or `nil` if it is not known. Then age does not count.
    /// - Returns: The number of files that were deleted.
    @discardableResult
    func empty(at time: Timestamp?) -> Int {
        let oldest = time.map {
            Self.day(of: $0.advanced(byMilliseconds: -Int64(Self.days) * Timestamp.millisecondsPerDay))
        }
        let entries = content.withLock { $0 } ?? list()
        var bytes = entries.reduce(0) { $0 + $1.size }
        var removed = 0
        for entry in entries.prefix(Self.step) {
            let isOld = oldest.map { entry.day < $0 } ?? false
            guard isOld || bytes > Self.maximumBytes || entries.count - removed > Self.maximumFiles else { break }
            folder.remove(entry.path)
            bytes -= entry.size
            removed += 1
            let isLast = entries.dropFirst(removed).first.map { $0.day != entry.day } ?? true
            // This fails, as it should, if the folder contains anything else.
            if isLast { try? folder.calls.remove(folder.file("\(Self.name)/\(entry.day)")) }
        }
        content.withLock { [removed] in $0 = Array((($0 ?? entries)).dropFirst(removed)) }
        return removed
    }

    private static func day(of time: Timestamp) -> String { String(time.description.prefix { $0 != "T" }) }

    /// Lists the files in the trash by day and name.
    ///
    /// Only folders whose name is a date are read, so other files are left alone.
    private func list() -> [Entry] {
        folder.names(in: Self.name).filter { Timestamp(rfc3339: "\($0)T00:00:00Z") != nil }.sorted().flatMap { day in
            folder.names(in: "\(Self.name)/\(day)").sorted().map { name in
                let entry = Entry(day: day, name: name, size: 0)
                let status = try? folder.calls.status(folder.file(entry.path))
                return Entry(day: day, name: name, size: status?.size ?? 0)
            }
        }
    }
}
