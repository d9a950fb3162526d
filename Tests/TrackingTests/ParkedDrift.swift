import Geodesy
import Positioning
import TestSupport
import Tracking

/// Fixes of a device that stands for a day while its position wanders and sometimes jumps, as between tall buildings.
///
/// The error on each axis is a first-order autoregressive process that begins in its stationary state. A jump adds a
/// displacement of up to 280 m for up to a minute and a half, and no other jump follows for five minutes.
struct ParkedDrift {
    /// The standard deviation on each axis, in metres.
    var deviation: Double
    /// The time in seconds after which the error has mostly changed.
    var correlationTime = 150.0
    /// The number of seconds between two fixes.
    var every = 1.0
    /// How long the device stands, in seconds.
    var duration = 86_400.0
    /// The average number of seconds between two jumps, or `nil` for no jumps.
    var jumpsEvery: Double?
    /// The accuracy and speed that the receiver reports, or `nil` if it reports none.
    var claims: Claims?
    var seed: UInt64

    struct Claims {
        /// The 95 % radius that the receiver reports.
        var accuracy: Double
        /// The highest speed that it reports at rest.
        var speed: Double
    }

    /// Returns the fixes around a journey's origin.
    func fixes(around journey: Journey = Journey()) -> [Fix] {
        var random = SeededGenerator(seed: seed)
        func deviate() -> Double { (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) } }
        let kept = 1 - every / correlationTime
        let renewed = deviation * (1 - kept * kept).squareRoot()
        var (east, north) = (deviation * deviate(), deviation * deviate())
        var jump = (east: 0.0, north: 0.0, until: -1.0)
        var fixes: [Fix] = []
        for index in 0..<Int(duration / every) {
            let time = Double(index) * every
            (east, north) = (kept * east + renewed * deviate(), kept * north + renewed * deviate())
            if let jumpsEvery, time > jump.until + 300, Double.random(in: 0..<1, using: &random) < every / jumpsEvery {
                jump = (
                    .random(in: -200...200, using: &random), .random(in: -200...200, using: &random),
                    time + .random(in: 2...90, using: &random)
                )
            }
            let isJumping = time <= jump.until
            var fix = Fix(
                time: Journey.at(time),
                coordinate: journey.place(
                    east: east + (isJumping ? jump.east : 0), north: north + (isJumping ? jump.north : 0)))
            if let claims {
                fix.accuracy = .meters(isJumping ? 1.7 : claims.accuracy)
                fix.speed = .metersPerSecond(.random(in: 0...claims.speed, using: &random))
            }
            fixes.append(fix)
        }
        return fixes
    }
}
