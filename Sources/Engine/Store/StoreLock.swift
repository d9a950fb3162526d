import Glibc
import Synchronization

/// The right to write a store, held for the life of this object by a lock on `FILE.lock`.
///
/// The system releases the lock when the process ends, for whatever reason. The file stays and holds a note. The note
/// names the writer, for messages of other processes. It also records the known end of the event log, from which the
/// next writer can see whether events are lost.
final class StoreLock: Sendable {
    /// The note of the last writer.
    let previous: StoreNote
    private let file: FileCalls.OpenFile
    private let calls = FileCalls()
    private let note: Mutex<StoreNote>

    /// The most bytes of a note that are read.
    ///
    /// A process id, the longest path of a Unix socket and the name of a log fit many times over.
    private static let longestNote = 1024

    /// Takes the lock of the store at a path, and writes a note.
    ///
    /// - Throws: ``StoreError/inUse(path:processID:socket:)`` if another process or store holds the lock.
    init(storeAt path: String, socket: String?) throws(StoreError) {
        do throws(FileCalls.Failure) {
            file = try calls.open(path + ".lock", flags: O_RDWR | O_CREAT, mode: StoreFile.mode)
        } catch  where error.number == EROFS {
            throw .readOnly(path: path, reason: "\(error)")
        } catch {
            throw .unusable(path: path + ".lock", reason: "cannot be written: \(error)")
        }
        do {
            guard try calls.lock(file) else {
                let note = StoreNote(Self.contents(of: file, calls))
                throw StoreError.inUse(path: path, processID: note?.writer, socket: note?.socket)
            }
            guard let old = StoreNote(Self.contents(of: file, calls)) else {
                throw StoreError.unusable(
                    path: path + ".lock", reason: "was not written by Waymark; move it, because Waymark needs its name")
            }
            let note = StoreNote(writer: getpid(), socket: socket, log: old.log)
            try calls.replaceContents(of: file, with: note.bytes)
            // After a power cut, the note must still say that the store was open.
            try calls.synchronize(file)
            previous = old
            self.note = Mutex(note)
        } catch {
            if let refusal = error as? StoreError { throw refusal }
            guard let failure = error as? FileCalls.Failure else { throw StoreError(error, path: path) }
            if failure.number == ENOSPC { throw .full(path: path) }
            throw .unusable(path: path + ".lock", reason: "cannot be locked: \(failure)")
        }
    }

    private static func contents(of file: borrowing FileCalls.OpenFile, _ calls: FileCalls) -> [UInt8] {
        (try? calls.read(file, from: 0, count: longestNote)) ?? []
    }

    /// Notes the new end of the event log, before its events are sent to anyone.
    ///
    /// This does not wait for the disk. If a power cut undoes the note, it only becomes impossible to notice that the
    /// disk lost a commit as well.
    func note(_ log: StoreNote.Log) {
        note.withLock { note in
            // Concurrent commits arrive here in any order.
            if let known = note.log, known.name == log.name, known.last >= log.last { return }
            note.log = log
            try? calls.replaceContents(of: file, with: note.bytes)
        }
    }

    /// The known end of the event log.
    var logEnd: StoreNote.Log? { note.withLock { $0.log } }

    /// Removes the writer from the note; the lock itself is released when this object is destroyed.
    ///
    /// - Parameter isClean: Whether the one file holds the whole store. If not, the note stays as it is.
    func release(isClean: Bool) {
        note.withLock { note in
            guard isClean else { return }
            note.writer = nil
            note.socket = nil
            try? calls.replaceContents(of: file, with: note.bytes)
        }
    }

    /// Restores the last writer's note after an attempt to open the store has failed.
    func abandon() { try? calls.replaceContents(of: file, with: previous.bytes) }

    deinit {
        // A child that was forked and has not yet called exec shares the lock. Closing the file alone would leave the
        // lock to it.
        calls.unlock(file)
    }
}

/// The content of a store's lock file.
///
/// It has one line each for the writer's process id, its socket, and the event log's name and last number. A line is
/// empty if its value is unknown; the first is empty if nobody writes the store.
struct StoreNote: Hashable {
    /// The name of an event log and the number of its last event.
    struct Log: Hashable {
        var name: String
        var last: Int64
    }

    var writer: Int32?
    var socket: String?
    var log: Log?

    init(writer: Int32?, socket: String?, log: Log?) {
        self.writer = writer
        self.socket = socket
        self.log = log
    }

    /// Parses a note; `nil` if the bytes are none.
    init?(_ bytes: [UInt8]) {
        let lines = String(decoding: bytes, as: UTF8.self)
            .split(separator: "\n", maxSplits: 3, omittingEmptySubsequences: false)
        let first = lines[0]
        guard first.isEmpty || Int32(first) != nil, first.allSatisfy(\.isASCII) else { return nil }
        writer = Int32(first)
        socket = lines.count > 1 && !lines[1].isEmpty ? String(lines[1]) : nil
        let words = lines.count > 2 ? lines[2].split(separator: " ") : []
        log = words.count == 2 ? Int64(words[1]).map { Log(name: String(words[0]), last: $0) } : nil
    }

    var bytes: [UInt8] {
        let logEnd = log.map { "\($0.name) \($0.last)" } ?? ""
        return Array("\(writer.map(String.init) ?? "")\n\(socket ?? "")\n\(logEnd)\n".utf8)
    }
}
