import RPC

/// The numbers of `server.stats` in the text format 0.0.4 of Prometheus.
///
/// Each is named after its path in the answer. The numbers of a device have the device's name as a label.
enum Metrics {
    /// Returns the text, with one number per line.
    static func text(of stats: JSONValue) -> String {
        var lines: [String] = []
        add(stats, "waymark", labels: "", to: &lines)
        return lines.map { $0 + "\n" }.joined()
    }

    /// Returns the numbers of the devices alone.
    static func text(ofDevices stats: JSONValue) -> String {
        text(of: ["devices": stats["devices"] ?? .array([])])
    }

    /// Returns a gauge for each finding, and the numbers of failures and warnings, which are there if all is well, too.
    static func text(of findings: [HealthFinding]) -> String {
        let failures = findings.count { $0.severity == .failure }
        let warnings = findings.count { $0.severity == .warning }
        let lines =
            ["waymark_health_failures \(failures)", "waymark_health_warnings \(warnings)"]
            + findings.map {
                "waymark_finding{id=\"\(escaped($0.id))\",part=\"\($0.part.rawValue)\",severity=\"\($0.severity.rawValue)\"} 1"
            }
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

    /// Replaces the characters that a name must not contain.
    private static func plain(_ text: String) -> String {
        String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }

    /// Escapes a text as the value of a label, so that different texts stay different.
    ///
    /// Any UTF-8 is allowed; three characters are escaped.
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
