import Dispatch
import Glibc
import NIOCore

/// The servers that a client may reach.
public enum WebReach: Hashable, Sendable {
    /// All of them.
    case anywhere
    /// Those on the internet: no machine of a private network, and not this one.
    ///
    /// For addresses that strangers have given. The client looks up the server's name once, and connects to the address
    /// that it has checked.
    case internet
}

extension SocketAddress {
    /// Whether the address is one of the internet, of which each belongs to one machine.
    ///
    /// It is not if it is a private, link-local, loopback, multicast or reserved one, or if it may lead to one, as the
    /// addresses do that carry one of IPv4 (IANA's registries of special addresses: RFC 6890).
    var isOfInternet: Bool {
        guard let text = ipAddress else { return false }
        var bytes = [UInt8](repeating: 0, count: 16)
        func group(_ index: Int) -> UInt32 { UInt32(bytes[2 * index]) << 8 | UInt32(bytes[2 * index + 1]) }
        // inet_pton writes 4 bytes for version 4, and 16 for version 6.
        if unsafe inet_pton(AF_INET, text, &bytes) == 1 { return Self.isOfInternet(group(0) << 16 | group(1)) }
        guard unsafe inet_pton(AF_INET6, text, &bytes) == 1 else { return false }
        if bytes.prefix(10).allSatisfy({ $0 == 0 }), group(5) == 0xFFFF {
            return Self.isOfInternet(group(6) << 16 | group(7))
        }
        // Global unicast, without what RFC 2928, 3849, 9637 and 3056 reserve.
        guard bytes[0] & 0xE0 == 0x20 else { return false }
        let isReserved =
            group(0) == 0x2001 && (group(1) < 0x200 || group(1) == 0xDB8) || group(0) == 0x2002
            || group(0) == 0x3FFF && group(1) < 0x1000
        return !isReserved
    }

    /// The networks of IPv4 that are not of the internet, each with the number of its bits.
    private static let otherNetworks: [(UInt32, UInt32)] = [
        (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16), (0xAC10_0000, 12),
        (0xC000_0000, 24), (0xC000_0200, 24), (0xC058_6300, 24), (0xC0A8_0000, 16), (0xC612_0000, 15),
        (0xC633_6400, 24), (0xCB00_7100, 24), (0xE000_0000, 3),
    ]

    private static func isOfInternet(_ address: UInt32) -> Bool {
        otherNetworks.allSatisfy { network, bits in (address ^ network) >> (32 - bits) != 0 }
    }
}

extension WebURL {
    /// Whether the address itself says that its server is not on the internet: it is named by such an address, or by a
    /// name that only this machine or its network knows.
    ///
    /// Other names are known only once they are looked up.
    public var isOffInternet: Bool {
        if let address = try? SocketAddress(ipAddress: host, port: port) { return !address.isOfInternet }
        let labels = host.split(separator: ".")
        guard labels.count > 1, let last = labels.last else { return true }
        // The last label of a name has a letter; without one, the system might read the name as an address.
        guard last.contains(where: \.isLetter) else { return true }
        return ["localhost", "local", "internal", "lan", "home", "corp"].contains(String(last))
            || host.hasSuffix("home.arpa")
    }

    /// The scheme, the server and the port, as `https://example.org`.
    public var origin: String { "\(isSecure ? "https" : "http")://\(authority)" }
}

extension WebClient {
    /// Looks up servers one after the other, so that names that nobody answers for hold up no thread of others.
    private static let lookups = DispatchQueue(label: "waymark.names")

    /// Returns the server's address on the internet, on a port.
    ///
    /// - Throws: ``WebFailure`` if it has none.
    static func addressOnInternet(of url: WebURL, on loop: any EventLoop) async throws -> SocketAddress {
        let promise = loop.makePromise(of: SocketAddress.self)
        lookups.async {
            promise.completeWith(
                Result { try SocketAddress.makeAddressResolvingHost(url.host, port: url.port) })
        }
        // A task that is cancelled does not wait for a name server.
        let address = try await withTaskCancellationHandler {
            try await promise.futureResult.get()
        } onCancel: {
            promise.fail(CancellationError())
        }
        guard address.isOfInternet else { throw WebFailure("is not on the internet") }
        return address
    }
}
