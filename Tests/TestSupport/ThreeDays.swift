public import Geodesy

/// A made-up journey of three days due east, from one June morning to the next, past five of six places.
///
/// Each day goes 6 km in ten minutes and then rests; the second one stands for five minutes on its way where nothing is
/// planned. In between nothing is heard.
public struct ThreeDays: Sendable {
    /// Where the device was, and when.
    public struct Fix: Hashable, Sendable {
        /// Milliseconds since 1970.
        public var time: Int64
        /// Where the device was.
        public var place: Coordinate
    }

    /// A place of the plan, of 120 m about its middle.
    public struct Place: Hashable, Sendable {
        /// What it is called.
        public var name: String
        /// Its middle.
        public var middle: Coordinate
        /// For which day it is planned: 0, 1 or 2.
        public var day: Int
    }

    /// 2026-06-01 08:00 in UTC.
    private static let start: Int64 = 1_780_300_800_000
    private static let dayLength: Int64 = 86_400_000
    private static let stepsADay = 120
    /// Where the second day stands on its way, in steps of the whole.
    private static let pause = 180

    /// The radius of the places, in metres: between two steps.
    public static let radius = 120.0

    /// The six places in the order of the plan; nobody comes to the last one.
    public static let places: [Place] = [
        Place(name: "Mill", middle: step(40), day: 0), Place(name: "Hotel", middle: step(119), day: 0),
        Place(name: "Forum", middle: step(150), day: 1), Place(name: "Inn", middle: step(239), day: 1),
        Place(name: "Tower", middle: step(300), day: 2),
        Place(name: "Island", middle: Coordinate(latitude: 53, longitude: 5).known, day: 2),
    ]

    /// Where nothing is planned and the device stops: on the second day's way, and at the end of the third.
    public static let stops = [step(pause), step(359)]

    /// A place of the way: 50 m, and 5 s, from the one before.
    private static func step(_ number: Int) -> Coordinate {
        Coordinate(latitude: 52, longitude: 5 + Double(number) * 0.00073).known
    }

    /// The fixes of a day: 0, 1 or 2.
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

    /// The time of the first fix that is within a place; nil where none is.
    public static func arrival(at place: Place) -> Int64? {
        (0..<3).flatMap { fixes(ofDay: $0) }
            .first { Sphere.distance(from: $0.place, to: place.middle).meters <= radius }?.time
    }
}
