/// The host names that requests may use.
///
/// A foreign name that resolves to this machine's address is refused, which prevents DNS rebinding.
struct HostRule: Sendable {
    private let names: Set<String>

    /// Creates the rule from the names of the machine and the configured names.
    ///
    /// - Parameter machine: The machine's own host name, with or without its domain.
    init(configured: [String], machine: String) {
        let own = Self.plain(machine)
        let short = own.prefix { $0 != "." }
        names = Set(configured.map(Self.plain) + ["localhost", own, String(short), "\(short).local"]).subtracting([
            "", ".local",
        ])
    }

    /// Whether a request with this `Host` is answered.
    ///
    /// An IP address is always allowed, because DNS rebinding needs a name.
    func allows(_ host: String?) -> Bool {
        guard let host = host.flatMap(Authority.init) else { return false }
        return host.isAddress || names.contains(Self.plain(host.name))
    }

    /// Returns a name in lower case without a trailing dot, neither of which makes it a different name.
    private static func plain(_ name: String) -> String {
        let name = name.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }
}

/// A host with its port, as in the headers `Host` and `Origin`.
struct Authority: Hashable, Sendable {
    /// The name or address; an IPv6 address is without its brackets.
    let name: String
    /// The port as it is written; `nil` if it is omitted.
    let port: String?
    /// Whether the name is an IP address.
    let isAddress: Bool

    /// The longest name with a port, in bytes.
    private static let longest = 300

    /// Parses `NAME`, `NAME:PORT` or `[ADDRESS]:PORT`; `nil` if the text is none of these.
    init?(_ text: String) {
        guard (1...Self.longest).contains(text.utf8.count) else { return nil }
        // Bytes, because each request has a host, and finding characters takes longer.
        let bytes = text.utf8
        let rest: Substring
        if bytes.first == UInt8(ascii: "[") {
            guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            name = text[bytes.index(after: bytes.startIndex)..<end].lowercased()
            guard name.utf8.contains(UInt8(ascii: ":")), IPAddress(name) != nil else { return nil }
            isAddress = true
            rest = text[bytes.index(after: end)...]
        } else {
            let host = text[..<(bytes.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex)]
            guard !host.isEmpty, host.utf8.allSatisfy(Self.isOfName) else { return nil }
            name = host.lowercased()
            isAddress = IPAddress(name) != nil
            rest = text[host.endIndex...]
        }
        guard !rest.isEmpty else {
            port = nil
            return
        }
        let digits = rest.utf8.dropFirst()
        guard rest.utf8.first == UInt8(ascii: ":"), (1...5).contains(digits.count), digits.allSatisfy(Self.isDigit)
        else { return nil }
        port = String(Substring(digits))
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isOfName(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
    }
}

/// A rule that decides whether a call comes from one of this server's own pages.
enum OriginRule {
    /// The kind of page that sent a request.
    enum Source: Equatable {
        /// A page of this server.
        case same
        /// A page of another server.
        case foreign
        /// No page is named: the request comes from a program, or a browser is opening a page.
        case unknown
    }

    /// Returns the kind of page that sent a request, according to its headers.
    ///
    /// The scheme is ignored, because a server in front of this one may handle TLS.
    ///
    /// - Parameters:
    ///   - origin: The header `Origin`.
    ///   - site: The header `Sec-Fetch-Site`.
    ///   - host: The header `Host`.
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
