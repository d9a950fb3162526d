public import Callers
import GRDB
import People
public import RPC
public import Service
import Sights
import Store
import Subjects
import Time

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
                "sights.ranking", "Lists the sights that are rated best or visited most, in pages.",
                .optional(
                    "period", default: RankingPeriod.total,
                    "The period: total, or a calendar year or month in UTC; total by default."),
                .time("at", "A time in that year or month; now by default."),
                .optional(
                    "by", default: Ranking.Order.rating,
                    "The order: rating, or visits, the number of times that devices came near; rating by default."),
                Parameter<String?>.optional(
                    "text", .string(length: 0...SightSearch.longest),
                    "Only sights with all these words, as in sights.list, with their ranks among all sights."),
                .page(of: "sights.ranking", by: Ranking.Mark.self, upTo: Self.largestPage, default: 50),
                answers: List.shape, errors: [.invalidValue], right: .read, handler: ranking),
            .stored(
                "sights.ratings", "Returns the ratings of a sight: how many people gave how many stars.",
                Parameter<String>.required("id", Sight.idSchema, "The sight's id."), answers: RatingSummary.shape,
                errors: [.notFound], right: .read, handler: ratings),
        ]
    }

    /// A page of a ranking.
    private struct List: Answerable, Sendable {
        var period: Range<Timestamp>?
        var page: Page<Ranking.Place>

        static let shape = AnswerShape<List>.object {
            Member.optional("from", .time, "The beginning of the period; absent for all of time.") {
                $0.period?.lowerBound
            }
            Member.optional("to", .time, "The end of the period; absent for all of time.") { $0.period?.upperBound }
            Page<Ranking.Place>.members("sights", "The sights, best first.").of { $0.page }
        }
    }

    @Sendable private func ranking(
        _ call: Call<Principal>, period: RankingPeriod, at time: Timestamp?, by order: Ranking.Order, text: String?,
        asked: PageRequest<Ranking.Mark>
    ) async throws -> List {
        let viewer = call.viewer
        let ranking = Ranking(
            order: order, period: try period.span(around: time ?? now()), text: text, after: asked.after,
            limit: asked.limit + 1)
        return try await store.read { [ranking] db in
            var (ranking, page) = (ranking, asked.page(of: Ranking.Place.self))
            ranking.scope = try DeviceAccess(for: viewer, in: db).scope
            ranking.hidden = try SightAccess(for: viewer, in: db).hidden(in: db).numbers
            try ranking.forEach(in: db) { page.append($0, at: $1) }
            return List(period: ranking.period.range, page: page)
        }
    }

    @Sendable private func ratings(_ call: Call<Principal>, id: String) async throws -> RatingSummary {
        let viewer = call.viewer
        return try await store.read { db in
            guard let sight = try SightStore.sight(id: id, in: db), try SightAccess(for: viewer, in: db).sees(sight)
            else { throw SightMethods.unknown(id) }
            return try Subjects.rating(of: SubjectID(kind: SightSubject.kind, id: id), in: db)
        }
    }
}

extension Ranking.Place: Answerable {
    static let shape = AnswerShape<Ranking.Place>.object {
        Member("rank", .integer, "The rank among all sights of the period; equal sights share a rank.") { $0.rank }
        Sight.row.of { $0.sight }
        Member.optional("picture", .text, "The id of the cover photo.") { $0.picture }
        Member.optional(
            "score", .number(decimals: 3),
            "The stars to show, 1 to 5: the Bayesian average; absent before the first rating."
        ) { $0.score }
        Member("count", .integer, "The number of ratings in the period.") { $0.ratings }
        Member("visits", .integer, "The number of visits by devices in the period.") { $0.visits }
    }
}
