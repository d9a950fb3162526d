import Foundation
import Geodesy
import Testing

@Suite struct QuantityTests {
    private static let numbers: [Double] = [
        .infinity, -.infinity, .nan, .greatestFiniteMagnitude, -1e308, 1e15, -1e15, 299_792_459, 0, -0.0, 1.5,
    ]

    @Test(arguments: numbers) func everyQuantityIsFinite(number: Double) throws {
        let (distance, speed, angle) = (
            Distance.meters(number), Speed.kilometersPerHour(number), Angle.degrees(number)
        )
        #expect(distance.meters.magnitude <= Distance.greatest.meters)
        #expect(Distance.kilometers(number).meters.isFinite)
        #expect(speed.metersPerSecond.magnitude <= Speed.greatest.metersPerSecond)
        #expect((0..<360).contains(angle.normalized.degrees))
        for other in Self.numbers.map(Distance.meters) {
            #expect((distance + other).meters.isFinite && (distance - other).meters.isFinite)
        }
    }

    @Test func decodedQuantitiesAreLimitedToTheirRange() throws {
        let text = Data(#"{"meters":12.5}"#.utf8)
        let distance = try JSONDecoder().decode(Distance.self, from: text)
        #expect(distance == .meters(12.5))
        #expect(try JSONEncoder().encode(distance) == text)
        let huge = try JSONDecoder().decode(Distance.self, from: Data(#"{"meters":1e300}"#.utf8))
        #expect(huge == .greatest)
        let speed = Speed.metersPerSecond(3)
        #expect(try JSONDecoder().decode(Speed.self, from: JSONEncoder().encode(speed)) == speed)
        let angle = Angle.degrees(3)
        #expect(try JSONDecoder().decode(Angle.self, from: JSONEncoder().encode(angle)) == angle)
    }
}
