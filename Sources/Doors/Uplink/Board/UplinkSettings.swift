public import WebClient

/// Where a board sends its events.
public struct UplinkSettings: Hashable, Sendable {
    /// The address of the centre; without a path, that is the centre's door for boards.
    ///
    /// It is `nil` if the events go over the MQTT broker.
    public var url: WebURL?
    /// The file with the secret that the centre has made for this board.
    public var secret: SecretFile
    /// The file with the certificates that may vouch for the centre, in PEM; `nil` for those that the system trusts.
    public var authority: String?

    /// Creates settings from their parts.
    public init(url: WebURL, secret: SecretFile, authority: String? = nil) {
        self.url = url.target == "/" ? url.with(target: "/in/waymark") : url
        self.secret = secret
        self.authority = authority
    }

    /// Whether the events go over the MQTT broker.
    public var isOverBroker: Bool { url == nil }

    /// Creates the settings of an uplink over the MQTT broker.
    public init(overBroker secret: SecretFile) { self.secret = secret }
}
