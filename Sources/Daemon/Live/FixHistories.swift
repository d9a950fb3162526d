import Positioning
import Tracking

/// The last fixes of the devices, for whoever asks why something was told or not.
struct FixHistories {
    /// The most devices whose fixes are kept, 170 kB each.
    private static let most = 16
    /// A device that has said nothing for so many seconds makes room for another.
    private static let patience = 3600.0

    private struct Kept {
        var history = FixHistory()
        var moment: Double
    }

    private var kept: [String: Kept] = [:]
    /// When it is next worth looking for one that has said nothing for long.
    private var nextLook = -Double.infinity

    /// The history of a device; nil where none is kept.
    subscript(device: String) -> FixHistory? { kept[device]?.history }

    /// Keeps what becomes of a device's next fix.
    mutating func add(
        _ fix: Fix, of device: String, _ tracker: inout Tracker, now: Double, revision: Int64,
        _ verdict: (inout Tracker) -> Tracker.Verdict
    ) {
        let isKept = kept[device] != nil || makeRoom(for: device, now)
        if isKept { kept[device]?.history.prepare(for: tracker) }
        let verdict = verdict(&tracker)
        guard isKept else { return }
        kept[device]?.history.add(fix, verdict, revision: revision)
        kept[device]?.moment = now
    }

    private mutating func makeRoom(for device: String, _ now: Double) -> Bool {
        if kept.count >= Self.most {
            guard now >= nextLook, let (oldest, silent) = kept.min(by: { $0.value.moment < $1.value.moment }) else {
                return false
            }
            guard now - silent.moment > Self.patience else {
                nextLook = silent.moment + Self.patience
                return false
            }
            kept[oldest] = nil
        }
        kept[device] = Kept(moment: now)
        return true
    }

    /// Forgets the fixes of a device.
    mutating func forget(_ device: String) { kept[device] = nil }

    /// Forgets all fixes.
    mutating func forgetAll() { kept.removeAll() }
}
