internal import Geodesy
internal import Positioning
import Time

/// The content of the sentences with one time of day, as far as they have been read.
struct Epoch {
    /// The time of day; `nil` until a sentence gives it.
    private(set) var time: TimeOfDay?
    /// The day; `nil` until a sentence of the epoch gives it.
    var date: CalendarDate?
    /// The types of the sentences read.
    private(set) var content = CycleContent()

    private var position: Position?
    /// The sender of the position, or of the first sentence that has one, even if it is void.
    private(set) var talker = Talker.none
    /// The senders of the last RMC and GLL, of which a receiver sends one each.
    private var rmcTalker = Talker.none
    private var gllTalker = Talker.none
    /// Whether the position's sender can take it back; see ``Report/isEstimated``.
    private var isEstimated = false
    /// Whether the last word of ``talker`` was that it has no fix.
    private(set) var isVoid = false
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
    @inline(__always)
    func isFollowed(by report: inout Report) -> Bool {
        guard let time, let other = report.time else {
            return report.kind.isPosition && content.has(report.kind)
        }
        return time != other || !mayBeEqual(date, report.date)
    }

    /// Returns the talker of another receiver in this epoch if a sentence shows that there is one.
    ///
    /// Each receiver sends one RMC and one GLL in an epoch, and its sentences agree about the place. Receivers of
    /// several constellations send the rest once for each, with several talkers.
    @inline(__always)
    func talker(besides report: inout Report) -> Talker? {
        switch report.kind {
        case .rmc where rmcTalker != .none && rmcTalker != report.talker: return rmcTalker
        case .gll where gllTalker != .none && gllTalker != report.talker: return gllTalker
        default: break
        }
        guard case .position(let new) = report.status, let position, talker != report.talker else { return nil }
        return new.agrees(with: position) ? nil : talker
    }

    /// Adds the content of a sentence.
    @inline(__always)
    mutating func add(_ report: inout Report) {
        content.add(report.kind)
        if let value = report.time { time = value }
        if let value = report.date { date = value }
        switch report.kind {
        case .rmc: rmcTalker = report.talker
        case .gll: gllTalker = report.talker
        default: break
        }
        switch report.status {
        case .silent: break
        case .void: withdraw(report.talker)
        case .position(let new):
            // The types differ in their number of decimals. The last sentence with the most decimals decides.
            if new.decimals >= position?.decimals ?? 0 {
                (position, talker, isVoid, isEstimated) = (new, report.talker, false, report.isEstimated)
            }
        }
        if let value = report.altitude { altitude = value }
        if let value = report.accuracy { accuracy = value }
        // Each constellation's sentence may count only its own satellites. One sentence counts all.
        if let value = report.satellites { satellites = max(value, satellites ?? 0) }
        // VTG has no time, and may belong to a neighbouring epoch.
        speed.update(report.speed, first: report.kind == .rmc)
        track.update(report.track, first: report.kind == .rmc)
        hdop.update(report.hdop, first: report.kind != .gsa)
        mode.update(report.mode, first: report.kind == .gsa)
    }

    /// Processes a sentence of a receiver without a fix.
    ///
    /// It says nothing about the position that another receiver on the line has given. A receiver takes back only what
    /// it estimated.
    private mutating func withdraw(_ sender: Talker) {
        if position == nil, talker == .none { talker = sender }
        guard sender == talker else { return }
        if position == nil { isVoid = true }
        guard isEstimated else { return }
        position = nil
        isVoid = true
    }

    /// The accuracy in metres, as far as the sentences tell it.
    var horizontal: Double? { (accuracy ?? hdop.value.map(Accuracy.estimated(hdop:)))?.meters }

    /// Whether the epoch's time is at most `limit` milliseconds from another one, around midnight too.
    func isNear(_ other: TimeOfDay, within limit: Int64) -> Bool {
        guard let time else { return false }
        let step = abs(time.milliseconds - other.milliseconds)
        return min(step, abs(Timestamp.millisecondsPerDay - step)) <= limit
    }

    /// Returns the fix that the sentences make up, or `nil` if they give no position.
    @inline(__always)
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

    mutating func update(_ new: Value?, first isFirst: Bool) {
        guard let new else { return }
        if isFirst { first = new } else { second = new }
    }
}

/// Whether two values are equal, or at least one of them is unknown.
func mayBeEqual<Value: Equatable>(_ one: Value?, _ other: Value?) -> Bool {
    guard let one, let other else { return true }
    return one == other
}
