/// The address of an MQTT broker: `mqtt://HOST[:PORT]`, or `mqtts://HOST[:PORT]` for TLS.
public struct BrokerAddress: Hashable, Sendable, CustomStringConvertible {
    /// The host's name, or its IP address without brackets.
    public let host: String
    /// The port; by default 1883, and 8883 with TLS.
    public let port: UInt16
    /// Whether the connection uses TLS.
    public let isSecure: Bool

    /// Parses an address; `nil` if it is invalid.
    ///
    /// A user, a path or a query is refused: the user has a key of its own in the configuration, and a password in a URL
    /// would be shown.
    public init?(_ text: String) {
        let schemes = [("mqtt://", false, UInt16(1883)), ("mqtts://", true, UInt16(8883))]
        guard let (scheme, isSecure, usual) = schemes.first(where: { text.lowercased().hasPrefix($0.0) }) else {
            return nil
        }
        var rest = text.dropFirst(scheme.count)
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        var port: Substring?
        if rest.hasPrefix("[") {
            guard let end = rest.firstIndex(of: "]") else { return nil }
            let after = rest[rest.index(after: end)...]
            guard after.isEmpty || after.hasPrefix(":") else { return nil }
            port = after.isEmpty ? nil : after.dropFirst()
            rest = rest[rest.index(after: rest.startIndex)..<end]
            guard rest.contains(":"), rest.allSatisfy({ $0.isHexDigit || ":.%".contains($0) }) else { return nil }
        } else {
            if let colon = rest.firstIndex(of: ":") {
                port = rest[rest.index(after: colon)...]
                rest = rest[..<colon]
            }
            guard rest.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) }) else {
                return nil
            }
        }
        guard (1...Self.longestHost).contains(rest.utf8.count) else { return nil }
        guard let number = port.map({ UInt16($0) }) ?? usual, number > 0 else { return nil }
        host = String(rest)
        self.port = number
        self.isSecure = isSecure
    }

    /// The longest name of a host, in bytes (RFC 1035, section 2.3.4).
    private static let longestHost = 253

    /// The address with its port.
    public var description: String {
        "\(isSecure ? "mqtts" : "mqtt")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}
