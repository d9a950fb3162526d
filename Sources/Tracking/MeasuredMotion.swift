import Geodesy
import Positioning

/// What a receiver measures of a device's speed, fix by fix.
///
/// The speed is measured by the Doppler shift, apart from the place: it shows motion that leads nowhere, such as laps.
struct MeasuredMotion: Sendable, Codable {
    /// A speed that is no standing.
    enum Pace {
        /// No receiver that stands measures so much for a minute, unless it invents it.
        case walking
        /// Nor does one that invents a speed.
        case running

        /// In metres a second.
        var speed: Double {
            switch self {
            case .walking: 0.5
            case .running: 1.5
            }
        }
    }

    /// Fixes in a row that were faster than `moving`.
    private var fixes = 0
    private var walkingSince: Timestamp?
    private(set) var runningSince: Timestamp?
    private var last: Timestamp?

    /// Faster, in metres a second, is moving.
    private static let moving = 1.0
    /// So many fixes in a row prove that a device moves.
    private static let inARow = 3
    /// The most seconds between two fixes over which a speed holds.
    private static let longestPause = 10.0
    private static let minute = 60.0

    /// Whether what was saved of it can be counted on.
    var isBounded: Bool { SavedCount.bounds.contains(fixes) }

    /// Whether a motion was measured for long enough to be one.
    var isSeen: Bool { fixes >= Self.inARow }

    /// Whether a pace has held for so many seconds.
    func holds(_ pace: Pace, for seconds: Double = minute) -> Bool {
        let since =
            switch pace {
            case .walking: walkingSince
            case .running: runningSince
            }
        guard let since, let last else { return false }
        return last.seconds(since: since) >= seconds
    }

    /// Takes the next fix.
    mutating func note(_ fix: Fix) {
        guard let speed = fix.speed?.metersPerSecond, let time = fix.time else {
            self = MeasuredMotion()
            return
        }
        let isCut = last.map { time.seconds(since: $0) > Self.longestPause } ?? true
        fixes = speed >= Self.moving ? min(fixes + 1, Self.inARow) : 0
        walkingSince = speed < Pace.walking.speed ? nil : isCut ? time : walkingSince ?? time
        runningSince = speed < Pace.running.speed ? nil : isCut ? time : runningSince ?? time
        last = time
    }
}
