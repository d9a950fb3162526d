import Positioning
import Time

/// Leaves out fixes that are dated ahead of those that follow them, as a receiver with a wrong date writes them.
///
/// A fix more than five minutes ahead is held back until the next ones show which of the two timelines goes on. Those
/// on the other one are left out if they are ahead, and left for the gate if they are late. The filter sees at most
/// ``most`` fixes ahead, so its memory is bounded, and fixes in order of time pass unchanged. It does not judge whole
/// segments, because files may hold them in any order.
struct AheadFilter: Sendable {
    /// The step ahead, in milliseconds, above which a fix is held back.
    static let step: Int64 = 300_000
    /// The number of fixes ahead that prove their timeline.
    static let proof = 10
    /// The number of fixes that prove that the timeline before goes on.
    static let returned = 3
    /// The greatest number of fixes held back.
    static let most = 32

    /// The number of fixes left out.
    private(set) var count = 0
    /// The time of the first fix left out.
    private(set) var first: Timestamp?

    /// The time of the last fix that passed.
    private var last: Timestamp?
    /// The fixes held back, in order, each with whether it is ahead.
    private var held: [(fix: Fix, track: Int, isAhead: Bool)] = []
    /// The time of the last fix held back on each timeline.
    private var ahead: Timestamp?
    private var back: Timestamp?
    /// The tracks of the fixes that passed, if they are wanted.
    private(set) var tracks: [Int]?
    /// The number of fixes ahead since the last one on the timeline before.
    private var again = 0
    /// Whether a first fix waits only for the next one.
    private let isLive: Bool

    /// Creates a filter.
    ///
    /// - Parameters:
    ///   - isLive: whether fixes arrive as they happen, so that the first ones must not wait long.
    ///   - wantsTracks: whether the tracks of the fixes that pass are kept; see ``drainTracks()``.
    init(isLive: Bool = false, wantsTracks: Bool = false) {
        self.isLive = isLive
        tracks = wantsTracks ? [] : nil
    }

    /// Returns the tracks of the fixes that passed since the last call.
    mutating func drainTracks() -> [Int] {
        defer { if tracks != nil { tracks = [] } }
        return tracks ?? []
    }

    /// Takes the next fix, and appends those that pass.
    mutating func filter(_ fix: Fix, track: Int = 0, into fixes: inout [Fix]) {
        guard let time = fix.time else {
            tracks?.append(track)
            return fixes.append(fix)
        }
        guard let begin = held.first?.fix.time else {
            let isAhead = last.map { time.milliseconds(since: $0) > Self.step } ?? true
            guard isAhead else { return pass(fix, track, at: time, into: &fixes) }
            (ahead, back, again) = (time, nil, 0)
            return held.append((fix, track, true))
        }
        // If the second fix is far ahead of the first, it is the one in doubt.
        if last == nil, held.count == 1, time.milliseconds(since: begin) > Self.step {
            release(into: &fixes)
            return filter(fix, track: track, into: &fixes)
        }
        if time >= begin {
            // Fixes that prove a timeline follow each other on it.
            guard let ahead, time >= ahead, time.milliseconds(since: ahead) <= 12 * Self.step else {
                return startOver(fix, track, at: time, into: &fixes)
            }
            self.ahead = time
            again += back == nil ? 0 : 1
            held.append((fix, track, true))
            let isProven = held.count >= Self.proof || again >= Self.returned || (isLive && last == nil)
            if isProven { release(into: &fixes) }
            return
        }
        let isOrdered =
            back.map { time > $0 } ?? last.map { time >= $0 } ?? (begin.milliseconds(since: time) > Self.step)
        let isSegment = fix.beginsSegment && (held.first?.fix.beginsSegment ?? false)
        guard isOrdered, !isSegment, held.count < Self.most else {
            release(into: &fixes)
            return filter(fix, track: track, into: &fixes)
        }
        (back, again) = (time, 0)
        held.append((fix, track, false))
        if held.count(where: { !$0.isAhead }) >= Self.returned { drop(into: &fixes) }
    }

    /// Appends what is still held back at the end of the recording.
    mutating func finish(into fixes: inout [Fix]) {
        let behind = held.count { !$0.isAhead }
        if behind > 0, behind >= held.count - behind { drop(into: &fixes) } else { release(into: &fixes) }
    }

    private mutating func startOver(_ fix: Fix, _ track: Int, at time: Timestamp, into fixes: inout [Fix]) {
        // One that is even farther ahead is another fix with a wrong date, as long as nothing proves the first.
        if held.count < Self.most, back != nil || held.count == 1 {
            ahead = time
            return held.append((fix, track, true))
        }
        release(into: &fixes)
        filter(fix, track: track, into: &fixes)
    }

    private mutating func pass(_ fix: Fix, _ track: Int, at time: Timestamp, into fixes: inout [Fix]) {
        last = time
        tracks?.append(track)
        fixes.append(fix)
    }

    private mutating func release(into fixes: inout [Fix]) {
        for (fix, track, _) in held { if let time = fix.time { pass(fix, track, at: time, into: &fixes) } }
        held.removeAll(keepingCapacity: true)
    }

    private mutating func drop(into fixes: inout [Fix]) {
        var beginsSegment = false
        for (fix, track, isAhead) in held {
            guard let time = fix.time else { continue }
            if isAhead {
                count += 1
                first = first ?? time
                beginsSegment = beginsSegment || fix.beginsSegment
            } else {
                var fix = fix
                fix.beginsSegment = fix.beginsSegment || beginsSegment
                beginsSegment = false
                pass(fix, track, at: time, into: &fixes)
            }
        }
        held.removeAll(keepingCapacity: true)
    }
}
