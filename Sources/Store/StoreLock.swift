import Glibc

/// The right to write a store, held for the life of this value by a lock on `FILE.lock`.
///
/// The system gives the lock back when the process ends, however it ends. The file stays; in it stand the writer's
/// process id and socket, for others to name.
final class StoreLock: Sendable {
    private let descriptor: Int32

    /// The longest note that is read: a process id and the longest path of a Unix socket fit many times over.
    private static let longestNote = 1024

    /// Takes the lock of the store at a path.
    ///
    /// - Throws: ``StoreError/inUse(path:processID:socket:)`` where another holds it.
    init(storeAt path: String, socket: String?) throws(StoreError) {
        do {
            descriptor = try SystemCalls.open(
                path + ".lock", flags: O_RDWR | O_CREAT | O_NOFOLLOW, mode: StoreFile.mode)
        } catch {
            throw .unusable(path: path + ".lock", reason: "cannot be written: \(error.reason)")
        }
        do {
            guard try SystemCalls.lock(descriptor) else {
                throw Self.inUse(path, note: SystemCalls.contents(descriptor, atMost: Self.longestNote))
            }
            let old = SystemCalls.contents(descriptor, atMost: Self.longestNote)
            guard Self.isNote(old) else {
                throw StoreError.unusable(
                    path: path + ".lock", reason: "was not written by Waymark; move it, for its name is needed")
            }
            let note = "\(SystemCalls.processID)\n\(socket.map { $0 + "\n" } ?? "")"
            try SystemCalls.replaceContents(descriptor, with: Array(note.utf8))
        } catch {
            SystemCalls.close(descriptor)
            if let refusal = error as? StoreError { throw refusal }
            guard let failure = error as? SystemCalls.Failure else { throw StoreError(error, path: path) }
            if failure.number == ENOSPC { throw .full(path: path) }
            throw .unusable(path: path + ".lock", reason: "cannot be locked: \(failure.reason)")
        }
    }

    /// Whether a lock file holds nothing, or a process id on its first line.
    private static func isNote(_ contents: [UInt8]) -> Bool {
        guard let line = contents.split(separator: 0x0A).first else { return true }
        return line.count <= 10 && line.allSatisfy { (0x30...0x39).contains($0) }
    }

    deinit {
        try? SystemCalls.replaceContents(descriptor, with: [])
        // A child that was forked and has not begun its program yet shares the lock, which closing would leave to it.
        SystemCalls.unlock(descriptor)
        SystemCalls.close(descriptor)
    }

    private static func inUse(_ path: String, note: [UInt8]) -> StoreError {
        let lines = String(decoding: note, as: UTF8.self).split(separator: "\n")
        return .inUse(
            path: path, processID: lines.first.flatMap { Int32($0) },
            socket: lines.count > 1 ? String(lines[1]) : nil)
    }
}
