import Geodesy
public import Positioning
public import Time

/// The last fixes of a device with the outcome of each, including rejected ones.
///
/// A fix takes 40 bytes. At regular intervals the history stores the state of the geofence engine as a checkpoint, from
/// which it can derive the events again.
public struct FixHistory: Sendable {
    /// The number of recent fixes that can be explained: one hour of a receiver that reports once a second.
    public static let length = 3600

    /// The number of fixes between two checkpoints.
    private static let interval = 600
    /// The number of fixes kept: ``length`` and one more interval, so that a checkpoint precedes the last ``length``
    /// fixes.
    private static let capacity = length + interval

    /// A fix in compact form, with its rejection as a number.
    private struct Entry: Sendable {
        var time: Int64
        var accuracy: Double
        var place: Coordinate
        /// The position that geofences assumed.
        var effective: Coordinate
        /// The revision of the index when the fix came, clamped.
        ///
        /// No index reaches 2³¹ changes.
        var revision: Int32
        /// The position of the rejection in ``reasons``, or `accepted`.
        var reason: UInt8
        var marks: Marks

        static let accepted = UInt8.max
    }

    private struct Marks: OptionSet, Sendable {
        let rawValue: UInt8
        static let hasTime = Marks(rawValue: 1)
        static let hasAccuracy = Marks(rawValue: 2)
        static let isAccurateToGeofences = Marks(rawValue: 4)
        static let isApart = Marks(rawValue: 8)
        static let isDoubted = Marks(rawValue: 16)
    }

    private struct Moment: Sendable {
        /// The number of fixes before the checkpoint.
        var count: Int
        var memory: GeofenceEngine.Memory
    }

    /// The reasons why fixes are rejected, by the gate or before it.
    private static let reasons = FixGate.Rejection.allCases.map(\.rawValue) + [future]
    /// The reason of a fix whose time is ahead of the clock.
    public static let future = "future"

    private var entries: ContiguousArray<Entry> = []
    /// The number of fixes added so far.
    private var count = 0
    private var moments: [Moment] = []
    /// The value of ``count`` at which the next checkpoint is due.
    private var due = 0

    /// Creates an empty history.
    public init() {}

    /// Stores a checkpoint if one is due.
    ///
    /// Call this before the tracker processes the next fix.
    public mutating func prepare(for tracker: Tracker) {
        guard count >= due else { return }
        due = count + Self.interval
        moments.append(Moment(count: count, memory: tracker.geofenceMemory))
        moments.removeAll { $0.count < count - Self.capacity }
    }

    /// Adds the next fix and its outcome.
    ///
    /// - Parameters:
    ///   - fix: the fix as it came.
    ///   - revision: the revision of the index.
    /// - Complexity: O(1).
    public mutating func add(_ fix: Fix, _ outcome: Tracker.Outcome, revision: Int64) {
        var entry = Entry(
            time: fix.time?.milliseconds ?? 0, accuracy: fix.accuracy?.meters ?? 0, place: fix.coordinate,
            effective: fix.coordinate, revision: Int32(clamping: revision), reason: Entry.accepted, marks: [])
        if fix.time != nil { entry.marks.insert(.hasTime) }
        if fix.accuracy != nil { entry.marks.insert(.hasAccuracy) }
        switch outcome {
        case .accepted(let step):
            entry.effective = step.place
            if step.accuracy != nil { entry.marks.insert(.isAccurateToGeofences) }
            if step.isApart { entry.marks.insert(.isApart) }
            if step.isDoubted { entry.marks.insert(.isDoubted) }
        case .rejected(let reason):
            entry.reason = UInt8(Self.reasons.firstIndex(of: reason) ?? Self.reasons.count)
        }
        if entries.count < Self.capacity {
            entries.append(entry)
        } else {
            entries[count % Self.capacity] = entry
        }
        count += 1
    }

    /// The time of the first fix that can be explained; `nil` if there is none.
    public var begin: Timestamp? {
        var number = firstExplainable
        while number < count {
            let entry = entries[number % Self.capacity]
            if entry.marks.contains(.hasTime) { return Timestamp(milliseconds: entry.time) }
            number += 1
        }
        return nil
    }

    private var firstExplainable: Int {
        let oldest = max(0, count - Self.capacity)
        return moments.first { $0.count >= oldest }?.count ?? count
    }

    /// Explains the fixes around a moment.
    ///
    /// - Complexity: O(*n*) for *n* kept fixes.
    /// - Returns: `nil` if the index has no such geofence, or the moment is before the first fix that can be explained.
    public func explain(
        _ question: Explanation.Question, _ identity: Geofence.Identity, device: String, in index: GeofenceIndex,
        policy: TrackingPolicy
    ) -> (geofence: Geofence, explanation: Explanation)? {
        guard let begin, question.time >= begin, let number = index.number(of: identity) else { return nil }
        let (geofence, revision) = (index.geofence(number), index.fences[Int(number)].revision)
        var explainer = Explainer(geofence, device: device, policy: policy)
        let oldest = firstExplainable
        if let memory = moments.first(where: { $0.count == oldest })?.memory, memory.seenRevision >= revision {
            explainer.recall(memory, number: number)
        }
        var explanation = Explanation(question)
        for position in oldest..<count {
            let entry = entries[position % Self.capacity]
            let (fix, outcome) = Self.fix(entry)
            explanation.add(explainer.explain(fix, outcome, isWatched: Int64(entry.revision) >= revision))
        }
        return (geofence, explanation)
    }

    private static func fix(_ entry: Entry) -> (Fix, Tracker.Outcome) {
        let time = Timestamp(milliseconds: entry.time)
        var fix = Fix(time: entry.marks.contains(.hasTime) ? time : nil, coordinate: entry.place)
        if entry.marks.contains(.hasAccuracy) { fix.accuracy = .meters(entry.accuracy) }
        guard entry.reason == Entry.accepted else {
            let reason = Int(entry.reason)
            return (fix, .rejected(reasons.indices.contains(reason) ? reasons[reason] : "unknown"))
        }
        let accuracy = entry.marks.contains(.isAccurateToGeofences) ? fix.accuracy : nil
        var step = GeofenceEngine.PlacedFix(
            time: time, place: entry.effective, accuracy: accuracy, isApart: entry.marks.contains(.isApart))
        step.isDoubted = entry.marks.contains(.isDoubted)
        return (fix, .accepted(step))
    }
}
