import Foundation
import Glibc
package import Positioning
package import RPC
import Service
import Store
import Synchronization

/// The files of photos that were removed, kept for a while in case that was a mistake: `STORE.photos/trash/DAY/SHA-256`.
///
/// A file stays for ``days``; beyond ``mostBytes`` or ``mostFiles`` the oldest go before.
public final class PhotoTrash: Sendable {
    /// So many days a file stays, where there is room.
    package static let days = 30
    /// The most bytes in it: 1 GiB.
    static let mostBytes = 1 << 30
    /// The most files in it, so that looking through it takes no long time.
    static let mostFiles = 10_000
    /// So many files are removed in one go at most; the next go comes within the hour.
    static let step = 1000

    package static let name = "trash"

    private let folder: StateFolder
    /// What is in it, oldest first; nil until it has been looked through.
    private let content = Mutex<[Entry]?>(nil)

    private struct Entry {
        let day: String
        let name: String
        let size: Int

        var path: String { "\(PhotoTrash.name)/\(day)/\(name)" }
    }

    init(folder: StateFolder) { self.folder = folder }

    /// Takes a file, or whatever has its name; nothing where that is not there.
    package func take(_ name: String, at time: Timestamp) throws(Refusal) {
        guard let status = try folder.status(of: name) else { return }
        let day = Self.day(of: time)
        try folder.make(Self.name)
        try folder.make("\(Self.name)/\(day)")
        var entry = Entry(day: day, name: name, size: status.size)
        do throws(FileCalls.Failure) {
            try folder.calls.rename(folder.file(name), to: folder.file(entry.path))
        } catch {
            // A file does not take the place of a folder, nor a folder that of a file.
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

    /// Removes what has been there for long, or is too much; nothing for its age where nobody knows the time.
    ///
    /// To be called after ``StateFolder/use()``, and by one at a time.
    ///
    /// - Returns: how many files were removed.
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
            guard isOld || bytes > Self.mostBytes || entries.count - removed > Self.mostFiles else { break }
            folder.remove(entry.path)
            bytes -= entry.size
            removed += 1
            let isLast = entries.dropFirst(removed).first.map { $0.day != entry.day } ?? true
            // It stays where anything else is in it.
            if isLast { try? folder.calls.remove(folder.file("\(Self.name)/\(entry.day)")) }
        }
        content.withLock { [removed] in $0 = Array((($0 ?? entries)).dropFirst(removed)) }
        return removed
    }

    private static func day(of time: Timestamp) -> String { String(time.description.prefix { $0 != "T" }) }

    /// What is in the folders of days, by day and name; what else someone has put there is left alone.
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
