import Geodesy
public import Positioning

/// The last fixes of a device with what became of each, the rejected ones included.
///
/// It takes 40 bytes a fix. Now and then it keeps what the geofence engine knew, so that events can be told again
/// from there on.
public struct FixHistory: Sendable {
    /// The last so many fixes can be explained: an hour of a receiver that reports each second.
    public static let length = 3600

    /// How many fixes lie between two of the moments from which events can be told again.
    private static let interval = 600
    /// What is kept beyond the length, so that there is such a moment before it.
    private static let capacity = length + interval

    /// A fix in whole units, its reason by number.
    private struct Entry: Sendable {
        var time: Int64
        var accuracy: Double
        var place: Coordinate
        /// Where geofences took the device to be.
        var effective: Coordinate
        /// The last change of geofences before it; as many as fit will never be made.
        var revision: Int32
        /// Its place among the reasons; `accepted` where it was let through.
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
    }

    private struct Moment: Sendable {
        /// How many fixes had come before.
        var count: Int
        var memory: GeofenceEngine.Memory
    }

    /// Why fixes are not let through: by the gate, and before it.
    private static let reasons = FixGate.Rejection.allCases.map(\.rawValue) + [future]
    /// The reason of a fix whose time is ahead of the clock.
    public static let future = "future"

    private var entries: ContiguousArray<Entry> = []
    /// How many fixes have come.
    private var count = 0
    private var moments: [Moment] = []
    /// How many fixes have come when the next moment is due.
    private var due = 0

    /// A history without a fix.
    public init() {}

    /// Prepares for the next fix, which the tracker has not seen yet.
    public mutating func prepare(for tracker: Tracker) {
        guard count >= due else { return }
        due = count + Self.interval
        moments.append(Moment(count: count, memory: tracker.geofenceMemory))
        moments.removeAll { $0.count < count - Self.capacity }
    }

    /// Takes what became of the next fix.
    ///
    /// - Parameters:
    ///   - fix: as it came.
    ///   - revision: that of the index.
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

    /// The time of the first fix that can be explained; nil before any.
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

    /// Explains the fixes about a moment.
    ///
    /// - Complexity: O(*n*) for *n* kept fixes.
    /// - Returns: nil where the index has no such geofence, or the moment is before all that is kept.
    public func explain(
        _ question: Explanation.Question, _ identity: Geofence.Identity, device: String, in index: GeofenceIndex,
        policy: TrackingPolicy
    ) -> (geofence: Geofence, explanation: Explanation)? {
        guard let begin, question.time >= begin, let number = index.number(of: identity) else { return nil }
        let (geofence, revision) = (index.geofence(number), index.shapes[Int(number)].revision)
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
        return (
            fix,
            .accepted(
                GeofenceEngine.PlacedFix(
                    time: time, place: entry.effective, accuracy: accuracy, isApart: entry.marks.contains(.isApart)))
        )
    }
}
