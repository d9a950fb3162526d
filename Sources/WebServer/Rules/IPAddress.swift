import Glibc

/// An address of the internet, version 4 or 6; one of version 4 that is written as 6 is of version 4.
public struct IPAddress: Hashable, Sendable {
    /// Its 4 or 16 bytes.
    let bytes: [UInt8]

    /// Reads an address such as `192.168.1.5` or `fe80::1%wlan0`; nil where the text is none.
    init?(_ text: String) {
        // inet_pton would stop reading at a U+0000, whatever follows.
        guard text.utf8.allSatisfy(Self.isOfAddress) else { return nil }
        // A zone says by which interface, and nothing of which address it is.
        let text = String(text.prefix { $0 != "%" })
        var bytes = [UInt8](repeating: 0, count: 16)
        // inet_pton writes 16 bytes at most for version 6, and 4 for version 4.
        if unsafe inet_pton(AF_INET6, text, &bytes) == 1 {
            let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
            self.bytes = isMapped ? Array(bytes.suffix(4)) : bytes
        } else if unsafe inet_pton(AF_INET, text, &bytes) == 1 {
            self.bytes = Array(bytes.prefix(4))
        } else {
            return nil
        }
    }

    /// Whether a byte may stand in an address or in the name of an interface.
    private static func isOfAddress(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: ":"), UInt8(ascii: "."), UInt8(ascii: "%"),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Whether it is this machine's own, that no other reaches.
    var isLoopback: Bool {
        bytes.count == 4 ? bytes.first == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    }

    /// Whether it stands for all addresses of a machine.
    var isWildcard: Bool { bytes.allSatisfy { $0 == 0 } }

    /// Whether it is of a network that the internet does not lead to: RFC 1918, 3927, 4193 and 4291.
    var isPrivate: Bool {
        let (first, second) = (bytes[0], bytes[1])
        if bytes.count == 4 {
            return first == 10 || first == 172 && second & 0xF0 == 16 || first == 192 && second == 168
                || first == 169 && second == 254
        }
        return first & 0xFE == 0xFC || first == 0xFE && second & 0xC0 == 0x80
    }

    /// By what it is counted, always below −1: of version 6 the network of 64 bits, which one household has.
    var key: Int64 {
        let number = bytes.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        guard bytes.count == 16 else { return -2 - Int64(truncatingIfNeeded: number) }
        return .min + Int64(truncatingIfNeeded: number & (1 << 62 - 1))
    }
}
