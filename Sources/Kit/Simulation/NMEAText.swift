import Geodesy
import Positioning
import Time

/// A writer of a receiver's epochs as NMEA 0183 sentences with checksums (version 3.01 of the standard).
struct NMEAText {
    /// The sentences of an epoch, in this order.
    var sentences: [Sentence]
    /// The talker of the sentences: `GP` for GPS alone, `GN` for several systems.
    var talker = "GP"
    /// The number of epochs from one report of the satellites in view to the next.
    var viewInterval = 5
    /// The height of the geoid above the ellipsoid in metres; 43 m in Amsterdam.
    var separation = "43.0"

    /// The supported kinds of sentences.
    enum Sentence { case gga, gll, gsa, gst, gsv, rmc, vtg, zda }

    /// Returns the log of some epochs, one sentence per line.
    func log(_ epochs: [SimulatedEpoch]) -> String {
        var text = ""
        for (index, epoch) in epochs.enumerated() {
            for sentence in sentences where sentence != .gsv || index % viewInterval == 0 {
                for fields in self.fields(of: sentence, epoch, index) { text += Self.line(talker + fields) }
            }
        }
        return text
    }

    /// Returns a sentence with its beginning, checksum and line end.
    static func line(_ body: String) -> String { "$\(body)*\(checksum(body))\r\n" }

    /// Returns the exclusive or of all bytes, as two hexadecimal digits.
    static func checksum(_ body: String) -> String {
        let sum = body.utf8.reduce(0, ^)
        return (sum < 16 ? "0" : "") + String(sum, radix: 16, uppercase: true)
    }

    private func fields(of sentence: Sentence, _ epoch: SimulatedEpoch, _ index: Int) -> [String] {
        let time = epoch.knowsTime ? Self.timeOfDay(epoch.time) : ""
        let date = epoch.knowsTime ? Self.date(epoch.time) : ""
        let fix = epoch.fix
        let place = fix.map { Self.place($0.coordinate) } ?? ",,,"
        let knots = Digits.text(fix?.speed.map { $0.metersPerSecond * 3600 / 1852 }, decimals: 3)
        let track = Digits.text(fix?.track?.degrees, decimals: 1)
        let mode = fix == nil ? "N" : "A"
        switch sentence {
        case .gga:
            guard let fix else { return ["GGA,\(time),,,,,0,00,99.99,,,,,,"] }
            let height = Digits.text(fix.altitude?.meters, decimals: 1)
            let satellites = Digits.padded(fix.satellites ?? 0, digits: 2)
            return [
                "GGA,\(time),\(place),1,\(satellites),\(Digits.text(fix.hdop, decimals: 2)),\(height),M,\(separation),M,,"
            ]
        case .gll: return ["GLL,\(place),\(time),\(fix == nil ? "V" : "A"),\(mode)"]
        case .gsa: return [Sky.active(fix)]
        case .gst:
            guard let hdop = fix?.hdop else { return ["GST,\(time),,,,,,,"] }
            let deviations = [3.0, 2.6, 5.1].map { Digits.text($0 * hdop, decimals: 1) }.joined(separator: ",")
            return ["GST,\(time),\(Digits.text(5 * hdop, decimals: 1)),,,,\(deviations)"]
        case .gsv: return Sky.inView(epoch, index: index)
        case .rmc: return ["RMC,\(time),\(fix == nil ? "V" : "A"),\(place),\(knots),\(track),\(date),,,\(mode)"]
        case .vtg:
            guard fix != nil else { return ["VTG,,,,,,,,,N"] }
            let kmh = Digits.text(fix?.speed.map { $0.metersPerSecond * 3.6 }, decimals: 2)
            return ["VTG,\(track),T,,M,\(knots),N,\(kmh),K,\(mode)"]
        case .zda:
            guard epoch.knowsTime else { return ["ZDA,,,,,00,00"] }
            let (year, month, day) = epoch.time.date.components
            return ["ZDA,\(time),\(Digits.padded(day, digits: 2)),\(Digits.padded(month, digits: 2)),\(year),00,00"]
        }
    }

    /// Converts 1/10,000,000ths of a degree to 1/100,000ths of a minute, without the sign.
    static func minuteUnits(_ unitsE7: Int32) -> Int { (Int(unitsE7.magnitude) * 6 + 5) / 10 }

    private static func place(_ place: Coordinate) -> String {
        func angle(_ unitsE7: Int32, degreeDigits: Int) -> String {
            let units = minuteUnits(unitsE7)
            let (degrees, rest) = (units / 6_000_000, units % 6_000_000)
            return Digits.padded(degrees, digits: degreeDigits) + Digits.padded(rest / 100_000, digits: 2) + "."
                + Digits.padded(rest % 100_000, digits: 5)
        }
        let latitude = angle(place.latitudeE7, degreeDigits: 2)
        let longitude = angle(place.longitudeE7, degreeDigits: 3)
        return "\(latitude),\(place.latitudeE7 < 0 ? "S" : "N"),\(longitude),\(place.longitudeE7 < 0 ? "W" : "E")"
    }

    private static func timeOfDay(_ time: Timestamp) -> String {
        let seconds = Int(time.milliseconds % Timestamp.millisecondsPerDay) / 1000
        return [seconds / 3600, seconds / 60 % 60, seconds % 60].map { Digits.padded($0, digits: 2) }.joined() + ".00"
    }

    private static func date(_ time: Timestamp) -> String {
        let (year, month, day) = time.date.components
        return [day, month, year % 100].map { Digits.padded($0, digits: 2) }.joined()
    }
}

extension Timestamp {
    /// The day in UTC; the time must not be before 1970, and no fixture is.
    var date: CalendarDate { CalendarDate(daysSinceEpoch: milliseconds / Self.millisecondsPerDay) }
}

/// Formatters of numbers with a fixed count of digits, as NMEA requires.
enum Digits {
    /// Returns a number with exactly `decimals` decimals; an empty text for `nil`.
    static func text(_ value: Double?, decimals: Int) -> String {
        guard let value else { return "" }
        let power = (0..<decimals).reduce(1) { power, _ in power * 10 }
        let scaled = Int((value * Double(power)).rounded())
        let sign = scaled < 0 ? "-" : ""
        return sign + "\(scaled.magnitude / UInt(power))." + padded(Int(scaled.magnitude) % power, digits: decimals)
    }

    /// Returns an integer with at least `digits` digits.
    static func padded(_ value: Int, digits: Int) -> String {
        let number = String(value)
        return String(repeating: "0", count: max(0, digits - number.utf8.count)) + number
    }
}
