import Geodesy
import Positioning
import Time

/// The speed that a receiver measures, fix by fix.
///
/// Receivers measure speed by the Doppler shift, independently of position. It also shows motion that leads nowhere,
/// such as laps. Where the places contradict it, as those of a tracker that repeats its last speed, they are believed.
struct MeasuredMotion: Sendable, Codable {
    /// A speed above that of a standing device.
    enum Pace {
        /// No stationary receiver measures this speed for a minute, unless it invents speeds.
        case walking
        /// Not even a stationary receiver that invents speeds reports this one for a minute.
        case running

        /// The speed in metres a second.
        var speed: Double {
            switch self {
            case .walking: 0.5
            case .running: 1.5
            }
        }
    }

    /// The number of fixes in a row with at least the speed ``moving``, at most ``inARow``.
    private var fixes = 0
    private var walkingSince: Timestamp?
    private(set) var runningSince: Timestamp?
    private var last: Timestamp?
    /// How far the speeds and the places say that the device has gone; also `nil` in states that algorithm 3 saved.
    private var check: SpeedCheck?

    /// The speed, in metres a second, from which a fix counts as moving.
    private static let moving = 1.0
    /// The number of moving fixes in a row that prove motion.
    private static let inARow = 3
    /// The greatest number of seconds between two fixes over which a speed holds.
    private static let longestPause = 10.0
    private static let minute = 60.0

    /// Whether a restored count is within the bounds of valid states.
    var isBounded: Bool { SavedCount.bounds.contains(fixes) && check?.isBounded ?? true }

    /// Whether enough fixes in a row show motion.
    var isSeen: Bool { fixes >= Self.inARow }

    /// Whether the device has kept a pace for the given number of seconds.
    func holds(_ pace: Pace, for seconds: Double = minute) -> Bool {
        let since =
            switch pace {
            case .walking: walkingSince
            case .running: runningSince
            }
        guard let since, let last else { return false }
        return last.seconds(since: since) >= seconds
    }

    /// Adds the next fix.
    mutating func note(_ fix: Fix) {
        guard let speed = fix.speed?.metersPerSecond, let time = fix.time else {
            self = MeasuredMotion()
            return
        }
        var check = check ?? SpeedCheck()
        check.note(speed, at: fix.coordinate, time, isCut: fix.beginsSegment)
        self.check = check
        guard !check.isContradicted else {
            (fixes, walkingSince, runningSince, last) = (0, nil, nil, time)
            return
        }
        let isCut = last.map { time.seconds(since: $0) > Self.longestPause } ?? true
        fixes = speed >= Self.moving ? min(fixes + 1, Self.inARow) : 0
        walkingSince = speed < Pace.walking.speed ? nil : isCut ? time : walkingSince ?? time
        runningSince = speed < Pace.running.speed ? nil : isCut ? time : runningSince ?? time
        last = time
    }
}
