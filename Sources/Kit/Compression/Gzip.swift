import CZlib

/// Compression and decompression by zlib (RFC 1952).
///
/// Each `unsafe` passes zlib arrays that live as long as the call, with their lengths, and a stream that is ended
/// before it goes out of scope.
public enum Gzip {
    /// An error for bytes that cannot be decompressed.
    public struct Failure: Error {}

    /// Compresses bytes to the gzip format; `nil` if zlib has not enough memory.
    ///
    /// - Complexity: O(*n*) for *n* bytes.
    public static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = unsafe z_stream()
        guard unsafe zlibBeginGzip(&stream, Z_DEFAULT_COMPRESSION) == Z_OK else { return nil }
        defer { unsafe deflateEnd(&stream) }
        let bound = unsafe deflateBound(&stream, UInt(bytes.count))
        var (input, output) = (bytes, [UInt8](repeating: 0, count: Int(clamping: bound)))
        let (inputCount, outputCount) = (UInt32(clamping: input.count), UInt32(clamping: output.count))
        let result = unsafe input.withUnsafeMutableBufferPointer { input in
            unsafe output.withUnsafeMutableBufferPointer { output in
                unsafe stream.next_in = input.baseAddress
                unsafe stream.avail_in = inputCount
                unsafe stream.next_out = output.baseAddress
                unsafe stream.avail_out = outputCount
                return unsafe deflate(&stream, Z_FINISH)
            }
        }
        guard result == Z_STREAM_END else { return nil }
        return Array(output.prefix(Int(clamping: unsafe stream.total_out)))
    }

    /// Decompresses bytes in the format of gzip or zlib.
    ///
    /// - Parameter most: The most bytes that the result may have.
    /// - Throws: ``Failure`` if the bytes are damaged, or if the result would be longer.
    public static func expanded(_ bytes: [UInt8], atMost most: Int) throws(Failure) -> [UInt8] {
        var stream = unsafe z_stream()
        guard unsafe zlibBeginReading(&stream) == Z_OK else { throw Failure() }
        defer { unsafe inflateEnd(&stream) }
        var input = bytes
        let inputCount = UInt32(clamping: input.count)
        var result: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        let pieceCount = UInt32(clamping: piece.count)
        let status = unsafe input.withUnsafeMutableBufferPointer { input in
            unsafe stream.next_in = input.baseAddress
            unsafe stream.avail_in = inputCount
            var status = Z_OK
            while status == Z_OK, result.count <= most {
                let left = unsafe piece.withUnsafeMutableBufferPointer { piece in
                    unsafe stream.next_out = piece.baseAddress
                    unsafe stream.avail_out = pieceCount
                    status = unsafe inflate(&stream, Z_NO_FLUSH)
                    return unsafe Int(clamping: stream.avail_out)
                }
                result += piece.prefix(piece.count - left)
            }
            return status
        }
        guard status == Z_STREAM_END, result.count <= most else { throw Failure() }
        return result
    }
}
