/// The distinct watches of geofences.
///
/// The locations of a plan share one entry, which is deleted with the last of them.
struct WatchTable: Sendable {
    private struct Entry {
        var watch: Geofence.Watch
        var uses: Int
    }

    /// The number of a geofence that is watched always and for all devices.
    static let always: Int32 = -1

    private var entries: [Entry?] = []
    private var numbers: [Geofence.Watch: Int32] = [:]
    private var free: [Int32] = []

    /// The number of entries.
    var count: Int { numbers.count }

    /// The watch with a number; `nil` for ``always``.
    @inline(__always)
    subscript(number: Int32) -> Geofence.Watch? { number < 0 ? nil : entries[Int(number)]?.watch }

    /// Returns the number of a watch, and counts one more geofence that uses it.
    mutating func add(_ watch: Geofence.Watch?) -> Int32 {
        guard let watch else { return Self.always }
        if let number = numbers[watch] {
            entries[Int(number)]?.uses += 1
            return number
        }
        let number = free.popLast() ?? Int32(entries.count)
        if Int(number) == entries.count { entries.append(nil) }
        entries[Int(number)] = Entry(watch: watch, uses: 1)
        numbers[watch] = number
        return number
    }

    /// Counts one geofence less that uses a watch.
    mutating func remove(_ number: Int32) {
        guard number >= 0, let entry = entries[Int(number)] else { return }
        guard entry.uses == 1 else {
            entries[Int(number)]?.uses -= 1
            return
        }
        entries[Int(number)] = nil
        numbers[entry.watch] = nil
        free.append(number)
    }
}
