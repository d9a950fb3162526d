@testable import Histories

/// Builds ZIP archives for tests.
struct MadeZIP {
    /// A file with everything that its records say.
    struct File {
        var name: String
        var stored: [UInt8]
        var method = 0
        var flags = 0
        var checksum: UInt32
        var length: Int
        /// The length that the directory says, if it is not that of the stored bytes.
        var compressedLength: Int?
        /// Whether the directory has the numbers in the extension of ZIP64.
        var isLong = false

        /// A file whose bytes are deflated or stored.
        init(_ name: String, _ bytes: [UInt8], isDeflated: Bool = true) {
            var sum = CRC32()
            sum.add(bytes)
            self.name = name
            stored = isDeflated ? deflated(bytes) : bytes
            method = isDeflated ? 8 : 0
            checksum = sum.value
            length = bytes.count
        }
    }

    var files: [File]
    /// Bytes before the archive, and its comment.
    var prefix: [UInt8] = []
    var comment: [UInt8] = []
    /// Whether the record at the end leaves the numbers to ZIP64.
    var isLong = false
    /// Whether all files begin where the first one does.
    var overlaps = false

    init(_ files: [File]) { self.files = files }

    /// The bytes of the archive.
    var bytes: [UInt8] {
        var body: [UInt8] = []
        var directory: [UInt8] = []
        for file in files {
            let offset = overlaps ? 0 : body.count
            if !overlaps || body.isEmpty {
                body += [0x50, 0x4B, 3, 4] + number(45, 2) + common(file, isLong: false) + number(3, 2)
                body += Array(file.name.utf8) + [9, 9, 9] + file.stored
            }
            let compressed = file.compressedLength ?? file.stored.count
            let extra =
                file.isLong
                ? number(0x7777, 2) + number(2, 2) + [1, 2] + number(1, 2) + number(24, 2) + number(file.length, 8)
                    + number(compressed, 8) + number(offset, 8) : []
            directory += [0x50, 0x4B, 1, 2] + number(45, 2) + number(45, 2) + common(file, isLong: file.isLong)
            directory += number(extra.count, 2) + number(1, 2) + number(0, 8)
            directory += file.isLong ? number(-1, 4) : number(offset, 4)
            directory += Array(file.name.utf8) + extra + [0x21]
        }
        var end: [UInt8] = []
        if isLong {
            let place = prefix.count + body.count + directory.count
            end += [0x50, 0x4B, 6, 6] + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 8)
            end += number(files.count, 8) + number(files.count, 8) + number(directory.count, 8)
            end += number(prefix.count + body.count, 8) + [0x50, 0x4B, 6, 7] + number(0, 4) + number(place, 8)
            end += number(1, 4)
        }
        end += [0x50, 0x4B, 5, 6] + number(0, 4)
        end += isLong ? number(-1, 4) : number(files.count, 2) + number(files.count, 2)
        end += number(isLong ? -1 : directory.count, 4) + number(isLong ? -1 : body.count, 4)
        return prefix + body + directory + end + number(comment.count, 2) + comment
    }

    /// The numbers that both records of a file have.
    private func common(_ file: File, isLong: Bool) -> [UInt8] {
        number(file.flags, 2) + number(file.method, 2) + number(0, 4) + number(Int(file.checksum), 4)
            + number(isLong ? -1 : file.compressedLength ?? file.stored.count, 4)
            + number(isLong ? -1 : file.length, 4) + number(file.name.utf8.count, 2)
    }

    private func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
