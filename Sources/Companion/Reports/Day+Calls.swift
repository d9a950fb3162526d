import RPC
import Service
import Time

extension Schema {
    /// A day, such as 2026-05-01.
    static let day = Schema.string(length: 10...10, format: "date")
}

extension Parameter where Value == CalendarDate? {
    /// Returns a parameter for an optional day.
    static func day(_ name: String, _ doc: String) -> Parameter {
        Parameter<String?>.optional(name, .day, doc).map { text throws(Refusal) in
            guard let text else { return nil }
            return try CalendarDate(parameter: name, text)
        }
    }
}

extension Parameter where Value == CalendarDate {
    /// Returns a parameter for a required day.
    static func requiredDay(_ name: String, _ doc: String) -> Parameter {
        Parameter<String>.required(name, .day, doc).map { text throws(Refusal) in
            try CalendarDate(parameter: name, text)
        }
    }
}

extension Int64 {
    /// The whole days in a number of milliseconds, rounded down.
    fileprivate var quotientOfDay: Int64 {
        let day = Timestamp.millisecondsPerDay
        return (self - (self >= 0 ? 0 : day - 1)) / day
    }
}

extension CalendarDate {
    /// Parses the day that a parameter gives.
    fileprivate init(parameter name: String, _ text: String) throws(Refusal) {
        guard let time = Timestamp(rfc3339: "\(text)T00:00:00Z") else {
            throw Refusal.invalid(name, "must be a day such as 2026-05-01")
        }
        self.init(daysSinceEpoch: time.milliseconds.quotientOfDay)
    }

    /// The day as text, such as 2026-05-01.
    var text: String { String(Timestamp(self, millisecondsOfDay: 0).description.prefix(10)) }
}
