/// The checksum of FIT: the cyclic redundancy check with the reflected polynomial A001₁₆ that begins with 0 (CRC-16/ARC).
struct FITChecksum {
    /// The checksum of the bytes so far.
    private(set) var value: UInt16 = 0

    private static let table: [UInt16] = (0..<256).map { (byte: UInt16) in
        (0..<8).reduce(byte) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xA001 : sum >> 1 }
    }

    /// Adds bytes.
    mutating func add(_ bytes: ArraySlice<UInt8>) {
        for byte in bytes { value = value >> 8 ^ Self.table[Int(value & 0xFF ^ UInt16(byte))] }
    }
}
