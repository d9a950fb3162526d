import Foundation

/// A country of towns, in which most sights lie and most driving is done; a few towns are large.
struct Country {
    struct Town {
        var latitude: Double
        var longitude: Double
        /// The standard deviation of places around its centre, in metres.
        var spread: Double
    }

    let towns: [Town]
    /// The running sums of the weights, from the largest town on.
    private let sums: [Double]

    static let latitudes = 36.0...60.0
    static let longitudes = -9.0...30.0
    static let metersPerDegree = 6_371_008.8 * Double.pi / 180
    private static let townCount = 300

    init(seed: UInt64) {
        var random = WorkloadGenerator(seed: seed)
        towns = (1...Self.townCount).map { rank in
            Town(
                latitude: random.uniform(Self.latitudes), longitude: random.uniform(Self.longitudes),
                spread: 6000 * pow(Double(rank), -0.25))
        }
        var sum = 0.0
        sums = (1...Self.townCount).map { rank in
            sum += pow(Double(rank), -0.7)
            return sum
        }
    }

    /// Returns a random town; larger ones are more likely.
    func town(_ random: inout WorkloadGenerator) -> Town {
        let at = random.uniform(0...(sums.last ?? 0))
        return towns[sums.firstIndex { $0 >= at } ?? 0]
    }

    /// Returns a place in or near a town.
    static func place(in town: Town, spread: Double = 1, _ random: inout WorkloadGenerator) -> (Double, Double) {
        (
            town.latitude + random.gauss(town.spread * spread) / metersPerDegree,
            town.longitude + random.gauss(town.spread * spread) / metersPerDegree / cos(town.latitude * .pi / 180)
        )
    }

    /// Returns a place anywhere.
    static func anywhere(_ random: inout WorkloadGenerator) -> (Double, Double) {
        (random.uniform(latitudes), random.uniform(longitudes))
    }
}
