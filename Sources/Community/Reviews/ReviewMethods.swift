import EventStream
import RPC
import Service

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
                "reviews.summary", "What people make of something: the number to show, and how many gave how much.",
                .subject, answers: Summary.shape, errors: [.notFound, .invalidValue], right: .read, handler: summary),
            .stored(
                "reviews.list", "The reviews of something, a page at a time.", .subject,
                .optional(
                    "order", default: .newest,
                    "The order: newest, or agreed, which puts what most people agree with first; newest if left out."),
                .page(of: "reviews.list", upTo: Self.largestPage, usually: 50),
                answers: .page("reviews", "The reviews."), errors: [.notFound, .invalidValue], right: .read,
                handler: list),
            .stored(
                "reviews.get", "One review.", Self.review, answers: Review.shape, errors: [.notFound], right: .read,
                handler: get),
        ]
    }

    private var writing: [Method<Principal>] {
        [
            .stored(
                "reviews.put", "Rates what someone else has added, in place of what you have said of it before.",
                .subject, .required("rating", Review.ratingSchema, "How good, 5 being best."),
                .prose(
                    "text", atMost: Review.longestText,
                    "What you say besides, up to \(Review.longestText) bytes; nothing if left out."),
                answers: Review.shape, errors: [.notFound, .notAllowed, .invalidValue], right: .person, handler: put),
            .stored(
                "reviews.remove", "Removes your review; an administrator may remove any.", Self.review,
                answers: .object { Member("id", .text, "Its id.") { $0 } }, errors: [.notFound, .notAllowed],
                right: .contribute, question: "Remove this review?", handler: remove),
            .stored(
                "reviews.agree", "Agrees with someone else's review, or no longer.", Self.review,
                .required("agree", .boolean, "False takes it back."), answers: Review.shape,
                errors: [.notFound, .notAllowed], right: .person, handler: agree),
            .stored(
                "reviews.flag",
                """
                Says that someone else's review should not be there; \(Reviews.flagsThatHide) people's flags hide it until \
                it is decided upon.
                """,
                Self.review,
                answers: .object {
                    Member("id", .text, "Its id.") { $0 }
                    Member("flagged", .boolean, "True: you have flagged it.") { _ in true }
                }, errors: [.notFound, .notAllowed], right: .person, question: "Flag this review?", handler: flag),
        ]
    }

    private var deciding: [Method<Principal>] {
        [
            .stored(
                "reviews.flagged", "The reviews with flags that nobody has decided upon, the oldest first.",
                .optional(
                    "hidden", .boolean, default: false,
                    "True for those that are hidden instead, decided upon or not."),
                .page(of: "reviews.flagged", upTo: Self.largestPage, usually: 50),
                answers: .page("reviews", "The reviews."), errors: [.invalidValue], right: .change, handler: flagged),
            .stored(
                "reviews.clear", "Decides that a review may be seen; the flags it has do not hide it again.",
                Self.review, answers: Review.shape, errors: [.notFound], right: .change
            ) { try await decide($0, $1, isHidden: false) },
            .stored(
                "reviews.hide", "Decides that only its author sees a review.", Self.review, answers: Review.shape,
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

        static let shape = Shape<Summary>.object {
            Member("count", .integer, "How many ratings there are.") { $0.rating.count }
            Member.optional("mean", .number(decimals: 3), "Their mean; left out where there is none.") {
                $0.rating.mean
            }
            Member(
                "score", .number(decimals: 3),
                """
                The number to show: (5 m + sum) / (5 + count), with m the mean of all ratings of that kind of thing. It is \
                the mean of the ratings and of five more that say what is usual, so that a single 5 cannot top.
                """
            ) { $0.rating.score }
            Member("histogram", .array(of: .integer, count: 5...5), "How many gave 1, 2, 3, 4 and 5.") {
                $0.rating.histogram
            }
            Member.optional("own", .text, "The id of your review; left out where there is none.") { $0.own }
        }
    }
}
