package import Foundation

/// The bytes of a file, or of a part of one: what lies beyond them is nil, so that no damage leads out of them.
package struct PictureBytes: Sendable {
    private let data: Data
    private let begin: Int
    /// How many there are.
    package let count: Int

    /// All of a file.
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

    /// The byte at an offset.
    package subscript(_ offset: Int) -> UInt8? { has(offset, 1) ? data[begin + offset] : nil }

    /// A whole number of one to eight bytes; nil also where it is beyond `Int`.
    package func number(at offset: Int, width: Int, isLittleEndian: Bool = false) -> Int? {
        guard (1...8).contains(width), has(offset, width) else { return nil }
        var value: UInt64 = 0
        for step in 0..<width {
            let byte = data[begin + offset + (isLittleEndian ? width - 1 - step : step)]
            value = value << 8 | UInt64(byte)
        }
        return Int(exactly: value)
    }

    /// The four characters that name a part of a file.
    package func name(at offset: Int) -> String? {
        bytes(offset..<offset + 4).map { String(decoding: $0, as: Unicode.ASCII.self) }
    }

    /// Whether these bytes stand at an offset.
    package func has(_ bytes: some Collection<UInt8>, at offset: Int) -> Bool {
        has(offset, bytes.count) && data[begin + offset..<begin + offset + bytes.count].elementsEqual(bytes)
    }

    /// The bytes of a range.
    package func bytes(_ range: Range<Int>) -> [UInt8]? {
        part(range).map { Array($0.data[$0.begin..<$0.begin + $0.count]) }
    }

    /// A range as bytes of their own, counted from 0.
    package func part(_ range: Range<Int>) -> PictureBytes? {
        guard has(range.lowerBound, range.count) else { return nil }
        return PictureBytes(data, begin: begin + range.lowerBound, count: range.count)
    }

    /// Where a byte next is, from an offset on; nil where it is not.
    func firstIndex(of byte: UInt8, from offset: Int) -> Int? {
        guard has(offset, 0) else { return nil }
        return data[begin + offset..<begin + count].firstIndex(of: byte).map { $0 - begin }
    }

    private func has(_ offset: Int, _ length: Int) -> Bool {
        offset >= 0 && length >= 0 && offset <= count && length <= count - offset
    }
}
