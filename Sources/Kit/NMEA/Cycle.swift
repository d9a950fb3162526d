/// The sentences of an epoch: the number of each type, and the type of the last one.
struct CycleContent: Equatable {
    /// The counts, with eight bits for each type.
    private var counts: UInt64 = 0
    /// The type of the last sentence.
    private(set) var last: Sentence.Kind?

    /// The number of sentences of the last sentence's type.
    @inline(__always)
    var ordinal: UInt64 { last.map(count) ?? 0 }

    /// Whether a sentence of a type has come.
    func has(_ kind: Sentence.Kind) -> Bool { count(kind) > 0 }

    /// Adds a sentence.
    ///
    /// The count of a type ends at 255.
    mutating func add(_ kind: Sentence.Kind) {
        last = kind
        if count(kind) < 255 { counts += 1 << shift(kind) }
    }

    @inline(__always)
    private func count(_ kind: Sentence.Kind) -> UInt64 { counts >> shift(kind) & 255 }

    private func shift(_ kind: Sentence.Kind) -> UInt64 {
        switch kind {
        case .rmc: 0
        case .gga: 8
        case .gns: 16
        case .gll: 24
        case .vtg: 32
        case .gsa: 40
        case .gst: 48
        case .zda: 56
        }
    }
}

/// Learns which sentence ends a receiver's cycle, so that a fix does not have to wait for the next cycle.
struct CycleLearner {
    /// The number of equal cycles in a row that determine the last sentence.
    static let cyclesToLearn = 3
    /// The limit of the required number of cycles, which doubles with each error.
    ///
    /// A receiver whose cycles differ occasionally loses little, and a lasting change of the cycle is learnt soon.
    static let maximumCyclesToLearn = 48
    /// The least time, in milliseconds, that equal cycles must span.
    ///
    /// A receiver with several fixes a second sends some sentences, such as the one with the speed, only once in that
    /// time.
    static let shortestLesson: Int64 = 2000

    private var enderIsKnown = false
    /// The last cycle.
    private var cycle = CycleContent()
    /// The number of equal cycles in a row, up to the last one.
    private var equalCycles = 0
    /// The time of the first of these cycles.
    private var begin: TimeOfDay?
    private var demanded = Self.cyclesToLearn

    init() {}

    /// Whether the last sentence of this content is the one that ends the cycle.
    @inline(__always)
    func isEnded(by content: CycleContent) -> Bool {
        enderIsKnown && content.last == cycle.last && content.ordinal == cycle.ordinal
    }

    /// Notes that a cycle has ended, either with the learnt last sentence or because of what followed it.
    mutating func end(_ content: CycleContent, at time: TimeOfDay?, byEnder: Bool) {
        guard !byEnder else { return }
        // The learnt last sentence did not come, so it is not the last one.
        enderIsKnown = false
        if content != cycle || begin == nil { (equalCycles, begin) = (0, time) }
        cycle = content
        equalCycles += 1
        guard equalCycles >= demanded, let begin, let time else { return }
        enderIsKnown = abs(time.milliseconds - begin.milliseconds) >= Self.shortestLesson
    }

    /// Notes that a sentence came after the one that was assumed to end its cycle.
    mutating func fail() {
        guard enderIsKnown else { return }
        enderIsKnown = false
        begin = nil
        demanded = min(2 * demanded, Self.maximumCyclesToLearn)
    }
}
