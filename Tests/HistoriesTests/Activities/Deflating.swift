import CZlib

/// Compresses bytes as deflated ones without a frame (RFC 1951), or as gzip.
func deflated(_ bytes: [UInt8], isGzip: Bool = false) -> [UInt8] {
    var stream = unsafe z_stream()
    let window = isGzip ? MAX_WBITS + 16 : -MAX_WBITS
    let size = unsafe CInt(MemoryLayout<z_stream>.size)
    guard unsafe deflateInit2_(&stream, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK else {
        return []
    }
    defer { unsafe deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: Int(unsafe deflateBound(&stream, UInt(bytes.count))))
    let (inputCount, outputCount) = (UInt32(input.count), UInt32(output.count))
    // zlib reads and writes within the two arrays, which live as long as the call, with their lengths.
    unsafe input.withUnsafeMutableBufferPointer { input in
        unsafe output.withUnsafeMutableBufferPointer { output in
            unsafe stream.next_in = input.baseAddress
            unsafe stream.avail_in = inputCount
            unsafe stream.next_out = output.baseAddress
            unsafe stream.avail_out = outputCount
            _ = unsafe deflate(&stream, Z_FINISH)
        }
    }
    return Array(output.prefix(Int(unsafe stream.total_out)))
}
