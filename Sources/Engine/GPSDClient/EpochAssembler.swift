import Positioning

/// Makes one fix of each receiver's epoch.
struct EpochAssembler {
    private struct Receiver {
        /// The last fix that had a time.
        var fix: Fix?
        var sky: SkyReport?
    }

    private var receivers: [String: Receiver] = [:]

    /// The greatest number of receivers to remember.
    ///
    /// A source has as many devices at most. If a server names more, all are forgotten.
    private static let maximumReceivers = 10_000

    /// Returns the report that a TPV report yields.
    mutating func assemble(_ report: PositionReport, device: String) -> GPSDReport {
        guard (0...3).contains(report.mode) else { return .skipped(.mode, device) }
        guard report.mode >= 2 else { return .alive(device: device) }
        var receiver = receivers[device] ?? Receiver()
        do throws(SkipReason) {
            // A sky report without a time is valid until the next one.
            let sky = receiver.sky.flatMap { $0.time == nil || $0.time == report.time ? $0 : nil }
            let fix = try report.fix(under: sky)
            if fix.time != nil {
                if let last = receiver.fix, fix.repeats(last) { return .skipped(.duplicate, device) }
                receiver.fix = fix
                remember(receiver, device)
            }
            return .fix(fix, device: device)
        } catch {
            return .skipped(error, device)
        }
    }

    /// Returns the report that a SKY report yields.
    mutating func assemble(_ report: SkyReport, device: String) -> GPSDReport {
        var receiver = receivers[device] ?? Receiver()
        receiver.sky = report.completed(by: receiver.sky)
        remember(receiver, device)
        return .alive(device: device)
    }

    private mutating func remember(_ receiver: Receiver, _ device: String) {
        if receivers.count >= Self.maximumReceivers, receivers[device] == nil { receivers.removeAll() }
        receivers[device] = receiver
    }
}

extension Fix {
    /// Whether this fix belongs to the same epoch as another, as far as both contain the values.
    fileprivate func repeats(_ other: Fix) -> Bool {
        guard time == other.time, coordinate == other.coordinate else { return false }
        guard let altitude, let known = other.altitude else { return true }
        return altitude == known
    }
}

extension GPSDReport {
    static func skipped(_ reason: SkipReason, _ device: String = "") -> GPSDReport {
        .skipped(reason: reason.rawValue, device: device)
    }
}
