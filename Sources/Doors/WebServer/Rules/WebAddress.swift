/// The address and port on which the server listens.
public struct WebAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address of this machine to listen on.
    public let host: IPAddress
    /// The address as it was written, without brackets.
    let hostText: String
    /// The port; 0 makes the system choose one.
    public let port: Int

    /// The default address, which only this machine can reach.
    public static let defaultAddress = "127.0.0.1:8470"
    /// The port if none is given.
    private static let defaultPort = 8470

    /// Parses `ADDRESS`, `ADDRESS:PORT` or `[ADDRESS]:PORT`; `nil` if the text is none of these.
    public init?(_ text: String) {
        var (host, port) = (text[...], text.prefix(0))
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            host = text[..<end].dropFirst()
            let rest = text[end...].dropFirst()
            guard rest.isEmpty || rest.hasPrefix(":") && rest.count > 1 else { return nil }
            port = rest.dropFirst()
        } else if let colon = text.lastIndex(of: ":"), text.firstIndex(of: ":") == colon {
            (host, port) = (text[..<colon], text[colon...].dropFirst())
            guard !port.isEmpty else { return nil }
        }
        guard let address = IPAddress(String(host)) else { return nil }
        guard let number = port.isEmpty ? Self.defaultPort : Int(port), (0...65_535).contains(number) else {
            return nil
        }
        self.host = address
        hostText = String(host)
        self.port = number
    }

    /// The address as `ADDRESS:PORT`, with brackets around an IPv6 address.
    public var description: String { hostText.contains(":") ? "[\(hostText)]:\(port)" : "\(hostText):\(port)" }

    /// The machines that may connect to the server.
    public enum Reach: Hashable, Sendable {
        /// This machine only.
        case machine
        /// Private networks; without TLS, connections from elsewhere are refused.
        case privateNetworks
        /// The whole internet.
        case everybody
    }

    /// The machines that may connect; a wildcard address counts as the private networks of the machine.
    public var reach: Reach {
        if host.isLoopback { return .machine }
        return host.isPrivate || host.isWildcard ? .privateNetworks : .everybody
    }
}
