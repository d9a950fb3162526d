import Geodesy

extension SimulatedRecording {
    /// Returns the trip of a boat that crosses the antimeridian in the strait west of Taveuni, Fiji.
    static func antimeridianSail() -> SimulatedRecording {
        var receiver = SimulatedReceiver(seed: 20_260_505)
        receiver.interval = 5
        return SimulatedRecording(
            "antimeridian-sail", from: "2026-05-05T22:00:00Z", .boat, receiver,
            [
                Waypoint(-16.7452, 179.9905, kmh: 11), Waypoint(-16.742, 179.998, kmh: 11),
                Waypoint(-16.7385, -179.9985, kmh: 12), Waypoint(-16.735, -179.99, kmh: 11),
            ])
    }

    /// The sights on both sides of the antimeridian, and on it.
    ///
    /// They are points of the chart, without anything in the water.
    static let antimeridianSights = [
        SimulatedSight(
            "west-mark", "West mark", -16.743, 179.9962, 150, "mark", "A point of the chart 400 m west of the line."),
        SimulatedSight(
            "on-the-line", "On the line", -16.7405, -180, 200, "mark",
            "A point of the chart on the antimeridian itself, which the file writes as 180 degrees west."),
        SimulatedSight(
            "across-the-line", "Across the line", -16.7425, -179.9995, 250, "mark",
            "A point of the chart east of the line whose circle reaches across it."),
    ]

    /// Returns a walk at the South Pole: to the ceremonial pole, around the geographic one, and across it.
    static func polarWalk() -> SimulatedRecording {
        var receiver = SimulatedReceiver(seed: 20_260_506)
        receiver.interval = 5
        receiver.altitude = 2835
        func at(_ metersFromPole: Double, _ longitude: Double, halt: Int = 0) -> Waypoint {
            Waypoint(-90 + metersFromPole / metersPerDegreeAtPole, longitude, kmh: 4.68, halt: halt)
        }
        let round = stride(from: -150.0, through: 180, by: 30).map { at(40, $0) }
        return SimulatedRecording(
            "polar-walk", from: "2026-01-15T02:00:00Z", .walker, receiver,
            [at(420, 60), at(185, 45, halt: 30), at(40, 170)] + round + [at(40, -150), at(300, 30, halt: 20)])
    }

    /// The length of a degree of latitude at a pole, in metres.
    private static let metersPerDegreeAtPole = 111_694.0

    /// The two poles at the South Pole.
    ///
    /// The ice moves the ceremonial one. Its distance from the geographic pole is correct; its direction is invented.
    static let polarSights = [
        SimulatedSight(
            "geographic-south-pole", "Geographic South Pole", -90, 0, 60, "pole",
            "The place where all meridians meet; its marker is set anew each year, because the ice moves."),
        SimulatedSight(
            "ceremonial-south-pole", "Ceremonial South Pole", -89.9984, 40, 60, "pole",
            "A mirrored ball on a striped post among the flags of the first states of the Antarctic Treaty."),
    ]

    /// Returns the ride of a cyclist from the Munttoren to the station, across midnight.
    static func dateless() -> SimulatedRecording {
        var receiver = SimulatedReceiver(seed: 20_260_507)
        receiver.interval = 2
        return SimulatedRecording(
            "dateless", from: "2026-05-06T23:57:00Z", .car, receiver,
            [
                Waypoint(52.3669, 4.8929, kmh: 18), Waypoint(52.369, 4.8925, kmh: 18),
                Waypoint(52.3711, 4.8924, kmh: 18), Waypoint(52.3727, 4.8929, kmh: 18, halt: 30),
                Waypoint(52.3752, 4.8955, kmh: 18), Waypoint(52.3772, 4.8984, kmh: 18, halt: 10),
            ])
    }

    /// Returns twelve minutes on the Afsluitdijk at motorway speed, with a fix every 20 s, more than 500 m apart.
    static func passBy() -> SimulatedRecording {
        var receiver = SimulatedReceiver(seed: 20_260_508)
        receiver.interval = 20
        return SimulatedRecording(
            "pass-by", from: "2026-05-07T09:00:00Z", .car, receiver,
            [
                Waypoint(52.9375, 5.0545, kmh: 100), Waypoint(53.0105, 5.1905, kmh: 100),
                Waypoint(53.0187, 5.2095, kmh: 100), Waypoint(53.069, 5.332, kmh: 60, halt: 20),
            ])
    }

    /// Returns sights beside that road, whose events depend on where the two fixes around each fall.
    static func passBySights() -> [SimulatedSight] {
        let journey = passBy().journey
        /// Returns a place to the right of the road where the driver is after `second` seconds.
        func beside(second: Int, right meters: Double) -> Coordinate {
            let at = journey.moment(second: second).at
            return Coordinate(
                journey.path.place(at: at).displaced(
                    meters, towards: journey.path.course(at: at).degrees + 90))
        }
        return [
            SimulatedSight(
                "between-fixes", "Between two fixes", at: beside(second: 130, right: 20), 80, "mark",
                "Passed 20 m away, half-way between two fixes: a cross."),
            SimulatedSight(
                "grazed-between-fixes", "Grazed between two fixes", at: beside(second: 252, right: -50), 70, "mark",
                "Passed 50 m away, within the radius but far from both fixes: a cross."),
            SimulatedSight(
                "just-missed", "Just missed", at: beside(second: 330, right: 120), 80, "mark",
                "Passed 120 m away: nothing."),
            SimulatedSight(
                "at-a-fix", "At a fix", at: beside(second: 400, right: 15), 100, "mark",
                "A fix falls inside: an enter and, with the next fix, an exit."),
            SimulatedSight(
                "wide", "Wide", at: beside(second: 510, right: 30), 700, "mark",
                "So wide that several fixes fall inside: an enter and an exit."),
            SimulatedSight(
                "at-the-end", "At the end", at: beside(second: journey.seconds - 5, right: 20), 100, "mark",
                "The drive ends here: an enter without an exit."),
        ]
    }
}
