import Geodesy
import Time

@testable import Histories

/// Builds FIT files for tests.
struct FITBytes {
    /// The messages so far.
    var messages: [UInt8] = []

    /// Appends a definition: the number, the size and the type of each field.
    mutating func define(
        _ type: UInt8, _ message: UInt16, _ fields: [(UInt8, UInt8, UInt8)], isBigEndian: Bool = false,
        developer: [UInt8] = []
    ) {
        messages.append(0x40 | type | (developer.isEmpty ? 0 : 0x20))
        messages += [0, isBigEndian ? 1 : 0]
        messages += Self.bytes(Int64(message), 2, isBigEndian: isBigEndian)
        messages.append(UInt8(fields.count))
        for (number, size, base) in fields { messages += [number, size, base] }
        guard !developer.isEmpty else { return }
        messages.append(UInt8(developer.count))
        for size in developer { messages += [0, size, 0] }
    }

    /// Appends a message with its header and integers of some sizes.
    mutating func add(_ header: UInt8, _ values: [(Int64, Int)], isBigEndian: Bool = false) {
        messages.append(header)
        for (value, size) in values { messages += Self.bytes(value, size, isBigEndian: isBigEndian) }
    }

    /// The usual layout of a record: time, latitude, longitude, altitude and speed.
    static let record: [(UInt8, UInt8, UInt8)] = [
        (253, 4, 0x86), (0, 4, 0x85), (1, 4, 0x85), (2, 2, 0x84), (6, 2, 0x84),
    ]

    /// Appends a record in the usual layout, with a place in semicircles.
    mutating func addRecord(
        _ type: UInt8 = 0, time: Int64, _ latitude: Int64, _ longitude: Int64, altitude: Int64 = 0xFFFF,
        speed: Int64 = 0xFFFF, isBigEndian: Bool = false
    ) {
        add(
            type, [(time, 4), (latitude, 4), (longitude, 4), (altitude, 2), (speed, 2)], isBigEndian: isBigEndian)
    }

    /// The file with its header and checksum.
    var file: [UInt8] { file(size: messages.count) }

    /// The file with another length in its header.
    func file(size: Int) -> [UInt8] {
        var bytes: [UInt8] = [14, 0x20, 0, 0] + Self.bytes(Int64(size), 4) + Array(".FIT".utf8) + [0, 0]
        bytes += messages
        var sum = FITChecksum()
        sum.add(bytes[...])
        return bytes + Self.bytes(Int64(sum.value), 2)
    }

    /// A ride of some records with one a second.
    static func ride(_ count: Int) -> FITBytes {
        var fit = FITBytes()
        fit.define(0, 20, record)
        for index in 0..<Int64(count) {
            fit.addRecord(
                time: 1_000_000_000 + index, 500_000_000 + index * 100, 100_000_000, altitude: 3000, speed: 5000)
        }
        return fit
    }

    static func bytes(_ value: Int64, _ count: Int, isBigEndian: Bool = false) -> [UInt8] {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> Int64(8 * $0)) }
        return isBigEndian ? bytes.reversed() : bytes
    }
}
