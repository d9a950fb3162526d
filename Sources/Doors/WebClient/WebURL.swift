import NIOCore

/// The address of a web server to which this machine sends: `https` anywhere, and `http` only on this machine itself.
public struct WebURL: Hashable, Sendable, CustomStringConvertible {
    /// Whether the connection uses TLS.
    public let isSecure: Bool
    /// The name or address of the server, without brackets.
    public let host: String
    /// The port, 443 or 80 if the text names none.
    public let port: Int
    /// The path and the query, which begin with `/`.
    public private(set) var target: String

    /// The longest address, in bytes.
    public static let longest = 2_000

    /// Reads an address.
    ///
    /// - Throws: ``WebFailure`` if the text is no such address, has a name or a password in it, or would send in the open
    ///   over a network.
    public init(_ text: String) throws(WebFailure) {
        guard text.utf8.count <= Self.longest, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw WebFailure("is not an address of at most \(Self.longest) letters, digits and signs without spaces")
        }
        guard let scheme = text.firstRange(of: "://") else {
            throw WebFailure("must begin with https://")
        }
        switch text[..<scheme.lowerBound].lowercased() {
        case "https": isSecure = true
        case "http": isSecure = false
        default: throw WebFailure("must begin with https://")
        }
        let rest = text[scheme.upperBound...]
        let place = rest.prefix { !"/?#".contains($0) }
        let path = rest[place.endIndex...]
        guard !path.contains("#") else { throw WebFailure("must not have a part after #") }
        guard !place.contains("@") else {
            throw WebFailure("must not have a name or a password in it; use a secret instead")
        }
        var (name, number) = (place, Substring())
        if place.first == "[" {
            guard let end = place.firstIndex(of: "]") else { throw WebFailure("has no ] after its address") }
            name = place[place.index(after: place.startIndex)..<end]
            number = place[place.index(after: end)...]
        } else if let colon = place.firstIndex(of: ":") {
            name = place[..<colon]
            number = place[colon...]
        }
        guard !name.isEmpty, name.utf8.count <= 253 else { throw WebFailure("has no server") }
        host = name.lowercased()
        if number.isEmpty {
            port = isSecure ? 443 : 80
        } else if let value = Int(number.dropFirst()), number.first == ":", (1...65_535).contains(value) {
            port = value
        } else {
            throw WebFailure("has a port that is not a number from 1 to 65535")
        }
        target = path.first == "/" ? String(path) : "/" + path
        guard isSecure || Self.isThisMachine(host) else {
            throw WebFailure("must begin with https://, because http would send in the open over the network")
        }
    }

    /// Returns the address with another path and query, which begin with `/`.
    public func with(target: String) -> WebURL {
        var url = self
        url.target = target
        return url
    }

    /// Whether a host is this machine.
    private static func isThisMachine(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        guard let address = try? SocketAddress(ipAddress: host, port: 0), case .v4 = address else { return false }
        return host.hasPrefix("127.")
    }

    /// Whether the server is named by an IP address, which TLS does not name as a server.
    var isAddress: Bool { (try? SocketAddress(ipAddress: host, port: 0)) != nil }

    /// The server as a header names it.
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// The address as a text, without its query, which may hold a secret.
    public var description: String {
        "\(isSecure ? "https" : "http")://\(authority)\(target.prefix { $0 != "?" })"
    }
}
