public import Positioning

/// What the fixes about a moment did about a geofence.
public struct Explanation: Sendable {
    /// What is asked for.
    public struct Question: Hashable, Sendable {
        /// The moment.
        public var time: Timestamp
        /// Seconds before and after it, of which up to ``longestWindow`` count.
        public var window: Double

        /// About a moment, and so many seconds before and after it.
        public init(time: Timestamp, window: Double = Question.usualWindow) {
            self.time = time
            self.window = window
        }

        /// Seconds before and after the moment, unless others are asked for.
        public static let usualWindow = 60.0
        /// The most seconds before and after the moment: what is kept in memory of a receiver that reports each second.
        public static let longestWindow = 3600.0

        /// When the window begins.
        public var begin: Timestamp { time.advanced(byMilliseconds: -span) }
        /// When it ends.
        public var end: Timestamp { time.advanced(byMilliseconds: span) }

        private var span: Int64 { Int64((min(max(0, window), Self.longestWindow) * 1000).rounded()) }
    }

    /// The most fixes of an explanation, those closest to the moment: they fit a line of the socket.
    public static let mostFixes = 1000

    /// What was asked for.
    public let question: Question
    /// The fixes within the window, in the order in which they came.
    public private(set) var fixes: [ExplainedFix] = []
    /// Whether there were more.
    public private(set) var isCut = false
    /// The last fix before the window.
    public private(set) var before: ExplainedFix?
    /// The first fix after it.
    public private(set) var after: ExplainedFix?
    /// The time of the last fix that had one.
    private var clock: Timestamp?

    /// An explanation without a fix.
    public init(_ question: Question) { self.question = question }

    /// Takes the next fix; one without time belongs to the moment of the one before.
    public mutating func add(_ fix: ExplainedFix) {
        clock = fix.time ?? clock
        guard let clock else { return }
        if clock < question.begin {
            before = fix
        } else if clock > question.end {
            if after == nil { after = fix }
        } else {
            fixes.append(fix)
            guard fixes.count > Self.mostFixes else { return }
            isCut = true
            let isFirstFarther = fixes[0].time.map { distance($0) >= distance(clock) } ?? true
            if isFirstFarther { fixes.removeFirst() } else { fixes.removeLast() }
        }
    }

    /// Whether there is no fix at all, not even before or after the window.
    public var isEmpty: Bool { fixes.isEmpty && before == nil && after == nil }

    private func distance(_ time: Timestamp) -> Int64 { abs(time.milliseconds(since: question.time)) }
}
