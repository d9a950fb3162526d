import TextCoding

/// Amounts as people read them.
enum Amounts {
    /// Bytes, in units of thousands.
    static func bytes(_ bytes: Int64) -> String {
        var value = Double(bytes)
        for unit in ["bytes", "kB", "MB", "GB"] {
            guard value >= 1000 else { return number(value, unit) }
            value /= 1000
        }
        return number(value, "TB")
    }

    /// A short duration in seconds, in the unit that suits it.
    static func brief(_ seconds: Double) -> String {
        switch seconds {
        case ..<0.001: number(seconds * 1e6, "µs")
        case ..<1: number(seconds * 1e3, "ms")
        default: number(seconds, "s")
        }
    }

    /// A number of things.
    static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
        "\(number) \(number == 1 ? one : many ?? one + "s")"
    }

    private static func number(_ value: Double, _ unit: String) -> String {
        "\(DecimalText.string(value, decimals: value < 10 && unit != "bytes" ? 1 : 0)) \(unit)"
    }
}
