/// By which names the door may be called, so that no name that somebody else gives this machine's address leads in
/// (DNS rebinding).
struct HostRule: Sendable {
    private let names: Set<String>

    /// The names of the machine, and those that are configured.
    ///
    /// - Parameter machine: what the machine calls itself, with its domain or without.
    init(configured: [String], machine: String) {
        let own = Self.plain(machine)
        let short = own.prefix { $0 != "." }
        names = Set(configured.map(Self.plain) + ["localhost", own, String(short), "\(short).local"]).subtracting([
            "", ".local",
        ])
    }

    /// Whether a request for this `Host` is answered; an address is nobody's name.
    func allows(_ host: String?) -> Bool {
        guard let host = host.flatMap(Authority.init) else { return false }
        return host.isAddress || names.contains(Self.plain(host.name))
    }

    /// Capitals and the dot at the end make no other name.
    private static func plain(_ name: String) -> String {
        let name = name.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }
}

/// A host with its port, as `Host` and `Origin` name it.
struct Authority: Hashable, Sendable {
    /// The name or address, an address of version 6 without its brackets.
    let name: String
    /// The port as it is written; nil for the usual one.
    let port: String?
    /// Whether the name is an address.
    let isAddress: Bool

    /// The longest name of a host, with a port.
    private static let longest = 300

    /// Reads `NAME`, `NAME:PORT` or `[ADDRESS]:PORT`; nil where the text is none of these.
    init?(_ text: String) {
        guard (1...Self.longest).contains(text.utf8.count) else { return nil }
        var rest = text[...]
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            name = text[..<end].dropFirst().lowercased()
            guard name.contains(":"), IPAddress(name) != nil else { return nil }
            isAddress = true
            rest = text[end...].dropFirst()
        } else {
            let host = rest.prefix { $0 != ":" }
            guard !host.isEmpty, host.utf8.allSatisfy(Self.isOfName) else { return nil }
            name = host.lowercased()
            isAddress = IPAddress(name) != nil
            rest = rest.dropFirst(host.count)
        }
        guard !rest.isEmpty else {
            port = nil
            return
        }
        let digits = rest.dropFirst()
        guard rest.hasPrefix(":"), (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy(Self.isDigit) else {
            return nil
        }
        port = String(digits)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isOfName(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
    }
}

/// Whether a call comes from a page of the door itself.
enum OriginRule {
    /// What a request says of the page that it comes from.
    enum Source: Equatable {
        /// A page of the door.
        case same
        /// Another's page.
        case foreign
        /// Nothing: a program, or a browser that asks for a page.
        case unknown
    }

    /// What a request says of where it comes from.
    ///
    /// The scheme is not looked at: a server in front of the door may do its TLS.
    /// - Parameters:
    ///   - origin: the header `Origin`.
    ///   - site: the header `Sec-Fetch-Site`.
    ///   - host: the header `Host`.
    static func source(origin: String?, site: String?, host: String?) -> Source {
        if let site, site != "same-origin", site != "none" { return .foreign }
        guard let origin else { return .unknown }
        guard let separator = origin.firstRange(of: "://"),
            ["http", "https"].contains(origin[..<separator.lowerBound].lowercased()),
            let page = Authority(String(origin[separator.upperBound...])), let host, page == Authority(host)
        else { return .foreign }
        return .same
    }
}
