public import RPC

/// A summary of a subject's visible ratings, which are from 1 to 5.
public struct RatingSummary: Hashable, Sendable {
    /// The number of ratings of 1, 2, 3, 4 and 5.
    public var histogram: [Int]
    /// The expected rating of a subject that nobody has rated: the mean of all visible ratings of its kind.
    public var expected: Double

    /// The weight of the expectation, in ratings.
    ///
    /// A smaller number of ratings says less than what is known about the kind.
    public static let weight = 5.0
    /// The expected rating of a kind without ratings: the middle of the scale.
    public static let middle = 3.0

    /// Creates a summary; without a histogram, there are no ratings.
    public init(histogram: [Int] = [0, 0, 0, 0, 0], expected: Double = middle) {
        self.histogram = histogram
        self.expected = expected
    }

    /// The number of ratings.
    public var count: Int { histogram.reduce(0, +) }

    /// The sum of the ratings.
    package var total: Int { histogram.enumerated().reduce(0) { $0 + ($1.offset + 1) * $1.element } }

    /// The arithmetic mean; `nil` if there are no ratings.
    public var mean: Double? { count == 0 ? nil : Double(total) / Double(count) }

    /// The number to show and to rank by: the Bayesian average (*C m* + *sum*) / (*C* + *n*) of the *n* ratings, with
    /// *C* = ``weight`` and *m* = ``expected``.
    ///
    /// It is the mean of the ratings and of *C* additional ratings with the expected value, so that a single 5 cannot
    /// lead a ranking. One rating moves the score by a sixth of the way to the rating, ten ratings by two thirds.
    /// Without ratings the score is *m*.
    ///
    /// - SeeAlso: The weighted rating by which IMDb ranks films, which uses the same formula. Efron and Morris,
    ///   *Stein's Paradox in Statistics*, Scientific American 236 (5), 1977, call it a shrinkage estimator.
    public var score: Double { (Self.weight * expected + Double(total)) / (Self.weight + Double(count)) }
}

extension RatingSummary: Answerable {
    /// The summary in an answer, rounded to a thousandth.
    public static let shape = AnswerShape<RatingSummary>.object {
        Member("count", .integer, "The number of people who have rated it.") { $0.count }
        Member.optional("mean", .number(decimals: 3), "The arithmetic mean; absent before the first rating.") {
            $0.mean
        }
        Member("score", .number(decimals: 3), "The stars to show, 1 to 5: the Bayesian average.") { $0.score }
        Member(
            "histogram", .array(of: .integer, count: 5...5), "The numbers of people who gave 1, 2, 3, 4 and 5 stars."
        ) {
            $0.histogram
        }
    }
}
