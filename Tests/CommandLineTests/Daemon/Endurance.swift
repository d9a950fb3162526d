import Foundation

/// How hard the daemon is tried: a little in each run of the tests, for some minutes where `ENDURANCE` is set.
enum Endurance {
    /// Whether there is time: 200 kills instead of 8, and what else takes long.
    static let isThorough = ProcessInfo.processInfo.environment["ENDURANCE"] != nil

    /// What chance begins with: the number in `ENDURANCE`, else 1.
    static let seed = ProcessInfo.processInfo.environment["ENDURANCE"].flatMap(UInt64.init) ?? 1

    /// Prints a figure where there is time to look at it.
    static func report(_ text: String) {
        if isThorough { print(text) }
    }
}
