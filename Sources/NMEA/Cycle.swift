/// Which sentences an epoch has, how many of each, and which is the last.
struct CycleContent: Equatable {
    /// Eight bits a type.
    private var counts: UInt64 = 0
    /// The type of the last sentence.
    private(set) var last: Sentence.Kind?

    /// How often the type of the last sentence came.
    var ordinal: UInt64 { last.map(count) ?? 0 }

    /// Whether a type came.
    func has(_ kind: Sentence.Kind) -> Bool { count(kind) > 0 }

    /// Adds a sentence; the 255th of a type is the last that is counted.
    mutating func add(_ kind: Sentence.Kind) {
        last = kind
        if count(kind) < 255 { counts += 1 << shift(kind) }
    }

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

/// Learns which sentence ends a receiver's cycle, so that a fix need not wait for the next one.
struct CycleLearner {
    /// So many equal cycles in a row teach the ender.
    static let cyclesToLearn = 3
    /// Each error doubles the number, up to this: a receiver whose cycles differ now and then loses little, and
    /// one whose cycle has changed for good is soon learnt again.
    static let mostCyclesToLearn = 48
    /// Equal cycles must span so many milliseconds: receivers of several fixes a second send some sentences, such as
    /// the one with the speed, only once in it.
    static let shortestLesson: Int64 = 2000

    private var enderIsKnown = false
    /// The last cycle, and how many equal ones in a row it ends.
    private var cycle = CycleContent()
    private var equalCycles = 0
    /// When the first of them was.
    private var begin: TimeOfDay?
    private var demanded = Self.cyclesToLearn

    /// Nothing learnt yet.
    init() {}

    /// Whether the last sentence of this content is the one that ends the cycle.
    func isEnded(by content: CycleContent) -> Bool {
        enderIsKnown && content.last == cycle.last && content.ordinal == cycle.ordinal
    }

    /// A cycle has come to its end: by the ender that was learnt, or by what came after it.
    mutating func end(_ content: CycleContent, at time: TimeOfDay?, byEnder: Bool) {
        guard !byEnder else { return }
        // The ender did not come, so it is none.
        enderIsKnown = false
        if content != cycle || begin == nil { (equalCycles, begin) = (0, time) }
        cycle = content
        equalCycles += 1
        guard equalCycles >= demanded, let begin, let time else { return }
        enderIsKnown = abs(time.milliseconds - begin.milliseconds) >= Self.shortestLesson
    }

    /// A sentence came after the one that was thought to end its cycle.
    mutating func fail() {
        guard enderIsKnown else { return }
        enderIsKnown = false
        begin = nil
        demanded = min(2 * demanded, Self.mostCyclesToLearn)
    }
}
