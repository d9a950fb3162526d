import Callers
import Glibc
import Service

/// An IP address of version 4 or 6; an IPv4-mapped IPv6 address counts as IPv4.
public struct IPAddress: Hashable, Sendable {
    /// The address in network byte order: 4 or 16 bytes.
    let bytes: [UInt8]

    /// Parses an address such as `192.168.1.5` or `fe80::1%wlan0`; `nil` if the text is none.
    init?(_ text: String) {
        // inet_pton would stop at a U+0000 and ignore what follows.
        guard text.utf8.allSatisfy(Self.isOfAddress) else { return nil }
        // A zone names the interface, and is not part of the address.
        let text = String(text[..<(text.utf8.firstIndex(of: UInt8(ascii: "%")) ?? text.endIndex)])
        var bytes = [UInt8](repeating: 0, count: 16)
        // inet_pton writes at most 16 bytes for version 6, and 4 for version 4.
        if unsafe inet_pton(AF_INET6, text, &bytes) == 1 {
            let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
            self.bytes = isMapped ? Array(bytes.suffix(4)) : bytes
        } else if unsafe inet_pton(AF_INET, text, &bytes) == 1 {
            self.bytes = Array(bytes.prefix(4))
        } else {
            return nil
        }
    }

    /// Whether a byte may occur in an address or in the name of an interface.
    private static func isOfAddress(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: ":"), UInt8(ascii: "."), UInt8(ascii: "%"),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Whether this is a loopback address, which no other machine can reach.
    var isLoopback: Bool {
        bytes.count == 4 ? bytes.first == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    }

    /// Whether the address stands for all addresses of a machine.
    var isWildcard: Bool { bytes.allSatisfy { $0 == 0 } }

    /// Whether the address belongs to a network that is not routed on the internet: RFC 1918, 3927, 4193 and 4291.
    var isPrivate: Bool {
        let (first, second) = (bytes[0], bytes[1])
        if bytes.count == 4 {
            return first == 10 || first == 172 && second & 0xF0 == 16 || first == 192 && second == 168
                || first == 169 && second == 254
        }
        return first & 0xFE == 0xFC || first == 0xFE && second & 0xC0 == 0x80
    }

    /// The number under which limits count the address, always below −1.
    ///
    /// An IPv6 address counts as its 64-bit network, which belongs to one household.
    var key: Int64 {
        let number = bytes.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        guard bytes.count == 16 else { return -2 - Int64(truncatingIfNeeded: number) }
        return .min + Int64(truncatingIfNeeded: number & (1 << 62 - 1))
    }
}

extension IPAddress {
    /// The address as the origin of calls.
    ///
    /// Strangers may share its network: the 64-bit network of an IPv6 address, all private IPv4 addresses together, or
    /// the 256 neighbours of another IPv4 address.
    var origin: Origin {
        guard bytes.count == 4 else {
            // A number of 62 bits that nobody can make equal to that of another address.
            let digest = Secret.digest(bytes).prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            return .address(key, host: .min + Int64(truncatingIfNeeded: digest & (1 << 62 - 1)), network: key)
        }
        guard !isLoopback else { return .address(key) }
        return .address(key, network: isPrivate ? Self.privateNetwork : Self.neighbours + (key >> 8))
    }

    /// The number of the network of all private IPv4 addresses.
    private static let privateNetwork: Int64 = -(1 << 33)
    /// The number below which networks of 256 IPv4 addresses are counted.
    private static let neighbours: Int64 = -(1 << 34)
}
