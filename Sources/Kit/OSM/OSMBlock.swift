/// A block of nodes and ways of an extract of OpenStreetMap.
///
/// Relations are passed over.
///
/// - SeeAlso: https://wiki.openstreetmap.org/wiki/PBF_Format, "Definition of OSMData fileblock"
struct OSMBlock {
    /// A key with its value, as numbers of texts of the block.
    struct Tag {
        var key: Int
        var value: Int
    }

    private let bytes: [UInt8]
    /// The places of the texts.
    private var texts: [Range<Int>] = []
    private var groups: [Range<Int>] = []
    /// The unit of positions in billionths of a degree, and where they begin.
    private var granularity: Int64 = 100
    private var northOffset: Int64 = 0
    private var eastOffset: Int64 = 0

    /// Finds the texts and groups of a block.
    init(_ bytes: [UInt8]) throws(OSMError) {
        self.bytes = bytes
        var fields = ProtobufFields(bytes)
        while let field = try fields.next() {
            switch (field.number, field.value) {
            case (1, .bytes(let place)): try findTexts(place)
            case (2, .bytes(let place)): groups.append(place)
            case (17, .number(let number)): granularity = Int64(truncatingIfNeeded: number)
            case (19, .number(let number)): northOffset = Int64(bitPattern: number)
            case (20, .number(let number)): eastOffset = Int64(bitPattern: number)
            default: break
            }
        }
    }

    private mutating func findTexts(_ place: Range<Int>) throws(OSMError) {
        var fields = ProtobufFields(bytes, place)
        while let field = try fields.next() {
            if case (1, .bytes(let text)) = (field.number, field.value) { texts.append(text) }
        }
    }

    /// Returns a text of the block; `nil` if it is not UTF-8.
    func text(_ number: Int) -> String? {
        texts.indices.contains(number) ? String(validating: bytes[texts[number]], as: UTF8.self) : nil
    }

    /// The keys that the texts of a block are, each of which is compared once.
    struct Keys {
        private let block: OSMBlock
        private var known: [Known]

        private enum Known {
            case notYet, other
            case key(OSMKey)
        }

        init(of block: OSMBlock) {
            self.block = block
            known = [Known](repeating: .notYet, count: block.texts.count)
        }

        /// Returns the key that a text is; `nil` if it is none that we read.
        subscript(_ number: Int) -> OSMKey? {
            mutating get {
                guard known.indices.contains(number) else { return nil }
                switch known[number] {
                case .other: return nil
                case .key(let key): return key
                case .notYet:
                    let isShort = block.texts[number].count <= OSMKey.longest
                    let key = isShort ? block.text(number).flatMap(OSMKey.init(rawValue:)) : nil
                    known[number] = key.map(Known.key) ?? .other
                    return key
                }
            }
        }
    }

    // MARK: Nodes

    /// A node, which has a position.
    struct Node {
        var id: Int64
        /// The position in units of the block.
        var north: Int64
        var east: Int64
    }

    /// Returns the position of a node in ten millionths of a degree; `nil` if it is not on the earth.
    func position(of node: Node) -> (latitudeE7: Int32, longitudeE7: Int32)? {
        func units(_ number: Int64, _ offset: Int64) -> Int32? {
            let (scaled, isTooLarge) = number.multipliedReportingOverflow(by: granularity)
            let (sum, isBeyond) = scaled.addingReportingOverflow(offset)
            guard !isTooLarge, !isBeyond else { return nil }
            return Int32(exactly: sum / 100)
        }
        guard let latitude = units(node.north, northOffset), let longitude = units(node.east, eastOffset),
            (-900_000_000...900_000_000).contains(latitude), (-1_800_000_000...1_800_000_000).contains(longitude)
        else { return nil }
        return (latitude, longitude)
    }

    /// Calls `body` with each node and its tags.
    func forEachNode(_ body: (Node, [Tag]) throws -> Void) throws {
        for group in groups {
            var fields = ProtobufFields(bytes, group)
            while let field = try fields.next() {
                switch (field.number, field.value) {
                case (1, .bytes(let place)): try readNode(place, body)
                case (2, .bytes(let place)): try readDenseNodes(place, body)
                default: break
                }
            }
        }
    }

    private func readNode(_ place: Range<Int>, _ body: (Node, [Tag]) throws -> Void) throws {
        var node = Node(id: 0, north: 0, east: 0)
        var (keys, values): (Range<Int>, Range<Int>) = (0..<0, 0..<0)
        var fields = ProtobufFields(bytes, place)
        while let field = try fields.next() {
            switch (field.number, field.value) {
            case (1, .number(let number)): node.id = ProtobufFields.signed(number)
            case (2, .bytes(let place)): keys = place
            case (3, .bytes(let place)): values = place
            case (8, .number(let number)): node.north = ProtobufFields.signed(number)
            case (9, .number(let number)): node.east = ProtobufFields.signed(number)
            default: break
            }
        }
        try body(node, try tags(keys, values))
    }

    /// Reads nodes that are stored in columns, each number as the difference to the one before.
    private func readDenseNodes(_ place: Range<Int>, _ body: (Node, [Tag]) throws -> Void) throws {
        let none = ProtobufFields(bytes, 0..<0)
        var (ids, norths, easts, words) = (none, none, none, none)
        var fields = ProtobufFields(bytes, place)
        while let field = try fields.next() {
            switch (field.number, field.value) {
            case (1, .bytes(let place)): ids = ProtobufFields(bytes, place)
            case (8, .bytes(let place)): norths = ProtobufFields(bytes, place)
            case (9, .bytes(let place)): easts = ProtobufFields(bytes, place)
            case (10, .bytes(let place)): words = ProtobufFields(bytes, place)
            default: break
            }
        }
        var node = Node(id: 0, north: 0, east: 0)
        var tags: [Tag] = []
        while let id = try ids.nextSigned() {
            guard let north = try norths.nextSigned(), let east = try easts.nextSigned() else {
                throw OSMError.damaged("a list of nodes")
            }
            node.id &+= id
            node.north &+= north
            node.east &+= east
            tags.removeAll(keepingCapacity: true)
            // Keys and values alternate; a zero ends those of a node. There are none at all if no node has any.
            while let key = try words.nextNumber(), key != 0 {
                guard let value = try words.nextNumber() else { throw OSMError.damaged("a list of nodes") }
                tags.append(Tag(key: Int(clamping: key), value: Int(clamping: value)))
            }
            try body(node, tags)
        }
    }

    // MARK: Ways

    /// Calls `body` with the nodes and the tags of each way.
    func forEachWay(_ body: (_ nodes: [Int64], [Tag]) throws -> Void) throws {
        var nodes: [Int64] = []
        for group in groups {
            var fields = ProtobufFields(bytes, group)
            while let field = try fields.next() {
                guard case (3, .bytes(let place)) = (field.number, field.value) else { continue }
                nodes.removeAll(keepingCapacity: true)
                var (keys, values): (Range<Int>, Range<Int>) = (0..<0, 0..<0)
                var way = ProtobufFields(bytes, place)
                while let field = try way.next() {
                    switch (field.number, field.value) {
                    case (2, .bytes(let place)): keys = place
                    case (3, .bytes(let place)): values = place
                    case (8, .bytes(let place)):
                        var differences = ProtobufFields(bytes, place)
                        var id: Int64 = 0
                        while let difference = try differences.nextSigned() {
                            id &+= difference
                            nodes.append(id)
                        }
                    default: break
                    }
                }
                try body(nodes, try tags(keys, values))
            }
        }
    }

    private func tags(_ keys: Range<Int>, _ values: Range<Int>) throws(OSMError) -> [Tag] {
        var (keys, values) = (ProtobufFields(bytes, keys), ProtobufFields(bytes, values))
        var tags: [Tag] = []
        while let key = try keys.nextNumber() {
            guard let value = try values.nextNumber() else { throw .damaged("a list of tags") }
            tags.append(Tag(key: Int(clamping: key), value: Int(clamping: value)))
        }
        return tags
    }
}
