public import RPC

/// What people make of a subject, by their visible ratings of 1 to 5.
public struct RatingSummary: Hashable, Sendable {
    /// How many gave 1, 2, 3, 4 and 5.
    public var histogram: [Int]
    /// What is expected of a subject of which nobody has said anything: the mean of all visible ratings of its kind.
    public var expected: Double

    /// How many ratings the expectation is worth: fewer than these say less than what is known of the kind.
    public static let weight = 5.0
    /// What is expected of a kind that nobody has rated: the middle.
    public static let middle = 3.0

    /// No rating where the histogram is left out.
    public init(histogram: [Int] = [0, 0, 0, 0, 0], expected: Double = middle) {
        self.histogram = histogram
        self.expected = expected
    }

    /// How many ratings there are.
    public var count: Int { histogram.reduce(0, +) }

    /// The sum of the ratings.
    package var total: Int { histogram.enumerated().reduce(0) { $0 + ($1.offset + 1) * $1.element } }

    /// The arithmetic mean; nil where there is no rating.
    public var mean: Double? { count == 0 ? nil : Double(total) / Double(count) }

    /// The number to show and to rank by: the Bayesian average (*C m* + *sum*) / (*C* + *n*) of the *n* ratings, with
    /// *C* = ``weight`` and *m* = ``expected``.
    ///
    /// It is the mean of the ratings and of *C* more that say what is expected, so that a single 5 cannot top: it moves
    /// by a sixth of the way to it, ten ratings by two thirds. Without ratings it is *m*.
    ///
    /// - SeeAlso: the weighted rating by which IMDb ranks films, which is the same formula; a shrinkage estimator, in the
    ///   words of Efron and Morris, *Stein's Paradox in Statistics*, Scientific American 236 (5), 1977.
    public var score: Double { (Self.weight * expected + Double(total)) / (Self.weight + Double(count)) }
}

extension RatingSummary: Answerable {
    /// What the ratings say, to a thousandth.
    public static let shape = Shape<RatingSummary>.object {
        Member("count", .integer, "How many have rated it.") { $0.count }
        Member.optional("mean", .number(decimals: 3), "The arithmetic mean; left out before any rating.") { $0.mean }
        Member("score", .number(decimals: 3), "The stars to show, 1 to 5: the Bayesian average.") { $0.score }
        Member("histogram", .array(of: .integer, count: 5...5), "How many gave 1, 2, 3, 4 and 5 stars.") {
            $0.histogram
        }
    }
}
