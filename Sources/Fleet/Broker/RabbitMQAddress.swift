#if Fleet
/// The address of a RabbitMQ broker, with the account that signs in.
public struct RabbitMQAddress: Hashable, Sendable {
    /// Where one node of the broker listens.
    public struct Node: Hashable, Sendable {
        /// The name or IP address of the machine.
        public var host: String
        /// The TCP port.
        public var port: UInt16

        /// Creates the place of a node.
        public init(host: String, port: UInt16 = RabbitMQAddress.standardPort) { (self.host, self.port) = (host, port) }
    }

    /// The name or IP address of the machine.
    public var host: String
    /// The TCP port.
    public var port: UInt16
    /// The other nodes of the cluster, each of which serves as well as the first.
    public var others: [Node] = []
    /// The virtual host, which keeps fleets on one broker apart.
    public var virtualHost: String
    /// The user.
    public var user: String
    /// The password, which no description shows.
    public var password: String

    /// The port of AMQP without TLS.
    public static let standardPort: UInt16 = 5672

    /// Creates the address of a broker.
    public init(
        host: String, port: UInt16 = standardPort, virtualHost: String = "/", user: String = "guest",
        password: String = "guest"
    ) {
        self.host = host
        self.port = port
        self.virtualHost = virtualHost
        self.user = user
        self.password = password
    }

    /// Reads an address of the form `amqp://USER:PASSWORD@HOST:PORT,HOST:PORT/VHOST`.
    ///
    /// The nodes of a cluster are divided by commas. Everything after a host may be missing, and so may the account.
    /// The account and the virtual host may be percent-encoded. Returns `nil` for other texts, such as addresses with
    /// TLS (`amqps`), which are not supported.
    public init?(url: String) {
        let scheme = "amqp://"
        guard url.hasPrefix(scheme), !url.utf8.contains(0) else { return nil }
        var rest = url.dropFirst(scheme.count)
        self.init(host: "")
        if let slash = rest.firstIndex(of: "/") {
            guard let name = Self.decoded(rest[rest.index(after: slash)...]) else { return nil }
            virtualHost = name.isEmpty ? "/" : name
            rest = rest[..<slash]
        }
        if let at = rest.lastIndex(of: "@") {
            let account = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(account[0]) else { return nil }
            user = name
            if account.count == 2 {
                guard let secret = Self.decoded(account[1]) else { return nil }
                password = secret
            }
            rest = rest[rest.index(after: at)...]
        }
        for part in rest.split(separator: ",", omittingEmptySubsequences: false) {
            guard let node = Self.node(part) else { return nil }
            if host.isEmpty { (host, port) = (node.host, node.port) } else { others.append(node) }
        }
    }

    private static func node(_ text: Substring) -> Node? {
        var (rest, port) = (text, standardPort)
        // The colons of an IPv6 address stand in brackets.
        if let colon = rest.lastIndex(of: ":"), !rest[colon...].contains("]") {
            guard let number = UInt16(rest[rest.index(after: colon)...]), number > 0 else { return nil }
            port = number
            rest = rest[..<colon]
        }
        if rest.hasPrefix("["), rest.hasSuffix("]") { rest = rest.dropFirst().dropLast() }
        return rest.isEmpty ? nil : Node(host: String(rest), port: port)
    }

    /// All nodes of the broker, the first one first.
    var nodes: [Node] { [Node(host: host, port: port)] + others }

    /// The address in the form that ``init(url:)`` reads, with the account.
    public var url: String {
        let account = "\(Self.encoded(user)):\(Self.encoded(password))"
        let places = nodes.map { node in
            let name = node.host.utf8.contains(UInt8(ascii: ":")) ? "[\(node.host)]" : node.host
            return "\(name):\(node.port)"
        }
        let path = virtualHost == "/" ? "" : Self.encoded(virtualHost)
        return "amqp://\(account)@\(places.joined(separator: ","))/\(path)"
    }

    private static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                bytes.append(byte)
            default: bytes.append(contentsOf: "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a text without its percent-encoding (RFC 3986, section 2.1); `nil` if that is broken.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), rest.count >= 2,
                value != 0
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension RabbitMQAddress: CustomStringConvertible {
    /// The machines, their ports and the virtual host, without the account.
    public var description: String {
        let places = nodes.map { "\($0.host):\($0.port)" }.joined(separator: ",")
        return "\(places)\(virtualHost == "/" ? "" : "/\(virtualHost)")"
    }
}
#endif
