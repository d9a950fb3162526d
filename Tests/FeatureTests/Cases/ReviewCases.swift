import FeatureSupport
import RPC

@testable import Service

extension MethodCase {
    private static let rated: JSONObject = ["subject": "sight/mill", "rating": 4, "text": "Worth the way."]

    /// Adds bob's review and returns it as `review`.
    private static let bobsReview: Preparation = { core in
        let review = try await core.call(as: "bob", "reviews.put", rated)
        return ["review": review["id"] ?? .null]
    }

    static let reviews: [MethodCase] =
        ["reviews.summary", "reviews.list"].flatMap { method in
            [
                good(method, as: .guest, ["subject": "sight/mill"]),
                bad(.notFound, nil, method, as: .guest, ["subject": "sight/none"]),
                bad(.invalidValue, "subject", method, as: .guest, ["subject": "mill"]),
            ]
        } + [
            good("reviews.list", as: .person("cai"), ["subject": "sight/mill", "order": "agreed"], after: bobHasRated),
            bad(.invalidValue, "order", "reviews.list", as: .guest, ["subject": "sight/mill", "order": "best"]),
            bad(.invalidValue, "after", "reviews.list", as: .guest, ["subject": "sight/mill", "after": "x.1"]),
            bad(.invalidValue, "after", "reviews.list", as: .guest, ["subject": "sight/mill", "after": "1"]),

            good("reviews.get", as: .guest, after: bobsReview),
            bad(.notFound, nil, "reviews.get", as: .guest, ["review": "77"]),
            bad(.notFound, nil, "reviews.get", as: .guest, ["review": "01"]),
            bad(.notFound, nil, "reviews.get", as: .guest, ["review": "x"]),

            good("reviews.put", as: .person("bob"), rated),
            good("reviews.put", as: .person("bob"), ["subject": "sight/mill", "rating": 1]),
            bad(.notFound, nil, "reviews.put", as: .person("bob"), ["subject": "sight/none", "rating": 4]),
            bad(.notAllowed, nil, "reviews.put", as: .person("ada"), rated),
            bad(.notAllowed, nil, "reviews.put", as: .admin, rated),
            bad(.invalidValue, "rating", "reviews.put", as: .person("bob"), ["subject": "sight/mill", "text": "A"]),
            bad(.invalidValue, "rating", "reviews.put", as: .person("bob"), ["subject": "sight/mill", "rating": 0]),
            bad(.invalidValue, "rating", "reviews.put", as: .person("bob"), ["subject": "sight/mill", "rating": 6]),
            bad(.invalidValue, "rating", "reviews.put", as: .person("bob"), ["subject": "sight/mill", "rating": 4.5]),
            bad(
                .invalidValue, "text", "reviews.put", as: .person("bob"),
                ["subject": "sight/mill", "rating": 4, "text": .string(String(repeating: "é", count: 5001))]),

            good("reviews.remove", as: .person("bob"), after: bobsReview),
            good("reviews.remove", as: .admin, after: bobsReview),
            bad(.notAllowed, nil, "reviews.remove", as: .person("ada"), after: bobsReview),
            bad(.notFound, nil, "reviews.remove", as: .person("bob"), ["review": "77"]),

            good("reviews.agree", as: .person("ada"), ["agree": true], after: bobsReview),
            bad(.notAllowed, nil, "reviews.agree", as: .person("bob"), ["agree": true], after: bobsReview),
            bad(.notFound, nil, "reviews.agree", as: .person("ada"), ["review": "77", "agree": true]),

            good("reviews.flag", as: .person("ada"), after: bobsReview),
            bad(.notAllowed, nil, "reviews.flag", as: .person("bob"), after: bobsReview),
            bad(.notFound, nil, "reviews.flag", as: .person("ada"), ["review": "77"]),

            good("reviews.flagged", as: .admin),
            bad(.invalidValue, "after", "reviews.flagged", as: .admin, ["after": "x"]),
            bad(.notAllowed, nil, "reviews.flagged", as: .person("ada")),
        ]
        + ["reviews.clear", "reviews.hide"].flatMap { method in
            [
                good(method, as: .admin, after: bobsReview),
                bad(.notFound, nil, method, as: .admin, ["review": "77"]),
                bad(.notAllowed, nil, method, as: .person("ada"), after: bobsReview),
            ]
        }

    /// Adds bob's review without returning it.
    private static let bobHasRated: Preparation = { core in
        try await core.call(as: "bob", "reviews.put", rated)
        return [:]
    }
}
