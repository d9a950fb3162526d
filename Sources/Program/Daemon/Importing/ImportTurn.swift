import Foundation
import Glibc
import RPC
import Store
import Synchronization

/// The file beside a store in which an upload waits for its import; there is one upload at a time.
final class ImportPlace: Sendable {
    /// The path of the file, which exists only during an upload.
    let path: String
    /// The folder of the file.
    let folder: String
    private let isTaken = Mutex(false)

    /// Creates the place beside a store, and removes the file of a process that was killed.
    init(ofStore store: String) {
        path = store + ".import"
        folder = URL(fileURLWithPath: store).deletingLastPathComponent().path
        try? FileCalls().remove(path)
    }

    /// Takes the place, and creates an empty file.
    ///
    /// - Throws: `Refusal.unavailable` during another upload, or if the file cannot be created.
    func begin() throws(Refusal) -> ImportTurn {
        let isFree = isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
        guard isFree else {
            throw Refusal.unavailable("Another file is being imported. Try again when that has ended.")
        }
        // From here on, the turn gives the place back.
        let turn = ImportTurn(self)
        do throws(FileCalls.Failure) {
            _ = try FileCalls().open(path, flags: O_WRONLY | O_CREAT | O_TRUNC)
        } catch {
            throw Refusal.unavailable("The file cannot be stored: \(error)")
        }
        return turn
    }

    fileprivate func leave() {
        try? FileCalls().remove(path)
        isTaken.withLock { $0 = false }
    }
}

/// The turn of one upload, at whose end its file is removed.
final class ImportTurn: Sendable {
    private let place: ImportPlace
    private let hasEnded = Mutex(false)

    fileprivate init(_ place: ImportPlace) { self.place = place }

    deinit { end() }

    /// Removes the file and gives the place back, unless that was done before.
    func end() {
        let isFirst = hasEnded.withLock { hasEnded in
            defer { hasEnded = true }
            return !hasEnded
        }
        if isFirst { place.leave() }
    }
}
