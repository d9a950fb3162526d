/// Makes ZIP archives for tests.
public enum ZIPFile {
    /// Returns an archive with files that are stored as they are (APPNOTE.TXT, 4.3).
    public static func storing(_ files: [(name: String, text: String)]) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        var body: [UInt8] = []
        var directory: [UInt8] = []
        for (name, text) in files {
            let bytes = Array(text.utf8)
            let common =
                number(0, 8) + number(checksum(bytes), 4) + number(bytes.count, 4) + number(bytes.count, 4)
                + number(name.utf8.count, 2) + number(0, 2)
            directory += [0x50, 0x4B, 1, 2] + number(20, 2) + number(20, 2) + common + number(0, 10)
            directory += number(body.count, 4) + Array(name.utf8)
            body += [0x50, 0x4B, 3, 4] + number(20, 2) + common + Array(name.utf8) + bytes
        }
        return body + directory + [0x50, 0x4B, 5, 6] + number(0, 4) + number(files.count, 2) + number(files.count, 2)
            + number(directory.count, 4) + number(body.count, 4) + number(0, 2)
    }

    /// The checksum of ZIP: CRC-32 (ISO 3309), bit by bit.
    private static func checksum(_ bytes: [UInt8]) -> Int {
        var value: UInt32 = .max
        for byte in bytes {
            value ^= UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
        }
        return Int(~value)
    }
}
