import Foundation
import Glibc

/// A file that is written as a whole or not at all.
enum OutputFile {
    /// Why a file was not written.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Writes a draft beside the file, and puts it in the file's place when it is complete.
    ///
    /// Through a link, that is the place of what it leads to. A device or a pipe is written as it is.
    ///
    /// - Throws: ``Failure`` where it cannot be written, and what `body` throws of its own; what was there stays.
    static func write(to path: String, _ body: (FileHandle) throws -> Void) throws {
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let type = try? FileManager.default.attributesOfItem(atPath: target)[.type] as? FileAttributeType
        do {
            switch type {
            case .typeRegular?, nil: try replace(target, body)
            case .typeDirectory?: throw Failure(description: "\(path): this is a folder; name a file in it")
            default:
                guard let handle = FileHandle(forWritingAtPath: target) else { throw CocoaError(.fileWriteUnknown) }
                try body(handle)
            }
        } catch let error as CocoaError {
            throw Failure(description: "\(path): it cannot be written: \(error.localizedDescription)")
        } catch let error as POSIXError {
            throw Failure(description: "\(path): it cannot be written: \(error.localizedDescription)")
        }
    }

    private static func replace(_ target: String, _ body: (FileHandle) throws -> Void) throws {
        let draft = "\(target).\(UUID().uuidString).part"
        try Data().write(to: URL(fileURLWithPath: draft), options: .withoutOverwriting)
        do {
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: draft))
            try body(handle)
            try handle.synchronize()
            try handle.close()
            // Both are strings that outlive the call; rename puts one file in the place of another at once.
            guard unsafe rename(draft, target) == 0 else {
                throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            }
        } catch {
            try? FileManager.default.removeItem(atPath: draft)
            throw error
        }
    }
}
