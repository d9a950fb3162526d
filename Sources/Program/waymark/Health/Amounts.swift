import TextCoding

/// Formatters of amounts for people.
enum Amounts {
    /// Returns a number of bytes in decimal units: 1 kB is 1000 bytes.
    static func bytes(_ bytes: Int64) -> String {
        var value = Double(bytes)
        for unit in ["bytes", "kB", "MB", "GB"] {
            guard value >= 1000 else { return number(value, unit) }
            value /= 1000
        }
        return number(value, "TB")
    }

    /// Returns a short duration, given in seconds, in µs, ms or s.
    static func brief(_ seconds: Double) -> String {
        switch seconds {
        case ..<0.001: number(seconds * 1e6, "µs")
        case ..<1: number(seconds * 1e3, "ms")
        default: number(seconds, "s")
        }
    }

    /// Returns a number with its noun, in the singular or the plural.
    static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
        "\(number) \(number == 1 ? one : many ?? one + "s")"
    }

    private static func number(_ value: Double, _ unit: String) -> String {
        "\(DecimalText.string(value, decimals: value < 10 && unit != "bytes" ? 1 : 0)) \(unit)"
    }
}
