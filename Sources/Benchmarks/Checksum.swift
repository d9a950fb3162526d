import Geodesy
import Positioning

/// Sums by which the results of different programs are compared: modulo 2⁶⁴, whatever the order.
enum Checksum {
    /// The finaliser of SplitMix64.
    static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A sight that contains a fix, the fix counted from 0.
    static func hit(fix: Int, sight: UInt64) -> UInt64 { mix(UInt64(fix) << 32 | sight) }

    /// A sight near a place, by the number of the query and the rank, both counted from 0.
    static func neighbor(query: Int, rank: Int, sight: UInt64) -> UInt64 {
        mix(UInt64(query * 16 + rank) << 32 | sight)
    }

    /// An enter or exit of a device.
    static func event(device: UInt64, sight: UInt64, time: Timestamp, isEnter: Bool) -> UInt64 {
        mix(mix(device << 32 | sight) ^ (bits(time.milliseconds) &* 2 &+ (isEnter ? 1 : 0)))
    }

    /// A point of a track, to the second.
    static func point(_ fix: Fix) -> UInt64 {
        let seconds = (fix.time?.milliseconds ?? 0) / 1000
        let place = bits(Int64(fix.coordinate.latitudeE7)) << 32 ^ bits(Int64(fix.coordinate.longitudeE7))
        return mix(bits(seconds) ^ mix(place))
    }

    /// A stored fix of a device.
    static func row(device: UInt64, time: Timestamp) -> UInt64 { mix(device << 44 ^ bits(time.milliseconds)) }

    /// Sixteen hexadecimal digits.
    static func text(_ sum: UInt64) -> String {
        let digits = String(sum, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static func bits(_ value: Int64) -> UInt64 { UInt64(bitPattern: value) }
}
