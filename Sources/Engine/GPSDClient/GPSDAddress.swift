/// The address of a gpsd, and optionally one of its receivers.
public struct GPSDAddress: Hashable, Sendable {
    /// The host's name or its IPv4 or IPv6 address, without brackets.
    public var host: String
    /// The TCP port.
    public var port: UInt16
    /// The path of the receiver to watch, as gpsd names it; `nil` for all.
    public var device: String?

    /// The default port of gpsd, which IANA has assigned.
    public static let standardPort: UInt16 = 2947

    /// Creates the address of a gpsd, with one of its receivers or all.
    public init(host: String, port: UInt16 = standardPort, device: String? = nil) {
        self.host = host
        self.port = port
        self.device = device
    }
}
