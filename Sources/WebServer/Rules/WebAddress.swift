/// Where the door listens: an address of this machine, and a port.
public struct WebAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address.
    public let host: IPAddress
    /// The address as it was written, without brackets.
    let hostText: String
    /// The port; 0 for one that the system chooses.
    public let port: Int

    /// Where it listens where nobody says so: at this machine alone.
    public static let usual = "127.0.0.1:8470"
    /// The port that is taken where none is given.
    private static let usualPort = 8470

    /// Reads `ADDRESS`, `ADDRESS:PORT` or `[ADDRESS]:PORT`; nil where the text is none.
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
        guard let number = port.isEmpty ? Self.usualPort : Int(port), (0...65_535).contains(number) else { return nil }
        self.host = address
        hostText = String(host)
        self.port = number
    }

    /// `ADDRESS:PORT`, in brackets where that is of version 6.
    public var description: String { hostText.contains(":") ? "[\(hostText)]:\(port)" : "\(hostText):\(port)" }

    /// Who may reach the door.
    public enum Reach: Hashable, Sendable {
        /// This machine alone.
        case machine
        /// Private networks: others are turned away where there is no TLS.
        case privateNetworks
        /// The internet.
        case everybody
    }

    /// Who may reach the door; one that listens at all addresses is for the private networks among them.
    public var reach: Reach {
        if host.isLoopback { return .machine }
        return host.isPrivate || host.isWildcard ? .privateNetworks : .everybody
    }
}
