import Glibc
import Synchronization

/// The right to write a store, held for the life of this value by a lock on `FILE.lock`.
///
/// The system gives the lock back when the process ends, however it ends. The file stays, with a note: who writes the
/// store, for others to name, and how far its event log is known to reach, for the next writer to see whether the end
/// of it is lost.
final class StoreLock: Sendable {
    /// What the last writer has left.
    let previous: StoreNote
    private let file: FileCalls.OpenFile
    private let calls = FileCalls()
    private let note: Mutex<StoreNote>

    /// The longest note that is read: a process id, the longest path of a Unix socket and the name of a log fit many
    /// times over.
    private static let longestNote = 1024

    /// Takes the lock of the store at a path.
    ///
    /// - Throws: ``StoreError/inUse(path:processID:socket:)`` where another holds it.
    init(storeAt path: String, socket: String?) throws(StoreError) {
        do throws(FileCalls.Failure) {
            file = try calls.open(path + ".lock", flags: O_RDWR | O_CREAT, mode: StoreFile.mode)
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
                    path: path + ".lock", reason: "was not written by Waymark; move it, for its name is needed")
            }
            let note = StoreNote(writer: getpid(), socket: socket, log: old.log)
            try calls.replaceContents(of: file, with: note.bytes)
            // What a power cut leaves must say that the store was open.
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

    /// Notes how far the event log reaches now, before anybody is told of it.
    ///
    /// This does not wait for the disk: a note that a power cut has undone says too little, which loses only the
    /// means to notice that the disk has lost a commit too.
    func note(_ log: StoreNote.Log) {
        note.withLock { note in
            // Those who have committed come here in any order.
            if let known = note.log, known.name == log.name, known.last >= log.last { return }
            note.log = log
            try? calls.replaceContents(of: file, with: note.bytes)
        }
    }

    /// How far the event log is known to reach.
    var reach: StoreNote.Log? { note.withLock { $0.log } }

    /// Gives the right back.
    ///
    /// - Parameter isClean: whether the store is whole in its one file now.
    func release(isClean: Bool) {
        note.withLock { note in
            guard isClean else { return }
            note.writer = nil
            note.socket = nil
            try? calls.replaceContents(of: file, with: note.bytes)
        }
    }

    /// Gives the right back after an opening that came to nothing; what the last writer has left stays.
    func abandon() { try? calls.replaceContents(of: file, with: previous.bytes) }

    deinit {
        // A child that was forked and has not begun its program yet shares the lock, which closing would leave to it.
        calls.unlock(file)
    }
}

/// What stands in the lock file of a store.
///
/// A line each: the process that writes the store, its socket, and the event log's name and last number. A line is empty
/// where nothing is known; the first is where nobody writes.
struct StoreNote: Hashable {
    /// How far an event log reaches.
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

    /// A note from its bytes; nil where they are none.
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
        let reach = log.map { "\($0.name) \($0.last)" } ?? ""
        return Array("\(writer.map(String.init) ?? "")\n\(socket ?? "")\n\(reach)\n".utf8)
    }
}
