import Geodesy
import Positioning

/// Finds out whether a file's values of `hdop` are dilutions of precision, as GPX has it, or accuracies in metres.
///
/// Some programs for phones write the accuracy there, because phones tell no dilution. Read as a dilution, an ordinary
/// accuracy of 12 m is so bad that no fix is used.
struct DilutionSurvey: Sendable {
    /// The names of programs that write metres.
    private static let programs = ["osmand", "locus"]
    /// The least number of values that can show it without a name.
    private static let leastCount = 10
    /// The value that most dilutions stay below, and most accuracies of phones exceed.
    private static let usual = 3.0

    /// The number of values.
    private(set) var count = 0
    private var small = 0
    private var large = 0

    /// Counts the values of fixes; those that mean “unknown” are left out.
    mutating func add(_ fixes: [Fix]) {
        for fix in fixes {
            guard let hdop = fix.hdop, hdop > 0 else { continue }
            count += 1
            if hdop < 1 { small += 1 }
            if hdop >= Self.usual { large += 1 }
        }
    }

    /// Whether a value is below 1, as no accuracy of a phone is.
    var hasSmall: Bool { small > 0 }

    /// Whether the values themselves show metres.
    var showsMetres: Bool { count >= Self.leastCount && small == 0 && 2 * large > count }

    /// Whether a program of this name writes metres.
    static func isOfMetres(creator: String?) -> Bool {
        guard let name = creator?.lowercased() else { return false }
        return programs.contains { name.hasPrefix($0) }
    }

    /// The words for what was assumed because of the values.
    var words: String {
        "its <hdop> values are read as accuracies in metres, because \(large) of \(count) are 3 or more and none is under 1"
    }

    /// The words for what was assumed because of the program.
    static func words(creator: String) -> String {
        "its <hdop> values are read as accuracies in metres, because \(creator) wrote it"
    }
}

extension Fix {
    /// Takes a dilution for what it is in truth, an accuracy in metres.
    mutating func readDilutionAsMetres() {
        guard let value = hdop, value > 0 else { return }
        if accuracy == Accuracy.estimated(hdop: value) { accuracy = .meters(value) }
        hdop = nil
    }
}
