import TextCoding

extension ReceiverAddress {
    /// Parses the URL of a receiver, or the path of a recording.
    ///
    /// - Throws: ``ReceiverAddressError``, which says what is allowed in place of the error.
    public init(_ text: String) throws(ReceiverAddressError) {
        var reader = AddressReader(text)
        self = try reader.read()
    }
}

/// A parser for one URL.
private struct AddressReader {
    private let text: String
    private var parameters: [(key: String, value: String)] = []

    init(_ text: String) { self.text = text }

    mutating func read() throws(ReceiverAddressError) -> ReceiverAddress {
        guard !text.isEmpty else { throw wrong("it is empty; \(Self.kinds)") }
        guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw wrong("it contains a control character")
        }
        let address = try readSource()
        if let parameter = parameters.first {
            throw wrong("the parameter “\(parameter.key)” is not allowed here; \(Self.kinds)")
        }
        return address
    }

    private static let kinds = """
        write gpsd://HOST[:PORT][/DEVICE], nmea:/DEVICE[?baud=RATE], tcp://HOST:PORT, udp://[HOST]:PORT[?from=ADDRESS], \
        or the path of a recording, optionally with ?speed=N or ?speed=max; all but the last also accept idle=SECONDS
        """

    private mutating func readSource() throws(ReceiverAddressError) -> ReceiverAddress {
        if let colon = text.firstIndex(of: ":") {
            let rest = text[text.index(after: colon)...]
            switch text[..<colon].lowercased() {
            case "gpsd": return try gpsd(rest)
            case "tcp": return try tcp(rest)
            case "udp": return try udp(rest)
            case "nmea": return try serial(rest)
            case "file": return try file(rest, isURL: true)
            case let scheme where rest.hasPrefix("//"): throw wrong("the scheme “\(scheme)” is unknown; \(Self.kinds)")
            default: break
            }
        }
        return try file(text[...], isURL: false)
    }

    private mutating func gpsd(_ rest: Substring) throws(ReceiverAddressError) -> ReceiverAddress {
        let (authority, path) = try authority(parseQuery(rest), form: "gpsd://HOST[:PORT][/DEVICE]")
        guard let host = authority.host else { throw wrong("the host is missing; write gpsd://HOST[:PORT][/DEVICE]") }
        let device = path == "/" ? "" : path
        return ReceiverAddress(
            .gpsd(host: host, port: authority.port ?? ReceiverAddress.gpsdPort, device: device.isEmpty ? nil : device),
            idle: try parseIdle())
    }

    private mutating func tcp(_ rest: Substring) throws(ReceiverAddressError) -> ReceiverAddress {
        let (authority, path) = try authority(parseQuery(rest), form: "tcp://HOST:PORT")
        guard let host = authority.host, let port = authority.port, path.isEmpty || path == "/" else {
            throw wrong("a host and a port are needed, and nothing else; write tcp://HOST:PORT")
        }
        return ReceiverAddress(.tcp(host: host, port: port), idle: try parseIdle())
    }

    private mutating func udp(_ rest: Substring) throws(ReceiverAddressError) -> ReceiverAddress {
        let (authority, path) = try authority(parseQuery(rest), form: "udp://[HOST]:PORT")
        guard let port = authority.port, path.isEmpty || path == "/" else {
            throw wrong("the port is needed; before it, only an address of this machine is allowed; write udp://:PORT")
        }
        var sender: String?
        if let value = removeParameter("from") {
            let form = value.hasPrefix("[") && value.hasSuffix("]") ? String(value.dropFirst().dropLast()) : value
            let isAddress =
                form.contains(":") || form.split(separator: ".", omittingEmptySubsequences: false).count == 4
            guard isAddress, form.allSatisfy({ $0.isHexDigit || ".:".contains($0) }) else {
                throw wrong("“\(value)” is not an address; write udp://:PORT?from=192.168.1.20")
            }
            sender = form.lowercased()
        }
        return ReceiverAddress(.udp(host: authority.host, port: port), idle: try parseIdle(), sender: sender)
    }

    private mutating func serial(_ rest: Substring) throws(ReceiverAddressError) -> ReceiverAddress {
        var path = try parseQuery(rest)
        if path.hasPrefix("///") { path = path.dropFirst(2) }
        guard path.hasPrefix("/"), !path.hasPrefix("//"), path.count > 1 else {
            throw wrong("the device must be given by its full path; write nmea:/dev/ttyACM0")
        }
        var baud = ReceiverAddress.defaultBaud
        if let value = removeParameter("baud") {
            guard let rate = Int(value), ReceiverAddress.bauds.contains(rate) else {
                let rates = ReceiverAddress.bauds.map(String.init).joined(separator: ", ")
                throw wrong("“\(value)” is not a baud rate of receivers; choose one of \(rates)")
            }
            baud = rate
        }
        return ReceiverAddress(.serial(path: String(path), baud: baud), idle: try parseIdle())
    }

    /// Parses the address of a recording.
    ///
    /// A file name may contain a question mark. Only one that is followed by an equals sign begins a query.
    private mutating func file(_ rest: Substring, isURL: Bool) throws(ReceiverAddressError) -> ReceiverAddress {
        var path = rest
        if let mark = rest.lastIndex(of: "?"), rest[mark...].contains("=") { path = try parseQuery(rest) }
        if isURL, path.hasPrefix("///") { path = path.dropFirst(2) }
        guard !path.isEmpty, !(isURL && path.hasPrefix("//")) else {
            throw wrong("the path is missing; write the path of a recording, with or without file: before it")
        }
        var speed: Double? = 1
        if let value = removeParameter("speed") {
            speed = value == "max" ? nil : try number(value, in: ReceiverAddress.speeds, "speed", "max, or a number")
        }
        return ReceiverAddress(.file(path: String(path), speed: speed))
    }

    // MARK: Parts

    private typealias Authority = (host: String?, port: UInt16?)

    private func authority(
        _ text: Substring, form: String
    ) throws(ReceiverAddressError) -> (Authority, path: String) {
        guard text.hasPrefix("//") else { throw wrong("two slashes are missing after the colon; write \(form)") }
        let text = text.dropFirst(2)
        let end = text.firstIndex(of: "/") ?? text.endIndex
        var host = text[..<end]
        var port: UInt16?
        if let colon = host.lastIndex(of: ":"), host[colon...].last != "]" {
            let digits = host[host.index(after: colon)...]
            guard digits.allSatisfy({ ("0"..."9").contains($0) }), let number = UInt16(digits), number > 0 else {
                throw wrong("“\(digits)” is not a port; ports are 1 to 65535; write \(form)")
            }
            port = number
            host = host[..<colon]
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            let isAddress = host.contains(":") && host.allSatisfy { $0.isLetter || $0.isNumber || ":.%_-".contains($0) }
            guard isAddress else { throw wrong("“[\(host)]” is not an IPv6 address; write \(form)") }
        } else {
            guard !host.contains(":") else {
                throw wrong("an IPv6 address must be in brackets, as in [::1]; write \(form)")
            }
            guard host.allSatisfy({ $0.isLetter || $0.isNumber || ".-_".contains($0) }) else {
                throw wrong("“\(host)” is not a host name; write \(form)")
            }
        }
        return ((host.isEmpty ? nil : String(host), port), path: String(text[end...]))
    }

    /// Removes the query from a text, and keeps its parameters.
    private mutating func parseQuery(_ text: Substring) throws(ReceiverAddressError) -> Substring {
        guard let mark = text.lastIndex(of: "?") else { return text }
        for parameter in text[text.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false) {
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
                throw wrong("“\(parameter)” after the question mark is not of the form NAME=VALUE")
            }
            guard !parameters.contains(where: { $0.key == parts[0] }) else {
                throw wrong("“\(parts[0])” is given twice")
            }
            parameters.append((String(parts[0]), String(parts[1])))
        }
        return text[..<mark]
    }

    private mutating func removeParameter(_ key: String) -> String? {
        guard let index = parameters.firstIndex(where: { $0.key == key }) else { return nil }
        return parameters.remove(at: index).value
    }

    private mutating func parseIdle() throws(ReceiverAddressError) -> Duration {
        guard let value = removeParameter("idle") else { return ReceiverAddress.defaultIdle }
        return .seconds(try number(value, in: ReceiverAddress.idles, "idle", "a number of seconds"))
    }

    private func number(
        _ value: String, in range: ClosedRange<Double>, _ key: String, _ form: String
    ) throws(ReceiverAddressError) -> Double {
        guard let number = DecimalText.parse(value), range.contains(number) else {
            let (low, high) = (range.lowerBound, range.upperBound)
            throw wrong(
                "\(key)=\(value) is out of range; it must be \(form) from \(ReceiverAddress.number(low)) to "
                    + ReceiverAddress.number(high))
        }
        return number
    }

    private func wrong(_ what: String) -> ReceiverAddressError {
        ReceiverAddressError(description: "“\(text)” is not a receiver address: \(what).")
    }
}
