import CZlib

/// The blocks of an extract of OpenStreetMap, decompressed one after the other.
///
/// - SeeAlso: https://wiki.openstreetmap.org/wiki/PBF_Format, "File format"
struct OSMBlobs {
    /// Returns some bytes at an offset of the file; fewer if it ends before.
    typealias Reading = (_ offset: Int, _ count: Int) throws -> [UInt8]

    /// What a block contains.
    enum Kind: Equatable {
        /// What the extract says about itself.
        case header
        /// Nodes, ways and relations.
        case data
        /// Something that readers pass over.
        case other
    }

    private let size: Int
    private let read: Reading
    /// The offset of the next block in the file.
    private(set) var offset = 0
    /// Whether the last block was the first of the file.
    private(set) var isFirst = false

    /// The longest header of a block, and the largest block, by the specification.
    private static let (longestHeader, largestBlob) = (64 << 10, 32 << 20)

    /// - Parameter size: The size of the file in bytes.
    init(size: Int, _ read: @escaping Reading) {
        self.size = size
        self.read = read
    }

    /// Returns the next block; `nil` at the end of the file.
    mutating func next() throws -> (kind: Kind, bytes: [UInt8])? {
        guard offset < size else { return nil }
        isFirst = offset == 0
        let length = try readNext(4, "the length of a block").reduce(0) { $0 << 8 | Int(truncatingIfNeeded: $1) }
        guard (1...Self.longestHeader).contains(length) else { throw OSMError.damaged("the length of a block") }
        var header = ProtobufFields(try readNext(length, "the header of a block"))
        var (kind, count) = (Kind.other, 0)
        while let field = try header.next() {
            switch (field.number, field.value) {
            case (1, .bytes(let place)): kind = Self.kind(of: header.bytes[place])
            case (3, .number(let number)): count = Int(clamping: number)
            default: break
            }
        }
        guard (0...Self.largestBlob).contains(count) else { throw OSMError.damaged("the length of a block") }
        let blob = try readNext(count, "a block")
        return (kind, kind == .other ? [] : try Self.expanded(blob))
    }

    private mutating func readNext(_ count: Int, _ part: String) throws -> [UInt8] {
        let bytes = try read(offset, count)
        guard bytes.count == count else { throw OSMError("\(part) is cut off at its end; download it again") }
        offset += count
        return bytes
    }

    private static func kind(of name: ArraySlice<UInt8>) -> Kind {
        if name.elementsEqual("OSMHeader".utf8) { return .header }
        return name.elementsEqual("OSMData".utf8) ? .data : .other
    }

    private static func expanded(_ blob: [UInt8]) throws(OSMError) -> [UInt8] {
        var fields = ProtobufFields(blob)
        var (plain, packed, size): (Range<Int>?, Range<Int>?, Int) = (nil, nil, 0)
        while let field = try fields.next() {
            switch (field.number, field.value) {
            case (1, .bytes(let place)): plain = place
            case (2, .number(let number)): size = Int(clamping: number)
            case (3, .bytes(let place)): packed = place
            case (4...7, .bytes):
                throw OSMError("its blocks are compressed in another way than zlib; convert it with \"osmium cat\"")
            default: break
            }
        }
        if let plain { return Array(blob[plain]) }
        guard let packed else { return [] }
        guard (1...largestBlob).contains(size), let bytes = inflated(blob[packed], to: size) else {
            throw .damaged("a compressed block")
        }
        return bytes
    }

    /// Decompresses bytes of zlib that give exactly `count` bytes; `nil` if they do not.
    private static func inflated(_ bytes: ArraySlice<UInt8>, to count: Int) -> [UInt8]? {
        var result = [UInt8](repeating: 0, count: count)
        var length = UInt(clamping: count)
        // zlib reads and writes within the two arrays, which live as long as the call, with their lengths.
        let status = unsafe bytes.withUnsafeBufferPointer { source in
            unsafe result.withUnsafeMutableBufferPointer { target in
                unsafe uncompress(target.baseAddress, &length, source.baseAddress, UInt(clamping: source.count))
            }
        }
        return status == Z_OK && length == UInt(clamping: count) ? result : nil
    }
}
