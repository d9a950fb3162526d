import Foundation
import Geodesy
import Positioning
import Time

/// A device that drives within a town and to towns nearby, rests in between, and reports a fix each second.
///
/// The noise of its fixes wanders.
struct Driver {
    private var random: WorkloadGenerator
    private let country: Country
    private var town: Country.Town
    private var second = 0
    private var place: (Double, Double)
    private var goal: (Double, Double)
    private var cruise = 12.0
    private var speed = 0.0
    private var heading = 0.0
    private var rest = 0
    private var wander = (north: 0.0, east: 0.0)
    private let accuracy: Double

    /// The share of a second's noise that is left in the next second.
    private static let keep = 0.96

    init(device: Int, in country: Country) {
        self.country = country
        random = WorkloadGenerator(seed: 1000 + UInt64(device))
        town = country.town(&random)
        place = Country.place(in: town, spread: 0.7, &random)
        goal = place
        accuracy = random.uniform(3...5)
    }

    /// Returns the fix of the next second.
    mutating func next() -> Fix? {
        move()
        let deviation = accuracy * 0.68 * (1 - Self.keep * Self.keep).squareRoot()
        wander.north = Self.keep * wander.north + random.gauss(deviation)
        wander.east = Self.keep * wander.east + random.gauss(deviation)
        let jitter = random.gauss(accuracy * 0.19)
        let latitude = place.0 + (wander.north + jitter) / Country.metersPerDegree
        let longitude = place.1 + (wander.east - jitter) / Self.metersPerDegreeOfLongitude(at: place.0)
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { return nil }
        var fix = Fix(time: NMEACycle.start.advanced(byMilliseconds: Int64(second) * 1000), coordinate: coordinate)
        fix.speed = .metersPerSecond(abs(speed + 0.05 * jitter))
        fix.track = Angle.degrees(heading * 180 / .pi).normalized
        fix.accuracy = .meters(accuracy + 0.2 * abs(jitter))
        fix.hdop = accuracy / 4
        fix.altitude = .meters(250 + 80 * sin(Double(second) / 900))
        second += 1
        return fix
    }

    private mutating func move() {
        if rest > 0 {
            rest -= 1
            speed = max(0, speed - 3)
            return
        }
        let north = (goal.0 - place.0) * Country.metersPerDegree
        let east = (goal.1 - place.1) * Self.metersPerDegreeOfLongitude(at: place.0)
        let distance = (north * north + east * east).squareRoot()
        guard distance > 10 + 1.5 * speed else { return arrive() }
        heading = atan2(east, north)
        speed += max(-3, min(1.5, min(cruise, (3 * distance).squareRoot()) - speed))
        place.0 += speed * cos(heading) / Country.metersPerDegree
        place.1 += speed * sin(heading) / Self.metersPerDegreeOfLongitude(at: place.0)
    }

    private mutating func arrive() {
        rest = Int(min(1800, max(30, -300 * log(random.uniform(1e-6...1)))))
        let staysInTown = random.uniform(0...1) < 0.75
        if !staysInTown { town = nearTown() }
        cruise = staysInTown ? random.uniform(9...15) : random.uniform(20...34)
        goal = Country.place(in: town, spread: 0.7, &random)
    }

    private mutating func nearTown() -> Country.Town {
        let here = place
        let nearest = country.towns.sorted {
            hypot($0.latitude - here.0, $0.longitude - here.1)
                < hypot($1.latitude - here.0, $1.longitude - here.1)
        }
        return nearest[Int.random(in: 1...6, using: &random)]
    }

    private static func metersPerDegreeOfLongitude(at latitude: Double) -> Double {
        Country.metersPerDegree * cos(latitude * .pi / 180)
    }
}
