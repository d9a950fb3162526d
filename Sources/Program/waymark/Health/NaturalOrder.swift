/// The order in which people expect names: numbers in them count as numbers.
enum NaturalOrder {
    /// Whether a name comes before another: bus2 before bus10.
    static func precedes(_ first: String, _ second: String) -> Bool {
        let (one, other) = (parts(first), parts(second))
        for (left, right) in zip(one, other) where left != right {
            if let low = left.number, let high = right.number {
                // Without leading zeros, the longer number is the greater one.
                let (lows, highs) = (low.drop { $0 == "0" }, high.drop { $0 == "0" })
                if lows.count != highs.count { return lows.count < highs.count }
                if lows != highs { return lows < highs }
                continue
            }
            return left.text < right.text
        }
        return one.count == other.count ? first < second : one.count < other.count
    }

    private struct Part: Equatable {
        let text: Substring
        /// The digits, if the part is a number.
        var number: Substring? { text.first.map(isDigit) ?? false ? text : nil }
    }

    /// Returns the runs of digits and of other characters.
    private static func parts(_ name: String) -> [Part] {
        var parts: [Part] = []
        var rest = name[...]
        while let first = rest.first {
            let isNumber = isDigit(first)
            let run = rest.prefix { isDigit($0) == isNumber }
            parts.append(Part(text: run))
            rest = rest.dropFirst(run.count)
        }
        return parts
    }

    private static func isDigit(_ character: Character) -> Bool { "0"..."9" ~= character }
}
