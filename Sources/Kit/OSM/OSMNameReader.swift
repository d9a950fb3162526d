import Geodesy

/// Reads the names in an extract of OpenStreetMap in the format .osm.pbf.
///
/// Ways name their nodes, which come before them and are many more than memory holds. The extract is therefore read
/// twice: first for the ways with names, each with at most two of its nodes, and then for these nodes, and for nodes with
/// names. Relations are passed over.
public struct OSMNameReader {
    /// Returns some bytes at an offset of the file; fewer if it ends before.
    public typealias Reading = (_ offset: Int, _ count: Int) throws -> [UInt8]

    /// The area of the extract as west, south, east and north in degrees: what it says, or else that of its nodes.
    public var bounds: [Double]? { header ?? seen.bounds }
    /// Whether the extract says its area itself.
    public var saysBounds: Bool { header != nil }
    /// Whether there are more names than ``most``, of which the rest are left out.
    public private(set) var isCut = false
    /// The number of nodes and ways that were read.
    public private(set) var count = 0
    /// The part of the work that is done, from 0 to 1.
    public var progress: Double {
        guard size > 0 else { return 1 }
        let share = Double(blobs.offset) / Double(size)
        return isSecond ? 0.5 + share / 2 : share / 2
    }

    /// The most names: more would take hundreds of megabytes of memory, which a board does not have.
    public static let most = 2_000_000

    private let size: Int
    private let read: Reading
    private var blobs: OSMBlobs
    private var header: [Double]?
    private var seen = Extent()
    private var isSecond = false
    private var isOver = false
    private var taken = 0
    private let limit: Int
    private var ways: [Way] = []
    private var nodes = NodePlaces()
    /// The ways that were given already, each with the part of the earth where it was.
    private var given: Set<Int> = []

    /// A way with a name.
    private struct Way {
        var description: OSMDescription
        /// Two nodes, between which its position is; both are the same for one in the middle of a street.
        var first: Int64
        var second: Int64
    }

    /// Begins to read an extract.
    ///
    /// - Parameter size: The size of the file in bytes.
    public init(size: Int, _ read: @escaping Reading) { self.init(size: size, most: Self.most, read) }

    /// - Parameter limit: The most names.
    init(size: Int, most limit: Int, _ read: @escaping Reading) {
        self.size = size
        self.read = read
        self.limit = limit
        blobs = OSMBlobs(size: size, read)
    }

    /// Reads the next block, and returns the names that are known from it, which may be none; `nil` at the end.
    ///
    /// - Throws: ``OSMError`` if the extract is damaged, empty or none, and the errors of the file.
    public mutating func next() throws -> [OSMName]? {
        guard !isOver else { return nil }
        guard let block = try blobs.next() else { return try endOfFile() }
        if blobs.isFirst, block.kind != .header { throw OSMError("it is not an extract in the format .osm.pbf") }
        switch block.kind {
        case .header: header = try OSMHeader(block.bytes).bounds
        case .data where isSecond: return try readNodes(OSMBlock(block.bytes))
        case .data: try readWays(OSMBlock(block.bytes))
        case .other: break
        }
        return []
    }

    /// Goes on with the second reading after the first, and with the ways after that.
    private mutating func endOfFile() throws -> [OSMName]? {
        guard isSecond else {
            guard size > 0 else { throw OSMError("it is empty") }
            isSecond = true
            nodes = NodePlaces(of: ways.flatMap { [$0.first, $0.second] })
            blobs = OSMBlobs(size: size, read)
            return []
        }
        isOver = true
        guard count > 0 else { throw OSMError("it contains no map data") }
        return namedWays()
    }

    private mutating func readWays(_ block: OSMBlock) throws {
        var keys = OSMBlock.Keys(of: block)
        var (found, number): ([Way], Int) = ([], 0)
        try block.forEachWay { nodes, tags in
            number += 1
            guard let first = nodes.first, let last = nodes.last,
                let description = OSMDescription(tags, in: block, &keys, isWay: true)
            else { return }
            let middle = nodes[nodes.count / 2]
            // Of an area, the middle node is opposite the first.
            let isArea = description.kind != .street && first == last
            found.append(Way(description: description, first: isArea ? first : middle, second: middle))
        }
        count += number
        let room = limit - ways.count
        if found.count > room { isCut = true }
        ways += found.prefix(room)
    }

    private mutating func readNodes(_ block: OSMBlock) throws -> [OSMName] {
        var keys = OSMBlock.Keys(of: block)
        var found: [OSMName] = []
        var (nodes, seen, number) = (self.nodes, self.seen, 0)
        self.nodes = NodePlaces()
        try block.forEachNode { node, tags in
            number += 1
            guard let position = block.position(of: node) else { return }
            seen.add(position.latitudeE7, position.longitudeE7)
            nodes.put(node.id, position.latitudeE7, position.longitudeE7)
            guard tags.count > 1, let description = OSMDescription(tags, in: block, &keys, isWay: false),
                let place = Coordinate(latitudeE7: position.latitudeE7, longitudeE7: position.longitudeE7)
            else { return }
            found.append(description.at(place))
        }
        (self.nodes, self.seen) = (nodes, seen)
        count += number
        return admit(found)
    }

    /// Returns the ways that have a position, each name once in a part of the earth.
    ///
    /// A street is mapped as many ways, one for each change of its speed limit or surface.
    private mutating func namedWays() -> [OSMName] {
        var names: [OSMName] = []
        for way in ways {
            guard let one = nodes[way.first], let other = nodes[way.second], let place = Self.middle(one, other) else {
                continue
            }
            let cell = way.description.kind == .street ? Self.streetCell : Self.areaCell
            var hasher = Hasher()
            hasher.combine(way.description.name)
            hasher.combine(way.description.kind)
            hasher.combine(place.latitudeE7 / cell)
            hasher.combine(place.longitudeE7 / cell)
            if given.insert(hasher.finalize()).inserted { names.append(way.description.at(place)) }
        }
        (ways, nodes, given) = ([], NodePlaces(), [])
        return admit(names)
    }

    /// The edges of the parts of the earth in which a name is given once: some two kilometres, and some hundred metres.
    private static let (streetCell, areaCell): (Int32, Int32) = (200_000, 10_000)

    private static func middle(_ one: NodePlaces.Place, _ other: NodePlaces.Place) -> Coordinate? {
        // An area across the 180th meridian is where its first node is.
        let isNear = abs(Int64(one.longitudeE7) - Int64(other.longitudeE7)) < 1_800_000_000
        let other = isNear ? other : one
        return Coordinate(
            latitudeE7: Int32(clamping: (Int64(one.latitudeE7) + Int64(other.latitudeE7)) / 2),
            longitudeE7: Int32(clamping: (Int64(one.longitudeE7) + Int64(other.longitudeE7)) / 2))
    }

    private mutating func admit(_ names: [OSMName]) -> [OSMName] {
        let room = limit - taken
        if names.count > room { isCut = true }
        taken += min(names.count, room)
        return Array(names.prefix(room))
    }
}

/// The area of some positions.
private struct Extent {
    private var south = Int32.max
    private var north = Int32.min
    private var west = Int32.max
    private var east = Int32.min

    mutating func add(_ latitude: Int32, _ longitude: Int32) {
        (south, north) = (min(south, latitude), max(north, latitude))
        (west, east) = (min(west, longitude), max(east, longitude))
    }

    /// The area as west, south, east and north in degrees; `nil` if it has no size.
    var bounds: [Double]? {
        south < north && west < east ? [west, south, east, north].map { Double($0) / 1e7 } : nil
    }
}
