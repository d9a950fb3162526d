import Foundation
import Glibc

/// A file that is written completely or not at all.
///
/// The bytes go to a draft next to the file, which replaces the file once it is complete. A symbolic link is followed.
/// A device or a pipe is written directly. Only the owner may read the file, because it contains where people have
/// been.
final class OutputFile {
    /// The error that a file was not written.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let path: String
    private let target: String
    /// The path of the draft; `nil` for a device or pipe, and once the draft has replaced the file.
    private var draft: String?
    private let handle: FileHandle
    private var size: Int64 = 0

    /// Creates the draft, or opens the device or pipe.
    ///
    /// - Throws: ``Failure`` for a folder, `POSIXError` or `CocoaError`.
    private init(path: String) throws {
        self.path = path
        target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let type = try? FileManager.default.attributesOfItem(atPath: target)[.type] as? FileAttributeType
        switch type {
        case .typeRegular?, nil:
            let draft = "\(target).\(UUID().uuidString).part"
            // The string outlives the call.
            let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            self.draft = draft
        case .typeDirectory?: throw Failure(description: "\(path): this is a folder; name a file in it")
        default:
            guard let handle = FileHandle(forWritingAtPath: target) else { throw CocoaError(.fileWriteUnknown) }
            self.handle = handle
        }
    }

    deinit { if let draft { try? FileManager.default.removeItem(atPath: draft) } }

    func write(_ bytes: some Sequence<UInt8>) throws {
        let data = Data(bytes)
        try handle.write(contentsOf: data)
        size += Int64(data.count)
    }

    private func finish() throws {
        guard let draft else { return }
        try handle.synchronize()
        try handle.close()
        // Both strings outlive the call. `rename` replaces the file atomically.
        guard unsafe rename(draft, target) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        self.draft = nil
    }

    /// Checks that there is no file at a path yet.
    ///
    /// - Throws: ``Failure`` if there is one.
    static func checkIsNew(_ path: String) throws(Failure) {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw Failure(description: "\(path): it already exists, and nothing is overwritten; name another file")
        }
    }

    /// Writes a file, or writes to standard output if `path` is `nil`.
    ///
    /// - Parameter reportsSize: Whether to report the size written on standard error.
    /// - Throws: ``Failure`` if the file cannot be written, and other errors of `body`. An existing file then stays
    ///   unchanged.
    static func write(
        to path: String?, or output: StandardOutput, reportsSize: Bool = true,
        _ body: (_ write: ([UInt8]) throws -> Void) async throws -> Void
    ) async throws {
        guard let path else { return try await body { try output.raw($0) } }
        do {
            let file = try OutputFile(path: path)
            let progress = Progress()
            defer { progress.clear() }
            try await body { bytes in
                try file.write(bytes)
                progress.show("\(path): \(Amounts.bytes(file.size))")
            }
            try file.finish()
            progress.clear()
            if reportsSize { waymark.Failure.note("Wrote \(Amounts.bytes(file.size)) to \(path).") }
        } catch let error as CocoaError {
            throw Failure(description: "\(path): it cannot be written: \(error.systemReason)")
        } catch let error as POSIXError {
            throw Failure(description: "\(path): it cannot be written: \(error.systemReason)")
        }
    }
}
