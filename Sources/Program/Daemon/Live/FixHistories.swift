import Positioning
import Tracking

/// The recent fixes of the devices, from which the daemon explains why an event was emitted or not.
struct FixHistories {
    /// The most devices whose fixes are kept, 170 kB each.
    private static let maximumCount = 16
    /// The silence after which a device makes room for another, in seconds.
    private static let idleTimeout = 3600.0

    private struct Kept {
        let device: String
        var history = FixHistory()
        var moment: Double
    }

    private var kept: [Kept] = []
    private var places: [String: Int] = [:]
    /// The index of the device with the latest fix, because the next fix is usually of the same device.
    private var latest = 0
    /// The earliest moment at which a silent device could make room.
    private var nextLook = -Double.infinity

    /// The history of a device; `nil` if none is kept.
    subscript(device: String) -> FixHistory? { places[device].map { kept[$0].history } }

    /// Processes a device's next fix by calling `outcome`, and records the result.
    mutating func add(
        _ fix: Fix, of device: String, _ tracker: inout Tracker, now: Double, revision: Int64,
        _ outcome: (inout Tracker) -> Tracker.Outcome
    ) {
        if !kept.indices.contains(latest) || kept[latest].device != device {
            guard let place = places[device] ?? makeRoom(for: device, now) else {
                _ = outcome(&tracker)
                return
            }
            latest = place
        }
        kept[latest].history.prepare(for: tracker)
        kept[latest].history.add(fix, outcome(&tracker), revision: revision)
        kept[latest].moment = now
    }

    private mutating func makeRoom(for device: String, _ now: Double) -> Int? {
        if kept.count >= Self.maximumCount {
            guard now >= nextLook, let silent = kept.min(by: { $0.moment < $1.moment }) else { return nil }
            guard now - silent.moment > Self.idleTimeout else {
                nextLook = silent.moment + Self.idleTimeout
                return nil
            }
            forget(silent.device)
        }
        places[device] = kept.count
        kept.append(Kept(device: device, moment: now))
        return kept.count - 1
    }

    /// Removes the history of a device.
    mutating func forget(_ device: String) {
        guard let place = places.removeValue(forKey: device) else { return }
        kept.swapAt(place, kept.count - 1)
        kept.removeLast()
        if kept.indices.contains(place) { places[kept[place].device] = place }
    }

    /// Removes all histories.
    mutating func forgetAll() { self = FixHistories() }
}
