internal import Geodesy
internal import Positioning

/// The content of the sentences with one time of day, as far as they have been read.
struct Epoch {
    /// The time of day; `nil` until a sentence gives it.
    private(set) var time: TimeOfDay?
    /// The day; `nil` until a sentence of the epoch gives it.
    private(set) var date: CalendarDate?
    /// The types of the sentences read.
    private(set) var content = CycleContent()

    private var position: Position?
    private var altitude: Distance?
    private var accuracy: Distance?
    private var satellites: Int?
    private var speed = Preference<Speed>()
    private var track = Preference<Angle>()
    private var hdop = Preference<Double>()
    private var mode = Preference<FixMode>()

    init() {}

    /// Whether the epoch has a position.
    var hasPosition: Bool { position != nil }

    /// Whether a report belongs to a later epoch.
    ///
    /// It does if its time or day differs. If one of the two has no time, it does if it is of a type with a position
    /// that the epoch contains already.
    func isFollowed(by report: Report) -> Bool {
        guard let time, let other = report.time else {
            return report.kind.isPosition && content.has(report.kind)
        }
        return time != other || !mayBeEqual(date, report.date)
    }

    /// Adds the content of a sentence.
    mutating func add(_ report: Report) {
        content.add(report.kind)
        if let value = report.time { time = value }
        if let value = report.date { date = value }
        switch report.status {
        case .silent: break
        // The last sentence decides, as in gpsd.
        case .void: position = nil
        case .position(let new):
            // The types differ in their number of decimals. The last sentence with the most decimals decides.
            if new.decimals >= position?.decimals ?? 0 { position = new }
        }
        if let value = report.altitude { altitude = value }
        if let value = report.accuracy { accuracy = value }
        // Each constellation's sentence may count only its own satellites. One sentence counts all.
        if let value = report.satellites { satellites = max(value, satellites ?? 0) }
        // VTG has no time, and may belong to a neighbouring epoch.
        speed.take(report.speed, first: report.kind == .rmc)
        track.take(report.track, first: report.kind == .rmc)
        hdop.take(report.hdop, first: report.kind != .gsa)
        mode.take(report.mode, first: report.kind == .gsa)
    }

    /// Returns the fix that the sentences make up, or `nil` if they give no position.
    func fix(at moment: Timestamp?) -> Fix? {
        guard let position else { return nil }
        var fix = Fix(time: moment, coordinate: position.coordinate)
        fix.altitude = altitude
        fix.speed = speed.value
        fix.track = track.value
        fix.hdop = hdop.value
        fix.accuracy = accuracy ?? hdop.value.map(Accuracy.estimated(hdop:))
        fix.mode = mode.value
        fix.satellites = satellites
        return fix
    }
}

/// A value that several types of sentences contain, of which some take precedence.
private struct Preference<Value: Sendable> {
    private var first: Value?
    private var second: Value?

    var value: Value? { first ?? second }

    mutating func take(_ new: Value?, first isFirst: Bool) {
        guard let new else { return }
        if isFirst { first = new } else { second = new }
    }
}

/// Whether two values are equal, or at least one of them is unknown.
func mayBeEqual<Value: Equatable>(_ one: Value?, _ other: Value?) -> Bool {
    guard let one, let other else { return true }
    return one == other
}
