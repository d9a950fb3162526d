import Foundation
import TestSupport

/// The state of a disk when the power fails.
///
/// A file's bytes and its name are separate. Each is certain only once it has been synced.
struct CutDisk {
    private struct File {
        /// The bytes that syncing has made durable.
        var durable: [UInt8] = []
        /// The operations since the last sync.
        var pending: [RecordingDisk.Operation] = []
    }

    private var files: [File] = []
    /// The files by name, as programs see them.
    private var names: [String: Int] = [:]
    /// The same at each moment since the last sync of the folder.
    ///
    /// A file system's journal keeps these moments in order.
    private var folders: [[String: Int]] = [[:]]
    private var random: SeededGenerator

    /// The number of steps acknowledged before the cut.
    private(set) var acknowledged = 0

    /// Makes the disk that results from operations on existing files.
    init(_ start: [String: [UInt8]], after operations: some Sequence<RecordingDisk.Operation>, seed: UInt64) {
        random = SeededGenerator(seed: seed)
        for (name, bytes) in start {
            names[name] = files.count
            files.append(File(durable: bytes))
        }
        folders = [names]
        for operation in operations { apply(operation) }
    }

    private mutating func apply(_ operation: RecordingDisk.Operation) {
        switch operation {
        case .open(let name): _ = file(name)
        case .write(let name, _, _), .truncate(let name, _): files[file(name)].pending.append(operation)
        case .sync(let name):
            let number = file(name)
            for change in files[number].pending { Self.apply(change, to: &files[number].durable) }
            files[number].pending = []
            // SQLite also syncs the folder with the first sync of a new log or journal (SQLITE_OPEN_WAL,
            // SQLITE_OPEN_MAIN_JOURNAL), but not with that of a database.
            if name.hasSuffix("-wal") || name.hasSuffix("-journal") { folders = [names] }
        case .failedSync(let name):
            let number = file(name)
            files[number].durable = landed(files[number])
            files[number].pending = []
        case .delete(let name, let isSynced):
            names[name] = nil
            folders = (isSynced ? [] : folders) + [names]
        case .acknowledge(let count): acknowledged = count
        }
    }

    private mutating func file(_ name: String) -> Int {
        if let number = names[name] { return number }
        files.append(File())
        names[name] = files.count - 1
        folders.append(names)
        return files.count - 1
    }

    /// Writes what is left after the cut into a folder.
    mutating func write(to folder: String) throws {
        let left = folders[Int.random(in: 0..<folders.count, using: &random)]
        for (name, number) in left.sorted(by: { $0.key < $1.key }) {
            try Data(landed(files[number])).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
    }

    /// Returns the bytes of a file after each unsynced write landed, was lost, or landed in part.
    private mutating func landed(_ file: File) -> [UInt8] {
        var bytes = file.durable
        for change in file.pending {
            switch Int.random(in: 0..<3, using: &random) {
            case 0: Self.apply(change, to: &bytes)
            case 1: applyPart(of: change, to: &bytes)
            default: break
            }
        }
        return bytes
    }

    private static func apply(_ change: RecordingDisk.Operation, to bytes: inout [UInt8]) {
        switch change {
        case .write(_, let offset, let written):
            if bytes.count < offset + written.count {
                bytes += [UInt8](repeating: 0, count: offset + written.count - bytes.count)
            }
            bytes.replaceSubrange(offset..<offset + written.count, with: written)
        case .truncate(_, let size):
            if size < bytes.count { bytes.removeLast(bytes.count - size) }
        default: break
        }
    }

    /// Applies a random part of a change.
    ///
    /// A disk writes sectors of 512 bytes, in any order.
    private mutating func applyPart(of change: RecordingDisk.Operation, to bytes: inout [UInt8]) {
        guard case .write(let name, let offset, let written) = change else { return }
        let sector = 512
        var start = 0
        while start < written.count {
            let end = min(written.count, (offset + start) / sector * sector + sector - offset)
            if Bool.random(using: &random) {
                Self.apply(.write(name, offset: offset + start, bytes: Array(written[start..<end])), to: &bytes)
            }
            start = end
        }
    }
}
