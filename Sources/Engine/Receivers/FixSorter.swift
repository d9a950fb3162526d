import Foundation
import Geodesy
import Positioning
import Time

/// A fix with its track and segment in the file.
struct PlacedInFile: Sendable {
    var fix: Fix
    let time: Timestamp
    let track: Int
    let segment: Int32
}

/// Sorts fixes by time, those of the same time in the order of the file.
///
/// Up to ``runLength`` fixes are sorted in memory. More go to a temporary file in sorted runs, which are merged. Runs that
/// follow one another in time are one, so that what comes in order is only written and read again.
final class FixSorter {
    /// The number of fixes in memory, some 10 MB.
    static let defaultRunLength = 65_536
    /// The number of fixes that are read from a run at once.
    private static let (leastChunk, greatestChunk) = (256, 4096)

    private let runLength: Int
    private var buffer: [PlacedInFile] = []
    /// The runs in the file, each with its number of fixes and its latest time.
    private var runs: [(count: Int, last: Timestamp)] = []
    private var file: FileHandle?

    init(runLength: Int = FixSorter.defaultRunLength) { self.runLength = runLength }

    /// Adds the next fix.
    func add(_ fix: PlacedInFile) throws(RecordingError) {
        buffer.append(fix)
        if buffer.count == runLength { try spill() }
    }

    /// Ends the input.
    ///
    /// Call this before ``read(_:)``.
    func finish() throws(RecordingError) {
        if runs.isEmpty { return sortBuffer() }
        if !buffer.isEmpty { try spill() }
    }

    /// Passes all fixes in order; it can be called several times.
    func reader() -> Reader { Reader(self) }

    private func sortBuffer() {
        // The sort of the standard library is stable.
        buffer.sort { $0.time < $1.time }
    }

    private func spill() throws(RecordingError) {
        sortBuffer()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(buffer.count * PlacedInFile.encodedLength)
        for fix in buffer { fix.encode(into: &bytes) }
        do {
            let file = try file ?? Self.temporaryFile()
            self.file = file
            try file.seekToEnd()
            try file.write(contentsOf: Data(bytes))
        } catch {
            throw RecordingError(
                "it has to be sorted, but no temporary file can be written: \(error.localizedDescription)")
        }
        guard let first = buffer.first?.time, let last = buffer.last?.time else { return }
        if let before = runs.last, before.last <= first {
            runs[runs.count - 1] = (before.count + buffer.count, last)
        } else {
            runs.append((buffer.count, last))
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Returns a file that has no name, so that it goes with the process.
    private static func temporaryFile() throws -> FileHandle {
        let url = FileManager.default.temporaryDirectory.appending(path: "waymark-sort-\(UUID().uuidString)")
        _ = FileManager.default.createFile(
            atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600])
        let file = try FileHandle(forUpdating: url)
        try FileManager.default.removeItem(at: url)
        return file
    }

    /// Reads the sorted fixes.
    struct Reader {
        private let sorter: FixSorter
        private let chunk: Int
        private var next = 0
        private var heads: [Head] = []
        /// The runs that are not read to their ends, as a heap: the one with the earliest next fix is first.
        private var order: [Int] = []

        private struct Head {
            var position: UInt64
            var left: Int
            var fixes: [PlacedInFile] = []
            var next = 0
            /// The time of the next fix.
            var time = Timestamp.latest
        }

        init(_ sorter: FixSorter) {
            self.sorter = sorter
            chunk = max(FixSorter.leastChunk, FixSorter.greatestChunk / max(sorter.runs.count, 1))
            var position: UInt64 = 0
            for run in sorter.runs {
                heads.append(Head(position: position, left: run.count))
                position += PlacedInFile.length(of: run.count)
            }
        }

        /// Returns the next fix, or `nil` at the end.
        mutating func read() throws(RecordingError) -> PlacedInFile? {
            guard !heads.isEmpty else {
                guard next < sorter.buffer.count else { return nil }
                defer { next += 1 }
                return sorter.buffer[next]
            }
            if next == 0 {
                next = 1
                for index in heads.indices where try advance(index) { order.append(index) }
                for place in order.indices.reversed() { sink(place) }
            }
            guard let first = order.first else { return nil }
            let fix = heads[first].fixes[heads[first].next]
            heads[first].next += 1
            if try !advance(first) {
                order[0] = order[order.count - 1]
                order.removeLast()
            }
            sink(0)
            return fix
        }

        /// Makes the next fix of a run ready; returns whether there is one.
        private mutating func advance(_ index: Int) throws(RecordingError) -> Bool {
            if heads[index].next == heads[index].fixes.count {
                guard heads[index].left > 0 else {
                    heads[index].fixes = []
                    return false
                }
                try fill(index)
            }
            heads[index].time = heads[index].fixes[heads[index].next].time
            return true
        }

        /// Moves the run at a place of the heap behind those that are earlier.
        private mutating func sink(_ place: Int) {
            var place = place
            while 2 * place + 1 < order.count {
                var child = 2 * place + 1
                if child + 1 < order.count, isEarlier(order[child + 1], order[child]) { child += 1 }
                guard isEarlier(order[child], order[place]) else { return }
                order.swapAt(child, place)
                place = child
            }
        }

        // Of the same time, the earlier run comes first.
        private func isEarlier(_ one: Int, _ other: Int) -> Bool {
            (heads[one].time, one) < (heads[other].time, other)
        }

        private mutating func fill(_ index: Int) throws(RecordingError) {
            let count = min(heads[index].left, chunk)
            do {
                guard let file = sorter.file else { throw RecordingError(Self.lost) }
                try file.seek(toOffset: heads[index].position)
                let bytes = [UInt8](try file.read(upToCount: count * PlacedInFile.encodedLength) ?? Data())
                guard bytes.count == count * PlacedInFile.encodedLength else { throw RecordingError(Self.lost) }
                heads[index].fixes.removeAll(keepingCapacity: true)
                heads[index].next = 0
                for start in stride(from: 0, to: bytes.count, by: PlacedInFile.encodedLength) {
                    guard let fix = PlacedInFile(bytes, at: start) else { throw RecordingError(Self.lost) }
                    heads[index].fixes.append(fix)
                }
            } catch let error as RecordingError {
                throw error
            } catch {
                throw RecordingError("\(Self.lost): \(error.localizedDescription)")
            }
            heads[index].position += PlacedInFile.length(of: count)
            heads[index].left -= count
        }

        private static let lost = "it was sorted into a temporary file, which cannot be read again"
    }
}

extension PlacedInFile {
    /// The number of bytes of an encoded fix.
    static let encodedLength = 8 * 6 + 4 * 4 + 5

    /// Appends the fix with a fixed length; unknown numbers are NaN.
    fileprivate func encode(into bytes: inout [UInt8]) {
        func append(_ value: UInt64, _ count: UInt64) {
            for shift in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * shift))) }
        }
        func append(_ number: Double?) { append((number ?? .nan).bitPattern, 8) }
        func append(_ number: Int32) { append(UInt64(UInt32(bitPattern: number)), 4) }
        append(UInt64(bitPattern: time.milliseconds), 8)
        append(fix.altitude?.meters)
        append(fix.speed?.metersPerSecond)
        append(fix.track?.degrees)
        append(fix.accuracy?.meters)
        append(fix.hdop)
        append(fix.coordinate.latitudeE7)
        append(fix.coordinate.longitudeE7)
        append(Int32(clamping: track))
        append(segment)
        bytes.append(fix.mode?.rawValue ?? 0)
        append(UInt64(UInt16(exactly: fix.satellites ?? -1) ?? .max), 2)
        bytes.append(fix.beginsSegment ? 1 : 0)
        bytes.append(fix.kind?.number ?? 0)
    }

    /// Returns the number of bytes of encoded fixes.
    fileprivate static func length(of count: Int) -> UInt64 { UInt64(count * encodedLength) }

    /// Creates a fix from ``encodedLength`` bytes; `nil` if its place is none.
    fileprivate init?(_ bytes: [UInt8], at start: Int) {
        func integer(_ offset: Int, _ count: Int) -> UInt64 {
            var value: UInt64 = 0
            for index in (start + offset..<start + offset + count).reversed() {
                value = value << 8 | UInt64(bytes[index])
            }
            return value
        }
        func number(_ offset: Int) -> Double? {
            let value = Double(bitPattern: integer(offset, 8))
            return value.isNaN ? nil : value
        }
        func small(_ offset: Int) -> Int32 { Int32(truncatingIfNeeded: integer(offset, 4)) }
        guard let place = Coordinate(latitudeE7: small(48), longitudeE7: small(52)) else { return nil }
        let time = Timestamp(milliseconds: Int64(bitPattern: integer(0, 8)))
        var fix = Fix(time: time, coordinate: place)
        fix.altitude = number(8).map(Distance.meters)
        fix.speed = number(16).map(Speed.metersPerSecond)
        fix.track = number(24).map(Angle.degrees)
        fix.accuracy = number(32).map(Distance.meters)
        fix.hdop = number(40)
        fix.mode = FixMode(rawValue: bytes[start + 64])
        let satellites = UInt16(truncatingIfNeeded: integer(65, 2))
        fix.satellites = satellites == .max ? nil : Int(satellites)
        fix.beginsSegment = bytes[start + 67] == 1
        fix.kind = TripKind(number: bytes[start + 68])
        self.init(fix: fix, time: time, track: Int(small(56)), segment: small(60))
    }
}
