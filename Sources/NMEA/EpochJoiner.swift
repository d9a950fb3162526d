internal import Positioning

/// Joins the sentences of each epoch into one fix.
///
/// An epoch ends with the first sentence of the next, or, once it is learnt, with the sentence that ends the
/// receiver's cycle. What the cycles before the first fix taught holds for that one's; then learning begins anew, since
/// receivers leave sentences out where they have no fix. Sentences without a time belong to the epoch that they stand in.
struct EpochJoiner {
    private var epoch = Epoch()
    private var learner = CycleLearner()
    /// Learns from the cycles before the first fix how the first with one ends.
    private var learnerWithoutFix = CycleLearner()
    private var days: DayKeeper
    /// The epoch of the last fix given: what comes of it later must not make it a second time.
    private var given: (time: TimeOfDay, date: CalendarDate?)?

    /// A joiner for a recording that begins on a known day, or on one that its sentences are to say.
    init(date: CalendarDate?) { days = DayKeeper(date: date) }

    /// Takes up a sentence, and appends the fix that it completes.
    mutating func join(_ report: Report, into fixes: inout [Fix]) {
        if let given, given.time == report.time, mayBeEqual(given.date, report.date) {
            // The first fix may have been given before its date came.
            if let time = report.time, let date = report.date { days.set(date, time) }
            return learner.fail()
        }
        if epoch.isFollowed(by: report) { end(byEnder: false, into: &fixes) }
        epoch.add(report)
        // Without a position or a time the rest of the epoch may be still to come.
        let learnt = given == nil ? learnerWithoutFix : learner
        if learnt.isEnded(by: epoch.content), epoch.hasPosition, epoch.time != nil {
            end(byEnder: true, into: &fixes)
        }
    }

    /// The recording ends here: appends the fix of its last epoch, unless that is known to be incomplete.
    mutating func finish(into fixes: inout [Fix]) {
        if learner.isCutShort(epoch.content) { epoch = Epoch() } else { end(byEnder: false, into: &fixes) }
    }

    /// Ends the epoch, and appends its fix if there is one.
    mutating func end(byEnder: Bool, into fixes: inout [Fix]) {
        defer { epoch = Epoch() }
        if let time = epoch.time, let date = epoch.date { days.set(date, time) }
        guard epoch.hasPosition else {
            if given == nil { learnerWithoutFix.end(epoch.contentWithoutFix, byEnder: false) }
            return
        }
        learner.end(epoch.content, byEnder: byEnder)
        guard let time = epoch.time else {
            if let fix = epoch.fix(at: nil) { fixes.append(fix) }
            return
        }
        let date = epoch.date ?? days.date(of: time)
        let moment = date.map { Timestamp($0, millisecondsOfDay: time.milliseconds) }
        if let fix = epoch.fix(at: moment) { fixes.append(fix) }
        given = (time, epoch.date)
    }
}
