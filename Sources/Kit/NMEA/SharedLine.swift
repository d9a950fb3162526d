internal import Positioning
import Time

/// The receivers that share one line, as their sentences' talkers tell them apart.
public struct SharedLine: Hashable, Sendable {
    /// The talkers, in the order in which they were first told apart.
    public fileprivate(set) var talkers: [String] = []
    /// The talker of the receiver that is followed.
    public fileprivate(set) var followed = ""
    /// How often another receiver was followed because it had a fix, or a better one.
    public fileprivate(set) var changes = 0
}

/// Tells apart the receivers on one line, and decides which of them to follow.
///
/// While nothing shows that there are several, all sentences belong to one.
struct LineReceivers {
    /// The greatest number of receivers that are told apart; further ones are ignored.
    static let maximumCount = 4
    /// The time without a fix, in milliseconds, after which a receiver that has one is followed instead.
    ///
    /// A receiver that says that it has no fix is left at once.
    static let patience: Int64 = 1500
    /// How many times better another receiver's accuracy must be to be followed instead.
    static let clearlyBetter = 1.5
    /// The number of fixes in a row for which it must be.
    static let proof = 10

    private(set) var followed = Talker.none
    private var others: [(talker: Talker, epoch: Epoch)] = []
    private var changes = 0
    /// The talkers in the order in which they were told apart.
    private var talkers: [Talker] = []
    /// The receiver that was better lately, and for how many fixes.
    private var better: (talker: Talker, count: Int)?
    /// When the followed receiver had its last fix.
    private var lastFix: TimeOfDay?

    /// Whether there are several receivers.
    var isShared: Bool { !others.isEmpty }

    /// What is known of the receivers; `nil` while there is only one.
    var shared: SharedLine? {
        guard !others.isEmpty else { return nil }
        var line = SharedLine()
        line.talkers = talkers.map(\.text)
        line.followed = followed.text
        line.changes = changes
        return line
    }

    /// Whether a sentence comes from a receiver that is not followed.
    func isOther(_ talker: Talker) -> Bool { !others.isEmpty && others.contains { $0.talker == talker } }

    /// Tells two receivers apart, and follows the first.
    mutating func tellApart(_ first: Talker, _ second: Talker) {
        if others.isEmpty {
            followed = first
            talkers = [first]
        }
        guard second != followed, !isOther(second), others.count < Self.maximumCount else { return }
        others.append((second, Epoch()))
        talkers.append(second)
    }

    /// Whether a sentence of a receiver that is not followed begins another of its epochs.
    func isFollowed(by report: inout Report) -> Bool {
        others.contains { $0.talker == report.talker && $0.epoch.isFollowed(by: &report) }
    }

    /// Whether the epoch of a receiver that is not followed counts, although the followed one's has not ended.
    func isDue(_ talker: Talker, beside epoch: Epoch) -> Bool {
        guard let other = others.first(where: { $0.talker == talker })?.epoch, other.hasPosition else { return false }
        if epoch.hasPosition, let time = epoch.time { return !other.isNear(time, within: Self.patience) }
        return epoch.isVoid && epoch.time == other.time || isOver(other)
    }

    /// Forgets the epoch of a receiver that is not followed.
    mutating func clear(_ talker: Talker) {
        guard let index = others.firstIndex(where: { $0.talker == talker }) else { return }
        others[index].epoch = Epoch()
    }

    /// Adds a sentence of a receiver that is not followed.
    mutating func add(_ report: inout Report) {
        guard let index = others.firstIndex(where: { $0.talker == report.talker }) else { return }
        others[index].epoch.add(&report)
    }

    /// The day in a sentence of another receiver with the same time.
    func date(at time: TimeOfDay?) -> CalendarDate? {
        guard let time else { return nil }
        return others.lazy.filter { $0.epoch.time == time }.compactMap(\.epoch.date).first
    }

    /// Ends the epoch of all receivers, and returns the one that counts, from the receiver to follow.
    mutating func end(_ epoch: Epoch) -> Epoch {
        guard !others.isEmpty else { return epoch }
        defer { for index in others.indices { others[index].epoch = Epoch() } }
        if epoch.hasPosition {
            lastFix = epoch.time
            compare(epoch)
            return epoch
        }
        guard let index = others.firstIndex(where: { $0.epoch.hasPosition }) else { return epoch }
        let other = others[index].epoch
        guard lastFix == nil || other.time != lastFix, epoch.isVoid || isOver(other) else { return epoch }
        lastFix = other.time
        follow(index)
        return other
    }

    /// Whether the followed receiver has had no fix for too long when another one has.
    private func isOver(_ other: Epoch) -> Bool {
        lastFix.map { !other.isNear($0, within: Self.patience) } ?? true
    }

    private mutating func follow(_ index: Int) {
        (followed, others[index].talker) = (others[index].talker, followed)
        changes += 1
        better = nil
    }

    private mutating func compare(_ epoch: Epoch) {
        guard let accuracy = epoch.horizontal, let time = epoch.time,
            let index = others.firstIndex(where: {
                $0.epoch.hasPosition && $0.epoch.isNear(time, within: Self.patience)
                    && ($0.epoch.horizontal.map { $0 * Self.clearlyBetter < accuracy } ?? false)
            })
        else {
            better = nil
            return
        }
        let talker = others[index].talker
        let count = better.map { $0.talker == talker ? $0.count + 1 : 1 } ?? 1
        better = (talker, count)
        if count >= Self.proof { follow(index) }
    }
}
