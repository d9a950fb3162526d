import Glibc
public import Positioning

/// The bytes of a file, or of standard input, piece by piece, as they come.
///
/// The only file of this room that calls the system. Every `unsafe` passes a Swift string or array to a C function
/// that reads it, or fills it, during the call alone, with its true length.
public final class FileBytes {
    private let descriptor: Int32
    /// What a piece is at most: large enough that the calls cost nothing, small enough to stay in the cache.
    public static let pieceLength = 64 * 1024

    /// Whether the bytes may come slowly: it is a pipe, a terminal or another device, not a file on a disk.
    public let isLive: Bool

    /// Opens a file; `-` is standard input.
    ///
    /// - Throws: ``RecordingError`` where it cannot be opened, with what the system says of it.
    public init(path: String) throws(RecordingError) {
        descriptor = path == "-" ? STDIN_FILENO : unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw RecordingError(errno == ENOENT ? "there is no such file" : "it cannot be opened: \(Self.reason)")
        }
        var status = stat()
        let isKnown = unsafe fstat(descriptor, &status) == 0
        isLive = isKnown && status.st_mode & S_IFMT != S_IFREG
        guard isKnown, status.st_mode & S_IFMT != S_IFDIR else {
            throw RecordingError(isKnown ? "this is a folder; name a file in it" : "it cannot be read: \(Self.reason)")
        }
    }

    /// The next piece; nil at the end.
    ///
    /// Waits for the first byte of it, not for all of it.
    public func next() throws(RecordingError) -> [UInt8]? {
        var failure: Int32 = 0
        // read fills at most the capacity that it is told, and what it says it has filled is taken.
        let piece = unsafe [UInt8](unsafeUninitializedCapacity: Self.pieceLength) { buffer, count in
            var result: Int
            repeat {
                result = unsafe read(descriptor, buffer.baseAddress, buffer.count)
            } while result < 0 && errno == EINTR
            if result < 0 { failure = errno }
            count = max(0, result)
        }
        guard failure == 0 else {
            errno = failure
            throw RecordingError("it cannot be read: \(Self.reason)")
        }
        return piece.isEmpty ? nil : piece
    }

    deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

    /// The system's words for its last error; strerror gives a valid string for every number, copied at once.
    private static var reason: String {
        let number = errno
        return unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
    }
}
