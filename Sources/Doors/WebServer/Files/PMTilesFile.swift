import Compression
import Store
import Synchronization

/// Tiles in a file of the PMTiles specification, version 3.
///
/// - SeeAlso: https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md
final class PMTilesFile: TileSource {
    let type: String
    let zooms: ClosedRange<Int>
    let metadata: TileMetadata
    private let file: FileCalls.OpenFile
    private let header: PMTilesHeader
    private let root: [PMTilesEntry]
    private let size: Int
    private let leaves = Mutex(LeafCache())

    /// The largest directory in bytes, compressed or not.
    ///
    /// ``PMTilesEntry/most`` entries take less. Programs that write such files begin another leaf after some ten
    /// thousand entries.
    private static let largestDirectory = 4 << 20
    /// The bytes from the beginning of the file within which the root directory must end, by the specification.
    private static let rootEnd = 16_384
    /// The most directories to search from the root down to a tile.
    private static let deepest = 4

    init(_ path: String) throws {
        let calls = FileCalls()
        let file = try calls.open(path, links: .followed)
        size = try calls.status(file).size
        header = try PMTilesHeader(try calls.read(file, from: 0, count: PMTilesHeader.length))
        guard let type = header.mediaType else {
            throw WebError(
                "its tiles are neither images nor vectors (type \(header.tileType)); only these are supported")
        }
        guard header.tileCompression <= (type == TileMetadata.vectorType ? 2 : 1) else {
            throw WebError(
                "its tiles are compressed in another way than gzip, or are images that are compressed once more; store "
                    + "them without compression")
        }
        self.type = type
        zooms = header.zooms
        guard header.root.upperBound <= Self.rootEnd else {
            throw WebError("its root directory does not end within the first \(Self.rootEnd) bytes")
        }
        root = try Self.directory(header.root, in: file, of: size, header)
        metadata = try Self.metadata(of: header, in: file, of: size)
        self.file = file
    }

    func tile(_ place: TilePlace) throws -> [UInt8]? {
        let id = PMTilesEntry.id(of: place)
        var entries = root
        for _ in 0..<Self.deepest {
            guard let entry = PMTilesEntry.find(id, in: entries) else { return nil }
            if entry.count > 0 {
                guard id - entry.id < UInt64(entry.count), entry.length <= Tiles.largest else { return nil }
                let begin = header.tiles.lowerBound + entry.offset
                guard begin + entry.length <= size else { return nil }
                return try FileCalls().read(file, from: begin, count: entry.length)
            }
            let begin = header.leaves.lowerBound + entry.offset
            entries = try leaf(begin..<begin + entry.length)
        }
        return nil
    }

    /// The number of times that a leaf directory was read and decompressed.
    var expansions: Int { leaves.withLock { $0.expansions } }

    private func leaf(_ place: Range<Int>) throws -> [PMTilesEntry] {
        if let known = leaves.withLock({ $0[place] }) { return known }
        let entries = try Self.directory(place, in: file, of: size, header)
        leaves.withLock { $0.keep(entries, at: place) }
        return entries
    }

    /// Reads what the file says about itself; pictures need none of it.
    private static func metadata(
        of header: PMTilesHeader, in file: borrowing FileCalls.OpenFile, of size: Int
    ) throws -> TileMetadata {
        var metadata = TileMetadata()
        metadata.setBounds(header.bounds)
        guard header.mediaType == TileMetadata.vectorType, !header.metadata.isEmpty else { return metadata }
        guard header.metadata.upperBound <= size else {
            throw WebError("it is truncated: its metadata lie beyond its end")
        }
        guard header.metadata.count <= TileMetadata.largest else { throw WebError("its metadata are too large") }
        let bytes = try FileCalls().read(file, from: header.metadata.lowerBound, count: header.metadata.count)
        try metadata.add(json: try plain(bytes, header, atMost: TileMetadata.largest, "its metadata are"))
        return metadata
    }

    private static func plain(
        _ bytes: [UInt8], _ header: PMTilesHeader, atMost most: Int, _ subject: String
    ) throws -> [UInt8] {
        switch header.compression {
        case 1: return bytes
        case 2:
            guard let plain = try? Gzip.expanded(bytes, atMost: most) else {
                throw WebError("\(subject) damaged or too large")
            }
            return plain
        default: throw WebError("\(subject) compressed, but not with gzip")
        }
    }

    private static func directory(
        _ place: Range<Int>, in file: borrowing FileCalls.OpenFile, of size: Int, _ header: PMTilesHeader
    ) throws -> [PMTilesEntry] {
        guard place.upperBound <= size else { throw WebError("it is truncated: a directory lies beyond its end") }
        guard place.count <= largestDirectory else { throw WebError("a directory in it is too large") }
        let bytes = try FileCalls().read(file, from: place.lowerBound, count: place.count)
        return try PMTilesEntry.read(try plain(bytes, header, atMost: largestDirectory, "a directory in it is"))
    }
}

/// A cache of the most recently used leaf directories, because a map requests neighbouring tiles one by one.
private struct LeafCache {
    private var directories: [Range<Int>: (entries: [PMTilesEntry], used: Int)] = [:]
    private var uses = 0
    private var count = 0
    private(set) var expansions = 0

    /// The most entries in the cache: 8 MiB of them; a leaf usually has some thousands.
    private static let maximumCount = 1 << 18
    /// The cost of a directory besides its entries, counted in entries.
    private static let overhead = 16

    subscript(_ place: Range<Int>) -> [PMTilesEntry]? {
        mutating get {
            uses += 1
            directories[place]?.used = uses
            return directories[place]?.entries
        }
    }

    mutating func keep(_ entries: [PMTilesEntry], at place: Range<Int>) {
        expansions += 1
        let cost = entries.count + Self.overhead
        guard cost <= Self.maximumCount, directories[place] == nil else { return }
        while count + cost > Self.maximumCount, let oldest = directories.min(by: { $0.value.used < $1.value.used }) {
            count -= oldest.value.entries.count + Self.overhead
            directories[oldest.key] = nil
        }
        uses += 1
        count += cost
        directories[place] = (entries, uses)
    }
}

/// The header at the beginning of the file.
struct PMTilesHeader: Equatable {
    /// The number of bytes of the header.
    static let length = 127
    /// The bytes of the root directory in the file.
    let root: Range<Int>
    /// The bytes of the JSON metadata in the file.
    let metadata: Range<Int>
    /// The bytes of the leaf directories in the file.
    let leaves: Range<Int>
    /// The bytes of the tiles in the file.
    let tiles: Range<Int>
    /// The compression of directories: 1 is none, 2 is gzip.
    let compression: UInt8
    /// The area with tiles, as west, south, east and north in degrees; it is checked where it is used.
    let bounds: [Double]
    /// The compression of tiles: 0 is unknown, 1 is none, 2 is gzip.
    let tileCompression: UInt8
    /// The format of the tiles; see ``mediaType``.
    let tileType: UInt8
    /// The zoom levels in the file.
    let zooms: ClosedRange<Int>

    /// The greatest number accepted in the file.
    ///
    /// No file has a greater offset, and sums of a few such numbers fit.
    static let greatest: UInt64 = 1 << 48

    init(_ bytes: [UInt8]) throws(WebError) {
        guard bytes.count == Self.length, bytes.starts(with: "PMTiles".utf8) else {
            throw WebError("it is truncated or not a PMTiles file")
        }
        guard bytes[7] == 3 else { throw WebError("it has PMTiles version \(bytes[7]); only version 3 is supported") }
        func number(_ place: Int) throws(WebError) -> Int {
            let number = bytes[place..<place + 8].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            guard number <= Self.greatest else { throw WebError("a number in its header is too large for a file") }
            return Int(clamping: number)
        }
        func range(_ place: Int) throws(WebError) -> Range<Int> {
            let (begin, count) = (try number(place), try number(place + 8))
            return begin..<begin + count
        }
        root = try range(8)
        metadata = try range(24)
        leaves = try range(40)
        tiles = try range(56)
        (compression, tileCompression, tileType) = (bytes[97], bytes[98], bytes[99])
        let (lowest, highest) = (Int(bytes[100]), Int(bytes[101]))
        guard lowest <= highest, highest <= TilePlace.deepest else {
            throw WebError("its zoom levels are invalid")
        }
        zooms = lowest...highest
        bounds = [102, 106, 110, 114].map { place in
            let number = bytes[place..<place + 4].reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
            return Double(Int32(bitPattern: number)) / 1e7
        }
    }

    /// The media type of the tiles; `nil` if they are neither pictures nor vectors.
    var mediaType: String? {
        switch tileType {
        case 1: TileMetadata.vectorType
        case 2: "image/png"
        case 3: "image/jpeg"
        case 4: "image/webp"
        case 5: "image/avif"
        default: nil
        }
    }
}

/// An entry of a directory: a run of equal tiles, or a leaf directory.
struct PMTilesEntry: Equatable {
    /// The number of the first tile.
    var id: UInt64
    /// The number of tiles in the run; 0 for a leaf directory.
    var count = 0
    var offset = 0
    var length = 0

    /// The most entries of a directory, which take 4 MiB of memory.
    static let most = 1 << 17

    /// Returns the number of a tile: lower zoom levels come first, and the tiles of one level follow a Hilbert curve.
    static func id(of place: TilePlace) -> UInt64 {
        var id: UInt64 = 0
        for zoom in 0..<place.zoom { id += 1 << (2 * UInt64(zoom)) }
        var (x, y) = (UInt64(place.column), UInt64(place.row))
        var side: UInt64 = place.zoom == 0 ? 0 : 1 << UInt64(place.zoom - 1)
        while side > 0 {
            let (right, lower): (UInt64, UInt64) = (x & side > 0 ? 1 : 0, y & side > 0 ? 1 : 0)
            id += side * side * ((3 * right) ^ lower)
            if lower == 0 {
                if right == 1 { (x, y) = (side &- 1 &- x, side &- 1 &- y) }
                (x, y) = (y, x)
            }
            // Drops the higher bits, which have been processed.
            (x, y) = (x & (side &- 1), y & (side &- 1))
            side /= 2
        }
        return id
    }

    /// Returns the last entry that does not begin after a tile, which is the tile's entry if the directory has one.
    static func find(_ id: UInt64, in entries: [PMTilesEntry]) -> PMTilesEntry? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].id <= id { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? entries[low - 1] : nil
    }

    /// Parses a directory: the number of entries, followed by columns of numbers, counts, lengths and offsets.
    static func read(_ bytes: [UInt8]) throws(WebError) -> [PMTilesEntry] {
        var rest = bytes[...]
        func next() throws(WebError) -> UInt64 {
            var (number, shift): (UInt64, UInt64) = (0, 0)
            while let byte = rest.popFirst() {
                number |= UInt64(byte & 0x7F) << shift
                shift += 7
                if byte < 0x80, number <= 1 << 60 { return number }
                if shift > 56 { break }
            }
            throw WebError("a directory in it is damaged")
        }
        func small() throws(WebError) -> Int {
            let number = try next()
            guard number <= PMTilesHeader.greatest else { throw WebError("a directory in it is damaged") }
            return Int(clamping: number)
        }
        let count = try small()
        guard count <= most else { throw WebError("a directory in it has more than \(most) entries") }
        // Each entry takes at least four bytes.
        guard count <= bytes.count / 4 else { throw WebError("a directory in it is damaged") }
        var entries: [PMTilesEntry] = []
        var last: UInt64 = 0
        for _ in 0..<count {
            let (sum, isBeyond) = last.addingReportingOverflow(try next())
            guard !isBeyond else { throw WebError("a directory in it is damaged") }
            last = sum
            entries.append(PMTilesEntry(id: last))
        }
        for index in entries.indices { entries[index].count = try small() }
        for index in entries.indices { entries[index].length = try small() }
        var end = 0
        for index in entries.indices {
            let offset = try small()
            guard offset > 0 || index > 0, end <= PMTilesHeader.greatest else {
                throw WebError("a directory in it is damaged")
            }
            entries[index].offset = offset == 0 ? end : offset - 1
            end = entries[index].offset + entries[index].length
        }
        return entries
    }
}
