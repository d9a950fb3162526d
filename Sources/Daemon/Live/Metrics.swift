import RPC

/// The numbers of `server.stats` as Prometheus reads them (its text format 0.0.4): each under the names on the way to it,
/// those of a device with its name, whatever that is.
enum Metrics {
    /// The text, a number a line.
    static func text(of stats: JSONValue) -> String {
        var lines: [String] = []
        add(stats, "waymark", labels: "", to: &lines)
        return lines.map { $0 + "\n" }.joined()
    }

    private static func add(_ value: JSONValue, _ name: String, labels: String, to lines: inout [String]) {
        switch value {
        case .integer(let number): lines.append("\(name)\(labels) \(number)")
        case .number(let number): lines.append("\(name)\(labels) \(number)")
        case .bool(let isSo): lines.append("\(name)\(labels) \(isSo ? 1 : 0)")
        case .object(let members):
            for member in members.names {
                guard let value = members[member] else { continue }
                add(value, "\(name)_\(plain(member))", labels: labels, to: &lines)
            }
        case .array(let elements):
            for element in elements {
                guard case .string(let device)? = element["device"] else { continue }
                add(element, "waymark_device", labels: "{device=\"\(escaped(device))\"}", to: &lines)
            }
        case .string, .null: break
        }
    }

    /// What may stand in a name.
    private static func plain(_ text: String) -> String {
        String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }

    /// A text as the value of a label, so that no two have the same: any UTF-8, three characters escaped.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\", "\"": escaped += "\\\(scalar)"
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
