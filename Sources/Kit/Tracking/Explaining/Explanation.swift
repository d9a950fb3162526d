public import Time

/// The fixes around a moment, and their effect on one geofence.
public struct Explanation: Sendable {
    /// The moment and the window to explain.
    public struct Question: Hashable, Sendable {
        /// The moment to explain.
        public var time: Timestamp
        /// The seconds before and after the moment.
        ///
        /// At most ``longestWindow`` of them count.
        public var window: Double

        /// Creates a question about a moment and the seconds before and after it.
        public init(time: Timestamp, window: Double = Question.defaultWindow) {
            self.time = time
            self.window = window
        }

        /// The default number of seconds before and after the moment.
        public static let defaultWindow = 60.0
        /// The greatest number of seconds before and after the moment.
        ///
        /// It equals what memory keeps of a receiver that reports once a second.
        public static let longestWindow = 3600.0

        /// The start of the window.
        public var begin: Timestamp { time.advanced(byMilliseconds: -span) }
        /// The end of the window.
        public var end: Timestamp { time.advanced(byMilliseconds: span) }

        private var span: Int64 { Int64((min(max(0, window), Self.longestWindow) * 1000).rounded()) }
    }

    /// The greatest number of fixes in an explanation.
    ///
    /// They fit into one line on the socket; those closest to the moment are kept.
    public static let maximumFixes = 1000

    /// The question that this explanation answers.
    public let question: Question
    /// The fixes within the window, in the order in which they came.
    public private(set) var fixes: [ExplainedFix] = []
    /// Whether fixes within the window were left out.
    public private(set) var isCut = false
    /// The last fix before the window.
    public private(set) var before: ExplainedFix?
    /// The first fix after the window.
    public private(set) var after: ExplainedFix?
    /// The time of the last fix that had one.
    private var clock: Timestamp?

    /// Creates an explanation without fixes.
    public init(_ question: Question) { self.question = question }

    /// Adds the next fix.
    ///
    /// A fix without a time counts as simultaneous with the one before.
    public mutating func add(_ fix: ExplainedFix) {
        clock = fix.time ?? clock
        guard let clock else { return }
        if clock < question.begin {
            before = fix
        } else if clock > question.end {
            if after == nil { after = fix }
        } else {
            fixes.append(fix)
            guard fixes.count > Self.maximumFixes else { return }
            isCut = true
            let isFirstFarther = fixes[0].time.map { distance($0) >= distance(clock) } ?? true
            if isFirstFarther { fixes.removeFirst() } else { fixes.removeLast() }
        }
    }

    /// Whether there is no fix at all, neither within the window nor before or after it.
    public var isEmpty: Bool { fixes.isEmpty && before == nil && after == nil }

    private func distance(_ time: Timestamp) -> Int64 { abs(time.milliseconds(since: question.time)) }
}
