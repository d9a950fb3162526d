/// Where a receiver is, as its URL says.
///
/// | URL | what is there |
/// |---|---|
/// | `gpsd://HOST[:PORT][/DEVICE]` | a gpsd, and all its receivers or one of them |
/// | `nmea:/DEVICE[?baud=RATE]` | a receiver on a serial port |
/// | `tcp://HOST:PORT` | a server of NMEA sentences |
/// | `udp://[HOST]:PORT` | NMEA sentences sent to this machine, to one of its addresses or to any |
/// | `PATH[?speed=N]`, `file:PATH[?speed=N]` | a recording to rehearse with; N times real time, or `max` |
///
/// The live ones take `idle=SECONDS` too, the silence after which the receiver counts as offline. IPv6 addresses
/// stand in brackets. Paths are taken as they are, without percent-encoding.
public struct ReceiverAddress: Hashable, Sendable {
    /// What is there.
    public enum Source: Hashable, Sendable {
        /// A gpsd; with a device, only that one of its receivers.
        case gpsd(host: String, port: UInt16, device: String?)
        /// A serial port, and its bits a second.
        case serial(path: String, baud: Int)
        /// A server of NMEA sentences.
        case tcp(host: String, port: UInt16)
        /// Datagrams of NMEA sentences, sent to this address of the machine; to any where there is none.
        case udp(host: String?, port: UInt16)
        /// A recording, and how many times real time it is read; nil for as fast as it goes.
        case file(path: String, speed: Double?)
    }

    /// The port that gpsd has from the IANA.
    static let gpsdPort: UInt16 = 2947
    /// What most receiver modules use until they are told otherwise; those on USB do not care.
    static let usualBaud = 9600
    /// The rates that receivers offer; 4,800 is that of NMEA 0183, 38,400 of its high-speed form.
    static let bauds = [4800, 9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 921_600]
    /// A receiver reports each second; thirty missing reports are no hiccup, and a restart is over by then.
    static let usualIdle = Duration.seconds(30)
    /// Below a second the pauses of a receiver would count as silence; beyond a day nobody waits for the news.
    static let idles = 1.0...86_400
    /// Beyond these, a rehearsal stands still or might as well be `max`.
    static let speeds = 0.001...10_000

    /// What is there.
    public let source: Source
    /// The silence after which the receiver counts as offline; without meaning for files.
    public let idle: Duration

    /// The address of a source.
    init(_ source: Source, idle: Duration = usualIdle) {
        self.source = source
        self.idle = idle
    }

    /// Whether it is a recording, which ends by itself.
    public var isFile: Bool {
        if case .file = source { true } else { false }
    }

    /// Whether what is there is on this machine, so that it is back soon and trying costs nothing.
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
    /// The URL, with what it leaves open filled in but for the usual idle time and speed.
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
        if idle != Self.usualIdle { query.append("idle=\(Self.number(idle / .seconds(1)))") }
        return query.isEmpty ? place : "\(place)?\(query.joined(separator: "&"))"
    }

    private static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }

    static func number(_ value: Double) -> String {
        value == value.rounded() ? String(Int64(value)) : String(value)
    }
}

/// Why a text is no address of a receiver, and what would be one.
public struct ReceiverAddressError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The whole sentence.
    public let description: String
}
