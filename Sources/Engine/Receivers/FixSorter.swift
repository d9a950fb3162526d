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
/// Up to ``runLength`` fixes are sorted in memory. More go to a temporary file in sorted runs, which are merged.
final class FixSorter {
    /// The number of fixes in memory, some 10 MB.
    static let defaultRunLength = 65_536
    /// The number of fixes that are read from a run at once.
    private static let chunk = 256

    private let runLength: Int
    private var buffer: [PlacedInFile] = []
    /// The numbers of fixes in the runs in the file.
    private var runs: [Int] = []
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
        runs.append(buffer.count)
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
        private var next = 0
        private var heads: [Head] = []

        private struct Head {
            var position: UInt64
            var left: Int
            var fixes: ArraySlice<PlacedInFile> = []
        }

        init(_ sorter: FixSorter) {
            self.sorter = sorter
            var position: UInt64 = 0
            for count in sorter.runs {
                heads.append(Head(position: position, left: count))
                position += PlacedInFile.length(of: count)
            }
        }

        /// Returns the next fix, or `nil` at the end.
        mutating func read() throws(RecordingError) -> PlacedInFile? {
            guard !heads.isEmpty else {
                guard next < sorter.buffer.count else { return nil }
                defer { next += 1 }
                return sorter.buffer[next]
            }
            var first: (index: Int, time: Timestamp)?
            for index in heads.indices {
                if heads[index].fixes.isEmpty, heads[index].left > 0 { try fill(&heads[index]) }
                guard let time = heads[index].fixes.first?.time else { continue }
                if first.map({ time < $0.time }) ?? true { first = (index, time) }
            }
            guard let first else { return nil }
            return heads[first.index].fixes.popFirst()
        }

        private func fill(_ head: inout Head) throws(RecordingError) {
            let count = min(head.left, FixSorter.chunk)
            do {
                guard let file = sorter.file else { return head.left = 0 }
                try file.seek(toOffset: head.position)
                let bytes = [UInt8](try file.read(upToCount: count * PlacedInFile.encodedLength) ?? Data())
                var fixes: [PlacedInFile] = []
                for number in 0..<count {
                    let start = number * PlacedInFile.encodedLength
                    guard let fix = PlacedInFile(bytes.dropFirst(start).prefix(PlacedInFile.encodedLength)) else {
                        throw RecordingError("it was sorted into a temporary file, which cannot be read again")
                    }
                    fixes.append(fix)
                }
                head.fixes = fixes[...]
            } catch let error as RecordingError {
                throw error
            } catch {
                throw RecordingError(
                    "it was sorted into a temporary file, which cannot be read again: \(error.localizedDescription)")
            }
            head.position += PlacedInFile.length(of: count)
            head.left -= count
        }
    }
}

extension PlacedInFile {
    /// The number of bytes of an encoded fix.
    static let encodedLength = 8 * 6 + 4 * 4 + 4

    /// Appends the fix with a fixed length; unknown numbers are NaN.
    fileprivate func encode(into bytes: inout [UInt8]) {
        func append(_ value: UInt64, _ count: Int) {
            for shift in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * shift))) }
        }
        append(UInt64(bitPattern: time.milliseconds), 8)
        for number in [
            fix.altitude?.meters, fix.speed?.metersPerSecond, fix.track?.degrees, fix.accuracy?.meters, fix.hdop,
        ] {
            append((number ?? .nan).bitPattern, 8)
        }
        for number in [fix.coordinate.latitudeE7, fix.coordinate.longitudeE7, Int32(clamping: track), segment] {
            append(UInt64(UInt32(bitPattern: number)), 4)
        }
        append(UInt64(fix.mode?.rawValue ?? 0), 1)
        append(UInt64(UInt16(exactly: fix.satellites ?? -1) ?? .max), 2)
        append(fix.beginsSegment ? 1 : 0, 1)
    }

    /// The number of bytes of encoded fixes.
    fileprivate static func length(of count: Int) -> UInt64 { UInt64(count * encodedLength) }

    fileprivate init?(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        func take(_ count: Int) -> UInt64 {
            var value: UInt64 = 0
            for (shift, byte) in rest.prefix(count).enumerated() { value |= UInt64(byte) << (8 * shift) }
            rest = rest.dropFirst(count)
            return value
        }
        func number() -> Double? {
            let value = Double(bitPattern: take(8))
            return value.isNaN ? nil : value
        }
        func small() -> Int32 { Int32(bitPattern: UInt32(truncatingIfNeeded: take(4))) }
        guard bytes.count == Self.encodedLength else { return nil }
        let time = Timestamp(milliseconds: Int64(bitPattern: take(8)))
        let (altitude, speed, course, accuracy, hdop) = (number(), number(), number(), number(), number())
        guard let place = Coordinate(latitudeE7: small(), longitudeE7: small()) else { return nil }
        let (track, segment) = (Int(small()), small())
        var fix = Fix(time: time, coordinate: place)
        fix.altitude = altitude.map(Distance.meters)
        fix.speed = speed.map(Speed.metersPerSecond)
        fix.track = course.map(Angle.degrees)
        fix.accuracy = accuracy.map(Distance.meters)
        fix.hdop = hdop
        fix.mode = FixMode(rawValue: UInt8(truncatingIfNeeded: take(1)))
        let satellites = UInt16(truncatingIfNeeded: take(2))
        fix.satellites = satellites == .max ? nil : Int(satellites)
        fix.beginsSegment = take(1) == 1
        self.init(fix: fix, time: time, track: track, segment: segment)
    }
}
