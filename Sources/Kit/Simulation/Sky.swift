import Positioning

/// The satellites above the recordings: eleven, on invented courses slow enough for half an hour.
enum Sky {
    private struct Satellite {
        var number: Int
        var elevation: Int
        var azimuth: Int
    }

    private static let satellites = [
        Satellite(number: 5, elevation: 71, azimuth: 238), Satellite(number: 13, elevation: 62, azimuth: 92),
        Satellite(number: 15, elevation: 55, azimuth: 181), Satellite(number: 18, elevation: 47, azimuth: 301),
        Satellite(number: 20, elevation: 39, azimuth: 265), Satellite(number: 23, elevation: 33, azimuth: 57),
        Satellite(number: 24, elevation: 28, azimuth: 135), Satellite(number: 29, elevation: 22, azimuth: 318),
        Satellite(number: 10, elevation: 17, azimuth: 24), Satellite(number: 2, elevation: 12, azimuth: 206),
        Satellite(number: 30, elevation: 7, azimuth: 348),
    ]

    /// Returns the GSA sentence without its talker: the satellites used, highest first, and the dilutions.
    static func active(_ fix: Fix?) -> String {
        guard let fix, let hdop = fix.hdop else { return "GSA,A,1,,,,,,,,,,,,,99.99,99.99,99.99" }
        let used = satellites.prefix(fix.satellites ?? 0).map { Digits.padded($0.number, digits: 2) }
        let slots = used + Array(repeating: "", count: 12 - used.count)
        let dilutions = [1.8 * hdop, hdop, 1.5 * hdop].map { Digits.text($0, decimals: 2) }
        return "GSA,A,3," + (slots + dilutions).joined(separator: ",")
    }

    /// Returns the GSV sentences without their talkers: positions and signal strengths, four satellites per sentence.
    static func inView(_ epoch: SimulatedEpoch, index: Int) -> [String] {
        let groups = stride(from: 0, to: satellites.count, by: 4).map { Array(satellites.dropFirst($0).prefix(4)) }
        return groups.enumerated().map { number, group in
            let entries = group.map { satellite in
                let azimuth = (satellite.azimuth + index / 120) % 360
                let strength = 24 + satellite.elevation / 4 + (index / 5 * satellite.number) % 7
                return [
                    Digits.padded(satellite.number, digits: 2), Digits.padded(satellite.elevation, digits: 2),
                    Digits.padded(azimuth, digits: 3), epoch.fix == nil ? "" : String(strength),
                ].joined(separator: ",")
            }
            let count = Digits.padded(satellites.count, digits: 2)
            return "GSV,\(groups.count),\(number + 1),\(count)," + entries.joined(separator: ",")
        }
    }
}
