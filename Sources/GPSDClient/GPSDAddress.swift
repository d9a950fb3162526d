/// Where a gpsd listens, and which of its receivers is wanted.
public struct GPSDAddress: Hashable, Sendable {
    /// The host's name or its IPv4 or IPv6 address, without brackets.
    public var host: String
    /// The TCP port.
    public var port: UInt16
    /// The path of the one receiver that is wanted, as gpsd knows it; nil for all.
    public var device: String?

    /// The port that gpsd listens at unless told otherwise (IANA's assignment).
    public static let standardPort: UInt16 = 2947

    /// A gpsd, and one of its receivers or all.
    public init(host: String, port: UInt16 = standardPort, device: String? = nil) {
        self.host = host
        self.port = port
        self.device = device
    }
}
