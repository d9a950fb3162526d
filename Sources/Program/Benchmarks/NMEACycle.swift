import Geodesy
import Positioning
import Receivers
import Time

/// The sentences that a receiver sends in one second: GGA, RMC, GSA and three GSV, with checksums and CRLF.
struct NMEACycle: Sendable {
    var bytes: [UInt8]
    /// The time of day as events contain it, to the second or, for a generated cycle, to the tenth.
    var clock: [UInt8]

    /// The time at which generated tracks begin: 2026-01-01T00:00:00Z.
    static let start = Timestamp(milliseconds: 1_767_225_600_000)

    /// Creates the cycle of a fix.
    init(_ fix: Fix) {
        bytes = []
        let time = fix.time ?? Self.start
        let text = Array(time.description.utf8)
        clock = Array(text[10..<21])
        append(Self.moving(fix, text))
        append("GPGSA,A,3,02,05,07,09,13,15,20,27,30,,,,1.8,1.0,1.5")
        // The sentences about the satellites change nothing, but the decoder has to skip them.
        for part in 1...3 {
            let satellites = (1...(part < 3 ? 4 : 3)).map { number in
                ",\(Self.digits(part * 8 + number, 2)),\(20 + 9 * number),\(Self.digits(part * 90 + number, 3)),\(30 + number)"
            }
            append("GPGSV,3,\(part),11" + satellites.joined())
        }
    }

    /// Reads the first cycles of a file in which each cycle begins with GGA.
    static func first(_ count: Int, of path: String) throws -> [NMEACycle] {
        let file = try FileBytes(path: path)
        var cycles: [NMEACycle] = []
        var rest: [UInt8] = []
        while cycles.count <= count, let piece = try file.next() {
            rest += piece
            var start = 0
            while let end = rest[start...].firstIndex(of: 0x0A) {
                let line = rest[start...end]
                start = end + 1
                if line.starts(with: "$GPGGA,".utf8) {
                    let digits = line.dropFirst(7).prefix(6).map { UnicodeScalar($0) }.map(String.init)
                    let clock = "T\(digits[0])\(digits[1]):\(digits[2])\(digits[3]):\(digits[4])\(digits[5])."
                    cycles.append(NMEACycle(bytes: [], clock: Array(clock.utf8)))
                }
                if let last = cycles.indices.last { cycles[last].bytes += line }
            }
            rest.removeFirst(start)
        }
        return Array(cycles.prefix(count))
    }

    private init(bytes: [UInt8], clock: [UInt8]) {
        self.bytes = bytes
        self.clock = clock
    }

    private mutating func append(_ bodies: [String]) { for body in bodies { append(body) } }

    private mutating func append(_ body: String) {
        let sum = body.utf8.reduce(0, ^)
        let digits = String(sum, radix: 16, uppercase: true)
        bytes += Array("$\(body)*\(digits.utf8.count < 2 ? "0" : "")\(digits)\r\n".utf8)
    }

    /// Returns the two sentences with the position and the time.
    private static func moving(_ fix: Fix, _ time: [UInt8]) -> [String] {
        func part(_ range: Range<Int>) -> String { String(decoding: time[range], as: UTF8.self) }
        let clock = part(11..<13) + part(14..<16) + part(17..<19) + "." + part(20..<22)
        let date = part(8..<10) + part(5..<7) + part(2..<4)
        let (latitude, longitude) = (Int(fix.coordinate.latitudeE7), Int(fix.coordinate.longitudeE7))
        let place =
            "\(minutes(latitude, 2)),\(latitude < 0 ? "S" : "N"),\(minutes(longitude, 3)),\(longitude < 0 ? "W" : "E")"
        let hdop = decimal(fix.hdop ?? 1, 2)
        let height = decimal(fix.altitude?.meters ?? 250, 1)
        let knots = decimal((fix.speed?.metersPerSecond ?? 0) * 3600 / 1852, 3)
        let track = decimal(fix.track?.degrees ?? 0, 2)
        return [
            "GPGGA,\(clock),\(place),1,09,\(hdop),\(height),M,47.0,M,,",
            "GPRMC,\(clock),A,\(place),\(knots),\(track),\(date),,,A",
        ]
    }

    /// Returns units of 10⁻⁷ degrees as ddmm.mmmmm, with `width` digits for the degrees.
    private static func minutes(_ unitsE7: Int, _ width: Int) -> String {
        let scaled = (abs(unitsE7) * 6 + 5) / 10
        let (degrees, rest) = scaled.quotientAndRemainder(dividingBy: 6_000_000)
        return "\(digits(degrees, width))\(digits(rest / 100_000, 2)).\(digits(rest % 100_000, 5))"
    }

    /// Returns a number that is not negative, with all of its decimals.
    static func decimal(_ value: Double, _ decimals: Int) -> String {
        let power = (0..<decimals).reduce(1) { power, _ in power * 10 }
        let scaled = Int((value * Double(power)).rounded())
        return "\(scaled / power).\(digits(scaled % power, decimals))"
    }

    /// Returns an integer with leading zeros.
    static func digits(_ value: Int, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}
