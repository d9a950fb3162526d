public import EventStream
import GRDB
import Places
import Positioning
public import RPC
public import Service
import Store

/// The RPC methods about the ratings of sights: `sights.ranking` and `sights.ratings`.
public struct RankingMethods: Sendable {
    private let store: LocationDatabase
    private let now: @Sendable () -> Timestamp

    /// The largest page size, in sights.
    private static let largestPage = 200

    /// Creates the methods for a service.
    public init(_ context: ServiceContext) {
        store = context.store
        now = context.now
    }

    /// All methods about the ratings of sights.
    public var all: [Method<Principal>] {
        [
            .stored(
                "sights.ranking", "The sights people rate best or visit most, a page at a time.",
                .optional(
                    "period", default: RankingPeriod.total,
                    "The period that counts: total, or a year or month of the calendar in UTC; total if left out."),
                .time("at", "A time in that year or month; now if left out."),
                .optional(
                    "by", default: Ranking.Order.rating,
                    "What ranks: rating, or visits, which is how often a device has come near; rating if left out."),
                Parameter<String?>.optional(
                    "text", .string(length: 0...SightSearch.longest),
                    "Only those with all these words, as sights.list finds them, with the ranks they have among all."),
                .page(of: "sights.ranking", by: Ranking.Mark.self, upTo: Self.largestPage, usually: 50),
                answers: List.shape, errors: [.invalidValue], right: .read, handler: ranking),
            .stored(
                "sights.ratings", "What people make of a sight: how many gave how many stars.",
                Parameter<String>.required("id", Sight.idSchema, "The sight's id."), answers: RatingSummary.shape,
                errors: [.notFound], right: .read, handler: ratings),
        ]
    }

    /// A page of a ranking.
    private struct List: Answerable, Sendable {
        var period: Range<Timestamp>?
        var page: Page<Ranking.Place>

        static let shape = Shape<List>.object {
            Member.optional("from", .time, "When the period begins; left out for all of time.") {
                $0.period?.lowerBound
            }
            Member.optional("to", .time, "When it has ended.") { $0.period?.upperBound }
            Page<Ranking.Place>.members("sights", "The sights, the best first.").of { $0.page }
        }
    }

    @Sendable private func ranking(
        _ call: Call<Principal>, period: RankingPeriod, at time: Timestamp?, by order: Ranking.Order, text: String?,
        asked: PageRequest<Ranking.Mark>
    ) async throws -> List {
        let ranking = Ranking(
            order: order, period: try period.span(around: time ?? now()), text: text, after: asked.after,
            limit: asked.limit + 1)
        return try await store.read { db in
            var page = asked.page(of: Ranking.Place.self)
            try ranking.forEach(in: db) { page.take($0, at: $1) }
            return List(period: ranking.period.range, page: page)
        }
    }

    @Sendable private func ratings(_ call: Call<Principal>, id: String) async throws -> RatingSummary {
        try await store.read { db in
            guard try SightStore.contains(id, in: db) else { throw SightMethods.unknown(id) }
            return try Subjects.rating(of: SubjectID(kind: SightSubject.kind, id: id), in: db)
        }
    }
}

extension Ranking.Place: Answerable {
    static let shape = Shape<Ranking.Place>.object {
        Member("rank", .integer, "Its rank among all of the period; equal ones share theirs.") { $0.rank }
        Sight.row.of { $0.sight }
        Member.optional("picture", .text, "The id of the photo that stands for it.") { $0.picture }
        Member.optional(
            "score", .number(decimals: 3),
            "The stars to show, 1 to 5: the Bayesian average; left out before any rating."
        ) { $0.score }
        Member("count", .integer, "How many have rated it in the period.") { $0.ratings }
        Member("visits", .integer, "How often devices have come near it in the period.") { $0.visits }
    }
}
