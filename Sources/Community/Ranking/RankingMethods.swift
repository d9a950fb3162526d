public import EventStream
import Places
import Positioning
public import RPC
public import Service
import Store
import TextCoding

/// The methods that say which sights people like: `sights.ranking` and `sights.ratings`.
public struct RankingMethods: Sendable {
    private let store: LocationDatabase
    private let now: @Sendable () -> Timestamp

    /// The most sights in one page.
    private static let largestPage = 200

    /// The methods of a companion.
    public init(_ context: ServiceContext) {
        store = context.store
        now = context.now
    }

    /// The methods.
    public var all: [Method<Principal>] {
        [
            .stored(
                "sights.ranking", "The sights people rate best or visit most, a page at a time.",
                parameters: [
                    .optional(
                        "period", .choice(RankingPeriod.allCases.map(\.rawValue)),
                        "What of time counts: total, as if left out, or a year or month of the calendar in UTC."),
                    .optional("at", Schema.time, "A time in that year or month; now if left out."),
                    .optional(
                        "by", .choice(Ranking.Order.allCases.map(\.rawValue)),
                        "rating, as if left out, or visits: how often a device has come near."),
                    .optional(
                        "text", .string(length: 0...SightSearch.longest),
                        "Only those with all these words, as sights.list finds them, with the ranks they have among all."
                    ),
                    Field.limit(upTo: Self.largestPage, usually: 50), Field.after,
                ],
                result: .object([
                    .optional("from", Schema.time, "When the period begins; left out for all of time."),
                    .optional("to", Schema.time, "When it has ended."),
                    .required("sights", .array(of: .object(Self.place)), "The sights, the best first."), Field.next,
                ]),
                errors: [.invalidValue], right: .read, handler: ranking),
            .stored(
                "sights.ratings", "What people make of a sight: how many gave how many stars.",
                parameters: [.required("id", Sight.idSchema, "The sight's id.")], result: RatingSummary.shape.schema,
                errors: [.notFound], right: .read, handler: ratings),
        ]
    }

    private static let place: [Field] =
        [.required("rank", .integer, "Its rank among all of the period; equal ones share theirs.")]
        + Sight.row.map(\.field) + [
            .optional("picture", .string, "The id of the photo that stands for it."),
            .optional("score", .number, "The stars to show, 1 to 5: the Bayesian average; left out before any rating."),
            .required("count", .integer, "How many have rated it in the period."),
            .required("visits", .integer, "How often devices have come near it in the period."),
        ]

    @Sendable private func ranking(_ call: Call<Principal>) async throws -> JSONText {
        let limit = try call.limit(usually: 50)
        let period = try call.optional("period").flatMap(RankingPeriod.init) ?? .total
        let text: String? = try call.optional("after")
        let ranking = Ranking(
            order: try call.optional("by").flatMap(Ranking.Order.init) ?? .rating,
            period: try period.range(around: try call.time("at") ?? now()), text: try call.optional("text"),
            after: text.flatMap(Ranking.Mark.init), limit: limit + 1)
        guard (text == nil) == (ranking.after == nil) else {
            throw RPCError.invalid("after", "must be the next of a page before")
        }
        let (page, last) = try await store.read { db in
            var page = TextPage(limit: limit)
            var last: Ranking.Mark?
            try ranking.forEach(in: db) { place, mark in
                let id = SubjectID(kind: SightSubject.kind, id: place.sight.id)
                let summary =
                    if let period = ranking.period { try Reviews.summary(of: id, in: period, in: db) } else {
                        try Subjects.rating(of: id, in: db)
                    }
                let visits = try Visits.count(ofSight: id.id, during: ranking.period, in: db)
                let picture = try Subjects.cover(of: id, in: db)
                let row = JSONText.object { json in
                    json.member("rank", place.rank)
                    Sight.row.write(place.sight, to: &json)
                    json.member("picture", picture)
                    if summary.count > 0 { json.member("score", summary.score, decimals: 3) }
                    json.member("count", summary.count)
                    json.member("visits", visits)
                }
                guard page.take(row) else { return false }
                last = mark
                return true
            }
            return (page, last)
        }
        return .object { json in
            json.member("from", ranking.period?.lowerBound.description)
            json.member("to", ranking.period?.upperBound.description)
            page.write("sights", to: &json)
            if page.isFull { json.member("next", last?.description) }
        }
    }

    @Sendable private func ratings(_ call: Call<Principal>) async throws -> JSONText {
        let id: String = try call.value("id")
        let summary = try await store.read { db in
            guard try SightStore.contains(id, in: db) else { throw SightMethods.unknown(id) }
            return try Subjects.rating(of: SubjectID(kind: SightSubject.kind, id: id), in: db)
        }
        return RatingSummary.shape.text(of: summary)
    }
}
