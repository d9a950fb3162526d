internal import Positioning
import Time

/// Joins the sentences of each epoch into one fix.
///
/// An epoch ends with the first sentence of the next one or, once it has been learnt, with the last sentence of the
/// receiver's cycle. A sentence without a time belongs to the epoch in which it occurs.
struct EpochJoiner {
    private var epoch = Epoch()
    private var learner = CycleLearner()
    private var line = LineReceivers()
    private var days: DayTracker
    /// The fixes that wait for a date; `nil` if fixes do not wait, or a date has come.
    private var undated: UndatedFixes?
    /// The number of fixes that took their date from a later one.
    private(set) var datedLater = 0
    /// The epoch of the last fix returned.
    ///
    /// Later sentences of that epoch must not produce the fix a second time.
    private var given: (time: TimeOfDay, date: CalendarDate?)?

    /// Creates a joiner for a recording that begins on the given day, or on a day that its sentences will give.
    ///
    /// - Parameter awaitsDate: whether fixes before the first date wait for it.
    init(date: CalendarDate?, awaitsDate: Bool) {
        days = DayTracker(date: date)
        undated = awaitsDate && date == nil ? UndatedFixes() : nil
    }

    /// The receivers on the line, if there are several.
    var shared: SharedLine? { line.shared }

    /// Adds a sentence, and appends the fix that it completes, if any.
    mutating func join(_ report: inout Report, into fixes: inout [Fix]) {
        // A receiver without a fix often has no time either. It says nothing about the epochs of another.
        if report.isVoid, report.time == nil { return }
        if line.isOther(report.talker) { return joinOther(&report, into: &fixes) }
        if let given, given.time == report.time, mayBeEqual(given.date, report.date) {
            // The fix may have been returned before its date came.
            if let time = report.time, let date = report.date { learn(date, time, into: &fixes) }
            return learner.fail()
        }
        if epoch.isFollowed(by: &report) {
            end(byEnder: false, into: &fixes)
            // The end may have decided to follow another receiver.
            if line.isOther(report.talker) { return line.add(&report) }
        } else if let known = epoch.talker(besides: &report) {
            line.tellApart(known, report.talker)
            if line.isOther(report.talker) { return line.add(&report) }
        }
        epoch.add(&report)
        // If the position or the time is missing, the rest of the epoch may still come.
        if learner.isEnded(by: epoch.content), epoch.hasPosition, epoch.time != nil {
            end(byEnder: true, into: &fixes)
        }
    }

    /// Adds a sentence of a receiver that is not followed.
    private mutating func joinOther(_ report: inout Report, into fixes: inout [Fix]) {
        if let given, given.time == report.time, mayBeEqual(given.date, report.date) {
            // The fix was given already; what the other receiver says is only compared with it.
            if line.isFollowed(by: &report) { line.clear(report.talker) }
            return line.add(&report)
        }
        if line.isFollowed(by: &report) {
            if line.isDue(report.talker, beside: epoch) { end(byEnder: false, into: &fixes) }
            // It may be followed from now on.
            guard line.isOther(report.talker) else { return epoch.add(&report) }
            line.clear(report.talker)
        }
        line.add(&report)
    }

    /// Ends the recording, and appends the fix of its last epoch.
    mutating func finish(into fixes: inout [Fix]) {
        end(byEnder: false, into: &fixes)
        fixes += undated?.fixes ?? []
        undated = nil
    }

    /// Ends the epoch, and appends its fix if there is one.
    mutating func end(byEnder: Bool, into fixes: inout [Fix]) {
        defer { epoch = Epoch() }
        if line.isShared {
            if epoch.date == nil { epoch.date = line.date(at: epoch.time) }
            epoch = line.end(epoch)
        }
        if let time = epoch.time, let date = epoch.date { learn(date, time, into: &fixes) }
        guard epoch.hasPosition else { return }
        learner.end(epoch.content, at: epoch.time, byEnder: byEnder)
        let day = epoch.time.flatMap { epoch.date ?? days.date(of: $0) }
        let moment = epoch.time.flatMap { time in
            day.map { Timestamp($0, millisecondsOfDay: time.milliseconds) }
        }
        guard let fix = epoch.fix(at: moment) else { return }
        if let time = epoch.time { given = (time, epoch.date) }
        if moment == nil, undated?.append(fix, at: epoch.time) == true { return }
        fixes += undated?.fixes ?? []
        undated = nil
        fixes.append(fix)
    }

    /// Processes a dated sentence, and dates the fixes that waited for it.
    private mutating func learn(_ date: CalendarDate, _ time: TimeOfDay, into fixes: inout [Fix]) {
        days.set(date, time)
        guard let dated = undated?.dated(before: date, time) else { return }
        datedLater += dated.count { $0.time != nil }
        fixes += dated
        undated = nil
    }
}

/// The fixes of a recording before its first dated sentence.
struct UndatedFixes {
    /// The fixes in order.
    private(set) var fixes: [Fix] = []
    private var times: [TimeOfDay?] = []

    /// The greatest number of waiting fixes: a day of a receiver that reports once a second, in some 10 MB.
    private static let maximumCount = 86_400

    /// Appends the next fix.
    ///
    /// Returns `false` if there are too many.
    mutating func append(_ fix: Fix, at time: TimeOfDay?) -> Bool {
        guard fixes.count < Self.maximumCount else { return false }
        fixes.append(fix)
        times.append(time)
        return true
    }

    /// Returns the fixes with their dates, counted back from a later moment.
    func dated(before date: CalendarDate, _ time: TimeOfDay) -> [Fix] {
        var (fixes, next, day) = (fixes, time, date)
        for index in fixes.indices.reversed() {
            guard let time = times[index] else { continue }
            day = DayTracker.date(of: time, before: next, on: day)
            fixes[index].time = Timestamp(day, millisecondsOfDay: time.milliseconds)
            next = time
        }
        return fixes
    }
}
