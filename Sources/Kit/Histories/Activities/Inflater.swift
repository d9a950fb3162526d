import CZlib
import Positioning

/// Decompresses deflated bytes step by step with zlib (RFC 1951 and 1952).
///
/// The type is safe because it owns its stream: init allocates it, deinit frees it, and it is valid in between.
@safe final class Inflater {
    /// What stands around the deflated bytes.
    enum Form {
        /// Nothing.
        case bare
        /// The header of gzip, and its checksum and length, which zlib checks.
        case gzip
    }

    /// The result of a step.
    struct Step {
        /// The number of bytes of the input that were used.
        var used: Int
        /// Whether the compressed bytes have ended.
        var isAtEnd: Bool
    }

    /// The most bytes of a step's output, and of its input.
    static let pieceLength = 1 << 16

    /// zlib keeps its address, so that it may not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let isValid: Bool
    private var room: [UInt8]

    /// Creates a decompressor at the beginning of compressed bytes.
    ///
    /// - Parameter length: the number of decompressed bytes, if it is known; a short one takes less memory.
    init(_ form: Form, expecting length: Int64 = Int64(pieceLength)) {
        room = [UInt8](repeating: 0, count: Int(min(max(length, 64), Int64(Self.pieceLength))))
        unsafe stream = UnsafeMutablePointer.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        // A negative window means that nothing stands around the bytes, and 16 more that it is gzip.
        let window = form == .bare ? -MAX_WBITS : MAX_WBITS + 16
        unsafe isValid = inflateInit2_(stream, window, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK
    }

    deinit {
        if isValid { unsafe inflateEnd(stream) }
        unsafe stream.deallocate()
    }

    /// Begins again at the beginning of other compressed bytes.
    func reset() { if isValid { unsafe inflateReset(stream) } }

    /// Decompresses some bytes, and appends at most ``pieceLength`` to `output`.
    ///
    /// If a step appends nothing and has not ended, it needs more input.
    ///
    /// - Throws: `RecordingError` if the bytes are damaged.
    func step(_ input: Span<UInt8>, into output: inout [UInt8]) throws(RecordingError) -> Step {
        guard isValid else { throw RecordingError("not enough memory to decompress") }
        let input = input.extracting(first: Self.pieceLength)
        let stream = unsafe stream
        let roomCount = room.count
        var (inputLeft, roomLeft) = (UInt32(clamping: input.count), UInt32(clamping: roomCount))
        // zlib reads and writes within the two arrays, which live as long as the call, with their lengths.
        let status = unsafe input.withUnsafeBufferPointer { source in
            unsafe room.withUnsafeMutableBufferPointer { target in
                unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
                unsafe stream.pointee.avail_in = inputLeft
                unsafe stream.pointee.next_out = target.baseAddress
                unsafe stream.pointee.avail_out = roomLeft
                let status = unsafe inflate(stream, Z_NO_FLUSH)
                unsafe (inputLeft, roomLeft) = (stream.pointee.avail_in, stream.pointee.avail_out)
                unsafe stream.pointee.next_in = nil
                unsafe stream.pointee.next_out = nil
                return status
            }
        }
        output += room.prefix(roomCount - Int(roomLeft))
        switch status {
        case Z_OK, Z_BUF_ERROR, Z_STREAM_END:
            return Step(used: input.count - Int(inputLeft), isAtEnd: status == Z_STREAM_END)
        case Z_MEM_ERROR: throw RecordingError("not enough memory to decompress")
        default:
            let message = unsafe stream.pointee.msg.map { unsafe String(cString: $0) } ?? "not deflated"
            throw RecordingError("the compressed bytes are damaged (\(message)); get the file again")
        }
    }
}

/// The checksum of gzip and ZIP (CRC-32).
struct CRC32 {
    /// The checksum of the bytes so far.
    private(set) var value: UInt32 = 0

    /// Adds bytes.
    mutating func add(_ bytes: [UInt8]) {
        let before = UInt(value)
        // zlib reads within the array, which lives as long as the call.
        let sum = unsafe bytes.withUnsafeBufferPointer { unsafe crc32_z(before, $0.baseAddress, $0.count) }
        value = UInt32(truncatingIfNeeded: sum)
    }
}
