import Geodesy
import Glibc
import TestSupport
import Testing

@Suite struct GreatCircleCourseTests {
    /// The test walks the path in small steps until it is inside the circle.
    @Test(arguments: ["town", "antimeridian", "pole", "equator"])
    func theDistanceToACircleIsThatOfAWalk(region: String) throws {
        var random = SeededGenerator(seed: UInt64(region.utf8.count))
        var met = 0
        for _ in 0..<200 {
            let offsets = (0..<4).map { _ in Double.random(in: -0.02...0.02, using: &random) }
            let (start, center) = (
                Self.place(region, offsets[0], offsets[1]), Self.place(region, offsets[2], offsets[3])
            )
            let radius = Distance.meters(.random(in: 10...1500, using: &random))
            let course = Angle.degrees(.random(in: 0..<360, using: &random))
            let squared = Sphere.squaredChord(distance: radius)
            let way = GreatCircleCourse(from: start, towards: course)
                .distance(toCircleAround: center, radius: radius, squaredRadius: squared)
            guard start.squaredChord(to: center) > squared else {
                #expect(way == nil)
                continue
            }
            let closest = stride(from: 0.0, through: 12_000, by: 5).lazy
                .map { (way: $0, gap: Self.point(start, course, $0).distance(to: center).meters - radius.meters) }
            if let first = closest.first(where: { $0.gap <= 0 }) {
                met += 1
                let way = try #require(way).meters
                #expect(way <= first.way + 1e-6)
                #expect(way >= first.way - 5 - 1e-6)
                #expect(abs(Self.point(start, course, way).distance(to: center).meters - radius.meters) < 1e-3)
            } else if way != nil {
                // The path grazes the circle between two steps.
                #expect(closest.map(\.gap).min().known < 1)
            }
        }
        #expect(met > 10)
    }

    @Test func aCircleBehindIsNotMet() {
        let start = UnitVector(Coordinate(latitude: 52, longitude: 4).known)
        let north = UnitVector(Coordinate(latitude: 52.01, longitude: 4).known)
        let squared = Sphere.squaredChord(distance: .meters(100))
        #expect(GreatCircleCourse(from: start, towards: .degrees(0)).meets(north, squaredRadius: squared))
        #expect(!GreatCircleCourse(from: start, towards: .degrees(180)).meets(north, squaredRadius: squared))
    }

    private static func place(_ region: String, _ first: Double, _ second: Double) -> UnitVector {
        let place =
            switch region {
            case "town": Coordinate(latitude: 52.37 + first, longitude: 4.9 + second)
            case "antimeridian":
                Coordinate(latitude: -16.8 + first, longitude: second < 0 ? 180 + second : second - 180)
            case "pole": Coordinate(latitude: 90 - abs(first), longitude: second * 9000)
            default: Coordinate(latitude: first, longitude: second)
            }
        return UnitVector(place.known)
    }

    /// Returns the place `way` metres from another in a direction, by the formulas of latitude and longitude.
    private static func point(_ start: UnitVector, _ course: Angle, _ way: Double) -> UnitVector {
        let (latitude, longitude) = (start.latitudeDegrees * .pi / 180, start.longitudeDegrees * .pi / 180)
        let (angle, course) = (way / Sphere.radius.meters, course.degrees * .pi / 180)
        let sine = sin(latitude) * cos(angle) + cos(latitude) * sin(angle) * cos(course)
        let turn = atan2(sin(course) * sin(angle) * cos(latitude), cos(angle) - sin(latitude) * sine)
        let height = asin(max(-1, min(1, sine)))
        return UnitVector(
            towardsX: cos(height) * cos(longitude + turn), y: cos(height) * sin(longitude + turn), z: sin(height)
        ).known
    }
}
