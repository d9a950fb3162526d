/// The address of a receiver, as in its URL.
///
/// | URL | source |
/// |---|---|
/// | `gpsd://HOST[:PORT][/DEVICE]` | a gpsd, with all its receivers or one of them |
/// | `nmea:/DEVICE[?baud=RATE]` | a receiver on a serial port |
/// | `tcp://HOST:PORT` | a server of NMEA sentences |
/// | `udp://[HOST]:PORT[?from=ADDRESS]` | NMEA sentences sent to this machine, to one of its addresses or to any |
/// | `PATH[?speed=N]`, `file:PATH[?speed=N]` | a recording to replay at N times real time, or `max` |
///
/// All but recordings also accept `idle=SECONDS`, the silence after which the receiver counts as offline. IPv6
/// addresses are written in brackets. Paths are taken literally, without percent-encoding.
public struct ReceiverAddress: Hashable, Sendable {
    /// The source at an address.
    public enum Source: Hashable, Sendable {
        /// A gpsd.
        ///
        /// With a device, only that receiver is read.
        case gpsd(host: String, port: UInt16, device: String?)
        /// A serial port, and its rate in bits a second.
        case serial(path: String, baud: Int)
        /// A server of NMEA sentences.
        case tcp(host: String, port: UInt16)
        /// Datagrams of NMEA sentences, sent to this address of the machine, or to any address if it is `nil`.
        case udp(host: String?, port: UInt16)
        /// A recording, and the multiple of real time at which it is read; `nil` for as fast as possible.
        case file(path: String, speed: Double?)
    }

    /// The port that IANA has assigned to gpsd.
    static let gpsdPort: UInt16 = 2947
    /// The default rate of most receiver modules.
    ///
    /// Those on USB ignore it.
    static let defaultBaud = 9600
    /// The rates that receivers offer.
    ///
    /// NMEA 0183 uses 4,800, and its high-speed variant 38,400.
    static let bauds = [4800, 9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 921_600]
    /// The default idle time.
    ///
    /// A receiver reports once a second; thirty missing reports are more than a hiccup, and a restart takes less time.
    static let defaultIdle = Duration.seconds(30)
    /// The allowed idle times, in seconds.
    ///
    /// Below a second a receiver's pauses would count as silence, and beyond a day nobody waits for the report.
    static let idles = 1.0...86_400
    /// The allowed speeds.
    ///
    /// Below the range a replay stands still, and above it is as good as `max`.
    static let speeds = 0.001...10_000

    /// The source.
    public let source: Source
    /// The silence after which the receiver counts as offline.
    ///
    /// It has no meaning for recordings.
    public let idle: Duration

    /// The only sender whose datagrams are read; `nil` for all.
    public let sender: String?

    init(_ source: Source, idle: Duration = defaultIdle, sender: String? = nil) {
        self.source = source
        self.idle = idle
        self.sender = sender
    }

    /// Whether several may send to it, each of them a device.
    var hasSenders: Bool {
        if case .udp = source { sender == nil } else { false }
    }

    /// Whether the source is a recording, which ends by itself.
    public var isFile: Bool {
        if case .file = source { true } else { false }
    }

    /// Whether the source is on this machine, so that it returns soon and attempts cost nothing.
    var isLocal: Bool {
        switch source {
        case .gpsd(let host, _, _), .tcp(let host, _): Self.isLocal(host)
        case .serial, .udp, .file: true
        }
    }

    private static func isLocal(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }
}

extension ReceiverAddress: CustomStringConvertible {
    /// The URL with all defaults filled in, except for the default idle time and speed.
    public var description: String {
        var query: [String] = []
        let place: String
        switch source {
        case .gpsd(let host, let port, let device): place = "gpsd://\(Self.bracketed(host)):\(port)\(device ?? "")"
        case .serial(let path, let baud):
            place = "nmea:\(path)"
            query.append("baud=\(baud)")
        case .tcp(let host, let port): place = "tcp://\(Self.bracketed(host)):\(port)"
        case .udp(let host, let port): place = "udp://\(host.map(Self.bracketed) ?? ""):\(port)"
        case .file(let path, let speed):
            place = "file:\(path)"
            if speed != 1 { query.append("speed=\(speed.map(Self.number) ?? "max")") }
        }
        if let sender { query.append("from=\(sender)") }
        if idle != Self.defaultIdle { query.append("idle=\(Self.number(idle / .seconds(1)))") }
        return query.isEmpty ? place : "\(place)?\(query.joined(separator: "&"))"
    }

    private static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }

    static func number(_ value: Double) -> String {
        value == value.rounded() ? String(Int64(value)) : String(value)
    }
}

/// The reason why a text is not an address of a receiver, with the correct form.
public struct ReceiverAddressError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The message, as a full sentence.
    public let description: String
}
