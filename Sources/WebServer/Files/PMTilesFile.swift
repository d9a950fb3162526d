import Store
import Synchronization

/// Tiles in one file by the PMTiles specification, version 3.
///
/// - SeeAlso: https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md
final class PMTilesFile: TileSource {
    let type: String
    let zooms: ClosedRange<Int>
    let attribution: String? = nil
    private let file: FileCalls.OpenFile
    private let header: PMTilesHeader
    private let root: [PMTilesEntry]
    private let size: Int
    private let leaves = Mutex(LeafCache())

    /// The largest directory, expanded: a million entries have less.
    private static let largestDirectory = 32 << 20
    /// How deep leaves may lie below the root.
    private static let deepest = 4

    init(_ path: String) throws {
        let calls = FileCalls()
        let file = try calls.open(path, links: .followed)
        size = try calls.status(file).size
        header = try PMTilesHeader(try calls.read(file, from: 0, count: PMTilesHeader.length))
        guard let type = header.mediaType else {
            throw WebError("its tiles are no pictures (type \(header.tileType)), and only pictures are shown")
        }
        guard header.tileCompression <= 1 else {
            throw WebError("its tiles are compressed, which pictures are already")
        }
        self.type = type
        zooms = header.zooms
        root = try Self.directory(header.root, in: file, of: size, header)
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

    /// How often a leaf directory was read and expanded.
    var expansions: Int { leaves.withLock { $0.expansions } }

    private func leaf(_ place: Range<Int>) throws -> [PMTilesEntry] {
        if let known = leaves.withLock({ $0[place] }) { return known }
        let entries = try Self.directory(place, in: file, of: size, header)
        leaves.withLock { $0.keep(entries, at: place) }
        return entries
    }

    private static func directory(
        _ place: Range<Int>, in file: borrowing FileCalls.OpenFile, of size: Int, _ header: PMTilesHeader
    ) throws -> [PMTilesEntry] {
        guard place.upperBound <= size, place.count <= largestDirectory else {
            throw WebError("it is cut off: a directory lies beyond its end")
        }
        let bytes = try FileCalls().read(file, from: place.lowerBound, count: place.count)
        switch header.compression {
        case 1: return try PMTilesEntry.read(bytes)
        case 2:
            guard let plain = try? Gzip.expanded(bytes, atMost: largestDirectory) else {
                throw WebError("a directory in it is damaged")
            }
            return try PMTilesEntry.read(plain)
        default: throw WebError("its directories are compressed by other than gzip")
        }
    }
}

/// Leaf directories that were expanded: those used last, as a map asks for the tiles of one neighbourhood one by one.
private struct LeafCache {
    private var directories: [Range<Int>: (entries: [PMTilesEntry], used: Int)] = [:]
    private var uses = 0
    private var count = 0
    private(set) var expansions = 0

    /// How many entries are kept, in all: 8 MiB of them; a leaf mostly has some thousands.
    private static let most = 1 << 18
    /// What a directory costs besides its entries, counted as such.
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
        guard cost <= Self.most, directories[place] == nil else { return }
        while count + cost > Self.most, let oldest = directories.min(by: { $0.value.used < $1.value.used }) {
            count -= oldest.value.entries.count + Self.overhead
            directories[oldest.key] = nil
        }
        uses += 1
        count += cost
        directories[place] = (entries, uses)
    }
}

/// The first bytes of the file.
struct PMTilesHeader: Equatable {
    /// How many there are.
    static let length = 127
    /// Where the root directory is.
    let root: Range<Int>
    /// Where the leaf directories are.
    let leaves: Range<Int>
    /// Where the tiles are.
    let tiles: Range<Int>
    /// How directories are compressed: 1 not, 2 by gzip.
    let compression: UInt8
    /// How tiles are: 0 unknown, 1 not.
    let tileCompression: UInt8
    /// What tiles are.
    let tileType: UInt8
    /// The zooms that there are.
    let zooms: ClosedRange<Int>

    /// No file has an offset beyond this, with which sums of a few still fit.
    static let greatest: UInt64 = 1 << 48

    init(_ bytes: [UInt8]) throws(WebError) {
        guard bytes.count == Self.length, bytes.starts(with: "PMTiles".utf8) else {
            throw WebError("it is cut off, or no PMTiles file")
        }
        guard bytes[7] == 3 else { throw WebError("it is of version \(bytes[7]) of PMTiles, and 3 is read") }
        func number(_ place: Int) throws(WebError) -> Int {
            let number = bytes[place..<place + 8].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            guard number <= Self.greatest else { throw WebError("a number in it is beyond any file") }
            return Int(clamping: number)
        }
        func range(_ place: Int) throws(WebError) -> Range<Int> {
            let (begin, count) = (try number(place), try number(place + 8))
            return begin..<begin + count
        }
        root = try range(8)
        leaves = try range(40)
        tiles = try range(56)
        (compression, tileCompression, tileType) = (bytes[97], bytes[98], bytes[99])
        let (lowest, highest) = (Int(bytes[100]), Int(bytes[101]))
        guard lowest <= highest, highest <= TilePlace.deepest else {
            throw WebError("its zooms are not what there can be")
        }
        zooms = lowest...highest
    }

    /// The media type of the tiles; nil where they are no pictures.
    var mediaType: String? {
        switch tileType {
        case 2: "image/png"
        case 3: "image/jpeg"
        case 4: "image/webp"
        case 5: "image/avif"
        default: nil
        }
    }
}

/// An entry of a directory: some tiles that are the same, or where a leaf directory is.
struct PMTilesEntry: Equatable {
    /// The number of the first tile.
    var id: UInt64
    /// How many tiles there are; 0 for a directory.
    var count = 0
    var offset = 0
    var length = 0

    /// The number of a tile: those of lower zooms first, then along Hilbert's curve.
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
            // What lies above has been looked at.
            (x, y) = (x & (side &- 1), y & (side &- 1))
            side /= 2
        }
        return id
    }

    /// The entry that a tile is of, if it is in the directory: the last one that does not begin after it.
    static func find(_ id: UInt64, in entries: [PMTilesEntry]) -> PMTilesEntry? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].id <= id { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? entries[low - 1] : nil
    }

    /// Reads a directory: how many entries, then their numbers, counts, lengths and offsets, each column by itself.
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
        // Each entry has four bytes at least.
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
