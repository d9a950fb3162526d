public import Geodesy

/// An invented journey of three days due east, from one June morning to the next, past five of six places.
///
/// Each day covers 6 km in ten minutes and then rests. The second day also pauses for five minutes where nothing is
/// planned. There are no fixes between the days.
public struct ThreeDays: Sendable {
    /// A position of the device and its time.
    public struct Fix: Hashable, Sendable {
        /// The time in milliseconds since 1970.
        public var time: Int64
        /// The position of the device.
        public var place: Coordinate
    }

    /// A place of the plan, with a radius of 120 m.
    public struct Place: Hashable, Sendable {
        /// The name of the place.
        public var name: String
        /// The centre of the place.
        public var middle: Coordinate
        /// The day for which the place is planned: 0, 1 or 2.
        public var day: Int
    }

    /// The beginning: 2026-06-01 08:00 in UTC.
    private static let start: Int64 = 1_780_300_800_000
    private static let dayLength: Int64 = 86_400_000
    private static let stepsADay = 120
    /// The step of the pause on the second day, counted over all days.
    private static let pause = 180

    /// The radius of the places, in metres; their edges lie between two steps.
    public static let radius = 120.0

    /// The six places in the order of the plan; the device never reaches the last one.
    public static let places: [Place] = [
        Place(name: "Mill", middle: step(40), day: 0), Place(name: "Hotel", middle: step(119), day: 0),
        Place(name: "Forum", middle: step(150), day: 1), Place(name: "Inn", middle: step(239), day: 1),
        Place(name: "Tower", middle: step(300), day: 2),
        Place(name: "Island", middle: Coordinate(latitude: 53, longitude: 5).known, day: 2),
    ]

    /// The places where the device stops unplanned: on the way of the second day, and at the end of the third.
    public static let stops = [step(pause), step(359)]

    /// Returns a place on the way, which is 50 m and 5 s after the one before.
    private static func step(_ number: Int) -> Coordinate {
        Coordinate(latitude: 52, longitude: 5 + Double(number) * 0.00073).known
    }

    /// Returns the fixes of a day: 0, 1 or 2.
    public static func fixes(ofDay day: Int) -> [Fix] {
        var time = start + Int64(day) * dayLength
        var fixes: [Fix] = []
        func rest(_ count: Int) {
            for _ in 0..<count {
                time += 10_000
                if let place = fixes.last?.place { fixes.append(Fix(time: time, place: place)) }
            }
        }
        for number in (day * stepsADay)..<((day + 1) * stepsADay) {
            time += 5000
            fixes.append(Fix(time: time, place: step(number)))
            if number == pause { rest(30) }
        }
        rest(100)
        return fixes
    }

    /// Returns the time of the first fix within a place; `nil` if there is none.
    public static func arrival(at place: Place) -> Int64? {
        (0..<3).flatMap { fixes(ofDay: $0) }
            .first { Sphere.distance(from: $0.place, to: place.middle).meters <= radius }?.time
    }
}
