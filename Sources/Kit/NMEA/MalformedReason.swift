internal import Positioning

/// The reason why something in an NMEA stream was skipped; see ``NMEADecoder/malformed``.
enum MalformedReason: Int, Error, CaseIterable {
    case notNMEA, garbled, tooLong, cut, checksum, fields, time, date, position, number

    /// The reason's name in the counts.
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

/// Counts by reason.
///
/// They avoid a dictionary while sentences are processed.
struct MalformedCounts {
    private var counts = [Int](repeating: 0, count: MalformedReason.allCases.count)

    /// Increases the count of a reason.
    mutating func count(_ reason: MalformedReason) { counts[reason.rawValue] += 1 }

    /// The counts by the reasons' names.
    var tally: Tally {
        var tally = Tally()
        for reason in MalformedReason.allCases where counts[reason.rawValue] > 0 {
            tally.count(reason.word, times: counts[reason.rawValue])
        }
        return tally
    }
}
