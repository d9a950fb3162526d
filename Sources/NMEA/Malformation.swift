internal import Positioning

/// Why something in an NMEA stream was skipped; see ``NMEADecoder/malformed``.
enum Malformation: Int, Error, CaseIterable {
    case notNMEA, garbled, tooLong, cut, checksum, fields, time, date, position, number

    /// The word under which it is counted.
    var word: String {
        switch self {
        case .notNMEA: "not-nmea"
        case .garbled: "garbled"
        case .tooLong: "too-long"
        case .cut: "cut"
        case .checksum: "checksum"
        case .fields: "fields"
        case .time: "time"
        case .date: "date"
        case .position: "position"
        case .number: "number"
        }
    }
}

/// How often each was met, without a dictionary on the way of a sentence.
struct MalformationCounts {
    private var counts = [Int](repeating: 0, count: Malformation.allCases.count)

    /// Counts one more.
    mutating func count(_ reason: Malformation) { counts[reason.rawValue] += 1 }

    /// The counts by their words.
    var tally: Tally {
        var tally = Tally()
        for reason in Malformation.allCases where counts[reason.rawValue] > 0 {
            tally.count(reason.word, times: counts[reason.rawValue])
        }
        return tally
    }
}
