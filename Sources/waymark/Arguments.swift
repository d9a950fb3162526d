public import ArgumentParser
public import Positioning
import TextCoding

extension CalendarDate: ExpressibleByArgument {
    /// A day as `YYYY-MM-DD`.
    public init?(argument: String) {
        let parts = argument.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].utf8.count == 4, parts[1].utf8.count == 2, parts[2].utf8.count == 2,
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }
}

/// A number of seconds or metres that may not be negative.
struct Amount: ExpressibleByArgument {
    let value: Double

    init(_ value: Double) { self.value = value }

    init?(argument: String) {
        guard let value = DecimalText.parse(argument), value >= 0 else { return nil }
        self.value = value
    }

    var defaultValueDescription: String { DecimalText.string(value, decimals: 3) }
}

/// How fast a recording is replayed.
enum ReplaySpeed: ExpressibleByArgument {
    var defaultValueDescription: String { "max" }

    /// As fast as it goes.
    case greatest
    /// So many times real time.
    case times(Double)

    init?(argument: String) {
        if argument == "max" {
            self = .greatest
        } else {
            guard let factor = DecimalText.parse(argument), factor > 0 else { return nil }
            self = .times(factor)
        }
    }
}
