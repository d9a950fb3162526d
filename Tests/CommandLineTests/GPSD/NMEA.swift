import Foundation

/// Functions for the sentences of receivers.
enum NMEA {
    /// Returns a sentence with its checksum and end.
    static func sentence(_ text: String) -> String {
        let checksum = String(text.utf8.dropFirst().reduce(0, ^), radix: 16, uppercase: true)
        return "\(text)*\(checksum.count < 2 ? "0" : "")\(checksum)\r\n"
    }

    /// Returns the sentences of a fixture grouped by epoch; each GGA begins one.
    static func epochs(of fixture: String) throws -> [[UInt8]] {
        var epochs: [[UInt8]] = []
        for line in try Fixture.data(fixture).split(separator: 0x0A) {
            if epochs.isEmpty || line.dropFirst(3).starts(with: "GGA".utf8) { epochs.append([]) }
            epochs[epochs.count - 1] += line + [0x0A]
        }
        return epochs
    }

    /// Returns the sentences of an epoch without their ends.
    static func sentences(of epoch: [UInt8]) -> [String] {
        String(decoding: epoch, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
    }

    /// Returns the time of an epoch's fix on a day, in the format of events, or `nil` if it has no fix.
    static func time(of epoch: [UInt8], on day: String) -> String? {
        let fields = sentences(of: epoch).first?.split(separator: ",", omittingEmptySubsequences: false) ?? []
        guard fields.count > 6, fields[6] != "0" else { return nil }
        return time(fields[1], on: day)
    }

    /// Converts a sentence's time of day to a time on a day.
    fileprivate static func time(_ clock: some StringProtocol, on day: String) -> String {
        let digits = Array(clock)
        return "\(day)T\(String(digits[..<2])):\(String(digits[2..<4])):\(String(digits[4..<6])).000Z"
    }
}

/// A walk to the north at 3 m/s with a fix every second from 10:00 on 1 May 2026, as GGA and RMC.
struct Walk: Sendable {
    /// Minutes of latitude north of 52°.
    var minutes = 6.0
    private var second = 0

    init(minutes: Double = 6.0) { self.minutes = minutes }

    /// Returns the next epoch.
    mutating func next() -> [UInt8] {
        let place =
            String(format: "%02d%08.5f", 52 + Int(minutes / 60), minutes.truncatingRemainder(dividingBy: 60))
            + ",N,00412.00000,E"
        let sentences = [
            "$GPGGA,\(clock).00,\(place),1,08,1.2,43.2,M,46.9,M,,",
            "$GPRMC,\(clock).00,A,\(place),5.83,0.0,\(String(format: "%02d", 1 + hours / 24))0526,,,A",
        ]
        minutes += 3.0 / 1852
        second += 1
        return Array(sentences.map(NMEA.sentence).joined().utf8)
    }

    /// The time of the next fix, in the format of events.
    var time: String { NMEA.time(clock, on: "2026-05-01") }

    private var hours: Int { 10 + second / 3600 }

    private var clock: String {
        [hours % 24, second / 60 % 60, second % 60].map { ($0 < 10 ? "0" : "") + String($0) }.joined()
    }
}
