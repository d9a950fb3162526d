package import Foundation

/// The bytes of a file, or of a part of one.
///
/// Every access outside of the bytes returns `nil` or `false`, so damaged files cannot cause reads beyond the end.
package struct PictureBytes: Sendable {
    private let data: Data
    private let begin: Int
    /// The number of bytes.
    package let count: Int

    /// Creates the bytes of a whole file.
    package init(_ data: Data) {
        self.data = data
        begin = data.startIndex
        count = data.count
    }

    private init(_ data: Data, begin: Int, count: Int) {
        self.data = data
        self.begin = begin
        self.count = count
    }

    /// The byte at an offset, or `nil` if there is none.
    package subscript(_ offset: Int) -> UInt8? { has(offset, 1) ? data[begin + offset] : nil }

    /// Returns an unsigned integer of one to eight bytes, or `nil` if it is out of range or does not fit into `Int`.
    package func number(at offset: Int, width: Int, isLittleEndian: Bool = false) -> Int? {
        guard (1...8).contains(width), has(offset, width) else { return nil }
        var value: UInt64 = 0
        for step in 0..<width {
            let byte = data[begin + offset + (isLittleEndian ? width - 1 - step : step)]
            value = value << 8 | UInt64(byte)
        }
        return Int(exactly: value)
    }

    /// Returns the four characters at an offset, which name a part of a file, or `nil` if they are out of range.
    package func name(at offset: Int) -> String? {
        bytes(offset..<offset + 4).map { String(decoding: $0, as: Unicode.ASCII.self) }
    }

    /// Whether the given bytes are found at an offset.
    package func has(_ bytes: some Collection<UInt8>, at offset: Int) -> Bool {
        has(offset, bytes.count) && data[begin + offset..<begin + offset + bytes.count].elementsEqual(bytes)
    }

    /// Returns the bytes of a range, or `nil` if it is out of range.
    package func bytes(_ range: Range<Int>) -> [UInt8]? {
        part(range).map { Array($0.data[$0.begin..<$0.begin + $0.count]) }
    }

    /// Returns a range as a new value whose offsets start at 0, or `nil` if it is out of range.
    package func part(_ range: Range<Int>) -> PictureBytes? {
        guard has(range.lowerBound, range.count) else { return nil }
        return PictureBytes(data, begin: begin + range.lowerBound, count: range.count)
    }

    /// Returns the offset of the next occurrence of a byte, starting at an offset, or `nil` if there is none.
    func firstIndex(of byte: UInt8, from offset: Int) -> Int? {
        guard has(offset, 0) else { return nil }
        return data[begin + offset..<begin + count].firstIndex(of: byte).map { $0 - begin }
    }

    private func has(_ offset: Int, _ length: Int) -> Bool {
        offset >= 0 && length >= 0 && offset <= count && length <= count - offset
    }
}
