import Geodesy
package import Time

/// The journeys of the demonstration in Liechtenstein, on its real roads.
package enum LiechtensteinDrive {
    /// The way from Balzers through the whole country up to Malbun.
    private static let route = waypoints(SimulatedRecording.liechtensteinRoute)

    /// Returns the drive through the country as NMEA 0183, with a fix each second.
    ///
    /// - Parameters:
    ///   - now: The time at which somebody begins to play it.
    ///   - speed: How many times faster than in reality it is played. It then ends at the present, and begins before; at
    ///     less than real time it begins at `now`.
    /// - Returns: The file, and the time at which the drive begins.
    package static func drive(playedAt now: Timestamp, speed: Double) -> (file: Fixtures.File, start: Timestamp) {
        let journey = SpeedProfile.car.drive(route)
        let lead = min(0, Double(journey.seconds) / speed - Double(journey.seconds))
        let start = now.advanced(byMilliseconds: Int64(lead) * 1000)
        var receiver = receiver(seed: 20_261_127, interval: 1)
        receiver.coldStart = 8
        var text = NMEAText(sentences: [.gga, .gsa, .gsv, .rmc, .vtg])
        text.separation = "48.0"
        return (Fixtures.File("drive.nmea", text.log(receiver.record(journey, from: start.wholeSecond))), start)
    }

    /// Returns a bus that goes down from Malbun and through the country meanwhile, as GPX with a fix every two seconds.
    package static func bus(from start: Timestamp) -> Fixtures.File {
        gpx("bus", reversed(route), seed: 20_261_128, interval: 2, from: start)
    }

    /// Returns journeys of the months before, as GPX with a fix every four seconds.
    package static func earlier(than start: Timestamp) -> [Fixtures.File] {
        let stops = [0] + route.indices.filter { route[$0].halt > 0 && $0 > 0 }
        func part(_ from: Int, _ to: Int) -> [Waypoint] {
            guard stops.indices.contains(from), stops.indices.contains(to) else { return route }
            return from < to ? Array(route[stops[from]...stops[to]]) : reversed(Array(route[stops[to]...stops[from]]))
        }
        // Balzers, Vaduz, Schaan, Ruggell, Schellenberg, Nendeln, Schaan, Vaduz Castle, Triesenberg, Malbun
        let days: [(ago: Int64, hour: Int64, way: [Waypoint])] = [
            (3, 9, part(9, 6)), (9, 15, part(2, 3)), (16, 10, part(7, 9)), (31, 8, part(1, 0)), (58, 11, part(0, 3)),
            (97, 9, part(3, 6)), (142, 14, part(6, 9)), (203, 10, part(9, 7)), (290, 9, part(0, 9)),
            (331, 16, part(3, 1)),
            (388, 10, part(6, 9)), (412, 9, part(2, 5)),
        ]
        return days.enumerated().map { number, day in
            let midnight = start.milliseconds / Timestamp.millisecondsPerDay - day.ago
            let begin = Timestamp(
                milliseconds: midnight * Timestamp.millisecondsPerDay + (day.hour * 60 + 7 * day.ago % 60) * 60_000)
            return gpx("earlier-\(number + 1)", day.way, seed: 30_000 + UInt64(number) * 10, interval: 4, from: begin)
        }
    }

    /// Returns the sights of the country, for `waymark sight import`.
    package static func sights() -> Fixtures.File {
        Fixtures.File("liechtenstein.sights.csv", SimulatedSight.csv(SimulatedSight.liechtenstein))
    }

    private static func receiver(seed: UInt64, interval: Int) -> SimulatedReceiver {
        var receiver = SimulatedReceiver(seed: seed)
        receiver.interval = interval
        receiver.altitude = 0
        return receiver
    }

    private static func gpx(
        _ name: String, _ route: [Waypoint], seed: UInt64, interval: Int, from start: Timestamp
    ) -> Fixtures.File {
        let epochs = receiver(seed: seed, interval: interval).record(
            SpeedProfile.car.drive(route), from: start.wholeSecond)
        return Fixtures.File("\(name).gpx", SimulatedGPX.document(name: name, epochs))
    }

    /// Returns a route the other way round; each limit holds for the same piece of road.
    private static func reversed(_ route: [Waypoint]) -> [Waypoint] {
        route.indices.reversed().map { index in
            var waypoint = route[index]
            waypoint.limit = route[max(0, index - 1)].limit
            waypoint.covered = route[max(0, index - 1)].covered
            return waypoint
        }
    }

    /// Returns the waypoints that the words of a route describe.
    private static func waypoints(_ text: String) -> [Waypoint] {
        var (route, kmh, isCovered): ([Waypoint], Double, Bool) = ([], 50, false)
        for word in text.split(whereSeparator: \.isWhitespace) {
            let rest = word.dropFirst()
            switch word.first {
            case "@":
                isCovered = rest.hasSuffix("t")
                kmh = Double(isCovered ? rest.dropLast() : rest) ?? kmh
            // The limit is that of the way from the next place on.
            case "^":
                if let height = Double(rest), let last = route.indices.last { route[last].height = height }
            case "+":
                if let halt = Int(rest), let last = route.indices.last { route[last].halt = halt }
            default:
                let degrees = word.split(separator: ",").compactMap { Double($0) }
                guard degrees.count == 2 else { preconditionFailure("\(word) is no word of a route") }
                route.append(Waypoint(degrees[0], degrees[1], kmh: kmh, covered: isCovered))
            }
        }
        return route
    }
}

extension Timestamp {
    /// The time without the fraction of its second.
    fileprivate var wholeSecond: Timestamp { Timestamp(milliseconds: milliseconds / 1000 * 1000) }
}
