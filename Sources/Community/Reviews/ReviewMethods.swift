import EventStream
import RPC
import Service

/// The methods about reviews: what people say of what others have added.
struct ReviewMethods: Sendable {
    let context: ServiceContext

    /// The most reviews in one page.
    static let largestPage = 200

    /// The methods of a companion.
    init(_ context: ServiceContext) { self.context = context }

    /// The methods.
    var all: [Method<Principal>] { reading + writing + deciding }

    private var reading: [Method<Principal>] {
        [
            .stored(
                "reviews.summary", "What people make of something: the number to show, and how many gave how much.",
                parameters: [Subjects.field], result: Self.summary, errors: [.notFound, .invalidValue], right: .read,
                handler: summary),
            .stored(
                "reviews.list", "The reviews of something, a page at a time.",
                parameters: [
                    Subjects.field,
                    .optional(
                        "order", .choice(Reviews.Order.allCases.map(\.rawValue)),
                        "newest, as if left out, or agreed: what most people agree with first."),
                    Parameter.limit(upTo: Self.largestPage, usually: 50), Parameter.after,
                ],
                result: .object([.required("reviews", .array(of: Review.schema), "The reviews."), Parameter.next]),
                errors: [.notFound, .invalidValue], right: .read, handler: list),
            .stored(
                "reviews.get", "One review.", parameters: [Self.review], result: Review.schema, errors: [.notFound],
                right: .read, handler: get),
        ]
    }

    private var writing: [Method<Principal>] {
        [
            .stored(
                "reviews.put", "Rates what someone else has added, in place of what one has said of it before.",
                parameters: [
                    Subjects.field,
                    .required("rating", Review.ratingSchema, "How good, 5 being best."),
                    .optional(
                        "text", .string(length: 0...Review.longestText),
                        "What one says besides, up to \(Review.longestText) bytes; nothing if left out."),
                ],
                result: Review.schema, errors: [.notFound, .notAllowed, .invalidValue], right: .person, handler: put),
            .stored(
                "reviews.remove", "Removes your review; an administrator may remove any.",
                parameters: [Self.review], result: .object([.required("id", .string, "Its id.")]),
                errors: [.notFound, .notAllowed], right: .contribute, question: "Remove this review?", handler: remove),
            .stored(
                "reviews.agree", "Agrees with someone else's review, or no longer.",
                parameters: [Self.review, .required("agree", .boolean, "False takes it back.")],
                result: Review.schema, errors: [.notFound, .notAllowed], right: .person, handler: agree),
            .stored(
                "reviews.flag",
                """
                Says that someone else's review should not be there; \(Reviews.flagsThatHide) people's flags hide it until \
                it is decided upon.
                """,
                parameters: [Self.review],
                result: .object([
                    .required("id", .string, "Its id."), .required("flagged", .boolean, "True: one has flagged it."),
                ]),
                errors: [.notFound, .notAllowed], right: .person, question: "Flag this review?", handler: flag),
        ]
    }

    private var deciding: [Method<Principal>] {
        [
            .stored(
                "reviews.flagged", "The reviews with flags that nobody has decided upon, the oldest first.",
                parameters: [
                    .optional("hidden", .boolean, "True for those that are hidden instead, decided upon or not."),
                    Parameter.limit(upTo: Self.largestPage, usually: 50), Parameter.after,
                ],
                result: .object([.required("reviews", .array(of: Review.schema), "The reviews."), Parameter.next]),
                errors: [.invalidValue], right: .change, handler: flagged),
            .stored(
                "reviews.clear", "Decides that a review may be seen; the flags it has do not hide it again.",
                parameters: [Self.review], result: Review.schema, errors: [.notFound], right: .change
            ) { try await decide($0, isHidden: false) },
            .stored(
                "reviews.hide", "Decides that only its author sees a review.", parameters: [Self.review],
                result: Review.schema, errors: [.notFound], right: .change
            ) { try await decide($0, isHidden: true) },
        ]
    }

    private static let review = Field.required("review", .string(length: 1...64), "The review's id.")

    private static let summary = Schema.object([
        .required("count", .integer, "How many ratings there are."),
        .optional("mean", .number, "Their mean; left out where there is none."),
        .required(
            "score", .number,
            """
            The number to show: (5 m + sum) / (5 + count), with m the mean of all ratings of that kind of thing. It is \
            the mean of the ratings and of five more that say what is usual, so that a single 5 cannot top.
            """),
        .required("histogram", .array(of: .integer, count: 5...5), "How many gave 1, 2, 3, 4 and 5."),
        .optional("own", .string, "The id of your review; left out where there is none."),
    ])
}
