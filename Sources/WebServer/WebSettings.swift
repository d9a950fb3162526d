/// What the door is to do.
public struct WebSettings: Hashable, Sendable {
    /// Where it listens.
    public var listen: WebAddress
    /// The file of the certificate, and those that lead to one that browsers know, as PEM; nil for no TLS.
    public var certificate: String?
    /// The file of its key, as PEM.
    public var key: String?
    /// By which names it is called besides the machine's own.
    public var hosts: [String] = []
    /// The folder of the pages; nil for the one beside the executable, or the package's.
    public var pages: String?
    /// Whether other machines get `/metrics`.
    public var showsMetrics = false
    /// The file of tiles; nil for none.
    public var tiles: String?
    /// The address of a server of tiles, with `{z}`, `{x}` and `{y}` in it; nil for none.
    public var provider: String?
    /// Whom the map is owed to.
    public var attribution: String?

    /// A door that listens there, without TLS.
    public init(listen: WebAddress) { self.listen = listen }

    /// Whether it speaks TLS.
    public var isSecure: Bool { certificate != nil }

    /// Whether a text is the name of a host, or an address.
    public static func isHostName(_ text: String) -> Bool { Authority(text).map { $0.port == nil } ?? false }

    /// Why the door cannot be opened so, and what to do; nil where it can.
    public var refusal: String? {
        if (certificate == nil) != (key == nil) {
            return "web.certificate and web.key belong together; set both, or neither"
        }
        if let provider, SecurityHeaders.origin(provider) == nil {
            return "map.provider is no address of tiles such as https://tile.example.org/{z}/{x}/{y}.png"
        }
        guard !isSecure, listen.reach == .everybody else { return nil }
        return "the internet leads to \(listen), and without TLS others would read what is said there; set "
            + "web.certificate and web.key, or listen at a private address"
    }

    /// What is told once where others might read what is said; nil where they cannot.
    public var warning: String? {
        guard !isSecure, listen.reach == .privateNetworks else { return nil }
        return "\(listen) is without TLS: everybody in the same network can read passwords and positions. Set "
            + "web.certificate and web.key, unless the network is yours alone."
    }
}
