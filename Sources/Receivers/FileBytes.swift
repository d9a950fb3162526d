public import Foundation
public import Positioning

/// The bytes of a file, or of standard input, piece by piece.
public final class FileBytes {
    private let handle: FileHandle
    /// What a piece is at most: large enough that the calls cost nothing, small enough to stay in the cache.
    public static let pieceLength = 64 * 1024

    /// Opens a file; `-` is standard input.
    ///
    /// - Throws: ``RecordingError`` where it cannot be opened, with what the system says of it.
    public init(path: String) throws(RecordingError) {
        guard path != "-" else {
            handle = FileHandle.standardInput
            return
        }
        let url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: url.path) else {
            throw RecordingError("there is no such file")
        }
        guard attributes[.type] as? FileAttributeType != .typeDirectory else {
            throw RecordingError("this is a folder; name a file in it")
        }
        do {
            handle = try FileHandle(forReadingFrom: url)
        } catch {
            throw RecordingError("it cannot be opened: \(Self.plain(error))")
        }
    }

    /// The next piece; nil at the end.
    public func next() throws(RecordingError) -> Data? {
        do {
            guard let piece = try handle.read(upToCount: Self.pieceLength), !piece.isEmpty else { return nil }
            return piece
        } catch {
            throw RecordingError("it cannot be read: \(Self.plain(error))")
        }
    }

    /// Calls `body` with each piece that is left.
    public func forEach(_ body: (Data) throws(RecordingError) -> Void) throws(RecordingError) {
        while let piece = try next() { try body(piece) }
    }

    private static func plain(_ error: any Error) -> String {
        let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError ?? error as NSError
        guard cause.domain == NSPOSIXErrorDomain, let code = POSIXErrorCode(rawValue: Int32(cause.code)) else {
            return error.localizedDescription
        }
        return POSIXError(code).localizedDescription
    }
}
