import Glibc
public import Positioning

/// The bytes of a file or of standard input, read piece by piece as they arrive.
///
/// Every `unsafe` passes a Swift string or array with its true length to a C function that reads or fills it only
/// during the call.
public final class FileBytes {
    private let descriptor: Int32
    /// The greatest length of a piece, in bytes.
    ///
    /// It is large enough for the calls to cost nothing, and small enough to stay in the cache.
    public static let pieceLength = 64 * 1024

    /// Whether the bytes may arrive slowly, because the source is a pipe, a terminal or another device instead of a
    /// regular file.
    public let isLive: Bool

    /// Opens a file; `-` is standard input.
    ///
    /// - Throws: ``RecordingError`` if it cannot be opened, with the reason given by the system.
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

    /// Returns the next piece, or `nil` at the end.
    ///
    /// It waits for the first byte of the piece, but not for a full piece.
    ///
    /// - Throws: ``RecordingError`` if the file cannot be read.
    public func next() throws(RecordingError) -> [UInt8]? {
        var failure: Int32 = 0
        // `read` fills at most the given capacity, and returns how many bytes it has filled.
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

    /// The system's text for its last error.
    ///
    /// `strerror` returns a valid string for every number, and it is copied at once.
    private static var reason: String {
        let number = errno
        return unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
    }
}
