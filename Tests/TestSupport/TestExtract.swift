/// An extract of OpenStreetMap in the format .osm.pbf, as bytes.
public struct TestExtract: Sendable {
    /// A node.
    public struct Node: Sendable {
        /// The id.
        public var id: Int64
        /// Degrees north.
        public var latitude: Double
        /// Degrees east.
        public var longitude: Double
        /// Keys with values.
        public var tags: [String: String]

        /// Creates a node.
        public init(_ id: Int64, _ latitude: Double, _ longitude: Double, _ tags: [String: String] = [:]) {
            (self.id, self.latitude, self.longitude, self.tags) = (id, latitude, longitude, tags)
        }
    }

    /// A way.
    public struct Way: Sendable {
        /// The ids of its nodes.
        public var nodes: [Int64]
        /// Keys with values.
        public var tags: [String: String]

        /// Creates a way.
        public init(_ nodes: [Int64], _ tags: [String: String]) { (self.nodes, self.tags) = (nodes, tags) }
    }

    /// The nodes.
    public var nodes: [Node]
    /// The ways.
    public var ways: [Way]
    /// West, east, north and south in degrees; none by default.
    public var edges: [Double] = []
    /// Whether nodes are stored in columns.
    public var isDense = true
    /// Whether blocks are in the format of zlib.
    public var isPacked = true
    /// The features that it asks of readers.
    public var features = ["OsmSchema-V0.6", "DenseNodes"]
    /// The number of nodes or ways in a block.
    public var blockLength = 1000

    /// Creates an extract.
    public init(_ nodes: [Node], _ ways: [Way] = []) { (self.nodes, self.ways) = (nodes, ways) }

    /// The file.
    public var bytes: [UInt8] {
        var header: [UInt8] = []
        if edges.count == 4 {
            let numbers = edges.enumerated().map { index, degrees in
                Self.field(UInt64(index + 1), number: Self.zigzag(Int64((degrees * 1e9).rounded())))
            }
            header += Self.field(1, bytes: Array(numbers.joined()))
        }
        for feature in features { header += Self.field(4, bytes: Array(feature.utf8)) }
        var file = block("OSMHeader", header)
        for begin in stride(from: 0, to: nodes.count, by: blockLength) {
            file += block("OSMData", data(nodes[begin..<min(begin + blockLength, nodes.count)], []))
        }
        for begin in stride(from: 0, to: ways.count, by: blockLength) {
            file += block("OSMData", data([], ways[begin..<min(begin + blockLength, ways.count)]))
        }
        return file
    }

    /// Returns a block with its header.
    public func block(_ type: String, _ content: [UInt8]) -> [UInt8] {
        var blob = Self.field(1, bytes: content)
        if isPacked { blob = Self.field(2, number: UInt64(content.count)) + Self.field(3, bytes: Self.zlib(content)) }
        let header = Self.field(1, bytes: Array(type.utf8)) + Self.field(3, number: UInt64(blob.count))
        return (0..<4).reversed().map { UInt8(truncatingIfNeeded: header.count >> (8 * $0)) } + header + blob
    }

    private func data(_ nodes: ArraySlice<Node>, _ ways: ArraySlice<Way>) -> [UInt8] {
        var texts = [""]
        func number(of text: String) -> UInt64 {
            if let known = texts.firstIndex(of: text) { return UInt64(known) }
            texts.append(text)
            return UInt64(texts.count - 1)
        }
        func tags(_ tags: [String: String]) -> [(UInt64, UInt64)] {
            tags.sorted { $0.key < $1.key }.map { (number(of: $0.key), number(of: $0.value)) }
        }
        func units(_ degrees: Double) -> Int64 { Int64((degrees * 1e7).rounded()) }
        var group: [UInt8] = []
        if isDense, !nodes.isEmpty {
            var (ids, norths, easts, words): ([UInt8], [UInt8], [UInt8], [UInt8]) = ([], [], [], [])
            var last: (Int64, Int64, Int64) = (0, 0, 0)
            for node in nodes {
                let now = (node.id, units(node.latitude), units(node.longitude))
                ids += Self.varint(Self.zigzag(now.0 - last.0))
                norths += Self.varint(Self.zigzag(now.1 - last.1))
                easts += Self.varint(Self.zigzag(now.2 - last.2))
                for (key, value) in tags(node.tags) { words += Self.varint(key) + Self.varint(value) }
                words.append(0)
                last = now
            }
            group += Self.field(
                2,
                bytes: Self.field(1, bytes: ids) + Self.field(8, bytes: norths) + Self.field(9, bytes: easts)
                    + Self.field(10, bytes: words))
        }
        for node in isDense ? [] : nodes {
            let words = tags(node.tags)
            group += Self.field(
                1,
                bytes: Self.field(1, number: Self.zigzag(node.id))
                    + Self.field(2, bytes: words.flatMap { Self.varint($0.0) })
                    + Self.field(3, bytes: words.flatMap { Self.varint($0.1) })
                    + Self.field(8, number: Self.zigzag(units(node.latitude)))
                    + Self.field(9, number: Self.zigzag(units(node.longitude))))
        }
        for (index, way) in ways.enumerated() {
            let words = tags(way.tags)
            var (ids, last): ([UInt8], Int64) = ([], 0)
            for id in way.nodes {
                ids += Self.varint(Self.zigzag(id - last))
                last = id
            }
            group += Self.field(
                3,
                bytes: Self.field(1, number: UInt64(index + 1))
                    + Self.field(2, bytes: words.flatMap { Self.varint($0.0) })
                    + Self.field(3, bytes: words.flatMap { Self.varint($0.1) }) + Self.field(8, bytes: ids))
        }
        let table = texts.flatMap { Self.field(1, bytes: Array($0.utf8)) }
        return Self.field(1, bytes: table) + Self.field(2, bytes: group)
    }

    /// Returns a field with bytes.
    public static func field(_ number: UInt64, bytes: [UInt8]) -> [UInt8] {
        varint(number << 3 | 2) + varint(UInt64(bytes.count)) + bytes
    }

    /// Returns a field with a number.
    public static func field(_ number: UInt64, number value: UInt64) -> [UInt8] { varint(number << 3) + varint(value) }

    private static func varint(_ number: UInt64) -> [UInt8] {
        number < 128 ? [UInt8(number)] : [UInt8(number & 0x7F) | 0x80] + varint(number >> 7)
    }

    private static func zigzag(_ number: Int64) -> UInt64 { UInt64(bitPattern: number << 1 ^ number >> 63) }

    /// Returns bytes in the format of zlib (RFC 1950), which are stored as they are.
    private static func zlib(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [0x78, 0x01]
        let length = 65_535
        for begin in stride(from: 0, to: max(1, bytes.count), by: length) {
            let part = bytes[begin..<min(begin + length, bytes.count)]
            let count = UInt16(part.count)
            result.append(begin + length >= bytes.count ? 1 : 0)
            for number in [count, ~count] { result += [UInt8(number & 0xFF), UInt8(number >> 8)] }
            result += part
        }
        var (one, two): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            one = (one + UInt32(byte)) % 65_521
            two = (two + one) % 65_521
        }
        return result + (0..<4).reversed().map { UInt8(truncatingIfNeeded: (two << 16 | one) >> (8 * $0)) }
    }
}
