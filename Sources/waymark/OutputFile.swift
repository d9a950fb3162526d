import Foundation
import Glibc

/// A file that is written as a whole or not at all.
///
/// It is a draft beside the file until it is complete, and then takes the file's place. Through a link, that is the place
/// of what it leads to. A device or a pipe is written as it is. Only its owner may read it: it says where people have
/// been.
final class OutputFile {
    /// Why a file was not written.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let path: String
    private let target: String
    /// Where it is written meanwhile; nil for a device, and once it has taken the file's place.
    private var draft: String?
    private let handle: FileHandle
    private var size: Int64 = 0

    /// Begins a file.
    ///
    /// - Throws: ``Failure`` where it cannot be written.
    private init(path: String) throws {
        self.path = path
        target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let type = try? FileManager.default.attributesOfItem(atPath: target)[.type] as? FileAttributeType
        switch type {
        case .typeRegular?, nil:
            let draft = "\(target).\(UUID().uuidString).part"
            // A string that outlives the call.
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

    /// Adds bytes.
    func write(_ bytes: some Sequence<UInt8>) throws {
        let data = Data(bytes)
        try handle.write(contentsOf: data)
        size += Int64(data.count)
    }

    private func finish() throws {
        guard let draft else { return }
        try handle.synchronize()
        try handle.close()
        // Both are strings that outlive the call; rename puts one file in the place of another at once.
        guard unsafe rename(draft, target) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        self.draft = nil
    }

    /// Writes a file; where it has no name, standard output.
    ///
    /// - Parameter isTold: whether it says on standard error what it wrote.
    /// - Throws: ``Failure`` where it cannot be written, and what `body` throws of its own; what was there stays.
    static func write(
        to path: String?, or output: StandardOutput, isTold: Bool = true,
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
            if isTold { waymark.Failure.note("Wrote \(Amounts.bytes(file.size)) to \(path).") }
        } catch let error as CocoaError {
            throw Failure(description: "\(path): it cannot be written: \(error.localizedDescription)")
        } catch let error as POSIXError {
            throw Failure(description: "\(path): it cannot be written: \(error.localizedDescription)")
        }
    }
}
