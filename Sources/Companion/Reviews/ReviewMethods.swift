import Callers
import RPC
import Service
import Subjects

/// The RPC methods about reviews, in which people rate what others have added.
struct ReviewMethods: Sendable {
    let context: ServiceContext

    /// The largest page size, in reviews.
    static let largestPage = 200

    init(_ context: ServiceContext) { self.context = context }

    /// All methods about reviews.
    var all: [Method<Principal>] { reading + writing + deciding }

    private var reading: [Method<Principal>] {
        [
            .stored(
                "reviews.summary",
                "Returns the ratings of something: the score to show, and the number of ratings per star.",
                .subject, answers: Summary.shape, errors: [.notFound, .invalidValue], right: .read, handler: summary),
            .stored(
                "reviews.list", "Lists the reviews of something in pages.", .subject,
                .optional(
                    "order", default: .newest,
                    "The order: newest, or agreed, with the most agreement first; newest by default."),
                .page(of: "reviews.list", upTo: Self.largestPage, default: 50),
                answers: .page("reviews", "The reviews."), errors: [.notFound, .invalidValue], right: .read,
                handler: list),
            .stored(
                "reviews.get", "Returns a review.", Self.review, answers: Review.shape, errors: [.notFound],
                right: .read,
                handler: get),
        ]
    }

    private var writing: [Method<Principal>] {
        [
            .stored(
                "reviews.put", "Rates something that someone else has added; replaces your earlier review of it.",
                .subject, .required("rating", Review.ratingSchema, "The number of stars; 5 is best."),
                .prose(
                    "text", atMost: Review.longestText,
                    "Your words, at most \(Review.longestText) bytes; none by default."),
                answers: Review.shape, errors: [.notFound, .notAllowed, .invalidValue], right: .person, handler: put),
            .stored(
                "reviews.remove", "Removes a review of yours; administrators can remove any review.", Self.review,
                answers: .object { Member("id", .text, "The id of the removed review.") { $0 } },
                errors: [.notFound, .notAllowed],
                right: .contribute, question: "Remove this review?", handler: remove),
            .stored(
                "reviews.agree", "Agrees with someone else's review, or takes that back.", Self.review,
                .required("agree", .boolean, "Whether you agree; false takes it back."), answers: Review.shape,
                errors: [.notFound, .notAllowed], right: .person, handler: agree),
            .stored(
                "reviews.flag",
                """
                Flags someone else's review that should not be there. Flags of \(Reviews.flagsThatHide) people hide it \
                until an administrator decides.
                """,
                Self.review,
                answers: .object {
                    Member("id", .text, "The id of the review.") { $0 }
                    Member("flagged", .boolean, "Always true: you have flagged it.") { _ in true }
                }, errors: [.notFound, .notAllowed], right: .person, question: "Flag this review?", handler: flag),
        ]
    }

    private var deciding: [Method<Principal>] {
        [
            .stored(
                "reviews.flagged", "Lists the reviews with flags that await a decision, oldest first.",
                .optional(
                    "hidden", .boolean, default: false,
                    "True lists hidden reviews instead, with or without a decision."),
                .page(of: "reviews.flagged", upTo: Self.largestPage, default: 50),
                answers: .page("reviews", "The reviews."), errors: [.invalidValue], right: .change, handler: flagged),
            .stored(
                "reviews.clear", "Decides that a review stays visible; its present flags do not hide it again.",
                Self.review, answers: Review.shape, errors: [.notFound], right: .change
            ) { try await decide($0, $1, isHidden: false) },
            .stored(
                "reviews.hide", "Hides a review from all but its author and administrators.", Self.review,
                answers: Review.shape,
                errors: [.notFound], right: .change
            ) { try await decide($0, $1, isHidden: true) },
        ]
    }

    private static let review = Parameter<String>.required("review", .string(length: 1...64), "The review's id.")

    /// The ratings of a subject, and the caller's own review of it.
    struct Summary: Answerable, Sendable {
        var rating: RatingSummary
        /// The id of the caller's review; `nil` if there is none.
        var own: String?

        static let shape = AnswerShape<Summary>.object {
            Member("count", .integer, "The number of ratings.") { $0.rating.count }
            Member.optional("mean", .number(decimals: 3), "The mean rating; absent before the first rating.") {
                $0.rating.mean
            }
            Member(
                "score", .number(decimals: 3),
                """
                The score to show: (5 m + sum) / (5 + count), where m is the mean of all ratings of that kind of \
                subject. It is the mean of the ratings and of five more ratings of m, so that a single 5 does not rank \
                first.
                """
            ) { $0.rating.score }
            Member(
                "histogram", .array(of: .integer, count: 5...5), "The numbers of ratings with 1, 2, 3, 4 and 5 stars."
            ) {
                $0.rating.histogram
            }
            Member.optional("own", .text, "The id of your review; absent if there is none.") { $0.own }
        }
    }
}
