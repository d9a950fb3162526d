import Foundation
import TextCoding

/// The maker of polygons: 10,000 of 100 corners, four of five in towns, and one of 100,000 corners about many of them.
///
/// Each is a star around its middle, so that no edges cross, and closed.
enum ShapeMaker {
    static let count = 10_000
    /// The id of the first polygon, beyond those of the sights.
    private static let firstID = 1_000_001

    /// Returns lines of an id, a comma and WKT, with a heading line.
    static func lines(_ country: Country) -> [UInt8] {
        var random = WorkloadGenerator(seed: 4)
        var bytes = [UInt8]("id,wkt\n".utf8)
        for number in 0..<count {
            let isInTown = random.uniform(0...1) < 0.8
            let middle = isInTown ? Country.place(in: country.town(&random), &random) : Country.anywhere(&random)
            let radius = exp(random.uniform(log(25)...log(1000)))
            append(firstID + number, around: middle, radius: radius, corners: 100, &random, to: &bytes)
        }
        let town = country.towns[0]
        append(
            firstID + count, around: (town.latitude, town.longitude), radius: 150_000, corners: 99_999, &random,
            to: &bytes)
        return bytes
    }

    private static func append(
        _ id: Int, around middle: (latitude: Double, longitude: Double), radius: Double, corners: Int,
        _ random: inout WorkloadGenerator, to bytes: inout [UInt8]
    ) {
        let waves = [3.0, 7, 17].map { ($0, random.uniform(0.05...0.15), random.uniform(0...6)) }
        let (north, east) = (
            radius / Country.metersPerDegree,
            radius / Country.metersPerDegree / cos(middle.latitude * .pi / 180)
        )
        bytes += "\(id),POLYGON((".utf8
        for corner in 0...corners {
            let angle = 2 * Double.pi * Double(corner % corners) / Double(corners)
            let length = waves.reduce(1) { $0 + $1.1 * sin($1.0 * angle + $1.2) }
            if corner > 0 { bytes.append(UInt8(ascii: ",")) }
            DecimalText.append(middle.longitude + east * length * cos(angle), decimals: 7, to: &bytes)
            bytes.append(UInt8(ascii: " "))
            DecimalText.append(middle.latitude + north * length * sin(angle), decimals: 7, to: &bytes)
        }
        bytes += "))\n".utf8
    }
}
