import Positioning

/// Numbers of ZIP, least significant byte first.
extension Array where Element == UInt8 {
    /// Returns the number of two bytes; bytes that are missing count as 0.
    func zipNumber16(at offset: Int) -> Int { Int(zipNumber(at: offset, count: 2)) }

    /// Returns the number of four bytes; bytes that are missing count as 0.
    func zipNumber32(at offset: Int) -> Int64 { Int64(zipNumber(at: offset, count: 4)) }

    /// Returns the number of eight bytes; `nil` if it is too great for a length.
    func zipNumber64(at offset: Int) -> Int64? { Int64(exactly: zipNumber(at: offset, count: 8)) }

    private func zipNumber(at offset: Int, count: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in (offset..<offset + count).reversed() where indices.contains(index) {
            value = value << 8 | UInt64(self[index])
        }
        return value
    }
}

/// The bytes of a file, which are read where they are needed.
struct ZIPSource {
    /// The number of bytes of the file.
    let length: Int64
    /// Reads the bytes at an offset.
    let read: ZIPArchive.ByteSource

    /// Returns some bytes.
    ///
    /// - Throws: `RecordingError` if the file does not have them, and what the source throws.
    func bytes(at offset: Int64, count: Int) throws(RecordingError) -> [UInt8] {
        guard offset >= 0, count >= 0, offset <= length, Int64(count) <= length - offset else {
            throw RecordingError("the archive is damaged: something in it lies beyond its end; get it again")
        }
        let bytes = try read(offset, count)
        guard bytes.count == count else { throw RecordingError("the archive became shorter while it was read") }
        return bytes
    }
}
