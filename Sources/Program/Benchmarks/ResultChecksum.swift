import Geodesy
import Positioning
import Time

/// Sums for comparing the results of different programs: modulo 2⁶⁴, independent of the order.
enum ResultChecksum {
    /// Returns a value mixed by the finaliser of SplitMix64.
    static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns the term of a sight that contains a fix; fixes are counted from 0.
    static func hit(fix: Int, sight: UInt64) -> UInt64 { mix(UInt64(fix) << 32 | sight) }

    /// Returns the term of a sight near a place, by the number of the query and the rank, both counted from 0.
    static func neighbor(query: Int, rank: Int, sight: UInt64) -> UInt64 {
        mix(UInt64(query * 16 + rank) << 32 | sight)
    }

    /// Returns the term of an enter or exit of a device.
    static func event(device: UInt64, sight: UInt64, time: Timestamp, isEnter: Bool) -> UInt64 {
        mix(mix(device << 32 | sight) ^ (bits(time.milliseconds) &* 2 &+ (isEnter ? 1 : 0)))
    }

    /// Returns the term of a point of a track, whose time counts to the second.
    static func point(_ fix: Fix) -> UInt64 {
        let seconds = (fix.time?.milliseconds ?? 0) / 1000
        let place = bits(Int64(fix.coordinate.latitudeE7)) << 32 ^ bits(Int64(fix.coordinate.longitudeE7))
        return mix(bits(seconds) ^ mix(place))
    }

    /// Returns the term of a stored fix of a device.
    static func row(device: UInt64, time: Timestamp) -> UInt64 { mix(device << 44 ^ bits(time.milliseconds)) }

    /// Returns a sum as sixteen hexadecimal digits.
    static func text(_ sum: UInt64) -> String {
        let digits = String(sum, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static func bits(_ value: Int64) -> UInt64 { UInt64(bitPattern: value) }
}
