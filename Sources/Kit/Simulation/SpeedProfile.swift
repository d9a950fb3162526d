import Geodesy

/// A place on a route, and the properties of the way to the next one.
struct Waypoint {
    var place: Coordinate
    /// The speed limit up to the next waypoint, in metres per second.
    var limit: Double
    /// The time for which the vehicle stands here, in seconds; 0 if it does not stop.
    var halt: Int
    /// Whether the sky is hidden from here to the next waypoint.
    var covered: Bool
    /// The height above mean sea level in metres, where it is known.
    var height: Double?

    /// Creates a waypoint.
    ///
    /// - Parameter kmh: The speed limit up to the next waypoint, in kilometres per hour.
    init(_ latitude: Double, _ longitude: Double, kmh: Double, halt: Int = 0, covered: Bool = false) {
        place = Coordinate(latitude, longitude)
        limit = kmh / 3.6
        self.halt = halt
        self.covered = covered
    }
}

/// The behaviour of a vehicle: it keeps the limit, slows down in time for bends and halts, and stands at halts.
struct SpeedProfile {
    /// The acceleration in metres per second squared.
    var acceleration: Double
    /// The deceleration in metres per second squared, positive.
    var braking: Double

    static let car = SpeedProfile(acceleration: 1.6, braking: 1.8)
    static let walker = SpeedProfile(acceleration: 0.8, braking: 0.8)
    static let boat = SpeedProfile(acceleration: 0.15, braking: 0.1)

    /// Returns the greatest speed in a bend of `turn` degrees, in metres per second.
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
    /// Each step needs only sums, products and square roots, so the result is the same on every machine.
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

/// The true course of a journey, moment by moment.
struct Journey {
    static let momentsPerSecond = 10
    /// The seconds between two moments.
    static let step = 1 / Double(momentsPerSecond)

    let route: [Waypoint]
    let path: Path
    /// The moments, one every tenth of a second.
    let moments: [Moment]
    /// The halts in order; the last may have no duration.
    let halts: [Halt]

    /// The whole seconds from the first moment to the last.
    var seconds: Int { (moments.count - 1) / Self.momentsPerSecond }

    /// Returns the moment `second` seconds after the first.
    func moment(second: Int) -> Moment { moments[second * Self.momentsPerSecond] }

    /// The heights that are known, by the distance along the way.
    private let heights: [(at: Double, height: Double)]

    init(route: [Waypoint], path: Path, moments: [Moment], halts: [Halt]) {
        self.route = route
        self.path = path
        self.moments = moments
        self.halts = halts
        heights = zip(path.offsets, route).compactMap { offset, waypoint in waypoint.height.map { (offset, $0) } }
    }

    /// Returns the height `meters` along the way, evenly between the known ones; 0 if none is known.
    ///
    /// - Complexity: O(*n*) for *n* known heights.
    func height(at meters: Double) -> Double {
        guard let next = heights.first(where: { $0.at >= meters }) else { return heights.last?.height ?? 0 }
        guard let before = heights.last(where: { $0.at < meters }) else { return next.height }
        return before.height + (meters - before.at) / (next.at - before.at) * (next.height - before.height)
    }

    /// Whether the sky is hidden `meters` along the way.
    func isCovered(at meters: Double) -> Bool { route[path.leg(at: meters)].covered }
}

/// The position and speed of a vehicle at one moment.
struct Moment {
    /// The distance along the way, in metres.
    var at: Double
    /// The speed in metres per second.
    var speed: Double
}

/// A period for which a vehicle stood.
struct Halt {
    /// The range of its moments.
    var moments: Range<Int>
    /// The distance along the way, in metres.
    var at: Double

    /// The duration in seconds.
    var seconds: Double { Double(moments.count) * Journey.step }
}
