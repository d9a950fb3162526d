internal import Geodesy
internal import Positioning

/// What the sentences of one time of day have said so far.
struct Epoch {
    /// The time of day; nil until a sentence has given it.
    private(set) var time: TimeOfDay?
    /// The day, where a sentence of the epoch has given it.
    private(set) var date: CalendarDate?
    /// The sentences read.
    private(set) var content = CycleContent()

    private var position: Position?
    private var altitude: Distance?
    private var accuracy: Distance?
    private var satellites: Int?
    private var speed = Preference<Speed>()
    private var track = Preference<Angle>()
    private var hdop = Preference<Double>()
    private var mode = Preference<FixMode>()

    /// An epoch in which nothing was said.
    init() {}

    /// Whether there is a position.
    var hasPosition: Bool { position != nil }

    /// Whether a report belongs to a later epoch: it has another time or day, or, where one of the two has no time,
    /// it gives a position and its like is here already.
    func isFollowed(by report: Report) -> Bool {
        guard let time, let other = report.time else {
            return report.kind.isPosition && content.has(report.kind)
        }
        return time != other || !mayBeEqual(date, report.date)
    }

    /// Takes up what a sentence says.
    mutating func add(_ report: Report) {
        content.add(report.kind)
        if let value = report.time { time = value }
        if let value = report.date { date = value }
        switch report.status {
        case .silent: break
        // The last word counts, as for gpsd.
        case .void: position = nil
        case .position(let new):
            // Types differ in their decimals: of the finest the last.
            if new.decimals >= position?.decimals ?? 0 { position = new }
        }
        if let value = report.altitude { altitude = value }
        if let value = report.accuracy { accuracy = value }
        // Each constellation's sentence may count its own only; one counts them all.
        if let value = report.satellites { satellites = max(value, satellites ?? 0) }
        // VTG has no time, and may be a neighbour's.
        speed.take(report.speed, first: report.kind == .rmc)
        track.take(report.track, first: report.kind == .rmc)
        hdop.take(report.hdop, first: report.kind != .gsa)
        mode.take(report.mode, first: report.kind == .gsa)
    }

    /// The fix that the sentences make up; nil where they give no position.
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

/// A value that several types of sentence give, of which some are believed first.
private struct Preference<Value: Sendable> {
    private var first: Value?
    private var second: Value?

    var value: Value? { first ?? second }

    mutating func take(_ new: Value?, first isFirst: Bool) {
        guard let new else { return }
        if isFirst { first = new } else { second = new }
    }
}

/// Whether two values are equal as far as they are known.
func mayBeEqual<Value: Equatable>(_ one: Value?, _ other: Value?) -> Bool {
    guard let one, let other else { return true }
    return one == other
}
