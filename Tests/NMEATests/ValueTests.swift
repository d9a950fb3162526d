import Geodesy
import NMEA
import Positioning
import TestSupport
import Testing

@Suite struct ValueTests {
    /// Returns degrees times 10⁷ from whole degrees and billionths of a minute, rounded half up.
    private static func rounded(degrees: Int, minutesE9: Int) -> Int32 {
        let numerator = Int64(degrees) * 60_000_000_000 + Int64(minutesE9)
        let quotient = numerator / 6000
        return Int32(quotient) + (2 * (numerator % 6000) >= 6000 ? 1 : 0)
    }

    private static func padded(_ value: Int, _ digits: Int) -> String {
        let text = "\(value)"
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    @Test func positionsOfUpToNineDecimalsAreRoundedToTheNearestUnit() {
        var generator = SeededGenerator(seed: 7)
        for decimals in 0...9 {
            let scale = (0..<(9 - decimals)).reduce(1) { product, _ in product * 10 }
            for _ in 0..<200 {
                let minutes = Int.random(in: 0..<60_000_000_000, using: &generator) / scale * scale
                let degrees = Int.random(in: 0..<90, using: &generator)
                let fraction = Self.padded(minutes % 1_000_000_000, 9).prefix(decimals)
                let text = Self.padded(minutes / 1_000_000_000, 2) + (decimals > 0 ? "." + fraction : "")
                let sentence =
                    "GPGLL,\(Self.padded(degrees, 2))\(text),S,\(Self.padded(degrees + 80, 3))\(text),W,100000,A,A"
                let fix = Decoded(Recording([sentence])).fixes.first
                #expect(fix?.coordinate.latitudeE7 == -Self.rounded(degrees: degrees, minutesE9: minutes))
                #expect(fix?.coordinate.longitudeE7 == -Self.rounded(degrees: degrees + 80, minutesE9: minutes))
            }
        }
    }

    @Test func decimalsBeyondTheNinthAreIgnored() {
        let long = Decoded(Recording(["GPGLL,5222.38345678999999999999,N,00453.0000000000000000000001,E,100000,A,A"]))
        #expect(long.fixes.first?.coordinate.latitudeE7 == Self.rounded(degrees: 52, minutesE9: 22_383_456_789))
        #expect(long.fixes.first?.coordinate.longitudeE7 == Self.rounded(degrees: 4, minutesE9: 53_000_000_000))
    }

    @Test(arguments: [
        ("100000.1", "10:00:00.100"), ("100000.0004", "10:00:00.000"), ("100000.0005", "10:00:00.001"),
        ("100000.00049999", "10:00:00.000"), ("100000.9996", "10:00:01.000"), ("100000.12349", "10:00:00.123"),
    ])
    func timesAreRoundedToMilliseconds(_ written: String, _ read: String) {
        let decoded = Decoded(Recording(["GPRMC,\(written),A,5222.3834,N,00453.5333,E,,,010526,,"]))
        #expect(decoded.times == ["2026-05-01T\(read)Z"])
    }

    @Test(arguments: [
        ("235959.9996,010526", "2026-05-02T00:00:00.000Z"), ("235960,311216", "2017-01-01T00:00:00.000Z"),
        ("235960.5,311216", "2017-01-01T00:00:00.500Z"), ("120000,290224", "2024-02-29T12:00:00.000Z"),
        ("120000,010180", "1980-01-01T12:00:00.000Z"), ("120000,311299", "1999-12-31T12:00:00.000Z"),
        ("120000,010100", "2000-01-01T12:00:00.000Z"), ("120000,311279", "2079-12-31T12:00:00.000Z"),
    ])
    func daysAndCenturiesAreResolvedCorrectly(_ written: String, _ read: String) {
        let parts = written.split(separator: ",")
        let decoded = Decoded(Recording(["GPRMC,\(parts[0]),A,5222.3834,N,00453.5333,E,,,\(parts[1]),,"]))
        #expect(decoded.times == [read])
    }

    @Test func numbersAreReadToTheirNearestDouble() {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<500 {
            let whole = Int.random(in: -20_000...20_000, using: &generator)
            let fraction = Self.padded(Int.random(in: 0..<1_000_000, using: &generator), 6)
            let text = "\(whole).\(fraction)"
            let decoded = Decoded(Recording(["GPGGA,100000,5222.3834,N,00453.5333,E,1,08,0.9,\(text),M,46.9,M,,"]))
            #expect(decoded.fixes.first?.altitude?.meters == Double(text))
        }
    }

    /// The numbers may have any number of leading zeros and digits.
    @Test func numbersWithManyDecimalsAreReadAccurately() throws {
        for zeros in 0...40 {
            for digits in ["7", "123456789012345678901234567890", ""] {
                let text = "1." + String(repeating: "0", count: zeros) + digits
                let vtg = "GPVTG,,,,,\(text.dropFirst()),N,,,A"
                let gga = "GPGGA,100000,5222.3834,N,00453.5333,E,1,08,0.9,\(text),M,46.9,M,,"
                let rmc = "GPRMC,100000,A,5222.3834,N,00453.5333,E,,,010526,,"
                let fix = try #require(Decoded(Recording([rmc, gga, vtg])).fixes.first)
                let expected = try #require(Double(text == "1." ? "1" : text))
                #expect(abs(try #require(fix.altitude).meters - expected) < 1e-13)
            }
        }
    }
}
