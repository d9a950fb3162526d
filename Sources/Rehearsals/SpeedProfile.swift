import Geodesy

/// A place on a route, and how the way goes on from there.
struct Waypoint {
    /// Where.
    var place: Coordinate
    /// The greatest speed until the next waypoint, in metres per second.
    var limit: Double
    /// How long the vehicle stands here, in seconds; 0 where it does not stop.
    var halt: Int
    /// Whether the sky is hidden from here to the next waypoint.
    var covered: Bool

    /// A waypoint with the speed limit after it in kilometres per hour.
    init(_ latitude: Double, _ longitude: Double, kmh: Double, halt: Int = 0, covered: Bool = false) {
        place = Coordinate(latitude, longitude)
        limit = kmh / 3.6
        self.halt = halt
        self.covered = covered
    }
}

/// How a vehicle drives: it keeps the limit, slows down in time for bends and halts, and stands as long as told.
struct SpeedProfile {
    /// Metres per second squared.
    var acceleration: Double
    /// Metres per second squared, positive.
    var braking: Double

    static let car = SpeedProfile(acceleration: 1.6, braking: 1.8)
    static let walker = SpeedProfile(acceleration: 0.8, braking: 0.8)
    static let boat = SpeedProfile(acceleration: 0.15, braking: 0.1)

    /// The greatest speed in a bend of so many degrees, in metres per second.
    static func bendSpeed(turn: Double) -> Double {
        switch turn {
        case ..<20: .infinity
        case ..<50: 8
        case ..<100: 5
        default: 3.5
        }
    }

    /// Drives a route from end to end, in steps of a tenth of a second.
    ///
    /// Only sums, products and square roots follow from one step to the next, so that the outcome is the same on
    /// every machine.
    func drive(_ route: [Waypoint]) -> Journey {
        let path = Path(route.map(\.place))
        let bends = route.indices.map { Self.bendSpeed(turn: path.turn(at: $0)) }
        var moments: [Moment] = []
        var halts: [Halt] = []
        var (at, speed, next) = (0.0, 0.0, 0)

        while next < route.count {
            if at >= path.offsets[next] {
                if route[next].halt > 0 || next == route.count - 1 {
                    (at, speed) = (path.offsets[next], 0)
                    let standing = route[next].halt * Journey.momentsPerSecond
                    halts.append(Halt(moments: moments.count..<(moments.count + standing), at: at))
                    moments.append(contentsOf: repeatElement(Moment(at: at, speed: 0), count: standing))
                }
                next += 1
                continue
            }
            var wanted = route[next - 1].limit
            for ahead in next..<route.count {
                let gap = path.offsets[ahead] - at
                if gap > speed * speed / braking + 10 { break }
                let through =
                    route[ahead].halt > 0 || ahead == route.count - 1 ? 0 : min(bends[ahead], route[ahead].limit)
                wanted = min(wanted, (through * through + 2 * braking * gap).squareRoot())
            }
            moments.append(Moment(at: at, speed: speed))
            speed = min(wanted, speed + acceleration * Journey.step)
            at += speed * Journey.step
        }
        moments.append(Moment(at: at, speed: 0))
        return Journey(route: route, path: path, moments: moments, halts: halts)
    }
}

/// What truly happened, moment by moment.
struct Journey {
    static let momentsPerSecond = 10
    /// Seconds between two moments.
    static let step = 1 / Double(momentsPerSecond)

    let route: [Waypoint]
    let path: Path
    /// One every tenth of a second.
    let moments: [Moment]
    /// Everywhere it stood, in order; the last may last no time.
    let halts: [Halt]

    /// Whole seconds from the first moment to the last.
    var seconds: Int { (moments.count - 1) / Self.momentsPerSecond }

    /// The moment so many seconds after the first.
    func moment(second: Int) -> Moment { moments[second * Self.momentsPerSecond] }

    /// Whether the sky is hidden so many metres along the way.
    func isCovered(at meters: Double) -> Bool { route[path.leg(at: meters)].covered }
}

/// Where a vehicle was at one moment.
struct Moment {
    /// Metres along the way.
    var at: Double
    /// Metres per second.
    var speed: Double
}

/// A time for which a vehicle stood.
struct Halt {
    /// The moments of it.
    var moments: Range<Int>
    /// Metres along the way.
    var at: Double

    /// How long it was, in seconds.
    var seconds: Double { Double(moments.count) * Journey.step }
}
