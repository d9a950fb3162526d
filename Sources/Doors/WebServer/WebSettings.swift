/// The settings of the server.
public struct WebSettings: Hashable, Sendable {
    /// The address and port to listen on.
    public var listen: WebAddress
    /// The file of the certificate and its intermediate certificates in PEM form; `nil` for no TLS.
    public var certificate: String?
    /// The file of the certificate's private key in PEM form.
    public var key: String?
    /// The names that requests may use besides the machine's own.
    public var hosts: [String] = []
    /// The folder of the pages; `nil` for the one beside the executable, or else the package's.
    public var pages: String?
    /// Whether other machines may read `/metrics`.
    public var showsMetrics = false
    /// Whether phones of other machines may report without TLS.
    public var allowsPlainPhones = false
    /// The file of map tiles; `nil` for none.
    public var tiles: String?
    /// The URL template of a tile server, with `{z}`, `{x}` and `{y}`; `nil` for none.
    public var provider: String?
    /// The attribution to show on the map.
    public var attribution: String?

    /// Creates settings without TLS.
    public init(listen: WebAddress) { self.listen = listen }

    /// Whether the server uses TLS.
    public var isSecure: Bool { certificate != nil }

    /// The address at which other machines reach the server: with the first of ``hosts``, or else the machine's name,
    /// unless it listens at one address only.
    public var publicAddress: String {
        let host = hosts.first ?? (listen.host.isWildcard ? Router.machineName : listen.hostText)
        let text = host.contains(":") ? "[\(host)]" : host
        return "\(isSecure ? "https" : "http")://\(text):\(listen.port)"
    }

    /// Whether a text is a host name or an IP address, without a port.
    public static func isHostName(_ text: String) -> Bool { Authority(text).map { $0.port == nil } ?? false }

    /// The reason why these settings are refused, and what to do about it; `nil` if they are valid.
    public var refusal: String? {
        if (certificate == nil) != (key == nil) {
            return "web.certificate and web.key belong together; set both, or neither"
        }
        if let provider, SecurityHeaders.origin(provider) == nil {
            return "map.provider must be a URL template for tiles, such as https://tile.example.org/{z}/{x}/{y}.png"
        }
        guard !isSecure, listen.reach == .everybody else { return nil }
        return "\(listen) can be reached from the internet, and without TLS others could read the traffic; set "
            + "web.certificate and web.key, or listen on a private address"
    }

    /// A warning to log once if others might read the traffic; `nil` if they cannot.
    public var warning: String? {
        guard !isSecure, listen.reach == .privateNetworks else { return nil }
        return "\(listen) does not use TLS: everybody in the same network can read passwords and positions. Set "
            + "web.certificate and web.key, unless you alone use the network."
    }
}
