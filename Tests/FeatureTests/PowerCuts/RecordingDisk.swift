import Foundation
import GRDBSQLite
import Synchronization

/// A record of SQLite's file operations in some folders, in order, and faults that it injects.
///
/// It is installed between SQLite and the file system as the default VFS (sqlite.org/vfs.html). It forwards every
/// call and records only files in recorded folders, so other tests of the process are not affected.
enum RecordingDisk {
    /// An operation on a file, by its name in the folder, or an acknowledgement.
    enum Operation: Sendable {
        /// The file was opened, and created if it did not exist.
        case open(String)
        case write(String, offset: Int, bytes: [UInt8])
        case truncate(String, size: Int)
        case sync(String)
        /// The system failed to write pending bytes and counts them as written (fsync(2), "EIO").
        case failedSync(String)
        case delete(String, isSynced: Bool)
        /// The number of steps acknowledged so far.
        case acknowledge(Int)
    }

    /// An error that SQLite receives for a while instead of an operation.
    struct Fault: Sendable {
        /// The number of calls that succeed first.
        var after: Int
        /// The number of calls that fail.
        var count: Int
        /// SQLite's code, such as `SQLITE_FULL`.
        var code: Int32
    }

    private struct File {
        let folder: String
        let name: String
        /// The address of the methods of SQLite's own VFS for the file.
        let methods: UInt

        var own: UnsafePointer<sqlite3_io_methods>? { unsafe UnsafePointer(bitPattern: methods) }
    }

    private struct Notes {
        var operations: [String: [Operation]] = [:]
        var faults: [String: Fault] = [:]
        /// The number of calls that could have failed.
        var calls: [String: Int] = [:]
        /// The open files by the address of SQLite's handle.
        var files: [UInt: File] = [:]
        /// The addresses of our methods by the address of the SQLite methods that they replace.
        var methods: [UInt: UInt] = [:]
    }

    private static let notes = Mutex(Notes())

    /// Starts recording a folder.
    static func record(_ folder: String) {
        _ = installation
        notes.withLock { $0.operations[folder] = [] }
    }

    /// Stops recording a folder and deletes its records.
    static func forget(_ folder: String) {
        notes.withLock { notes in
            notes.operations[folder] = nil
            notes.faults[folder] = nil
            notes.calls[folder] = nil
        }
    }

    /// Injects a fault into a folder; `nil` ends the faults.
    static func fail(_ fault: Fault?, in folder: String) { notes.withLock { $0.faults[folder] = fault } }

    /// Returns the operations in a folder since its recording began.
    static func operations(in folder: String) -> [Operation] { notes.withLock { $0.operations[folder] ?? [] } }

    /// Returns the number of calls in a folder that could have failed since its recording began.
    static func calls(in folder: String) -> Int { notes.withLock { $0.calls[folder] ?? 0 } }

    /// Records an acknowledgement or another operation.
    static func add(_ operation: Operation, in folder: String) {
        notes.withLock { $0.operations[folder]?.append(operation) }
    }

    /// Returns the code with which a call in a folder fails, or `nil` if the call is to succeed.
    private static func failure(in folder: String) -> Int32? {
        notes.withLock { notes in
            notes.calls[folder, default: 0] += 1
            guard var fault = notes.faults[folder] else { return nil }
            defer { notes.faults[folder] = fault }
            if fault.after > 0 {
                fault.after -= 1
                return nil
            }
            guard fault.count > 0 else { return nil }
            fault.count -= 1
            return fault.code
        }
    }

    /// The modification time that marks a write-ahead log as closed by SQLite.
    private static let closing = Date(timeIntervalSince1970: 1)

    /// Records that a write-ahead log was rewritten by something other than SQLite while nobody had it open.
    private static func noteRewriting(of name: String, in folder: String) {
        let path = "\(folder)/\(name)"
        guard name.hasSuffix("-wal"), !isOpen(name, in: folder),
            let time = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date,
            time != closing, let bytes = FileManager.default.contents(atPath: path), !bytes.isEmpty
        else { return }
        add(.write(name, offset: 0, bytes: [UInt8](bytes)), in: folder)
        add(.sync(name), in: folder)
    }

    private static func noteClosing(of file: File) {
        guard file.name.hasSuffix("-wal"), !isOpen(file.name, in: file.folder) else { return }
        try? FileManager.default.setAttributes(
            [.modificationDate: closing], ofItemAtPath: "\(file.folder)/\(file.name)")
    }

    private static func isOpen(_ name: String, in folder: String) -> Bool {
        notes.withLock { $0.files.values.contains { $0.name == name && $0.folder == folder } }
    }

    private static func place(_ path: UnsafePointer<CChar>?) -> (folder: String, name: String)? {
        guard let path = unsafe path.map({ unsafe String(cString: $0) }), let slash = path.lastIndex(of: "/")
        else { return nil }
        let folder = String(path[..<slash])
        guard notes.withLock({ $0.operations[folder] != nil }) else { return nil }
        return (folder, String(path[path.index(after: slash)...]))
    }
}

/// The functions that SQLite calls.
///
/// SQLite's handles and buffers are valid during the calls that receive them. Its own VFS, and the methods of that
/// VFS's files, live as long as the process.
extension RecordingDisk {
    private nonisolated(unsafe) static let system = unsafe sqlite3_vfs_find(nil)

    private static let installation: Void = {
        guard let system = unsafe system else { return }
        let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        unsafe vfs.initialize(to: system.pointee)
        unsafe vfs.pointee.zName = unsafe UnsafePointer(strdup("recording"))
        unsafe vfs.pointee.pNext = nil
        unsafe vfs.pointee.xOpen = { _, path, file, flags, outFlags in
            let place = unsafe place(path)
            if let place, let code = failure(in: place.folder) {
                // SQLite calls `xClose` only if there are methods.
                unsafe file?.pointee.pMethods = nil
                return code
            }
            let code = unsafe openBySystem(path, file, flags, outFlags)
            guard code == SQLITE_OK, let file = unsafe file, let place else { return code }
            add(.open(place.name), in: place.folder)
            noteRewriting(of: place.name, in: place.folder)
            unsafe watch(file, as: place.name, in: place.folder)
            return code
        }
        unsafe vfs.pointee.xDelete = { _, path, isSynced in
            let place = unsafe place(path)
            if let place, let code = failure(in: place.folder) { return code }
            let code = unsafe deleteBySystem(path, isSynced)
            if code == SQLITE_OK, let place { add(.delete(place.name, isSynced: isSynced != 0), in: place.folder) }
            return code
        }
        unsafe sqlite3_vfs_register(vfs, 1)
    }()

    private static func openBySystem(
        _ path: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
        _ outFlags: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        unsafe system?.pointee.xOpen(system, path, file, flags, outFlags) ?? SQLITE_ERROR
    }

    private static func deleteBySystem(_ path: UnsafePointer<CChar>?, _ isSynced: Int32) -> Int32 {
        unsafe system?.pointee.xDelete(system, path, isSynced) ?? SQLITE_ERROR
    }

    /// Replaces the methods of a file that was just opened with recording ones.
    private static func watch(_ file: UnsafeMutablePointer<sqlite3_file>, as name: String, in folder: String) {
        guard let own = unsafe file.pointee.pMethods else { return }
        let address = UInt(bitPattern: own)
        let known = notes.withLock { notes in
            notes.files[UInt(bitPattern: file)] = File(folder: folder, name: name, methods: address)
            return notes.methods[address]
        }
        let ours = unsafe known ?? UInt(bitPattern: recording(own.pointee))
        notes.withLock { $0.methods[address] = ours }
        unsafe file.pointee.pMethods = UnsafePointer(bitPattern: ours)
    }

    private static func watched(_ handle: UnsafeMutablePointer<sqlite3_file>?) -> File? {
        let address = UInt(bitPattern: handle)
        return notes.withLock { $0.files[address] }
    }

    /// Returns methods that record and otherwise forward to `own`.
    private static func recording(_ own: sqlite3_io_methods) -> UnsafePointer<sqlite3_io_methods> {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        unsafe methods.initialize(to: own)
        unsafe methods.pointee.xRead = { handle, bytes, count, offset in
            guard let file = unsafe RecordingDisk.watched(handle) else { return SQLITE_IOERR }
            if let code = RecordingDisk.failure(in: file.folder) { return code }
            return unsafe file.own?.pointee.xRead(handle, bytes, count, offset) ?? SQLITE_IOERR
        }
        unsafe methods.pointee.xWrite = { handle, bytes, count, offset in
            guard let file = unsafe RecordingDisk.watched(handle) else { return SQLITE_IOERR }
            let failure = RecordingDisk.failure(in: file.folder)
            // A full disk still writes the bytes for which it has room.
            let count = failure == nil ? count : count / 2
            let code = unsafe file.own?.pointee.xWrite(handle, bytes, count, offset) ?? SQLITE_IOERR
            let written = unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(count)))
            RecordingDisk.add(.write(file.name, offset: Int(offset), bytes: written), in: file.folder)
            return failure ?? code
        }
        unsafe methods.pointee.xTruncate = { handle, size in
            guard let file = unsafe RecordingDisk.watched(handle) else { return SQLITE_IOERR }
            if let code = RecordingDisk.failure(in: file.folder) { return code }
            RecordingDisk.add(.truncate(file.name, size: Int(size)), in: file.folder)
            return unsafe file.own?.pointee.xTruncate(handle, size) ?? SQLITE_IOERR
        }
        unsafe methods.pointee.xSync = { handle, flags in
            guard let file = unsafe RecordingDisk.watched(handle) else { return SQLITE_IOERR }
            if let code = RecordingDisk.failure(in: file.folder) {
                RecordingDisk.add(.failedSync(file.name), in: file.folder)
                return code
            }
            RecordingDisk.add(.sync(file.name), in: file.folder)
            return unsafe file.own?.pointee.xSync(handle, flags) ?? SQLITE_IOERR
        }
        unsafe methods.pointee.xClose = { handle in
            let address = UInt(bitPattern: handle)
            let file = RecordingDisk.notes.withLock { $0.files.removeValue(forKey: address) }
            if let file { RecordingDisk.noteClosing(of: file) }
            return unsafe file?.own?.pointee.xClose(handle) ?? SQLITE_IOERR
        }
        return unsafe UnsafePointer(methods)
    }
}
