import Geodesy
import NMEA
import Positioning
import TestSupport
import Time

/// A made-up recording.
struct Recording {
    var bytes: [UInt8] = []

    init() {}

    /// Makes a recording of sentences without `$` and checksum, such as `GPRMC,…`, and adds both and a line end to
    /// each.
    init(_ sentences: [String]) {
        for sentence in sentences { add(sentence) }
    }

    /// Adds a sentence with its checksum.
    mutating func add(_ sentence: String) { bytes += Self.line(sentence) }

    /// Adds bytes unchanged.
    mutating func add(raw text: String) { bytes += Array(text.utf8) }

    /// Returns `$`, the sentence, its checksum and CR LF.
    static func line(_ sentence: String) -> [UInt8] {
        let sum = sentence.utf8.reduce(0, ^)
        let digits = String(sum, radix: 16, uppercase: true)
        return Array("$\(sentence)*\(digits.utf8.count < 2 ? "0" : "")\(digits)\r\n".utf8)
    }
}

/// The result of decoding a recording.
struct Decoded: Equatable {
    var fixes: [Fix] = []
    var malformed = Tally()

    /// Decodes all bytes at once.
    init(_ recording: Recording, date: CalendarDate? = nil) {
        self.init(bytes: recording.bytes, pieces: [recording.bytes.count], date: date)
    }

    /// Decodes the bytes in pieces of these lengths, the last of which is repeated to the end.
    init(bytes: [UInt8], pieces: [Int], date: CalendarDate? = nil) {
        var decoder = NMEADecoder(date: date)
        var start = 0
        var piece = 0
        while start < bytes.count {
            let end = min(bytes.count, start + max(1, pieces[min(piece, pieces.count - 1)]))
            decoder.feed(bytes.span.extracting(start..<end), into: &fixes)
            start = end
            piece += 1
        }
        decoder.finish(into: &fixes)
        malformed = decoder.malformed
    }

    /// The times of the fixes; "none" for a fix without one.
    var times: [String] { fixes.map { $0.time?.description ?? "none" } }

    /// The reasons with their counts, such as `cut 2`.
    var reasons: [String] { malformed.sorted.map { "\($0.reason) \($0.count)" } }
}

/// A simulated receiver that drives through an invented town, with one epoch per second.
struct Receiver {
    /// The formatters of an epoch's sentences, in order.
    var cycle = ["GGA", "GSA", "RMC", "VTG"]
    /// The seconds since midnight.
    var second = 36_000
    var date = "010526"

    /// Returns the sentences of the epoch and moves on to the next.
    mutating func epoch() -> [String] {
        defer { second += 1 }
        return cycle.map { sentence($0) }
    }

    /// Returns the sentences of an epoch without a fix and moves on to the next.
    mutating func epochWithoutFix() -> [String] {
        defer { second += 1 }
        let time = Self.clock(second)
        return cycle.map { formatter in
            switch formatter {
            case "RMC": "GPRMC,\(time),V,,,,,,,050180,,,N"
            case "GGA": "GPGGA,\(time),,,,,0,00,,,M,,M,,"
            case "GNS": "GNGNS,\(time),,,,,NN,00,,,,,"
            case "GLL": "GPGLL,,,,,\(time),V,N"
            case "GSA": "GPGSA,A,1,,,,,,,,,,,,,,,"
            default: sentence(formatter)
            }
        }
    }

    /// Returns a sentence of the current epoch.
    func sentence(_ formatter: String) -> String {
        let time = Self.clock(second)
        let minutes = "\(2000 + second % 60_000)"
        let place = "5222.\(minutes.suffix(4)),N,00453.\(minutes.suffix(4)),E"
        return switch formatter {
        case "RMC": "GPRMC,\(time),A,\(place),10.0,45.5,\(date),,,A"
        case "GGA": "GPGGA,\(time),\(place),1,08,0.9,12.5,M,46.9,M,,"
        case "GNS": "GNGNS,\(time),\(place),AA,13,0.8,12.5,46.9,,"
        case "GLL": "GPGLL,\(place),\(time),A,A"
        case "VTG": "GPVTG,46.5,T,,M,11.0,N,20.4,K,A"
        case "GSA": "GPGSA,A,3,01,02,03,04,,,,,,,,,1.7,1.0,1.4"
        case "GST": "GPGST,\(time),1.0,,,,3.0,4.0,5.0"
        case "ZDA": "GPZDA,\(time),01,05,2026,00,00"
        default: "GP\(formatter),1,2,3"
        }
    }

    static func clock(_ second: Int) -> String {
        [second / 3600 % 24, second / 60 % 60, second % 60]
            .map { $0 < 10 ? "0\($0)" : "\($0)" }.joined()
    }
}
