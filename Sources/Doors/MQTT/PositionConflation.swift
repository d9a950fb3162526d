internal import Geodesy
internal import Positioning

/// Decides which positions of a device are worth a message.
///
/// The first one is. A later one is if enough time has passed and the device has gone far enough, or if its speed has
/// changed from standing to going or back.
struct PositionConflation {
    private let interval: Double
    private let distance: Double
    private var last: (moment: Double, fix: Fix)?

    /// The speed below which a device stands, in metres per second.
    private static let standing = 0.5

    init(interval: Double, distance: Double) {
        self.interval = interval
        self.distance = distance
    }

    /// Returns whether a position is to be told, and takes it as told if it is.
    ///
    /// - Parameter moment: Seconds of a clock that nobody sets.
    mutating func tells(_ fix: Fix, at moment: Double) -> Bool {
        if let last {
            guard moment - last.moment >= interval else { return false }
            let way = Sphere.distance(from: last.fix.coordinate, to: fix.coordinate).meters
            guard way >= distance || Self.stands(last.fix) != Self.stands(fix) else { return false }
        }
        last = (moment, fix)
        return true
    }

    /// Takes a position as told, whatever it is.
    mutating func note(_ fix: Fix, at moment: Double) { last = (moment, fix) }

    private static func stands(_ fix: Fix) -> Bool? { fix.speed.map { $0.metersPerSecond < standing } }
}
